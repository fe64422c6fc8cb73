"""The lines that a live server prints for its calls."""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
import termios
import urllib.request
from concurrent.futures import Future
from contextlib import suppress
from urllib.error import HTTPError

import click
import pytest

from confsim import Simulator
from confsim.cli.call_log import CallLog, terminal
from confsim.service.messages import Request, Response
from confsim.service.waiting import wait_for
from confsim.service.worker import Worker
from kit import START
from kit.processes.commands import serving
from kit.wire.sockets import until

LOUD = {"CONFSIM_SERVE_QUIET": "0"}


class Log:
    """A log of a server that is not started: what it prints for requests that its app answers."""

    def __init__(self, **options):
        self.sim = Simulator(clock=START)
        self.lines = []
        serving = self.sim.serve()
        self.log = CallLog(serving, self.lines.append, **options)

    def __call__(self, method, target, token="demo-owner", body=b"", query=""):
        """The line for one request, None for none; its time is taken to be two milliseconds."""
        self.lines.clear()
        headers = {"host": "localhost", "authorization": f"Bearer {token}", "content-type": "application/json"}
        request = Request(method, target, query, headers, body)
        self.log(request, wait_for(self.sim.app(request)), 0.002)
        assert len(self.lines) <= 1
        return self.lines[0] if self.lines else None


def test_a_line_tells_what_was_called_and_what_it_used():
    """Method, path, status, time and operation; the assumptions by number, and by name where they are new."""
    log = Log()
    line = log("GET", "/v1_0/users/me")
    assert " GET    /v1_0/users/me 200 2.0 ms get_me " in line
    count, new = len(log.sim.requests[0].assumptions), log.sim.requests[0].assumptions
    assert line.endswith(f" {count} assumptions, new: {', '.join(new)}")
    assert log("GET", "/v1_0/users/me").endswith(f" {count} assumptions")
    assert " 404 2.0 ms no operation why: Nothing is served at GET /v1_0/nowhere" in log("GET", "/v1_0/nowhere")
    assert "why: Nothing is served at /users/me; the API is at /v1_0" in log("GET", "/users/me")
    log.sim.faults.add("get_me", do={"drop": "before"})
    assert " dropped 2.0 ms get_me" in log("GET", "/v1_0/users/me")


def test_what_only_looks_is_left_out_unless_verbose():
    """Reading calls of the control plane and pages of the inspector; those that change something are there."""
    for verbose in (False, True):
        log = Log(verbose=verbose)
        looking = [log("GET", path) for path in ("/_confsim/info", "/_confsim/inspector/requests", "/", "/_confsim/")]
        assert [line is not None for line in looking] == [verbose] * 4
        assert "advance_clock" in log("POST", "/_confsim/clock/advance", body=b'{"by": "1h"}')
        assert (log("POST", "/_confsim/inspector/clock") is not None) is verbose
    line = log("GET", "/v1_0/users/me", query="a=b")
    assert "/v1_0/users/me?a=b " in line
    assert line.endswith(f"assumptions: {', '.join(log.sim.requests[-1].assumptions)}")


def test_a_call_of_another_world_is_one_of_that_world():
    """Its journal says what the operation was; an unknown world has none."""
    log = Log(as_json=True)
    log.sim.worlds.add("second")
    found = json.loads(log("GET", "/w/second/v1_0/users/me"))
    assert (found["world"], found["operation"], found["id"]) == ("second", "get_me", "r1")
    found = json.loads(log("GET", "/w/nobody/v1_0/users/me"))
    assert (found["status"], found["operation"], found["id"]) == (404, None, None)


def test_a_line_of_json_has_it_all():
    """One object a line."""
    log = Log(as_json=True)
    found = json.loads(log("POST", "/v1_0/channels/create", body=b'{"name": "Planning"}', query="x=1"))
    entry = log.sim.requests[-1]
    assert found.pop("time")[:2] == "20"
    assert found.pop("new") == found["assumptions"]
    assert found == {
        "world": "",
        "id": "r1",
        "at": entry.at,
        "method": "POST",
        "path": "/v1_0/channels/create",
        "query": "x=1",
        "status": 200,
        "ms": 2.0,
        "operation": "create_channel",
        "assumptions": entry.assumptions,
        "event": "answered",
        "faults": [],
        "why": "",
    }
    refused = json.loads(log("POST", "/v1_0/channels/create", body=b'{"name": "Planning"}'))
    assert refused["why"] == "Planning exists already, made by Olaf Owner with create_channel (r1)"


def test_a_fault_leaves_a_mark():
    """Its id, and its effect where much is wanted; that of the request has none."""
    for verbose in (False, True):
        log = Log(verbose=verbose)
        fault = log.sim.faults.add("get_me", do={"status": 503})
        line = log("GET", "/v1_0/users/me")
        effect = ' {"status":503}' if verbose else ""
        assert f" 503 2.0 ms get_me [fault {fault.id}{effect}]" in line
        assert "[fault of the request" in log("GET", "/v1_0/users/me", query="_confsim=status%3D500")
    log = Log(as_json=True)
    fault = log.sim.faults.add("get_me", do={"drop": "before"})
    found = json.loads(log("GET", "/v1_0/users/me"))
    assert (found["status"], found["faults"]) == (None, [{"id": fault.id, "do": {"drop": "before"}}])


def test_a_held_call_is_told_of_twice():
    """When it is held, with the fault that holds it, and once it is answered, with what became of it."""
    log, request = Log(), Request("GET", "/v1_0/users/me", "", {"authorization": "Bearer demo-owner"}, worker=Worker())
    fault = log.sim.faults.add("get_me", do={"hold": "before"})
    response = log.sim.app(request)
    log.log(request, response, 0.001)
    (held,) = log.sim.faults.held
    assert log.lines[0].endswith(f" GET    /v1_0/users/me held get_me [fault {fault.id}]")
    held.release()
    log.log(request, wait_for(response), 3.0)
    assert f" 200 3000.0 ms get_me [fault {fault.id} released] " in log.lines[1]


def test_a_client_that_gave_up_is_told_of():
    """As soon as it is gone; what else takes its time says nothing before it is done."""
    log, request = Log(), Request("GET", "/v1_0/users/me", "", {"host": "localhost"}, b"")
    log.log(request, None, 1.5)
    assert log.lines[0].endswith(" GET    /v1_0/users/me gave up 1500.0 ms")
    log.log(request, Future(), 0.0)
    assert len(log.lines) == 1


def test_a_live_server_tells_of_held_calls_and_of_clients_that_give_up():
    """In the order in which it happens."""
    sim = Simulator(clock=START)
    fault, lines = sim.faults.add("get_me", do={"hold": "before"}), []
    serving = sim.serve()
    serving.log_to(CallLog(serving, lines.append))
    with serving, socket.create_connection(("127.0.0.1", serving.port)) as client:
        client.sendall(b"GET /v1_0/users/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer demo-owner\r\n\r\n")
        assert until(lambda: len(lines) == 1, 30)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        assert until(lambda: len(lines) == 2, 30)
        for held in sim.faults.held:
            held.release()
    assert lines[0].endswith(f" held get_me [fault {fault.id}]")
    assert " gave up " in lines[1]


def test_a_terminal_is_told_nothing_by_a_path():
    """What is not printable is escaped; a line is as wide as the terminal."""
    log = Log(width=lambda: 60)
    line, why = log("GET", "/v1_0/\x1b[31m\x9bred").splitlines()
    assert line.isprintable()
    assert why.isprintable()
    assert len(line) <= 60
    assert "\\x1b[31m\\x9bred" in line
    assert log("GET", "/v1_0/users/me").endswith("…")


def test_a_reason_has_a_line_of_its_own_where_the_terminal_is_narrow():
    """Cut off it would help nobody; the rest of the call stays one line."""
    log = Log(width=lambda: 60)
    first, second = log("GET", "/users/me").splitlines()
    assert len(first) <= 60
    assert second == "    why: Nothing is served at /users/me; the API is at /v1_0"


def test_a_preflight_that_stops_a_browser_says_so():
    """Of the API, with the call that allows the page; of the control plane, with the place to call it from."""
    log, page = Log(), "http://localhost:5173"
    headers = {"origin": page, "access-control-request-method": "POST", "host": "localhost"}
    for path, why in (
        ("/v1_0/channels", f'the browser does not send their POST; set_origins with ["{page}"] allows them'),
        ("/_confsim/worlds", f"does not answer web pages of {page}; call it from the test runner"),
    ):
        request = Request("OPTIONS", path, "", headers, b"")
        log.log(request, wait_for(log.sim.app(request)), 0.002)
        assert why in log.lines[-1]


def test_a_verbose_line_is_whole_on_any_terminal():
    """Since it is to show all assumptions; pages of the inspector are no calls without an operation."""
    log = Log(width=lambda: 60, verbose=True)
    line = log("GET", "/v1_0/users/me")
    assert line.endswith(f"assumptions: {', '.join(log.sim.requests[-1].assumptions)}")
    for path in ("/", "/_confsim/", "/_confsim/inspector/requests"):
        assert log("GET", path).endswith(" 200 2.0 ms inspector")
    assert log("GET", "/_confsim/nowhere").endswith(" 404 2.0 ms no operation")


@pytest.mark.parametrize(
    ("status", "colour"), [(200, "\x1b[32m"), (302, "\x1b[36m"), (409, "\x1b[33m"), (500, "\x1b[31m")]
)
def test_colours_tell_the_kind_of_status(status, colour):
    """Green, cyan, yellow, red."""
    log = Log(colour=True)
    log.log(Request("GET", "/v1_0/x", "", {}), Response(status, []), 0.0)
    assert f"{colour}{status}\x1b[0m" in log.lines[0]


def test_serve_prints_a_line_for_each_call():
    """As it comes: behind the greeting, on standard output; -q prints none. In a log of JSON every line is JSON."""
    with serving("--log-format", "json", **LOUD) as (command, greeting, root):
        said = json.loads(greeting)
        assert (said["event"], said["api"], said["world"]) == ("serving", f"{root}/v1_0", "demo")
        assert said["tokens"]["demo-owner"]["role"] == "owner"
        with suppress(HTTPError):
            urllib.request.urlopen(f"{root}/v1_0/users/me", timeout=30)
        found = json.loads(command.stdout.readline())
        assert (found["operation"], found["status"], found["path"]) == ("get_me", 401, "/v1_0/users/me")
        assert found["ms"] > 0
    with serving("-q", **LOUD) as (command, _, root):
        with suppress(HTTPError):
            urllib.request.urlopen(f"{root}/v1_0/users/me", timeout=30)
        command.send_signal(15)
        assert "/v1_0/users/me" not in command.stdout.read()


def test_serve_opens_the_inspector_in_the_browser(tmp_path):
    """The one that the environment names; it may take its time, the server answers meanwhile."""
    opened, browser = tmp_path / "opened", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}.part\nmv {opened}.part {opened}\nsleep 1\n')
    browser.chmod(0o755)
    with serving("--open", BROWSER=str(browser)) as (_, _, root):
        assert until(opened.exists)
        assert opened.read_text() == f"{root}/_confsim/"
        with urllib.request.urlopen(f"{root}/_confsim/health", timeout=30) as answer:
            assert answer.status == 200


def test_a_terminal_without_a_size_shows_whole_lines(monkeypatch):
    """As a new pseudo-terminal is, until somebody gives it one: its lines were empty."""
    ours, theirs = os.openpty()
    with open(theirs, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        shown = terminal()
        log = Log(**shown)
        assert "/v1_0/users/me" in log("GET", "/v1_0/users/me")
        termios.tcsetwinsize(theirs, (24, 40))
        assert 20 < len(click.unstyle(log("GET", "/v1_0/users/me"))) <= 40
    os.close(ours)

"""The journal and the webhooks of a world, followed from the command line."""

from __future__ import annotations

import json
import re
import signal
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import pytest

from confsim.cli import confsim
from confsim.control.catalogue import CONTROL
from kit import ADMIN, OWNER, ok
from kit.processes.commands import Command, run

pytestmark = pytest.mark.own_ways


def test_tail_has_an_option_for_each_filter_of_the_journal():
    """As its operation declares them."""
    declared = {each.name for each in CONTROL["list_requests"].query_parameters} - {"limit", "offset"}
    options = {each.name for each in confsim.every()["tail"].params if getattr(each, "section", "") == "Filters"}
    assert options == declared


def test_tail_prints_what_is_there(sim):
    """The newest calls, filtered, as text with the reason of a refusal, or as JSON."""
    ok(sim, "get_me", OWNER)
    sim.call("get_me", "nobody")
    code, output, _ = run("tail", "--once")
    first, second = output.splitlines()
    assert code == 0
    assert re.fullmatch(r"2026-02-01T00:00:00.000Z GET    /v1_0/users/me 200 get_me \d+ assumptions", first)
    assert "401 get_me why: The token" in second
    assert run("tail", "--once", "--status", "4xx")[1] == f"{second}\n"
    assert run("tail", "--once", "-n", "1")[1] == f"{second}\n"
    assert [json.loads(line)["id"] for line in run("tail", "--once", "--json")[1].splitlines()] == ["r1", "r2"]
    assert run("tail", "--once", "-n", "0")[1] == ""


def test_tail_prints_timers_and_control_calls_if_asked(sim):
    """Each with its kind in the place of the method."""
    ok(sim, "reserve_handle", OWNER, body={"handle": "Neo"})
    sim.clock.advance("1h")
    lines = run("tail", "--once", "--kind", "all")[1].splitlines()
    assert any(" timer " in line for line in lines)
    assert any("/_confsim/clock/advance" in line for line in lines)


def test_tail_follows_the_journal_past_a_reset(sim):
    """Each new call once; Ctrl-C ends it with success."""
    ok(sim, "get_me", OWNER)
    with Command("confsim", "tail") as tail:
        assert "get_me" in tail.stdout.readline()
        ok(sim, "list_channels", OWNER)
        assert "list_channels" in tail.stdout.readline()
        sim.reset()
        ok(sim, "get_me", OWNER)
        assert "get_me" in tail.stdout.readline()
        tail.send_signal(signal.SIGINT)
        assert (tail.wait(), tail.stdout.read(), tail.stderr.read()) == (0, "", "")


class Receiver(BaseHTTPRequestHandler):
    """A receiver of webhooks that keeps them."""

    def do_POST(self):
        """Keep the body and the headers."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((body, dict(self.headers)))
        self.server.arrived.set()
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        """Say nothing."""


@contextmanager
def receiver():
    """Serve a receiver of webhooks in a thread."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        server.got, server.arrived = [], Event()
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_listen_sends_the_webhooks_of_a_world_with_their_signatures(sim):
    """To the address, signed with the printed secret, also after a reset; nothing is left at the end."""
    with receiver() as hooks, Command("confsim", "listen", "--forward-to", f":{hooks.server_port}/hooks") as listen:
        secrets = {}
        for _ in range(3):
            name, _, rest = listen.stdout.readline().rstrip().partition(": ")
            secrets[name] = rest.rpartition(" ")[2]
        assert set(secrets) == {"Demo Partner", "Demo Customer", "Demo Other"}
        ok(sim, "create_channel", OWNER, body={"name": "Board"})
        instant, kind, message, status = listen.stdout.readline().split()
        assert (instant, status) == ("2026-02-01T00:00:00.000Z", "204")
        assert hooks.arrived.wait(30)
        body, headers = hooks.got[0]
        assert headers["webhook-id"] == message
        assert sim.webhooks.verify(body, headers, secrets["Demo Customer"])["kind"] == kind
        sim.reset()
        assert ": webhooks go to " in listen.stdout.readline()
        listen.send_signal(signal.SIGINT)
        assert listen.wait() == 0
    assert sim.control("list_endpoints") == []


def test_listen_as_an_admin_serves_the_client_of_that_admin(sim):
    """Another role cannot: the refusal says who can."""
    with (
        receiver() as hooks,
        Command("confsim", "listen", "--as", ADMIN, "--forward-to", f":{hooks.server_port}") as on,
    ):
        assert on.stdout.readline().startswith(f"{ADMIN}: webhooks go to http://localhost:")
        assert len(sim.control("list_endpoints")) == 1
        on.send_signal(signal.SIGINT)
        assert on.wait() == 0
    code, _, errors = run("listen", "--as", "user", "--forward-to", ":3000")
    assert code == 1
    assert "Name an admin by --as" in errors

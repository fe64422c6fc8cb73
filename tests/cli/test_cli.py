"""The command line, run as people run it. What lists everything is run afresh: it imports what it lists."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import re
import shlex
import signal
import socket
import sys
import urllib.request

import pytest

import confsim
from confsim import Simulator, __version__, cli
from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER
from confsim.cli import confsim as commands, serving as serving_command
from confsim.kernel.machine import Machine
from confsim.service.journal import MOST_CALLS
from confsim.service.worlds import MOST
from confsim.testing.calibrating.seeing import seen
from kit import START, START_MS
from kit.each import each
from kit.processes.commands import run, run_afresh, serving


def fetch(url, headers=()):
    """A request as curl would make it; answers the JSON."""
    with urllib.request.urlopen(urllib.request.Request(url, headers=dict(headers)), timeout=30) as answer:
        return json.load(answer)


def test_serve_greets_with_all_one_needs():
    """The addresses, the clients, their tokens, and a line for curl that works."""
    with serving() as (_, greeting, root):
        assert re.search(r"API +(http://127\.0\.0\.1:\d+)/v1_0", greeting)[1] == root
        assert fetch(f"{root}/_confsim/health") == {"status": "ok"}
        for token, holder in Simulator().control("get_info").tokens.items():
            line = next(line for line in greeting.splitlines() if line.split()[:1] == [token])
            assert holder.role in line
        words = shlex.split(next(line for line in greeting.splitlines() if line.startswith("curl ")))
        header, url = words[words.index("-H") + 1], words[-1]
        assert fetch(url, [header.split(": ", 1)])["handle"] == "Paula Partner"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_serve_stops_cleanly(number):
    """At Ctrl-C, SIGTERM and SIGHUP: exit code 0, nothing on standard error."""
    with serving(end=number) as (process, _, _):
        process.send_signal(number)
        assert process.wait() == 0
        assert process.stderr.read() == ""


def test_serve_takes_world_seed_clock_and_profile(tmp_path):
    """A file, a number, an instant at which it stands, and choices."""
    world = tmp_path / "own.json"
    world.write_text('{"version": 1, "at": "2026-01-01T00:00:00Z", "clients": [{"name": "Only"}]}')
    profile = tmp_path / "acme.toml"
    profile.write_text('[route]\nprefix = "/conf/v1_0"\n')
    text = ["--world", str(world), "--seed", "7", "--clock", START, "--frozen"]
    with serving(*text, "--profile", str(profile)) as (_, greeting, root):
        assert f"{root}/conf/v1_0" in greeting
        info = fetch(f"{root}/_confsim/info")
    assert (info["seed"], info["now"], info["profile"]) == (7, START_MS, {"route.prefix": "/conf/v1_0"})
    assert [each["name"] for each in info["clients"]] == ["Only"]
    assert "curl" not in greeting


def test_the_environment_counts_and_flags_win():
    """CONFSIM_SEED for every command, CONFSIM_SERVE_SEED for one."""
    for arguments, environment, seed in (
        ((), {"CONFSIM_SEED": "5"}, 5),
        ((), {"CONFSIM_SERVE_SEED": "6", "CONFSIM_SEED": "5"}, 6),
        (("--seed", "7"), {"CONFSIM_SEED": "5"}, 7),
    ):
        with serving(*arguments, **environment) as (_, _, root):
            assert fetch(f"{root}/_confsim/info")["seed"] == seed


def test_a_clock_that_starts_at_an_instant_runs_on():
    """Unless it is frozen."""
    with serving("--clock", "1769904000000") as (_, _, root):
        shown = fetch(f"{root}/_confsim/clock")
    assert shown["frozen"] is False
    assert START_MS <= shown["now"] < 1_769_904_060_000


def test_a_clock_that_no_option_speaks_of_is_that_of_the_profile(tmp_path):
    """A profile may let it stand."""
    profile = tmp_path / "standing.toml"
    profile.write_text('[time]\nsource = "standing"\n')
    with serving("--profile", str(profile)) as (_, _, root):
        assert fetch(f"{root}/_confsim/clock")["frozen"] is True


def test_a_taken_port_is_reported():
    """Exit code 1, and which."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, _, errors = run("serve", "-p", port)
    assert code == 1
    assert port in errors
    assert "Traceback" not in errors


@each(
    "arguments, text",
    [
        (("serve", "--world", "nowhere"), "nowhere"),
        (("serve", "--profile", "nowhere.toml"), "nowhere.toml"),
        (("serve", "--clock", "soon"), "soon"),
        (("serve", "-p", "many"), "many"),
        (("serve", "-p", "70000"), "70000"),
        (("serve", "-H", "no.such.host.invalid", "-p", "0"), "no.such.host.invalid"),
        (("assumptions", "--operation", "nope"), "nope"),
        (("machines", "--mermaid", "nope"), "nope"),
        (("nope",), "nope"),
        (("operations", "--nope"), "--nope"),
    ],
)
def test_wrong_use_is_reported(arguments, text):
    """Exit code 1, in one sentence, without a traceback."""
    code, output, errors = run(*arguments)
    assert (code, output) == (1, "")
    assert text in errors
    assert "Traceback" not in errors


def test_version_and_help():
    """Exit code 0."""
    assert run("--version") == (0, f"confsim {__version__}\n", "")
    code, output, _ = run("-h")
    assert code == 0
    assert all(command in output for command in ("serve", "operations", "assumptions", "machines", "openapi"))


def test_every_module_of_commands_is_listed_with_what_it_declares():
    """A command is found by the list alone: its module is imported when it is asked for."""
    for module in pkgutil.walk_packages(cli.__path__, "confsim.cli."):
        importlib.import_module(module.name)
    declared = {name: command.callback.__module__ for name, command in commands.commands.items()}
    assert declared == {name: command.callback.__module__ for name, command in commands.every().items()}


def test_help_tells_the_defaults():
    """Also of what the server itself sets: how many worlds and calls it keeps."""
    text = run("serve", "--help")[1]
    assert f"[{MOST}]" in text
    assert f"[{MOST_CALLS}]" in text


def test_help_lists_options_by_section_and_the_environment_once():
    """Every option in one section."""
    text = run("serve", "--help")[1]
    titles = [line[:-1] for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert titles == ["Example", "Address", "World", "Limits", "Storage", "Output", "Options"]
    assert text.count("CONFSIM_") == 2
    for parameter in commands.every()["serve"].params:
        assert re.search(rf"^  .*{parameter.opts[-1]}\b", text, re.M)


def test_operations_are_listed():
    """One line each under a heading, or JSON."""
    code, output, _ = run_afresh("operations")
    lines = output.splitlines()
    assert (code, len(lines)) == (0, 1 + len(API) + 2)
    assert lines[-1].startswith("223 operations: 162 documented, ")
    assert lines[0].split() == ["name", "route", "source", "gate", "rules"]
    line = next(line for line in lines if line.startswith("accept_terms "))
    assert all(word in line for word in ("POST /users/me/terms/{version}", "documented", "user", "R101"))
    assert [each["name"] for each in json.loads(run("operations", "--json")[1])] == list(API.operations)


def test_assumptions_show_how_they_can_be_seen():
    """A call by which calibrate finds the value of a service, or the reason why none is known; never both."""
    listed = {each["id"]: each for each in json.loads(run("assumptions", "--json")[1])}
    assert listed.keys() == REGISTER.entries.keys()
    assert all((each["seen"] is None) == bool(each["unseen"]) for each in listed.values())
    assert "create_channel as" in listed["channels.unique-names"]["seen"]
    key = "exchange_identity_token is not called, since it needs a key that the service's makers hold"
    reasons = {
        "auth.login": "no alternative to it is known",
        "emails.second": "it needs the code of a mail",
        "identity.skew": key,
        "status.identity-token-invalid": key,
        "dial.letters": "it needs a phone",
        "status.channel-private": "it needs a phone",
        "status.credential-expired": "no known call is refused so: The token has expired.",
        "lobby.passes": "no known call of set_lobby_door shows it",
        "gate.enable_validator": "no known probe calls enable_validator",
        "mail.kept": "no call by the API alone is known that shows it",
    }
    assert {id: listed[id]["unseen"] for id in reasons} == reasons
    entries = (
        run("assumptions", "--search", "channels.unique-names")[1] + run("assumptions", "--search", "auth.login")[1]
    )
    assert f"    seen    {listed['channels.unique-names']['seen']}\n" in entries
    assert "    unseen  no alternative to it is known\n" in entries


def test_a_call_that_succeeds_shows_its_route():
    """And the first calls of a run how tokens are presented, and what is before all paths."""
    listed = {
        each["id"]: each["seen"] for each in json.loads(run("assumptions", "--json", "--search", "remove_owner")[1])
    }
    assert listed["route.remove_owner"] == "remove_owner as owner: 200"
    assert {"auth.presentation", "route.prefix"} <= seen().keys()


def test_assumptions_are_listed(tmp_path):
    """Each with what is in force, what else could be, and what a profile chose."""
    profile = tmp_path / "acme.toml"
    profile.write_text('[encode]\nempty = "204"\n')
    output = run("assumptions", "--profile", str(profile))[1]
    entry = output[output.index("encode.empty") :].split("\n\n")[0]
    assert "[G043]" in entry
    assert 'default "200"' in entry
    assert 'chosen  "204"' in entry
    assert 'or      "200 {}"' in entry
    assert "    for     set_user_languages\n" in output
    for module in pkgutil.walk_packages(confsim.__path__, "confsim."):
        if not module.name.startswith(("confsim.__main__", "confsim.assistant", "confsim.testing")):  # declare none
            importlib.import_module(module.name)
    assert [each["id"] for each in json.loads(run_afresh("assumptions", "--json")[1])] == sorted(REGISTER.entries)
    few = json.loads(run("assumptions", "--json", "--operation", "update_terms_url")[1])
    assert 0 < len(few) < len(REGISTER.entries)


def test_machines_are_shown():
    """As tables, as JSON, and as diagrams."""
    output = run_afresh("machines")[1]
    assert all(f"{name}: " in output for name in Machine.declared if not name.startswith("test"))
    assert run("machines", "--mermaid", "handle reservation")[1].startswith("stateDiagram-v2")
    rows = json.loads(run("machines", "--json")[1])["handle reservation"]["rows"]
    assert rows[0]["when"] == "reserve"


@pytest.mark.parametrize(
    ("flags", "title"), [((), "Conferencing Service API"), (("--control",), "confsim control plane")]
)
def test_openapi_is_printed(flags, title):
    """Of the API, or of the control plane."""
    assert json.loads(run("openapi", *flags)[1])["info"]["title"] == title


@pytest.mark.parametrize("arguments", ["explain R094", "explain --json R094", "--help", "run lobby", "no-such-command"])
def test_a_command_ends_with_what_reads_it(arguments, monkeypatch):
    """Quietly, with the exit code of a closed pipe: also help, and an error that nobody reads."""
    ours = []
    for name in ("stdout", "stderr"):
        reader, writer = os.pipe()
        os.close(reader)
        ours.append(open(writer, "w"))  # noqa: SIM115
        monkeypatch.setattr(sys, name, ours[-1])
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments.split())
    for stream in ours:  # what is left in a buffer fails nowhere
        stream.close()
    assert ended.value.code == 141


@pytest.mark.parametrize("greeting", [serving_command._greeting, serving_command._greeting_as_json])
def test_the_greeting_leaves_no_trace(greeting):
    """It reads the world as a page of the inspector does: the journal stays empty."""
    sim = Simulator()
    assert "demo-owner" in greeting(sim, sim.serve())
    assert list(sim.service.journal.between) == []
    assert sim.service.journal.assumptions() == Simulator().service.journal.assumptions()

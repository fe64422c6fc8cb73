"""What every test may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Event, Thread

import pytest
from hypothesis import HealthCheck, settings

from confsim import Simulator

# quick, for the suite: the same examples at every run, and no deadline on a loaded machine.
# thorough, for campaigns: HYPOTHESIS_PROFILE=thorough python -m pytest tests/properties tests/testing
settings.register_profile(
    "quick", deadline=None, derandomize=True, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "thorough", deadline=None, max_examples=2000, stateful_step_count=60, suppress_health_check=list(HealthCheck)
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

PARTNER = "11111111-1111-4111-8111-111111111111"
CUSTOMER = "22222222-2222-4222-8222-222222222222"
OTHER = "33333333-3333-4333-8333-333333333333"
ROOM = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
EVENT_ROOM = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"

#: Ids of the demo world, by the names that tests give them.
IDS = {"partner": PARTNER, "customer": CUSTOMER, "other": OTHER, "room": ROOM, "event_room": EVENT_ROOM}


@pytest.fixture
def sim() -> Simulator:
    """The demo world, its clock standing still."""
    return Simulator(clock="2026-02-01T00:00:00Z")


@pytest.fixture
def ids() -> dict[str, str]:
    """Ids of the demo world."""
    return IDS


@pytest.fixture
def people(sim: Simulator) -> dict[str, int]:
    """User ids of the demo world by token."""
    from confsim.domain.credentials import CREDENTIALS

    credentials = CREDENTIALS.seen(sim.service.world)
    return {each.value: each.user for each in credentials if each.user is not None}


class Listener(HTTPServer):
    """A server that receives webhooks: what came in ``got``; it answers ``status``, once ``open`` is set."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), ListenerHandler)
        self.url = f"http://127.0.0.1:{self.server_port}/hook"
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        self.status = 200
        self.open = Event()
        self.open.set()

    def finish_request(self, request: object, client_address: object) -> None:
        """Answer one request; who hangs up is let go."""
        with suppress(OSError):
            super().finish_request(request, client_address)


class ListenerHandler(BaseHTTPRequestHandler):
    """Notes a request and answers it."""

    def do_POST(self) -> None:
        """Note the request, and answer as the server was told."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        self.server.open.wait(10)
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        if 300 <= self.server.status < 400:
            self.send_header("Location", f"{self.server.url}/moved")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def listener() -> Iterator[Listener]:
    """A server on loopback that receives webhooks."""
    server = Listener()
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.open.set()
    server.shutdown()
    server.server_close()


#: The numbers of the rules, by the document that states them.
RULES = {"Part 1": range(1, 250), "Part 2": range(250, 543), "both parts": range(543, 563)}


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--rules`` tells how many of the rules the collected tests prove; best with ``--collect-only -q``.

    ``--through`` lets every call of a test, of API and control plane, go over HTTP: to the WSGI app, or over a socket.
    """
    parser.addoption("--rules", action="store_true", help="print the share of the rules that tests prove")
    parser.addoption("--through", choices=("core", "wsgi", "socket"), default="core", help="the way of every call")


def pytest_configure(config: pytest.Config) -> None:
    """Send the calls of all tests the way that ``--through`` says."""
    way = config.getoption("--through")
    if way != "core":
        from confsim.testing.through import through

        config.add_cleanup(through(way))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Note the rules that the collected tests prove."""
    if config.getoption("--rules"):
        proved = {rule for item in items for mark in item.iter_markers("rule") for rule in mark.args}
        config.stash[PROVED] = proved


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the share of the rules that are proved, and those that are not, by part."""
    if PROVED not in config.stash:
        return
    known = {part: [f"R{number:03}" for number in numbers] for part, numbers in RULES.items()}
    proved = config.stash[PROVED]
    unknown = sorted(proved - {rule for rules in known.values() for rule in rules})
    terminalreporter.section("rules")
    terminalreporter.write_line(f"rules proved: {len(proved) - len(unknown)} of {sum(map(len, known.values()))}")
    for part, rules in known.items():
        missing = [rule for rule in rules if rule not in proved]
        terminalreporter.write_line(f"{part}: {len(rules) - len(missing)} of {len(rules)}")
        if missing:
            terminalreporter.write_line(f"  missing: {' '.join(missing)}")
    if unknown:
        terminalreporter.write_line(f"no rules: {' '.join(unknown)}")


PROVED = pytest.StashKey[set[str]]()

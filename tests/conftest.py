"""What every test may use."""

from __future__ import annotations

import atexit
import gc
import os
from collections.abc import Generator, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.internal.conjecture import providers
from hypothesis.strategies import none

from confsim import Simulator
from confsim.reference import rules
from kit import START
from kit.chosen import ChosenValues
from kit.observations.listed import ListedRefusals
from kit.processes import imported
from kit.processes.sharing import shared
from kit.rows import merged

# quick, for the suite: the same examples at every run, and no deadline on a loaded machine.
# thorough, for campaigns: HYPOTHESIS_PROFILE=thorough python -m pytest tests/properties tests/testing
settings.register_profile(
    "quick",
    deadline=None,
    derandomize=True,
    max_examples=20,
    stateful_step_count=30,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough", deadline=None, max_examples=2000, stateful_step_count=60, suppress_health_check=list(HealthCheck)
)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "quick")
settings.load_profile(PROFILE)
if PROFILE == "quick":
    # Hypothesis draws constants that it reads in the source of imported modules as well. Which ones are imported
    # differs from worker to worker, and so would the examples.
    providers._get_local_constants = lambda: providers._local_constants


@pytest.fixture
def sim() -> Simulator:
    """The demo world, its clock standing still."""
    return Simulator(clock=START)


@pytest.fixture
def people(sim: Simulator) -> dict[str, int]:
    """User ids of the demo world by token."""
    from confsim.domain.identity.credentials import CREDENTIALS

    credentials = CREDENTIALS.seen(sim.service.world).all
    return {each.value: each.user for each in credentials if each.user is not None}


class Listener(HTTPServer):
    """A server that receives webhooks: what came in ``got``; it answers ``status``, once ``open`` is set."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), ListenerHandler)
        self.url = f"http://127.0.0.1:{self.server_port}/hook"
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        self.status = 200
        self.answer = b""
        self.open = Event()
        self.open.set()

    def finish_request(self, request: object, client_address: object) -> None:
        """Answer one request; who hangs up is let go."""
        with suppress(OSError):
            super().finish_request(request, client_address)


class ListenerHandler(BaseHTTPRequestHandler):
    """Notes a request and answers it."""

    def do_POST(self) -> None:
        """Record the request, and answer as the server was set to."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        self.server.open.wait(60)
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(self.server.answer)))
        if 300 <= self.server.status < 400:
            self.send_header("Location", f"{self.server.url}/moved")
        self.end_headers()
        self.wfile.write(self.server.answer)

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


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--rules`` prints how many of the rules the collected tests prove; best with ``--collect-only -q``.

    ``--rules R276`` (or ``R276,R094``, or given more than once) keeps the tests of these rules, and lists them.
    ``--through`` lets every call of a test, of API and control plane, go over HTTP: to the WSGI app, or over a socket.
    Tests that cannot differ by it are left out then.
    """
    parser.addoption(
        "--rules",
        action="append",
        nargs="?",
        const="",
        metavar="R276,…",
        help="without a value: print the share of the rules that tests prove; with rules: select and list their tests",
    )
    parser.addoption(
        "--rows", action="store_true", help="a test for each row of parametrised tests, where they are one"
    )
    parser.addoption("--through", choices=("core", "wsgi", "socket"), default="core", help="the way of every call")


def pytest_configure(config: pytest.Config) -> None:
    """Send the calls of all tests the way that ``--through`` says; refuse rules that there are not."""
    chosen = ChosenValues()
    chosen.follow()
    config.pluginmanager.register(chosen)
    listed = ListedRefusals()
    listed.follow()
    config.pluginmanager.register(listed)
    _share_bytecode(config)
    if getattr(config.option, "numprocesses", None):  # the workers of xdist, which are started later
        server = shared()
        server.__enter__()
        config.add_cleanup(lambda: server.__exit__(None, None, None))
    if hasattr(config, "workerinput"):  # a worker of xdist writes nothing: the reports are shown by who started it
        config.pluginmanager.unregister(name="terminalreporter")
        _send_less(config)
        atexit.register(os._exit, 0)  # what is registered later is called; freeing all objects would take a second
    way = config.getoption("--through")
    if way != "core":
        from kit.wire.through import through

        over = through(way)
        over.__enter__()
        config.add_cleanup(lambda: over.__exit__(None, None, None))
    unknown = _wanted(config) - rules().keys()
    if unknown:
        raise pytest.UsageError(f"--rules: no rules {', '.join(sorted(unknown))} (paths of tests go before --rules)")


def _send_less(config: pytest.Config) -> None:
    """Let a worker of xdist send one report of a test that passes, where nobody asked for the others.

    Of six messages for each test, four say that it begins, is set up, is torn down and ends; they take as long as most
    tests of an operation. A failure in any phase is sent.
    """
    if config.getoption("durations") or config.getoption("xmlpath"):
        return
    (worker,) = (each for each in config.pluginmanager.get_plugins() if hasattr(each, "sendevent"))
    send = worker.sendevent

    def sending(name: str, **event: Any) -> None:
        data = event.get("data", {})
        around = name == "testreport" and data["outcome"] == "passed" and data["when"] != "call"
        if not around and name not in {"logstart", "logfinish"}:
            send(name, **event)

    worker.sendevent = sending


def _share_bytecode(config: pytest.Config) -> None:
    """Let xdist's workers, and what tests start, keep compiled modules under ``.pytest_cache``.

    Compiling confsim takes a process longer than starting a server. Where PYTHONDONTWRITEBYTECODE is set the tree stays
    free of ``__pycache__`` all the same.
    """
    if hasattr(config, "workerinput") or "PYTHONPYCACHEPREFIX" in os.environ or not hasattr(config, "cache"):
        return
    os.environ["PYTHONPYCACHEPREFIX"] = str(config.cache.mkdir("bytecode"))
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def _wanted(config: pytest.Config) -> set[str]:
    """The ids that ``--rules`` names."""
    return {rule for value in config.getoption("--rules") or () for rule in value.replace(",", " ").split()}


def _rules_of(item: pytest.Item) -> list[str]:
    """The ids of the rules that a test proves, each once, in the order of its markers."""
    return list(dict.fromkeys(rule for mark in item.iter_markers("rule") for rule in mark.args))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse markers that name no rule, note which rules are proved, and keep the tests of the wanted rules.

    Over HTTP leave out what runs the same without.
    """
    tests: dict[str, list[str]] = {}
    for item in items:
        for rule in _rules_of(item):
            tests.setdefault(rule, []).append(item.nodeid)
    for rule in tests.keys() - rules().keys():
        raise pytest.UsageError(f"{tests[rule][0]}: the marker names no rule: {rule!r}")
    config.stash[TESTS] = tests
    items.sort(key=lambda item: _group(item.nodeid))
    wanted = _wanted(config)
    if wanted:
        chosen = [item for item in items if not wanted.isdisjoint(_rules_of(item))]
        config.hook.pytest_deselected(items=[item for item in items if wanted.isdisjoint(_rules_of(item))])
        items[:] = chosen
    if config.getoption("--through") != "core":
        config.hook.pytest_deselected(items=[item for item in items if not may_differ(item)])
        items[:] = [item for item in items if may_differ(item)]


#: Folders whose tests share what is dear, each group for one worker of xdist: worlds in which a lot has happened, the
#: process that forks programs, documents, syntax trees. They come first, so that no worker ends long after the others.
TOGETHER = (("properties",), ("guides", "cli", "test_readme.py"), ("testing",), ("contract",), ("tidy",))


def _group(nodeid: str) -> int:
    """The number of the group that a test belongs to, one past the last for none."""
    folder = nodeid.partition("::")[0].removeprefix("tests/").partition("/")[0]
    return next((number for number, folders in enumerate(TOGETHER) if folder in folders), len(TOGETHER))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each file, and each group of folders, to one worker: what its tests share is made once."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            group = _group(nodeid)
            return str(group) if group < len(TOGETHER) else super()._split_scope(nodeid)

    config.option.loadscopereorder = False
    return Scheduling(config, log)


#: The folders whose tests call a simulator in so many ways that the transport may matter, beside the top level.
THROUGH = {"api", "control", "properties", "pytest_plugin", "service"}


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> pytest.Item | None:
    """Make one test of the rows of a parametrised one, which runs them all; ``--rows`` makes a test of each."""
    alone = collector.config.getoption("--rows") or any("[" in word for word in collector.config.args)
    return None if alone or not name.startswith("test") else merged(collector, name, obj)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show under a failing test what the rules say that it proves."""
    report = yield
    if report.passed:
        report.keywords = {}  # most of what a worker of xdist would send of it, and nobody reads
    proved = _rules_of(item)
    if report.failed and proved:
        report.sections.append(("Rules", "\n".join(str(rules()[rule]) for rule in proved)))
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None, object, object]:
    """Keep what a pytest run in this process imported."""
    result = yield
    imported.restore()
    return result


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    """Keep pytest from looking for garbage twice at the end: it has just done it, and nothing has happened since."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector away from what is imported and collected: it stays until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        given(none())(lambda _: None)()  # the first property of a process collects all garbage: now there is none
        gc.set_threshold(4_000_000, 20, 50)  # hardly ever: worlds are values, and hardly anything is a cycle
        gc.enable()


def may_differ(item: pytest.Item) -> bool:
    """Whether the transport of calls may matter to a test."""
    folders = item.path.relative_to(Path(__file__).parent).parts[:-1]
    return (not folders or folders[0] in THROUGH) and item.get_closest_marker("own_ways") is None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print what ``--rules`` asks for: the tests of the wanted rules, or which rules are proved, by part."""
    if not config.getoption("--rules") or TESTS not in config.stash:
        return
    terminalreporter.section("rules")
    tests, write = config.stash[TESTS], terminalreporter.write_line
    for rule in sorted(_wanted(config)):
        write(str(rules()[rule]))
        for test in tests.get(rule, ["no test"]):
            write(f"  {test}")
    if not _wanted(config):
        write(f"rules proved: {len(tests)} of {len(rules())}")
        for part in ("P1", "P2"):
            known = [rule.id for rule in rules().values() if rule.part == part]
            missing = [rule for rule in known if rule not in tests]
            write(f"Part {part[1]}: {len(known) - len(missing)} of {len(known)}")
            if missing:
                write(f"  missing: {' '.join(missing)}")


TESTS = pytest.StashKey[dict[str, list[str]]]()

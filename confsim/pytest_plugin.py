"""The pytest plugin: fixtures, a marker, options. Imports nothing of confsim before a fixture is used."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from confsim.control.facade_worlds import WorldsFacade
    from confsim.http.live.serving import Serving
    from confsim.service.journal import Entry
    from confsim.service.service import Service
    from confsim.simulator import Simulator

WORDS = ("world", "scenario", "seed", "profile", "strict")
MARKER = f"confsim({', '.join(WORDS)}): the world that the fixtures of confsim give to the test"
#: Entries of the journal that a failing test shows.
TAIL = 12
#: Tests that the report names for each assumption.
NAMED = 3


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, and the same as settings of the configuration file."""
    group = parser.getgroup("confsim")
    group.addoption("--confsim-profile", metavar="FILE", help="profile (TOML) of assumptions for every world")
    group.addoption(
        "--confsim-strict",
        action="store_true",
        default=None,
        help="refuse unknown fields and query parameters, and judge every answer by the OpenAPI document",
    )
    group.addoption(
        "--confsim-report", action="store_true", default=None, help="end with the assumptions that tests used"
    )
    parser.addini("confsim_profile", "profile (TOML) of assumptions for every world", default="")
    parser.addini("confsim_strict", "as --confsim-strict", type="bool", default=False)
    parser.addini("confsim_report", "as --confsim-report", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", MARKER)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Check the arguments of the markers: a wrong one stops the run before any test; under xdist it fails its test."""
    if not hasattr(config, "workerinput"):
        for item in items:
            _marked(item)


def _marked(item: pytest.Item) -> dict[str, Any]:
    """The arguments of the markers of a test; the nearest marker wins. Raises UsageError for an unknown argument."""
    arguments: dict[str, Any] = {}
    for mark in item.iter_markers("confsim"):
        unknown = [repr(value) for value in mark.args] + [word for word in mark.kwargs if word not in WORDS]
        if unknown:
            raise pytest.UsageError(
                f"{item.nodeid}: the marker confsim does not take {', '.join(unknown)}; it takes {', '.join(WORDS)}"
            )
        arguments = {**mark.kwargs, **arguments}
    return arguments


def _setting(config: pytest.Config, name: str) -> Any:
    """The option, or else the setting of the configuration file."""
    given = config.getoption(f"--confsim-{name}")
    return config.getini(f"confsim_{name}") if given is None else given


class Server:
    """A world of the test on the live server of the run.

    ``base_url`` is the URL of the API, ``root`` that of the world's mount, ``simulator`` the world. ``worlds`` are all
    worlds of the server, with its limit and its public URL; changes of a test are undone after the test.
    """

    def __init__(self, name: str, simulator: Simulator, serving: Serving, worlds: WorldsFacade[Simulator]) -> None:
        from confsim.assumptions.protocol import transport
        from confsim.assumptions.register import in_force

        self.name = name
        self.root = f"{serving.root}/w/{name}"
        self.simulator = simulator
        self.worlds = worlds
        self._serving = serving
        self.base_url = self.root + in_force(simulator.service.profile, transport.PREFIX)

    def __repr__(self) -> str:
        return f"<confsim server {self.base_url}>"

    def answer_to(self, *names: str) -> None:
        """Let the server accept these Host names too."""
        self._serving.answer_to(*names)


class _Run:
    """State of the run: the worlds that tests fork, the live server, the assumptions used."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.used: dict[str, dict[str, int]] = {}
        self._bases: dict[object, Simulator] = {}
        self._chosen: dict[str, Any] | None = None
        self._root: Any = None
        self._server: Any = None
        self._judges: dict[object, Any] = {}
        self._count = 0

    def simulator(
        self,
        world: Any = "demo",
        scenario: str | None = None,
        seed: int = 0,
        profile: Any = None,
        strict: bool | None = None,
        clock: Any = None,
    ) -> Simulator:
        """A new fork of the world that these arguments describe."""
        import msgspec

        from confsim.service.clock import Clock
        from confsim.service.conformance import Conformance
        from confsim.simulator import Simulator

        chosen = self._profile(profile)
        if strict := bool(_setting(self.config, "strict") if strict is None else strict):
            chosen = {"parse.unknown-fields": "refuse", "parse.unknown-query": "refuse", **chosen}
        choices = tuple(sorted((id, repr(value)) for id, value in chosen.items()))
        named = msgspec.json.encode(world, order="deterministic") if isinstance(world, Mapping) else str(world)
        if scenario is not None and clock is not None:
            fork = Simulator(world, seed=seed, clock=clock, profile=chosen, scenario=scenario)
        else:
            key = (named, seed, choices, scenario)
            base = self._bases.get(key)
            if base is None:
                base = self._bases[key] = Simulator(world, seed=seed, profile=chosen, scenario=scenario)
            fork = base.fork(clock if clock is None or isinstance(clock, Clock) else Clock(clock))
        if strict:
            fork.service.pipeline.hold_against(self._judges.setdefault(choices, Conformance(chosen)))
        return fork

    def _profile(self, profile: Any) -> dict[str, Any]:
        """The profile of the run, overridden by that of the test."""
        from confsim.service.files.profile import read_profile

        if self._chosen is None:
            given, setting = self.config.getoption("--confsim-profile"), self.config.getini("confsim_profile")
            # An option is relative to where pytest was called, a setting to the configuration file.
            file = self.config.invocation_params.dir / given if given else self.config.rootpath / setting
            self._chosen = read_profile(file if given or setting else None)
        return {**self._chosen, **read_profile(profile)}

    def count(self, nodeid: str, entries: list[Entry]) -> None:
        """Count the calls of a test that used assumptions, by assumption."""
        for entry in entries:
            for id in entry.assumptions:
                calls = self.used.setdefault(id, {})
                calls[nodeid] = calls.get(nodeid, 0) + 1

    def serve(self, test: str, simulator: Simulator) -> Server:
        """Add the world to the live server, which starts with the first world."""
        if self._server is None:
            self._root = self.simulator()
            self._server = self._root.serve()
            self._server.start()
        self._count += 1
        name = f"{re.sub(r'[^A-Za-z0-9_-]+', '-', test)[:48].strip('-')}-{self._count}"
        self._server.worlds.add(name, simulator.service)
        return Server(name, simulator, self._server, self._root.worlds)

    def served(self) -> list[Service]:
        """The worlds on the live server."""
        return [] if self._server is None else [service for _, service in self._server.worlds.items()]

    def clear(self) -> None:
        """Reset the live server: drop its worlds, and restore the limit, the Host names, the URL and the root world."""
        from confsim.service.worlds import MOST

        worlds = self._server.worlds
        for name in filter(None, worlds):
            worlds.drop(name)
        worlds.default.reset()
        worlds.default.history.clear()
        worlds.limit(MOST)
        worlds.serve_at("")
        worlds.names.clear()

    def close(self) -> None:
        """Stop the live server."""
        if self._server is not None:
            self._server.stop()
            self._server = None


class _Test:
    """The worlds of one test, from its first fixture to the end of its teardown."""

    def __init__(self, item: pytest.Item) -> None:
        self.item = item
        self.run = _run(item.config)
        self.simulators: list[Simulator] = []
        self.servers: list[Server] = []

    def make(self, **words: Any) -> Simulator:
        """A world for the test, by the arguments of its markers, overridden by these."""
        simulator = self.run.simulator(**{**_marked(self.item), **words})
        self.simulators.append(simulator)
        return simulator

    def serve(self) -> Server:
        """A world for the test on the live server."""
        server = self.run.serve(self.item.name, self.make())
        self.servers.append(server)
        return server

    def entries(self) -> list[Entry]:
        """The entries of the journals of the worlds."""
        return [entry for simulator in self.simulators for entry in simulator.service.journal]

    def bugs(self) -> BaseException | None:
        """The defects of confsim that occurred since the last call of this method, as one exception."""
        found: list[BaseException] = []
        for service in [*(each.service for each in self.simulators), *(self.run.served() if self.servers else ())]:
            found += service.bugs
            service.bugs.clear()
        if len(found) > 1:
            return BaseExceptionGroup("confsim failed", found)
        return found[0] if found else None

    def finish(self) -> None:
        """Drop the worlds of the test, and raise the defects of confsim that occurred meanwhile."""
        bug = self.bugs()
        if self.servers:
            self.run.clear()
        if _setting(self.item.config, "report"):
            self.run.count(self.item.nodeid, self.entries())
        if bug is not None:
            raise bug


_RUN = pytest.StashKey[_Run]()
_TEST = pytest.StashKey[_Test]()


def _run(config: pytest.Config) -> _Run:
    if _RUN not in config.stash:
        config.stash[_RUN] = _Run(config)
    return config.stash[_RUN]


@pytest.fixture
def _confsim_test(request: pytest.FixtureRequest) -> Iterator[_Test]:
    """The worlds of this test; they are dropped after it."""
    test = request.node.stash[_TEST] = _Test(request.node)
    yield test
    test.finish()


@pytest.fixture
def confsim(_confsim_test: _Test) -> Simulator:
    """A simulator for the test alone; the marker ``confsim`` chooses its world."""
    return _confsim_test.make()


@pytest.fixture
def confsim_server(_confsim_test: _Test) -> Server:
    """A world for the test alone on the live server of the run, with ``base_url``, ``root`` and ``simulator``."""
    return _confsim_test.serve()


@pytest.fixture
def make_confsim(_confsim_test: _Test) -> Callable[..., Simulator]:
    """A function that makes simulators: ``make_confsim(world=…, scenario=…, seed=…, …)``.

    The arguments are those of the marker, which they override, and ``clock``.
    """
    return _confsim_test.make


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Fail the test in which a defect of confsim occurred, even if the test did not notice."""
    test = item.stash.get(_TEST, None)
    if test is None:
        return (yield)
    try:
        result = yield
    except (Exception, pytest.fail.Exception) as failure:
        bug = test.bugs()
        if bug is not None:
            raise bug from failure
        raise
    bug = test.bugs()
    if bug is not None:
        raise bug
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the last calls of the journals of a failing test."""
    report = yield
    test = item.stash.get(_TEST, None)
    if report.failed and test is not None:
        for place, simulator in enumerate(test.simulators, 1):
            entries = list(simulator.service.journal)
            if entries:
                title = "confsim journal" if len(test.simulators) == 1 else f"confsim journal {place}"
                left_out = f"({len(entries) - TAIL} earlier calls)\n" if len(entries) > TAIL else ""
                report.sections.append((title, left_out + "\n".join(_line(entry) for entry in entries[-TAIL:])))
    return report


def _line(entry: Entry) -> str:
    request, response = entry.request, entry.response
    query = f"?{request.query}" if request.query else ""
    body = response.body[:200].decode(errors="replace") + ("…" if len(response.body) > 200 else "")
    line = f"{entry.id} {request.method} {request.target}{query} [{entry.operation or 'no operation'}]"
    used = f"\n    assumptions {', '.join(entry.assumptions)}" if entry.assumptions else ""
    fired = f"\n    before it: {', '.join(timer.kind for timer in entry.fired)}" if entry.fired else ""
    return f"{line} -> {response.status} {body}".rstrip() + used + fired


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Stop the live server; a worker of xdist reports the assumptions that its tests used."""
    run = session.config.stash.get(_RUN, None)
    if run is not None:
        run.close()
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["confsim"] = run.used


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Collect the assumptions that the tests of a worker of xdist used."""
    for id, calls in getattr(node, "workeroutput", {}).get("confsim", {}).items():
        _run(node.config).used.setdefault(id, {}).update(calls)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """With --confsim-report: list the assumptions that tests used, each with the number of calls and the tests."""
    if not _setting(config, "report"):
        return
    run = config.stash.get(_RUN, None)
    used = run.used if run is not None else {}
    terminalreporter.section("confsim: assumptions used")
    for id, calls in sorted(used.items()):
        tests = sorted(calls)
        more = f" and {len(tests) - NAMED} more" if len(tests) > NAMED else ""
        counts = f"{_counted(sum(calls.values()), 'call')} in {_counted(len(tests), 'test')}"
        terminalreporter.write_line(f"{id}: {counts}: {', '.join(tests[:NAMED])}{more}")
    if not used:
        terminalreporter.write_line("none")


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"

"""The worlds of a pytest run and of each of its tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from confsim.control.facade.worlds import WorldsFacade
    from confsim.http.live.serving import Serving
    from confsim.service.clock import Clock, Instant
    from confsim.service.entries import JournalEntry
    from confsim.service.service import Service
    from confsim.simulator import Simulator

#: The arguments of the marker and of ``make_confsim``.
WORDS = ("world", "scenario", "seed", "profile", "clock", "strict")


def marked(item: pytest.Item | pytest.Collector) -> dict[str, Any]:
    """Return the arguments of a test's or module's markers; the nearest wins. Raises UsageError for an unknown one."""
    arguments: dict[str, Any] = {}
    for mark in item.iter_markers("confsim"):
        unknown = [repr(value) for value in mark.args] + [word for word in mark.kwargs if word not in WORDS]
        if unknown:
            raise pytest.UsageError(f"{item.nodeid}: {_not_taken('the marker confsim', unknown)}")
        arguments = {**mark.kwargs, **arguments}
    return arguments


def _not_taken(what: str, unknown: list[str]) -> str:
    """Return the message about unknown arguments: the nearest, and all known ones."""
    from confsim.kernel.refusal import suggest_near

    meant = suggest_near(unknown[0], WORDS)
    return f"{what} does not take {', '.join(unknown)}{meant}; it takes {', '.join(WORDS)}"


#: Fixtures whose worlds several tests share.
SHARED = ("confsim_module", "confsim_session", "confsim_shared_server")


def without_effect(items: list[pytest.Item], *, some: bool) -> Iterator[tuple[pytest.Item, str]]:
    """Yield tests with a marker that has no effect, since they use only shared worlds or none, with a message.

    A marker of a class or module has an effect if one of its tests uses a fixture that it reaches; nothing is reported
    if only ``some`` of them are collected. A test may ask for a fixture while it runs.
    """
    unused: dict[Any, tuple[pytest.Item, list[str]]] = {}
    used: set[Any] = set()
    for item in items:
        names = set(getattr(item, "fixturenames", ()))
        shared = [each for each in SHARED if each in names]
        for node, _ in item.iter_markers_with_node("confsim"):
            above = isinstance(node, pytest.Module | pytest.Package | pytest.Dir | pytest.Session)
            if "_confsim_test" in names or (above and "confsim_module" in names) or _asks_later(item):
                used.add(node)
            else:
                unused.setdefault(node, (item, shared))
    for node, (item, shared) in unused.items():
        if node not in used and (node is item or not some):
            instead = "use confsim, confsim_server or make_confsim"
            if "confsim_module" in shared:
                instead = f"mark the module (pytestmark = pytest.mark.confsim(...)), or {instead}"
            where = (
                f" on {' and '.join(shared)}, which other tests share" if shared else ": no test under it uses a world"
            )
            yield item, f"{item.nodeid}: the marker confsim has no effect{where}; {instead}, or remove it"


def _asks_later(item: pytest.Item) -> bool:
    """Return whether a test, or a fixture of it that is not pytest's or ours, may ask for more fixtures as it runs."""
    info = getattr(item, "_fixtureinfo", None)
    if info is None or "request" in info.argnames:
        return True
    definitions = (definition for named in info.name2fixturedefs.values() for definition in named)
    return any(
        "request" in definition.argnames and not definition.func.__module__.startswith(("_pytest.", "confsim."))
        for definition in definitions
    )


def setting(config: pytest.Config, name: str) -> Any:
    """Return the option, else the setting of the configuration file."""
    given = config.getoption(f"--confsim-{name}")
    return config.getini(f"confsim_{name}") if given is None else given


class MakeConfsim(Protocol):
    """The type of the fixture ``make_confsim``: makes simulators, for the test alone."""

    def __call__(
        self,
        *,
        world: str | Path | Mapping[str, Any] = ...,
        scenario: str | Path | None = ...,
        seed: int = ...,
        profile: Mapping[str, Any] | str | Path | None = ...,
        clock: Clock | Instant | None = ...,
        strict: bool | None = ...,
    ) -> Simulator:
        """Return a simulator of the world that these arguments describe, with those of the marker as defaults."""
        ...


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

    def allow_origins(self, *origins: str) -> None:
        """Let web pages of these origins call the server from a browser, such as http://localhost:5173; "*" for all."""
        self._serving.worlds.allow_origins(*origins)


class PytestRun:
    """The state of the run: the worlds that tests fork, the live server, the assumptions used.

    ``fuzzes`` says whether tests are repeated under alternatives; ``variant`` has those of the present repetition,
    which its worlds follow unless the run or the test has chosen others.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.used: dict[str, dict[str, int]] = {}
        #: The calls that no journal had any more when its test was counted.
        self.uncounted = 0
        self.fuzzes = False
        self.variant: Mapping[str, Any] | None = None
        self._bases: dict[object, Simulator] = {}
        self._chosen: dict[str, Any] | None = None
        self._root: Any = None
        self._server: Any = None
        self._judges: dict[object, Any] = {}
        self._count = 0

    def fuzz(self) -> None:
        """Run tests again under alternatives."""
        self.fuzzes = True

    @contextmanager
    def under(self, variant: Mapping[str, Any]) -> Iterator[None]:
        """Run a test again under these alternatives while the context is open."""
        self.variant = variant
        try:
            yield
        finally:
            self.variant = None

    def simulator(
        self,
        world: Any = "demo",
        scenario: str | None = None,
        seed: int = 0,
        profile: Any = None,
        strict: bool | None = None,
        clock: Any = None,
    ) -> Simulator:
        """Return a new fork of the world that these arguments describe."""
        import msgspec

        from confsim.service.conformance import Conformance
        from confsim.simulator import Simulator

        strict = bool(setting(self.config, "strict") if strict is None else strict)
        chosen = {**(self.variant or {}), **self.profile_of_worlds(profile, strict)}
        choices = tuple(sorted((id, repr(value)) for id, value in chosen.items()))
        named = msgspec.json.encode(world, order="deterministic") if isinstance(world, Mapping) else str(world)
        if self.variant or (scenario is not None and clock is not None):
            fork = Simulator(world, seed=seed, clock=clock, profile=chosen, scenario=scenario)
        else:
            key = (named, seed, choices, scenario)
            base = self._bases.get(key)
            if base is None:
                base = self._bases[key] = Simulator(world, seed=seed, profile=chosen, scenario=scenario)
            fork = base.fork(clock)
        if strict:
            fork.service.pipeline.hold_against(
                self._judges.setdefault(choices, Conformance(chosen, listed_refusals=False))
            )
        return fork

    def profile_of_worlds(self, profile: Any, strict: bool | None) -> dict[str, Any]:
        """Return the profile of the run and the test, which in strict mode refuses unknown fields and parameters."""
        chosen = self.profile(profile)
        if setting(self.config, "strict") if strict is None else strict:
            return {"parse.unknown-fields": "refuse", "parse.unknown-query": "refuse", **chosen}
        return chosen

    def profile(self, profile: Any) -> dict[str, Any]:
        """Return the profile of the run, overridden by that of the test."""
        from confsim.service.files.profile import read_profile

        if self._chosen is None:
            given, setting = self.config.getoption("--confsim-profile"), self.config.getini("confsim_profile")
            # an option is relative to the directory of the call, a setting to the configuration file
            file = self.config.invocation_params.dir / given if given else self.config.rootpath / setting
            self._chosen = read_profile(file if given or setting else None)
        return {**self._chosen, **read_profile(profile)}

    def count(self, nodeid: str, services: list[Service]) -> None:
        """Count the calls of a test that used assumptions, by assumption; 0 for those of its world's start."""
        for service in services:
            self.uncounted += service.journal.dropped
            for id in service.assumptions_used():
                self.used.setdefault(id, {}).setdefault(nodeid, 0)
            for entry in service.journal:
                for id in service.relied_on(entry):
                    self.used.setdefault(id, {}).setdefault(nodeid, 0)
                    self.used[id][nodeid] += 1

    def add(self, used: Mapping[str, Mapping[str, int]], uncounted: int) -> None:
        """Add the counts of a worker of xdist."""
        for id, calls in used.items():
            self.used.setdefault(id, {}).update(calls)
        self.uncounted += uncounted

    def serve(self, test: str, simulator: Simulator) -> Server:
        """Add the world to the live server, which starts with the first one."""
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
        """Reset the live server: drop its worlds, and restore its limit, names, origins, URL and root world."""
        from confsim.service.worlds import MOST

        worlds = self._server.worlds
        for name in filter(None, worlds):
            worlds.drop(name)
        worlds.default.reset()
        worlds.default.history.clear()
        worlds.limit(MOST)
        worlds.serve_at("")
        worlds.allow_origins()
        worlds.stop_answering_to(*worlds.names)

    def close(self) -> None:
        """Stop the live server."""
        if self._server is not None:
            self._server.stop()
            self._server = None


class Test:
    """The worlds of one test, from its first fixture to the end of its teardown; or of the tests that share worlds.

    ``entries`` has the calls in these worlds and their forks, in order, while tests are repeated under alternatives.
    """

    def __init__(self, item: pytest.Item | pytest.Collector) -> None:
        self.item = item
        self.run = run_of(item.config)
        self.simulators: list[Simulator] = []
        self.servers: list[Server] = []
        self.entries: list[JournalEntry] = []

    def make(self, *others: object, **words: Any) -> Simulator:
        """Return a world for the test, by the arguments of its markers, overridden by these."""
        from confsim.service.clock import Clock

        unknown = [*map(repr, others), *(word for word in words if word not in WORDS)]
        if unknown:
            __tracebackhide__ = True
            raise TypeError(_not_taken("make_confsim", unknown))
        chosen = {**marked(self.item), **words}
        if isinstance(chosen.get("clock"), Clock) and "clock" not in words:  # of a marker, which applies to many tests
            chosen["clock"] = chosen["clock"].copy()
        simulator = self.run.simulator(**chosen)
        self.simulators.append(simulator)
        if self.run.fuzzes:
            from .entries import SeenCalls

            simulator.service.live.observers.add(SeenCalls(self.entries))
        return simulator

    def serve(self) -> Server:
        """Return a world for the test on the live server."""
        server = self.run.serve(self.item.name, self.make())
        self.servers.append(server)
        return server

    @property
    def chosen(self) -> dict[str, Any]:
        """The alternatives that the run and the test chose, for any of its worlds."""
        chosen: dict[str, Any] = {}
        for simulator in self.simulators:
            chosen |= simulator.service.profile
        return chosen

    def used(self) -> set[str]:
        """Return the ids of the assumptions that its worlds and their forks were built on and have used."""
        worlds = (id for simulator in self.simulators for id in simulator.assumptions_used)
        return {*worlds, *(id for entry in self.entries for id in entry.assumptions)}

    def bugs(self) -> BaseException | None:
        """Return the defects of confsim since the last call of this method, as one exception."""
        found: list[BaseException] = []
        for service in [*(each.service for each in self.simulators), *(self.run.served() if self.servers else ())]:
            found += service.live.take_bugs()
        from confsim.service.errors import as_one

        return as_one("confsim failed", found)

    def finish(self) -> None:
        """Drop the worlds of the test, and raise the defects of confsim that occurred meanwhile."""
        bug = self.bugs()
        if self.servers:
            self.run.clear()
        if setting(self.item.config, "report") and self.run.variant is None:
            self.run.count(self.item.nodeid, [each.service for each in self.simulators])
        if bug is not None:
            raise bug


RUN = pytest.StashKey[PytestRun]()
TEST = pytest.StashKey[Test]()
#: The server that the workers share, while a session uses it.
SHARED_SERVER = pytest.StashKey[Any]()
#: The mistake in the marker of a test, which a worker of xdist cannot report before the test runs.
WRONG = pytest.StashKey[str]()


def run_of(config: pytest.Config) -> PytestRun:
    """Return the worlds of this pytest run."""
    if RUN not in config.stash:
        config.stash[RUN] = PytestRun(config)
    return config.stash[RUN]


def tests_of(item: pytest.Item) -> list[Test]:
    """Return the worlds of a test, and those that it shares with its module and the run."""
    return [node.stash[TEST] for node in item.listchain() if TEST in node.stash]

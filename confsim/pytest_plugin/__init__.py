"""The pytest plugin: fixtures, a marker, options. Imports nothing of confsim before a fixture is used."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from .worlds import (
    RUN,
    SHARED_SERVER,
    TEST,
    WORDS,
    WRONG,
    MakeConfsim,
    Server,
    Test,
    marked,
    run_of,
    setting,
    tests_of,
    without_effect,
)

if TYPE_CHECKING:
    from confsim.simulator import Simulator

    from .shared import SharedServer

MARKER = f"confsim({', '.join(WORDS)}): the world that the fixtures of confsim give to the test"
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
    group.addoption(
        "--confsim-fuzz",
        choices=("singles", "pairs"),
        help="run each test that passed again under other alternatives of the assumptions it used, each alone or also "
        "in pairs, and name those that it depends on",
    )
    group.addoption("--confsim-fuzz-report", metavar="FILE", help="write what --confsim-fuzz found as JSON")
    group.addoption(
        "--confsim-coverage",
        nargs="?",
        const="",
        metavar="PERCENT",
        help="end with the operations, refusals, transitions and assumptions that tests met, and with those that they "
        "did not in the areas that they touch; fail the run below the percentage",
    )
    group.addoption("--confsim-coverage-report", metavar="FILE", help="write what --confsim-coverage found as JSON")
    group.addoption(
        "--confsim-inspect",
        action="store_true",
        help="show the worlds of tests that failed in the browser after the run, until Enter",
    )
    parser.addini("confsim_profile", "profile (TOML) of assumptions for every world", default="")
    parser.addini("confsim_strict", "as --confsim-strict", type="bool", default=False)
    parser.addini("confsim_report", "as --confsim-report", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and read the profile of the run: a mistake in it stops the run before any test."""
    config.addinivalue_line("markers", MARKER)
    if not hasattr(config, "workerinput") and setting(config, "profile"):
        from confsim.kernel.refusal import Misuse

        try:
            run_of(config).profile(None)
        except Misuse as misuse:
            raise pytest.UsageError(str(misuse)) from None
    mode, file = config.getoption("--confsim-fuzz"), config.getoption("--confsim-fuzz-report")
    if file is not None and mode is None:
        raise pytest.UsageError("--confsim-fuzz-report needs --confsim-fuzz")
    if mode is not None:
        from .fuzz import Fuzz

        for module in ("hypothesis", "allpairspy"):
            if find_spec(module) is None:
                raise pytest.UsageError(f"--confsim-fuzz needs {module}: pip install 'confsim[testing]'")
        config.pluginmanager.register(Fuzz(config, mode, file), "confsim-fuzz")
    if config.getoption("--confsim-inspect"):
        from .inspect import Inspect

        if config.getoption("numprocesses", None):
            raise pytest.UsageError("--confsim-inspect shows worlds of this process: run without -n")
        config.pluginmanager.register(Inspect(config), "confsim-inspect")
    threshold, file = config.getoption("--confsim-coverage"), config.getoption("--confsim-coverage-report")
    if file is not None and threshold is None:
        raise pytest.UsageError("--confsim-coverage-report needs --confsim-coverage")
    if threshold is not None:
        from .coverage import Coverage

        config.pluginmanager.register(Coverage(config, threshold, file), "confsim-coverage")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Check the arguments of the markers: a mistake stops the run before any test; under xdist it fails its test."""
    if "pyfakefs" in sys.modules:
        from .early import import_before_fakes

        import_before_fakes(items)
    if not hasattr(config, "workerinput"):
        for item in items:
            marked(item)
    some = config.getoption("lf", False) or any("::" in each for each in config.args)
    for item, problem in without_effect(items, some=some):
        if not hasattr(config, "workerinput"):
            raise pytest.UsageError(problem)
        item.stash[WRONG] = problem


@pytest.fixture
def _confsim_test(request: pytest.FixtureRequest) -> Iterator[Test]:
    """The worlds of this test; they are dropped after it."""
    test = request.node.stash[TEST] = Test(request.node)
    yield test
    test.finish()


@pytest.fixture
def confsim(_confsim_test: Test) -> Simulator:
    """A simulator for the test alone; the marker ``confsim`` chooses its world."""
    return _confsim_test.make()


@pytest.fixture
def confsim_server(_confsim_test: Test) -> Server:
    """A world for the test alone on the live server of the run, with ``base_url``, ``root`` and ``simulator``."""
    return _confsim_test.serve()


@pytest.fixture(scope="module")
def confsim_module(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    """A simulator that the tests of a module share, as the module's markers say: each test sees the changes of others.

    ``confsim_module.fork()`` gives a test a world of its own that starts in the state of the shared one.
    """
    yield from _shared(request.node)


@pytest.fixture(scope="session")
def confsim_session(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    """A simulator that all tests share: each sees the changes of others. ``confsim_session.fork()`` is a test's own."""
    yield from _shared(request.node)


@pytest.fixture(scope="session")
def confsim_shared_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SharedServer]:
    """One server, a process of its own, for all workers of xdist; each worker has a world of its own on it.

    ``base_url`` and ``root`` are those of the worker's world, ``url`` that of the server. All tests of the worker see
    this world; ``reset()`` restores its start, ``make_world()`` makes another. The last worker stops the server.
    """
    from confsim.service.files.profile import plain

    from .shared import shared_server

    worker = getattr(request.config, "workerinput", {}).get("workerid", "")
    base = tmp_path_factory.getbasetemp()
    profile = plain(run_of(request.config).profile_of_worlds(None, None))
    with shared_server(base.parent if worker else base, worker or "main", profile) as server:
        request.session.stash[SHARED_SERVER] = server
        yield server
        del request.session.stash[SHARED_SERVER]


def _shared(node: pytest.Collector) -> Iterator[Simulator]:
    shared = node.stash[TEST] = Test(node)
    yield shared.make()
    del node.stash[TEST]
    shared.finish()


@pytest.fixture
def make_confsim(_confsim_test: Test) -> MakeConfsim:
    """A function that makes simulators: ``make_confsim(world=…, scenario=…, seed=…, …)``.

    The arguments are those of the marker, which they override, and ``clock``.
    """
    return _confsim_test.make


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """Let the traceback of a wrong use of confsim end at that use, in a fixture too."""
    if WRONG in item.stash:
        raise pytest.fail.Exception(item.stash[WRONG], pytrace=False)
    try:
        yield
    except Exception as failure:
        from .tracebacks import hide_frames

        hide_frames(failure)
        raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Fail the test in which a defect of confsim occurred or a receiver failed, even if the test did not notice."""
    try:
        result = yield
    except (Exception, pytest.fail.Exception) as failure:
        from .tracebacks import hide_frames

        hide_frames(failure)
        if (unnoticed := _unnoticed(item)) is not None:
            raise unnoticed from failure
        raise
    if (unnoticed := _unnoticed(item)) is not None:
        raise unnoticed
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    """Fail the test whose receiver failed while its fixtures were finished."""
    try:
        return (yield)
    finally:
        if (failure := _failed_receivers()) is not None:
            raise failure


def _unnoticed(item: pytest.Item) -> BaseException | None:
    """Return what went wrong in a test without its notice: defects of confsim, failed assertions of receivers."""
    found = [each for each in (*(test.bugs() for test in tests_of(item)), _failed_receivers()) if each is not None]
    if not found:
        return None
    from confsim.service.errors import as_one

    return as_one("the test did not notice", found)


def _failed_receivers() -> BaseException | None:
    """Return the failed assertions of receivers of webhooks in this process."""
    receivers = sys.modules.get("confsim.service.webhooks.receivers")
    failure: BaseException | None = None if receivers is None else receivers.FAILED.take()
    return failure


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the last calls of the journals of a failing test, and its webhooks that nobody answered."""
    report = yield
    server = item.session.stash.get(SHARED_SERVER, None)
    if server is not None and report.failed and "confsim_shared_server" in getattr(item, "fixturenames", ()):
        report.sections.append(("confsim journal of the shared server", server.journal()))
    simulators = [each for test in tests_of(item) for each in test.simulators] if report.failed else []
    if simulators:
        from .failing import sections

        for place, simulator in enumerate(simulators, 1):
            number = "" if len(simulators) == 1 else f" {place}"
            named = sections(simulator, verbose=item.config.option.verbose > 0)
            report.sections += [(f"confsim {name}{number}", text) for name, text in named]
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Stop the live server; a worker of xdist reports the assumptions that its tests used."""
    run = session.config.stash.get(RUN, None)
    if run is not None:
        run.close()
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["confsim"] = run.used
            session.config.workeroutput["confsim_uncounted"] = run.uncounted


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Collect the assumptions that the tests of a worker of xdist used."""
    output = getattr(node, "workeroutput", {})
    run_of(node.config).add(output.get("confsim", {}), output.get("confsim_uncounted", 0))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """With --confsim-report: list the assumptions that tests used, each with the number of calls and the tests."""
    if not setting(config, "report"):
        return
    run = config.stash.get(RUN, None)
    used = run.used if run is not None else {}
    terminalreporter.section("confsim: assumptions used")
    for id, calls in sorted(used.items()):
        tests = sorted(calls)
        more = f" and {len(tests) - NAMED} more" if len(tests) > NAMED else ""
        count = sum(calls.values())
        what = _counted(count, "call") if count else "no call, but the world"
        counts = f"{what} in {_counted(len(tests), 'test')}"
        terminalreporter.write_line(f"{id}: {counts}: {', '.join(tests[:NAMED])}{more}")
    if not used:
        terminalreporter.write_line("none")
    if run is not None and run.uncounted:
        terminalreporter.write_line(f"not counted: {_counted(run.uncounted, 'call')} that a journal has dropped")


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"

"""``pytest --confsim-inspect``: worlds of failed tests are there to be looked at."""

from __future__ import annotations

import io
import re
import urllib.request

import pytest

from kit.processes.plugin import ALONE, IN_PROCESS

pytest_plugins = ["pytester"]

SOURCE = """
    def test_fails(confsim, make_confsim):
        make_confsim(world="empty")
        confsim.call("create_channel", "demo-owner", body={"name": "Seen after the run"})
        assert False

    def test_fails_too(confsim_server):
        confsim_server.simulator.call("get_me", "demo-user")
        assert False

    def test_passes(confsim):
        pass
"""


OTHERS = """
    import pytest

    @pytest.fixture
    def prepared(confsim):
        confsim.call("get_me", "demo-user", expect=404)

    def test_setup(prepared):
        pass

    def test_shared_one(confsim_module):
        confsim_module.call("get_me", "demo-user")
        assert False

    def test_shared_two(confsim_module):
        confsim_module.call("get_me", "demo-owner")
        assert False

    def test_shared_all(confsim_session):
        assert False

    @pytest.fixture
    def torn(confsim):
        yield
        confsim.call("get_me", "demo-user", expect=404)

    def test_teardown(torn):
        pass
"""


class Enter(io.StringIO):
    """The standard input of somebody who does something and then presses Enter."""

    def __init__(self, before):
        super().__init__()
        self.before = before

    def readline(self, *_):
        """What was typed."""
        self.before()
        return "\n"


class Lines(list):
    """The lines of the terminal."""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config):
        """Copy what the reporter writes."""
        reporter = config.pluginmanager.getplugin("terminalreporter")
        line = reporter.write_line
        reporter.write_line = lambda text, **more: (self.append(text), line(text, **more))


def page(url):
    """A page of the inspector."""
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept": "text/html"}), timeout=30) as found:
        assert found.status == 200
        return found.read().decode()


@pytest.fixture
def inspected(pytester, monkeypatch):
    """Runs tests with --confsim-inspect, does something while the worlds are served, and returns the result."""

    def inspect(source, look):
        lines = Lines()
        monkeypatch.setattr("sys.stdin", Enter(lambda: look(lines)))
        pytester.makepyfile(source)
        return pytester.inline_run(*ALONE, *IN_PROCESS, "--confsim-inspect", "-s", plugins=[lines])

    return inspect


def test_the_worlds_of_failed_tests_are_served_until_enter(inspected):
    """Each test's journal and state are at the URL that is printed; then the server is gone."""
    seen = {}

    def look(lines):
        seen.update((url, page(url)) for url in re.findall(r"http://\S+/requests", "\n".join(lines)))

    inspected(SOURCE, look).assertoutcome(passed=1, failed=2)
    assert len(seen) == 3
    assert [name.split("/")[4] for name in seen] == ["test_fails-1", "test_fails-2", "test_fails_too-3"]
    pages = list(seen.values())
    assert "create_channel" in pages[0]
    assert "create_channel" not in pages[1]
    assert "get_me" in pages[2]
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(next(iter(seen)), timeout=30)


def test_a_test_that_fails_in_its_setup_or_in_a_shared_world_is_shown_too(inspected):
    """A shared world once, with the last call of each test that failed in it."""
    shown = []

    def look(lines):
        shown.extend(lines)
        for line in lines:
            url = line.rpartition(": ")[2]
            if url.startswith("http"):
                page(url)

    inspected(OTHERS, look)
    found = {re.sub(r".*::", "", line.partition(": ")[0]): line.rpartition("/w/")[2] for line in shown if "/w/" in line}
    assert found == {
        "test_setup": "test_setup-1/_confsim/inspector/requests",
        "test_shared_one": "test_shared_one-2/_confsim/inspector/requests/r1",
        "test_shared_two": "test_shared_one-2/_confsim/inspector/requests/r2",
        "test_shared_all": "test_shared_all-3/_confsim/inspector/requests",
        "test_teardown": "test_teardown-4/_confsim/inspector/requests",
    }


def test_nothing_is_served_where_all_pass(run):
    """And nothing is said."""
    result = run("def test_passes(confsim): pass", "--confsim-inspect")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*Enter stops*")


def test_workers_keep_no_worlds(run):
    """Under xdist it is refused."""
    result = run("def test_it(confsim): pass", "--confsim-inspect", "-n", "1")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*run without -n*"])

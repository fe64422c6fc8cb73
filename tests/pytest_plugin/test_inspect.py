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


def test_the_worlds_of_failed_tests_are_served_until_enter(pytester, monkeypatch):
    """Each test's journal and state are at the URL that is printed; then the server is gone."""
    seen = {}

    class Keyboard(io.StringIO):
        def readline(self, *_):
            for url in re.findall(r"http://\S+/requests", capture()):
                with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept": "text/html"})) as page:
                    seen[url] = page.read().decode()
            return "\n"

    written = io.StringIO()
    capture = written.getvalue
    monkeypatch.setattr("sys.stdin", Keyboard())
    pytester.makepyfile(SOURCE)

    class Copy:
        @pytest.hookimpl(trylast=True)
        def pytest_configure(self, config):
            reporter = config.pluginmanager.getplugin("terminalreporter")
            line = reporter.write_line
            reporter.write_line = lambda text, **more: (written.write(f"{text}\n"), line(text, **more))

    arguments = [*ALONE, *IN_PROCESS, "--confsim-inspect", "-s"]
    result = pytester.inline_run(*arguments, plugins=[Copy()])
    result.assertoutcome(passed=1, failed=2)
    assert len(seen) == 3
    assert [name.split("/")[4] for name in seen] == ["test_fails-1", "test_fails-2", "test_fails_too-3"]
    pages = list(seen.values())
    assert "create_channel" in pages[0]
    assert "create_channel" not in pages[1]
    assert "get_me" in pages[2]
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(next(iter(seen)), timeout=30)


def test_a_test_that_fails_in_its_setup_or_in_a_shared_world_is_shown_too(pytester, monkeypatch):
    """A shared world once, with the last call of each test that failed in it."""
    shown = []

    class Keyboard(io.StringIO):
        def readline(self, *_):
            shown.extend(lines)
            for line in lines:
                url = line.rpartition(": ")[2]
                if url.startswith("http"):
                    with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept": "text/html"})) as page:
                        assert page.status == 200
            return "\n"

    lines = []
    monkeypatch.setattr("sys.stdin", Keyboard())
    pytester.makepyfile("""
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
    """)

    class Copy:
        @pytest.hookimpl(trylast=True)
        def pytest_configure(self, config):
            reporter = config.pluginmanager.getplugin("terminalreporter")
            line = reporter.write_line
            reporter.write_line = lambda text, **more: (lines.append(text), line(text, **more))

    pytester.inline_run(*ALONE, *IN_PROCESS, "--confsim-inspect", "-s", plugins=[Copy()])
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

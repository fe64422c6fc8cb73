"""What the pytest plugin is strict about, and what it reports."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytest_plugins = ["pytester"]


STRICT = """
    import pytest

    def test_field(confsim):
        body = {"url": "https://example.com", "colour": "red"}
        assert confsim.call("update_terms_url", "demo-customer-admin", body=body).status == %(status)s

    def test_query(confsim):
        assert confsim.call("get_user_terms", "demo-owner", colour="red").status == %(status)s

    @pytest.mark.confsim(strict=False)
    def test_not_here(confsim):
        assert confsim.call("get_user_terms", "demo-owner", colour="red").status == 200
"""


@pytest.mark.parametrize(("options", "status"), [((), 200), (("--confsim-strict",), 400)])
def test_strict_refuses_what_nobody_listed(run, options, status):
    """Unknown fields and query parameters are refused in strict mode, and a marker can lift it."""
    run(STRICT % {"status": status}, *options).assert_outcomes(passed=3)


@pytest.mark.parametrize("strict", [False, True])
def test_strict_judges_every_answer(run, strict):
    """An answer that breaks the OpenAPI document is raised in the test, in strict mode only."""
    result = run(
        f"""
        import pytest
        from types import SimpleNamespace

        from confsim.api import terms

        @pytest.mark.confsim(strict={strict})
        def test_it(confsim, monkeypatch):
            odd = SimpleNamespace(current="yes", version=1, url="https://a.example", first=True)
            monkeypatch.setattr(terms.terms, "standing", lambda *_: odd)
            assert confsim.call("get_user_terms", "demo-owner").status == 200
        """
    )
    result.assert_outcomes(failed=int(strict), passed=int(not strict))
    if strict:
        result.stdout.fnmatch_lines(["*ContractViolation: GET /v1_0/users/me/terms*breaks its schema at $.isCurrent*"])


REPORT = """
    import pytest

    @pytest.mark.parametrize("turn", range(4))
    def test_it(confsim, turn):
        for _ in range(3):
            confsim.call("get_user_terms", "nobody")

    def test_other():
        pass
"""
USED = "status.credential-invalid: 12 calls in 4 tests: *test_it?0?, *test_it?1?, *test_it?2? and 1 more"


def test_the_report_names_what_was_relied_upon(run):
    """With the option the run ends with each assumption, its calls and its tests; without, it says nothing."""
    run(REPORT, "--confsim-report").stdout.fnmatch_lines(["*assumptions used*", USED])
    run(REPORT).stdout.no_fnmatch_line("*assumptions used*")


WORKERS = """
    import pytest

    @pytest.mark.parametrize("turn", range(4))
    def test_it(confsim, turn):
        for _ in range(3):
            confsim.call("get_user_terms", "nobody")
        pytest.skip("only tests that pass are tried under alternatives")

    def test_server(confsim_server):
        assert confsim_server.base_url
        pytest.skip()

    def test_leans(confsim):
        assert confsim.call("create_channel", "demo-guest", body={"name": "x"}).status == 403

    @pytest.mark.confsim(wrold=1)
    def test_marked_wrongly(confsim):
        pass
"""


def test_the_reports_gather_what_the_workers_of_xdist_saw(run, pytester):
    """Under xdist the counts of the workers are added up, and each worker has a server of its own.

    Each tries the alternatives of its own tests, which are counted once all the same. A worker does not stop the run at
    a wrong marker; the test that is marked so is an error.
    """
    result = run(WORKERS, "-n2", "--confsim-report", "--confsim-fuzz=singles", "--confsim-fuzz-report=fuzz.json")
    result.assert_outcomes(passed=1, skipped=5, errors=1)
    result.stdout.fnmatch_lines(["*assumptions used*", USED])
    result.stdout.fnmatch_lines(["status.role-missing: 1 call in 1 test: *test_leans"])
    result.stdout.fnmatch_lines(["ERROR *::test_marked_wrongly*"])
    (found,) = json.loads((pytester.path / "fuzz.json").read_text())["tests"].values()
    assert {"status.role-missing"} in [set(each["choices"]) for each in found["findings"]]


def test_an_empty_report(run):
    """A run that called nothing used nothing."""
    result = run("def test_it():\n    pass\n", "--confsim-report")
    result.stdout.fnmatch_lines(["*assumptions used*", "none"])


def test_the_order_of_tests_does_not_matter(run, pytester):
    """Ids and answers of a test are the same whatever ran before it."""
    pytester.makeconftest(
        """
        def pytest_collection_modifyitems(items):
            items.reverse()
        """
    )
    result = run(
        """
        import pytest

        @pytest.mark.parametrize("turn", range(4))
        def test_it(confsim, turn):
            for _ in range(turn):
                confsim.call("create_api_token", "demo-customer-admin", body={})
            made = confsim.fork().call("create_api_token", "demo-customer-admin", body={"label": "x"}).body
            assert len(confsim.call("list_api_tokens", "demo-customer-admin").body) == turn + 1
            assert made["label"] == "x"

        ids = set()

        @pytest.mark.parametrize("turn", range(3))
        def test_ids(confsim, turn):
            ids.add(confsim.call("create_api_token", "demo-customer-admin", body={}).body["token"])
            assert len(ids) == 1
        """
    )
    result.assert_outcomes(passed=7)


def test_async_tests_can_use_the_fixtures(run):
    """Fixtures are plain, so a coroutine that a test drives may use them."""
    result = run(
        """
        import asyncio

        def test_it(confsim):
            async def main():
                return confsim.call("get_user_terms", "demo-owner").status

            assert asyncio.run(main()) == 200
        """
    )
    result.assert_outcomes(passed=1)


def test_a_project_that_does_not_use_it_pays_nothing():
    """Loading the plugin imports nothing of confsim but itself and its package."""
    code = (
        "import pytest, sys; import confsim.pytest_plugin; "
        "print(*sorted(name for name in sys.modules if name.startswith(('confsim', 'msgspec', 'rpds', 'werkzeug'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if not name.startswith("confsim.pytest_plugin")}
    assert loaded == {"confsim", "confsim.once", "confsim.version"}

"""--confsim-fuzz: tests are run again under alternatives, and those that depend on one are named."""

from __future__ import annotations

import json
import signal

import pytest

from kit import fuzz_corpus

pytest_plugins = ["pytester"]

#: A sample of the corpus; the campaign runs all of it.
SAMPLE = ("status.role-missing", "users.url-handle")
#: Two whose calls use few assumptions: there are few rows in which every pair of alternatives occurs.
PAIR = ("status.credential-missing", "status.credential-invalid")


def part_of_corpus(*wanted):
    """The tests of the corpus whose names are wanted."""
    tests = fuzz_corpus.source().split("\n\n\n")
    return "\n\n".join(each for each in tests if any(f"def {name}(" in each for name in wanted))


@pytest.fixture
def report(run, pytester):
    """Run tests with an option and return what the report says of each, by its name."""

    def reporting(source, *options):
        result = run(source, *options, "--confsim-fuzz-report=report.json")
        tests = json.loads((pytester.path / "report.json").read_text())["tests"]
        return result, {nodeid.rpartition("::")[2]: found for nodeid, found in tests.items()}

    return reporting


def test_tests_that_lean_are_named_with_what_they_lean_on_and_robust_ones_are_not(report):
    """A sample of the corpus: each planted assumption, and nothing of the robust tests."""
    leaning = [f"test_leans_on_{fuzz_corpus.names(id)}" for id in SAMPLE]
    robust = [f"test_robust_{number}" for number in (0, 36)]
    result, tests = report(part_of_corpus(*leaning, *robust), "--confsim-fuzz=singles")
    result.assert_outcomes(passed=len(leaning) + len(robust))
    for name in leaning:
        sets = [set(each["choices"]) for each in tests[name]["findings"]]
        assert fuzz_corpus.leaning()[name] in sets, name
    for name in robust:
        assert tests[name]["findings"] == [], name
        assert tests[name]["runs"] > 3, name
    result.stdout.fnmatch_lines(
        [
            "*assumptions that tests depend on*",
            "*test_leans_on_status__role_missing: status.role-missing = 418",
            "    call 1: create_channel answered 418 instead of 403",
            "    ask: *Is it 403 or 418?",
            "2 of 4 tests depend on assumptions; * variants took *x)",
        ]
    )


GUEST = """
    def test_leans(confsim):
        assert confsim.call("create_channel", "demo-guest", body={"name": "x"}).status == 403
"""


def test_all_values_of_an_assumption_are_in_one_line(report):
    """The question is asked once; the report has each value."""
    result, tests = report(GUEST, "--confsim-fuzz=singles")
    choices = [each["choices"] for each in tests["test_leans"]["findings"]]
    values = [each["gate.create_channel"] for each in choices if "gate.create_channel" in each]
    assert len(values) > 1
    (line,) = [line for line in result.outlines if "gate.create_channel" in line]
    assert all(json.dumps(each) in line for each in values)
    assert len([line for line in result.outlines if "ask: Who may call create_channel" in line]) == 1
    (joined,) = [each for each in tests["test_leans"]["dependencies"] if each["assumptions"] == ["gate.create_channel"]]
    assert joined["choices"] == [{"gate.create_channel": each} for each in values]


def test_the_progress_is_explained(run):
    """Its characters in one line, where they are shown: with -v there are words."""
    source = GUEST + "\n    def test_robust(confsim):\n        confsim.call('get_me', 'demo-user')\n"
    quiet = run(source, "--confsim-fuzz=singles", "-q")
    quiet.stdout.fnmatch_lines(
        [".!.+ *", "progress: + says that a test passed under every alternative that was tried, ! that it did not"]
    )
    verbose = run(source, "--confsim-fuzz=singles", "-v")
    verbose.stdout.fnmatch_lines(["*::test_leans * VARIANTS: DEPENDS*"])
    verbose.stdout.no_fnmatch_line("progress: *")


def test_pairs_name_what_fails_only_together(report):
    """Neither of the two alone makes it fail."""
    name = "test_leans_on_" + "_and_".join(map(fuzz_corpus.names, PAIR))
    _, pairs = report(part_of_corpus(name), "--confsim-fuzz=pairs")
    found = [set(each["choices"]) for each in pairs[name]["findings"]]
    assert set(PAIR) in found
    assert [each for each in found if len(each) < 2] == []


def test_what_is_tried_and_what_is_not(report):
    """Fixtures of wider scopes are made once, failing tests are not tried, tests without a world are left alone."""
    result, tests = report(
        """
        import pytest

        MADE = []

        @pytest.fixture(scope="module")
        def once():
            MADE.append(1)
            yield
            MADE.append(-1)

        def test_leans(confsim, once):
            assert len(MADE) == 1
            assert confsim.call("create_channel", "demo-guest", body={"name": "x"}).status == 403

        def test_fails(confsim):
            assert confsim.call("get_me", "demo-user").status == 500

        @pytest.mark.xfail
        def test_is_expected_to_fail(confsim):
            assert confsim.call("get_me", "demo-user").status == 500

        def test_skips(confsim):
            confsim.call("get_me", "demo-user")
            pytest.skip()

        def test_needs_no_world():
            pass

        def test_over_a_socket(confsim_server):
            assert confsim_server.simulator.call("get_me", "demo-user").ok

        def test_makes_its_own(make_confsim):
            assert make_confsim(profile={"status.role-missing": 404}).fork().call(
                "create_channel", "demo-guest", body={"name": "x"}
            ).status == 404
        """,
        "--confsim-fuzz=singles",
    )
    result.assert_outcomes(passed=4, failed=1, skipped=1, xfailed=1)
    assert set(tests) == {"test_leans", "test_over_a_socket", "test_makes_its_own"}
    assert {"status.role-missing"} in [set(each["choices"]) for each in tests["test_leans"]["findings"]]
    own = tests["test_makes_its_own"]
    assert "status.role-missing" not in own["assumptions"]  # the test has chosen it
    assert "gate.create_channel" in own["assumptions"]  # a fork is a world of the test too


def test_wrong_use_is_refused(run):
    """A report without a run or a directory, an unknown way."""
    run("", "--confsim-fuzz-report=x.json").stderr.fnmatch_lines(["*--confsim-fuzz-report needs --confsim-fuzz*"])
    lost = run("", "--confsim-fuzz=singles", "--confsim-fuzz-report=none/x.json")
    lost.stderr.fnmatch_lines(["*there is no directory */none*"])
    run("", "--confsim-fuzz=triples").stderr.fnmatch_lines(["*invalid choice: 'triples'*"])


SKIPS = """
    import pytest

    def test_skips(confsim):
        if confsim.call("create_channel", "demo-guest", body={"name": "x"}).status != 403:
            pytest.skip("this service answers otherwise")

    def test_is_known_to_fail(confsim):
        if confsim.call("create_channel", "demo-guest", body={"name": "x"}).status != 403:
            pytest.xfail("this service answers otherwise")
"""


def test_a_test_that_skips_under_an_alternative_does_not_depend_on_it(report):
    """Nor does one that is expected to fail then."""
    _, tests = report(SKIPS, "--confsim-fuzz=singles")
    assert {name: each["findings"] for name, each in tests.items()} == {"test_skips": [], "test_is_known_to_fail": []}
    assert all(each["runs"] > 3 for each in tests.values())


def test_the_debugger_is_refused(run):
    """It would stop at variants, which fail on purpose."""
    result = run(GUEST, "--confsim-fuzz=singles", "--pdb")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines("*--confsim-fuzz runs variants that fail on purpose, which --pdb would stop at*")


WAITS = """
    import time

    from confsim.pytest_plugin import fuzz

    fuzz.SHORTEST, fuzz.LONGER = 0.3, 0

    def test_waits(confsim):
        while confsim.call("create_channel", "demo-guest", body={"name": "x"}).status != 403:
            time.sleep(0.01)
"""


@pytest.mark.own_ways  # a call that is interrupted leaves a connection that others share in the middle of it
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers of signals")
def test_a_test_that_does_not_end_under_an_alternative_depends_on_it(report):
    """The others of the run come after it."""
    _, tests = report(WAITS, "--confsim-fuzz=singles")
    errors = {id: each["error"] for each in tests["test_waits"]["findings"] for id in each["choices"]}
    assert "it did not end within 0 seconds" in errors["status.role-missing"]

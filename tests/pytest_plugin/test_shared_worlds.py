"""Worlds that the tests of a module or of a run share, and tracebacks that end at the call of the test."""

from __future__ import annotations

import re

import pytest

from kit import ROOM
from kit.processes.plugin import ALONE, IN_PROCESS

pytest_plugins = ["pytester"]


def test_the_tests_of_a_module_share_a_world(run):
    """Each sees what the one before did; a fork is its own; the function's fixture is another world."""
    result = run(
        """
        from confsim import demo

        def test_one(confsim_module):
            confsim_module.call("create_channel", demo.OWNER, body={"name": "Shared"}, expect=200)
            fork = confsim_module.fork()
            fork.call("create_channel", demo.OWNER, body={"name": "Own"}, expect=200)

        def test_two(confsim_module, confsim):
            names = [each["name"] for each in confsim_module.call("list_channels", demo.OWNER).body["results"]]
            assert "Shared" in names and "Own" not in names
            assert len(confsim_module.requests) == 2
            assert len(confsim.requests) == 0
        """
    )
    result.assert_outcomes(passed=2)


def test_modules_share_no_world_but_that_of_the_session(pytester):
    """The module's marker chooses its world; all modules see the world of the session."""
    for name, seed in (("a", 3), ("b", 4)):
        pytester.makepyfile(
            **{
                f"test_{name}": f"""
                import pytest
                from confsim import demo
                pytestmark = pytest.mark.confsim(seed={seed})

                def test_it(confsim_module, confsim_session, confsim):
                    assert confsim_module.control("get_info").seed == confsim.control("get_info").seed == {seed}
                    assert confsim_session.control("get_info").seed == 0
                    confsim_module.call("get_me", demo.OWNER)
                    confsim_session.call("get_me", demo.OWNER)
                    assert len(confsim_module.requests) == 1
                    assert len(confsim_session.requests) == {1 if name == "a" else 2}
                """
            }
        )
    pytester.runpytest_inprocess(*ALONE, *IN_PROCESS).assert_outcomes(passed=2)


def test_a_failing_test_shows_the_journal_of_a_shared_world(run):
    """Beside its own."""
    result = run(
        """
        def test_it(confsim_module, confsim_session, confsim):
            confsim_session.call("get_me", "demo-owner")
            confsim_module.call("get_me", "demo-user")
            confsim.call("get_me", "demo-operator")
            assert False
        """
    )
    result.assert_outcomes(failed=1)
    shown = result.stdout.str()
    for name in ("Olaf Owner", "Uma User", "Opal Operator"):
        assert name in shown
    assert "confsim journal 3" in shown


def test_a_bug_in_a_shared_world_fails_the_test_that_met_it(run):
    """The test that made the call, and no other."""
    result = run(
        """
        from confsim.domain import terms
        def test_one(confsim_module, monkeypatch):
            def broken(*_):
                raise ZeroDivisionError("the seam broke")
            monkeypatch.setattr(terms, "standing", broken)
            confsim_module.call("get_user_terms", "demo-owner")

        def test_two(confsim_module):
            confsim_module.call("get_me", "demo-owner", expect=200)
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*ZeroDivisionError: the seam broke*"])


def test_fuzz_leaves_tests_of_shared_worlds_out(run):
    """What other tests have left in a world is no part of a test."""
    result = run(
        """
        def test_shared(confsim_module):
            assert confsim_module.call("create_channel", "demo-owner", body={"name": "A"}).ok

        def test_own(confsim):
            assert confsim.call("get_me", "demo-owner").ok
        """,
        "--confsim-fuzz=singles",
    )
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["0 of 1 tests depend on assumptions*"])


#: Lines of tests that are mistakes, and what is said of each.
MISTAKES = [
    ('confsim.call("get_mee", "demo-owner")', "Misuse: there is no operation 'get_mee'; did you mean 'get_me'?"),
    ('confsim.call("get_me", "demo-owner", expect=404)', "StatusError: get_me answered 200"),
    ('confsim.requests.assert_called("get_me")', "AssertionError: 0 of 0 calls with operation='get_me'"),
    ('confsim.clock.advance("soon")', "Misuse:"),
    ("confsim.requests[0]", "IndexError: [0] of 0 requests"),
    ("confsim.webhooks[-1]", "IndexError: [-1] of 0 deliveries"),
    ('confsim.worlds["nope"]', "KeyError: \"there is no world 'nope'\""),
    ('confsim.webhooks.verify(b"{}", {}, "secret")', "ValueError: the webhook is not signed"),
    (
        'confsim.call("get_me").headers["Content-Typ"]',
        "there is no header 'Content-Typ'; did you mean 'Content-Type'?",
    ),
    (f'confsim.presence.admit("{ROOM}", 1004)', "Misuse:"),
    ("confsim.serve(port=99999).start()", "Misuse: port: 99999 is not from 0 to 65535"),
    ("confsim.demo.ownr", "AttributeError: there is no demo user 'ownr'; did you mean 'owner'?"),
]


def test_a_traceback_ends_at_the_call_of_the_test(run):
    """Frames of confsim say nothing to who made a mistake in a call of it."""
    result = run("\n".join(f"def test_{at}(confsim):\n    {line}\n" for at, (line, _) in enumerate(MISTAKES)))
    result.assert_outcomes(failed=len(MISTAKES))
    _, *shown = re.split(r"^_+ test_\d+ _+$", result.stdout.str(), flags=re.MULTILINE)
    for (line, error), each in zip(MISTAKES, shown, strict=True):
        assert error in each
        assert f">       {line}" in each or f">   {line}" in each
        assert "confsim/" not in each


def test_the_traceback_of_a_bug_is_whole(run):
    """It is for the makers of confsim."""
    result = run(
        """
        from confsim.domain import terms
        def test_it(confsim, monkeypatch):
            monkeypatch.setattr(terms, "standing", None)
            confsim.call("get_user_terms", "demo-owner")
        """
    )
    result.stdout.fnmatch_lines(["*confsim/*.py:*: TypeError"])


def test_make_confsim_names_what_it_does_not_take(run):
    """A misspelt word is no world."""
    result = run("def test_it(make_confsim):\n    make_confsim(profil={})\n")
    result.stdout.fnmatch_lines(
        ["*TypeError: make_confsim does not take profil; did you mean 'profile'?; it takes world, *"]
    )
    assert "confsim/" not in result.stdout.str()


def test_a_traceback_of_a_fixture_ends_there_too(run):
    """At the fixture of the project that made the mistake; of confsim's own, the message is all."""
    result = run(
        """
        import pytest

        @pytest.fixture
        def world(make_confsim):
            return make_confsim(profile={"status.role-mising": 1})

        def test_own(world):
            pass

        @pytest.mark.confsim(world="dmo")
        def test_marker(confsim):
            pass
        """
    )
    result.assert_outcomes(errors=2)
    shown = result.stdout.str()
    assert "did you mean 'status.role-missing'?" in shown
    assert ">       return make_confsim(profile=" in shown
    assert "there is no world 'dmo'; did you mean 'demo'?" in shown
    assert re.findall(r"\b(?:confsim|_pytest|pluggy)/", shown) == []


MARKED = """
import pytest
from confsim import demo
{module}

@pytest.mark.{mark}
def test_it({fixtures}):
    pass

def test_other({others}):
    pass
"""
OTHER, SEED = "filterwarnings('error')", "confsim(seed=3)"


@pytest.mark.parametrize(
    ("mark", "module", "fixtures", "others", "error"),
    [
        (
            SEED,
            "",
            "confsim_module",
            "",
            "no effect on confsim_module*; mark the module *, or use confsim, confsim_server or make_confsim",
        ),
        (
            SEED,
            "",
            "confsim_session",
            "confsim",
            "no effect on confsim_session*; use confsim, confsim_server or make_confsim",
        ),
        (OTHER, "pytestmark = pytest.mark.confsim(seed=3)", "confsim_session", "", "no effect on confsim_session"),
        (SEED, "", "confsim_shared_server", "", "no effect on confsim_shared_server"),
        (SEED, "", "", "confsim", "no effect: no test under it uses a world; use confsim, *, or remove it"),
        (SEED, "", "tmp_path", "confsim", "no effect: no test under it uses a world"),
        (SEED, "", "request", "confsim", None),
        (OTHER, "pytestmark = pytest.mark.confsim(seed=3)", "", "", "no effect: no test under it uses a world"),
        (OTHER, "pytestmark = pytest.mark.confsim(seed=3)", "", "confsim", None),
        (OTHER, "pytestmark = pytest.mark.confsim(seed=3)", "confsim_session", "confsim", None),
        (OTHER, "pytestmark = pytest.mark.confsim(seed=3)", "confsim_module", "confsim_session", None),
        (SEED, "", "confsim_module, confsim", "", None),
        (SEED, "", "confsim_session, make_confsim", "", None),
        ("confsim(sed=3)", "", "confsim", "", "does not take sed; did you mean 'seed'?; it takes world"),
    ],
)
def test_a_marker_that_no_world_follows_is_an_error(run, mark, module, fixtures, others, error):
    """It would say what is not so."""
    result = run(MARKED.format(mark=mark, module=module, fixtures=fixtures, others=others))
    if error is None:
        result.assert_outcomes(passed=2)
    else:
        result.stderr.fnmatch_lines([f"*the marker confsim *{error}*"])
        assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_a_worker_fails_the_test_of_such_a_marker(run):
    """It cannot stop the run."""
    source = MARKED.format(mark=SEED, module="", fixtures="confsim_session", others="")
    result = run(source, "-n1")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*the marker confsim has no effect on confsim_session*"])


def test_a_marker_of_a_module_may_be_for_tests_that_are_not_run(run, pytester):
    """One test by its id, or by a word of its name."""
    module = "pytestmark = pytest.mark.confsim(seed=3)"
    source = MARKED.format(mark=OTHER, module=module, fixtures="confsim_session", others="confsim")
    run(source).assert_outcomes(passed=2)
    file = next(pytester.path.glob("test_*.py"))
    for options in ((f"{file.name}::test_it",), ("-k", "test_it and not test_other")):
        assert run(source, *options).parseoutcomes()["passed"] == 1

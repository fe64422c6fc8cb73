"""Receivers of webhooks in the tests of users: what fails in a receiver fails its test."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]
#: What a test file needs for a webhook: a fixture whose world sends events, and something that happens.
SETUP = """
    import pytest

    @pytest.fixture
    def world(confsim):
        return listening(confsim)

    def listening(sim):
        sim.call("set_events_state", "demo-customer-admin", state="enable", expect=200)
        hook = {"url": "https://app.example/hooks"}
        sim.call("add_events_endpoint", "demo-customer-admin", body=hook, expect=200)
        return sim

    def happen(sim, name="Planning"):
        sim.call("create_channel", "demo-owner", body={"name": name}, expect=200)
"""


def test_a_failed_assertion_fails_the_test_at_its_end(run):
    """The test goes on, and fails with the assertion as pytest shows it; the next one is not concerned."""
    result = run(
        SETUP
        + """
    def receive(message):
        assert message.json["data"]["name"] == "Other"

    def test_it(world):
        world.webhooks.deliver_to(receive)
        happen(world)
        print("it goes on")

    def test_next(world):
        happen(world)
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*it goes on*"])
    result.stdout.fnmatch_lines(["E *assert 'Planning' == 'Other'", "*test_*.py:*: AssertionError"])
    result.stdout.no_fnmatch_line("*def take(*")


@pytest.mark.parametrize("made", ["world", "world.fork()", "listening(Simulator())"])
def test_failures_of_any_world_fail_the_test_that_gave_the_receiver(run, made):
    """A failure by pytest.fail in a fork, or in a world that the test made itself, fails the test too."""
    result = run(
        SETUP
        + f"""
    from confsim import Simulator

    def test_it(world):
        sim = {made}
        sim.webhooks.deliver_to(lambda message: pytest.fail("not this one"))
        happen(sim)
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *Failed: not this one"])


def test_several_failures_are_raised_as_one_group(run):
    """Each failed attempt is an exception of the group, and so is a defect of confsim."""
    result = run(
        SETUP
        + """
    def test_it(world):
        def receive(message):
            assert False, f"attempt {len(attempts)}"
        attempts = [1, 2]
        world.webhooks.deliver_to(receive)
        happen(world)
        attempts.pop()
        world.clock.advance("5s")
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*ExceptionGroup: receivers of webhooks failed (2 sub-exceptions)"])
    result.stdout.fnmatch_lines(["*AssertionError: attempt 2*", "*AssertionError: attempt 1*"])


def test_a_failure_is_raised_once(run):
    """A test that checks its receivers itself passes; a test that fails of itself shows both failures."""
    result = run(
        SETUP
        + """
    def receive(message):
        assert message is None, "from the receiver"

    def test_checked(world):
        world.webhooks.deliver_to(receive)
        happen(world)
        with pytest.raises(AssertionError, match="from the receiver"):
            world.webhooks.check()

    def test_both(world):
        world.webhooks.deliver_to(receive)
        happen(world)
        assert world is None, "from the test"
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*AssertionError: from the test*", "*AssertionError: from the receiver*"])


def test_a_failure_while_fixtures_are_finished_is_an_error(run):
    """A receiver that fails after the test function fails the test's teardown."""
    result = run(
        SETUP
        + """
    @pytest.fixture
    def late(world):
        yield
        happen(world)

    def test_it(world, late):
        world.webhooks.deliver_to(lambda message: pytest.fail("too late"))
        """
    )
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["E *Failed: too late"])


def test_other_exceptions_are_shown_where_a_test_fails(run):
    """A test does not fail by another exception of a receiver; if it fails, its report has the attempt."""
    result = run(
        SETUP
        + """
    def receive(message):
        raise LookupError("no such room")

    def test_passes(world):
        world.webhooks.deliver_to(receive)
        happen(world)

    def test_fails(world):
        world.webhooks.deliver_to(receive)
        happen(world)
        assert world.webhooks[0].delivered
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*- confsim webhooks -*",
            "*channel.created to https://app.example/hooks, attempt 1: LookupError: no such room",
            "*- confsim journal -*",
        ]
    )

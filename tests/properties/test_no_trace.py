"""A failure at any write of a call leaves the world as it was. All of them: the campaigns."""

from __future__ import annotations

from unittest import mock

import pytest

from confsim.kernel.world import World
from confsim.service.pipeline import Pipeline
from kit.each import each
from kit.proofs.no_trace import COMMANDS, Writes, failures, of_commands, of_operations

pytestmark = pytest.mark.own_ways  # over HTTP a planted failure has another form

#: Operations that write much, of several machines.
SAMPLE = (
    "add_operator",
    "create_channel",
    "delete_channel",
    "end_session",
    "promulgate_terms",
    "reserve_handle",
    "start_breakout_session",
    "stop_recording",
    "upload_client_media",
)


@pytest.fixture(scope="module")
def cases():
    """A call of each operation that succeeds."""
    return of_operations()


@pytest.mark.parametrize("name", SAMPLE)
def test_a_failure_at_any_write_of_an_operation_leaves_no_trace(cases, name):
    """The digest is the old one, the failure is reported, and the next call succeeds."""
    found = list(failures(cases[name]))
    assert found
    assert [problem for _, problem in found if problem] == []


@each("name", COMMANDS)
def test_a_failure_at_any_write_of_the_control_plane_leaves_no_trace(name):
    """As in the API."""
    found = list(failures(of_commands()[name]))
    assert found
    assert [problem for _, problem in found if problem] == []


def test_every_operation_has_a_call_that_succeeds(cases):
    """So that the campaign reaches all of them."""
    assert len(cases) == 223


def test_a_change_that_is_not_dropped_is_noticed(cases):
    """A pipeline that put what a failed call had written would leave traces."""
    failed = Pipeline._failed

    def note(self, call, request, bug):
        response, _ = failed(self, call, request, bug)
        return response, self._live.put(call.change)

    with mock.patch.object(Pipeline, "_failed", note):
        assert any(problem == "it left a trace" for _, problem in failures(cases["create_channel"]))


@pytest.mark.parametrize(
    ("name", "arguments"), [("draw", ()), ("uuid", ()), ("token", ()), ("digits", (6,)), ("count", ("rooms",))]
)
def test_whatever_is_drawn_or_counted_is_a_write(name, arguments):
    """The next one is another, so a failure there must leave no trace either."""
    change = World(seed=1).change(0)
    with Writes().watched() as writes:
        drawn = getattr(change, name)(*arguments)
    assert writes.count == 1
    assert getattr(change, name)(*arguments) != drawn

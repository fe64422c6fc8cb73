"""Journeys that are rehearsed in the model: they reach what no single call does, and are as short as they can be."""

from __future__ import annotations

from collections import Counter

import pytest

from confsim.api.catalogue import API
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.places import Shapes
from confsim.testing.verifying.planning import Planner
from confsim.testing.verifying.sweeping.finding import succeeds
from confsim.testing.verifying.sweeping.rehearsing import Rehearsal
from confsim.testing.verifying.sweeping.tried import Tried
from kit.beside import Beside

JSON = "application/json"


@pytest.fixture
def run():
    """A run that has made a channel, on the model's side alone."""
    made = Beside().verifier()._make()
    call = ModelCall(
        "create_channel", made.accounts.tokens["owner"], body={"name": "cvtest one"}, content_type="application/json"
    )
    made.ledger.note(call, made.model.call(call).reply)
    return made


def _stage(run, changes):
    planner = Planner(run.model, run.things, run.scope, run.names, 0, run.numbers)
    return Rehearsal(planner.candidates, Tried(Counter(), planner.candidates), Shapes({}), dict.fromkeys(changes, 1.0))


def _journey(run, name, changes, fits=succeeds, most=4):
    return _stage(run, changes).journey([API[name]], fits, [run.accounts.client], most=most)


def test_what_needs_a_room_is_reached_by_making_one(run):
    """A breakout room is deleted after a session and a room were made, and nothing else is in the way."""
    changes = ["create_breakout_session", "create_breakout_room", "set_event_room_state", "set_wall_state"]
    calls = [each.operation for each in _journey(run, "delete_breakout_room", changes)]
    assert calls[-1] == "delete_breakout_room"
    assert "create_breakout_room" in calls
    assert "set_wall_state" not in calls


def test_the_calls_of_a_journey_do_what_was_rehearsed(run):
    """Made one after another, each succeeds, and nothing had happened before."""
    before = run.model.world
    calls = _journey(run, "delete_channel_property", ["set_channel_property", "set_channel_description"])
    assert run.model.world is before
    assert [run.model.call(each).reply.status for each in calls] == [200] * len(calls)


def test_a_refusal_is_sought_like_a_success(run):
    """A template that was disabled cannot be selected."""

    def fits(call, predicted):
        return "code.template-disabled" in predicted.used

    calls = _journey(run, "select_channel_template", ["create_template", "set_template_state"], fits)
    assert [each.operation for each in calls] == ["create_template", "set_template_state", "select_channel_template"]


def test_a_journey_stays_with_what_it_is_about(run):
    """Among many channels, one gets operator after operator; these are there before the journey names them."""
    for number in range(20):
        body = {"name": f"cvtest {number}"}
        call = ModelCall("create_channel", run.accounts.tokens["owner"], body=body, content_type=JSON)
        run.ledger.note(call, run.model.call(call).reply)

    def fits(call, predicted):
        return len(predicted.reply.body) == 3

    calls = _journey(run, "list_operators", ["add_operator"], fits, most=1)
    assert [each.operation for each in calls] == ["add_operator", "add_operator", "list_operators"]


def test_what_cannot_be_reached_is_no_journey(run):
    """Without any change before it, there is no property to delete."""
    assert _journey(run, "delete_channel_property", []) == []


def test_an_area_is_explored_without_any_change(run):
    """Where no change succeeds, as none may have a body, the reads of the area are tried all the same."""
    stage = _stage(run, [])
    stage.explore(API["get_channel"].area, run.accounts.client)
    assert stage._tried.count > 0


def test_a_call_is_outdated_until_an_answer_has_named_its_things(run):
    """A template that is only rehearsed is not there; when it is made, a call may name it."""
    stage = _stage(run, ["create_template"])
    *before, last = stage.journey([API["update_template"]], succeeds, [run.accounts.client])
    assert stage.is_outdated(last)
    for call in before:
        assert not stage.is_outdated(call)
        run.ledger.note(call, run.model.call(call).reply)
    assert not stage.is_outdated(last)


def test_a_journey_goes_on_with_what_there_is(run):
    """A template that was made is updated, in place of one that the first step of the journey would make."""
    token = run.accounts.tokens["customer-admin"]
    stage = _stage(run, ["create_template"])
    create = ModelCall("create_template", token, body={"name": "cvtest two"}, content_type="application/json")
    made = run.model.imagine(create)
    update = ModelCall("update_template", token, {"templateId": made.reply.body["id"]}, {}, create.body, JSON)
    way = [(create, made), (update, run.model.imagine(update, made.after))]
    assert stage.reused(way, succeeds) == []
    other = run.model.call(create)
    run.ledger.note(create, other.reply)
    (call,) = stage.reused(way, succeeds)
    assert (call.operation, call.path) == ("update_template", {"templateId": other.reply.body["id"]})

"""The order of the checks of a call: path, existence, role, input, state, or another by profile (G040)."""

from __future__ import annotations

import pytest

from confsim.api.catalogue import API
from confsim.contract.gates import Grant
from kit import ADMIN, API_TOKEN, EVENT_ROOM, NOTHING, OPERATOR, OTHER_ADMIN, OWNER, USER, code, demo
from kit.each import each
from kit.things.breakout import prepare

#: Grants that the demo user has for itself or for the rooms of its client.
_OURS = {Grant.PUBLIC, Grant.SIGNED_IN, Grant.USER, Grant.REGISTERED, Grant.ACCESS}
#: Every place of an id in the paths of the operations that the demo user has no role for.
PLACES = [
    (operation, parameter)
    for operation in API
    if not _OURS & set(operation.gate.grants)
    for parameter in operation.path_parameters
    if parameter.resolve is not None
]
#: What names nothing, where that is no id as others are.
NOBODY = {"userId": 999999999, "level": 999999999, "number": "+15550100", "clientId": NOTHING}


def arguments(sim, operation, missing):
    """Path parameters that name nothing in one place and behind it, and things of the demo customer before it."""
    things = {"channels": EVENT_ROOM, "users": 1002, "limit": 1}
    given = {}
    for parameter in operation.path_parameters:
        name, kind = parameter.name, parameter.names
        if name == "state":
            given[name] = next(iter(parameter.wire)).value
        elif parameter is missing:
            things = {"users": 1002, "limit": 1}
            given[name] = NOBODY.get(name, NOTHING)
        elif kind == "breakout_sessions" and kind not in things:
            given[name] = prepare(sim) if "channels" in things else NOTHING
        elif kind == "recordings" and "channels" in things:
            given[name] = recorded(sim)
        else:
            given[name] = things.get(kind or name, NOBODY.get(name, NOTHING))
    return given


def recorded(sim):
    """The id of a recording of the event room, which is ready."""
    sim.presence.join(EVENT_ROOM, USER)
    assert sim.call("start_recording", OPERATOR, uuid=EVENT_ROOM).ok
    assert sim.call("stop_recording", OPERATOR, uuid=EVENT_ROOM).ok
    sim.clock.advance("2s")
    return sim.call("list_recordings", OPERATOR, channelId=EVENT_ROOM).body["results"][0]["id"]


@each(
    "place", [place for place in PLACES if not place[1].is_input], ids=lambda place: f"{place[0].name} {place[1].name}"
)
def test_what_is_not_there_is_reported_before_the_role(sim, place):
    """Whatever object the path names: anyone who may not use it hears that it is not there."""
    operation, missing = place
    answer = sim.call(operation.name, USER, **arguments(sim, operation, missing))
    assert answer.status == 404
    assert answer.body["code"] != "role_missing"


@each("place", PLACES, ids=lambda place: f"{place[0].name} {place[1].name}")
def test_a_profile_tells_the_role_first(place):
    """Then anyone who may not use such things does not hear which are there; who may use them does."""
    operation, missing = place
    sim = demo(checks__order="role first")
    given = arguments(sim, operation, missing)
    assert code(sim.call(operation.name, USER, **given)) == (403, "role_missing")
    allowed = {OWNER, ADMIN, API_TOKEN, "demo-partner-admin"}
    told = 404 in {sim.call(operation.name, caller, **given).status for caller in allowed}
    assert told is (missing.names != "channels" or operation.gate.grants != (Grant.OWNER,))


def test_roles_that_hang_on_the_missing_thing_are_not_held():
    """With the role first, nobody hosts a channel that is not there; an API token passes as for one that is."""
    sim = demo(checks__order="role first")
    for caller, status in ((OWNER, 403), (OTHER_ADMIN, 403), (API_TOKEN, 404)):
        assert sim.call("start_recording", caller, uuid=NOTHING).status == status


@pytest.mark.parametrize(("order", "statuses"), [("credential first", (404, 403)), ("role first", (403, 403))])
def test_the_reproductions_of_two_orders(order, statuses):
    """Removing a token that is none and reading a template that is none are refused for the same reason."""
    sim = demo(checks__order=order)
    for name, given in (("delete_api_token", {"tokenId": NOTHING}), ("set_template_config", {"templateId": NOTHING})):
        assert sim.call(name, USER, body={}, **given).status == statuses[0]
    assert sim.call("create_api_token", USER, body={}).status == statuses[1]


@pytest.mark.parametrize(
    ("operation", "given"),
    [
        ("assign_dial_number", {"uuid": NOTHING, "number": "none"}),
        ("get_dial_quote", {"uuid": NOTHING, "number": "none"}),
        ("add_operator", {"uuid": NOTHING, "userId": "nobody"}),
        ("get_user_property", {"userId": "nobody", "key": "k"}),
        ("set_wall_state", {"uuid": NOTHING, "state": "ajar"}),
    ],
)
def test_the_text_of_a_path_is_read_first(sim, operation, given):
    """What cannot be an id, a number or a word at its place is a 400, whether or not the rest is there."""
    assert sim.call(operation, USER, **given).status == 400


@pytest.mark.parametrize("id", ["-9223372036854775807", "-9223372036854775808", "9223372036854775807"])
@pytest.mark.parametrize("operation", ["get_user_email", "list_user_properties", "get_user", "get_users"])
def test_every_number_of_64_bits_may_be_a_user(sim, operation, id):
    """Its sign is no digit: nobody has the number, which is no fault of the text."""
    answer = sim.call(operation, ADMIN, **{"userIds" if operation == "get_users" else "userId": id})
    assert (answer.status, answer.body) in [(404, answer.body), (200, [])]


@pytest.mark.parametrize("id", ["9223372036854775808", "-9223372036854775809", "+1", "1_0", "\u0661", "mE", ""])
def test_other_texts_are_no_user(sim, id):
    """More than 64 bits, another sign, another digit, another word."""
    assert sim.call("get_user_email", ADMIN, userId=id).status in {400, 404}
    if id:
        assert sim.call("get_user_email", ADMIN, userId=id).status == 400

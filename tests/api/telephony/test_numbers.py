from __future__ import annotations

from urllib.parse import quote

import pytest

from confsim import Simulator
from kit import ADMIN, API_TOKEN, EVENT_ROOM, GUEST, OPERATOR, OTHER_ADMIN, OWNER, ROOM, USER

US, GB = "+12025550123", "+442079460123"
US_SHOWN, GB_SHOWN = {"number": US, "code": "US", "isDefault": True}, {"number": GB, "code": "GB"}
ASSIGN, EXCLUSIVE = "assign_dial_number", "assign_exclusive_dial_number"


def assign(sim, number=US, uuid=ROOM, operation=ASSIGN, caller=OWNER):
    """Assign a number to a channel."""
    return sim.call(operation, caller, uuid=uuid, number=number)


def assigned(sim, uuid=ROOM, caller=OWNER, **query):
    """The assignments of a channel."""
    return sim.call("list_dial_number_assignments", caller, channel=uuid, **query).body


def available(sim, **query):
    """The numbers that can be attached."""
    return sim.call("list_available_dial_numbers", OWNER, **query).body


def inbound(sim, **query):
    """The inbound numbers."""
    return sim.call("list_inbound_numbers", OWNER, **query).body


def default(sim, event, number=GB, caller=ADMIN):
    """Put a number on the default list, or take it off."""
    return sim.call(f"{event}_default_dial_number", caller, number=number)


def switch(sim, state, number=US, caller=ADMIN):
    """Enable or disable a number."""
    return sim.call("set_inbound_number_state", caller, number=number, state=state)


# Lists


@pytest.mark.rule("R024", "R025", "R325", "R480", "R481")
def test_the_numbers_of_a_client(sim):
    """A page of available numbers, a bare array of inbound ones: number, country, and isDefault where it is."""
    assert available(sim) == {"total": 2, "results": [US_SHOWN, GB_SHOWN]}
    assert inbound(sim) == [US_SHOWN, GB_SHOWN]


@pytest.mark.rule("R025", "R480", "R481")
def test_lists_are_cut_and_filtered(sim):
    """By limit and offset, and by countryCode without case."""
    assert available(sim, limit=1) == {"total": 2, "results": [US_SHOWN]}
    assert available(sim, offset=1, limit=5) == {"total": 2, "results": [GB_SHOWN]}
    assert (inbound(sim, limit=1), inbound(sim, offset=1)) == ([US_SHOWN], [GB_SHOWN])
    assert (inbound(sim, countryCode="gb"), inbound(sim, countryCode="DE")) == ([GB_SHOWN], [])
    assert available(sim, countryCode="US") == {"total": 1, "results": [US_SHOWN]}


@pytest.mark.rule("R480", "R481", "R484")
def test_an_exclusive_number_is_not_available(sim):
    """It is inbound all the same; a shared one stays available."""
    assign(sim)
    assign(sim, GB, operation=EXCLUSIVE)
    assert (available(sim)["results"], inbound(sim)) == ([US_SHOWN], [US_SHOWN, GB_SHOWN])


@pytest.mark.parametrize("operation", ["list_available_dial_numbers", "list_inbound_numbers"])
def test_who_lists_numbers(sim, operation):
    """Registered users and API tokens, each those of the own client; no guests."""
    for caller in (USER, API_TOKEN):
        assert sim.call(operation, caller).status == 200
    foreign = sim.call(operation, OTHER_ADMIN).body
    assert foreign in ([], {"total": 0, "results": []})
    assert sim.call(operation, GUEST).status == 403


def test_shapes_by_profile():
    """Bare arrays, digits alone, dialling codes, a phone as text."""
    sim = Simulator(profile={"numbers": {"container": "array", "form": "digits", "code": "dialling", "phone": "text"}})
    assert available(sim) == [{"number": US[1:], "code": "1", "isDefault": True}, {"number": GB[1:], "code": "44"}]
    assign(sim, operation=EXCLUSIVE)
    assert assigned(sim) == [{"phone": US[1:]}]
    shared = assign(sim, GB, uuid=EVENT_ROOM).body
    assert shared == {"phone": GB[1:], "code": shared["code"]}
    assert len(shared["code"]) == 6


# Assignments


@pytest.mark.rule("R326", "R482")
def test_a_number_is_attached_with_a_code(sim):
    """The assignment is answered and listed: the phone with its country, and a code of six digits."""
    answer = assign(sim)
    assert answer.status == 200
    assert answer.body["phone"] == {"number": US, "code": "US"}
    assert len(answer.body["code"]) == 6
    assert assigned(sim) == {"total": 1, "results": [answer.body]}
    assert assign(sim).body == answer.body


@pytest.mark.rule("R326", "R484")
def test_an_exclusive_number_has_no_code(sim):
    """The option is left out."""
    answer = assign(sim, GB, operation=EXCLUSIVE)
    assert (answer.status, answer.body) == (200, {"phone": {"number": GB, "code": "GB"}})


@pytest.mark.rule("R483")
@pytest.mark.parametrize("written", [US, US[1:], quote(US, safe="")])
def test_the_plus_is_optional_in_the_path(sim, written):
    """Raw, encoded or left out, it is one number."""
    first = assign(sim).body
    answer = sim.client(OWNER).post(f"/channels/{ROOM}/dial/numbers/{written}")
    assert (answer.status_code, answer.get_json()) == (200, first)


@pytest.mark.rule("R486")
def test_assignments_are_listed_page_by_page(sim):
    """In the order in which they were made."""
    for number in (GB, US):
        assign(sim, number)
    found = [each["phone"]["number"] for each in assigned(sim)["results"]]
    assert found == [GB, US]
    page = assigned(sim, limit=1, offset=1)
    assert (page["total"], [each["phone"]["number"] for each in page["results"]]) == (2, [US])


@pytest.mark.rule("R484", "R485")
def test_conflicts_over_a_number(sim):
    """Exclusive where others share, and anything where another has it exclusively, are refused; nothing changes."""
    assign(sim, uuid=EVENT_ROOM)
    answer = assign(sim, operation=EXCLUSIVE)
    assert (answer.status, answer.body["code"]) == (409, "number_shared")
    assign(sim, GB, uuid=EVENT_ROOM, operation=EXCLUSIVE)
    for operation in (ASSIGN, EXCLUSIVE):
        answer = assign(sim, GB, operation=operation)
        assert (answer.status, answer.body["code"]) == (409, "number_exclusive")
        assert answer.body["details"] == [{"number": GB}]
    assert (assigned(sim)["total"], assigned(sim, EVENT_ROOM)["total"]) == (0, 2)


@pytest.mark.rule("R367")
@pytest.mark.parametrize("operation", [ASSIGN, EXCLUSIVE])
@pytest.mark.parametrize(
    ("number", "status", "code"),
    [("+15550100", 404, "number_unavailable"), (US, 404, "number_unavailable"), ("12x", 400, "number_malformed")],
)
def test_numbers_that_cannot_be_assigned(sim, operation, number, status, code):
    """Unknown, disabled, or no number."""
    switch(sim, "disable")
    answer = assign(sim, number, operation=operation)
    assert (answer.status, answer.body["code"]) == (status, code)


@pytest.mark.parametrize("operation", [ASSIGN, EXCLUSIVE, "cancel_dial_number_assignment"])
def test_who_assigns_numbers(sim, operation):
    """Owners, Customer Admins and API tokens; not hosts, users or guests; nobody of another client."""
    assign(sim)
    for caller in (OPERATOR, USER, GUEST):
        answer = assign(sim, operation=operation, caller=caller)
        assert (answer.status, answer.body["code"]) == (403, "role_missing")
    for caller in (OWNER, ADMIN, API_TOKEN):
        assign(sim)
        assert assign(sim, operation=operation, caller=caller).status == 200
    assert assign(sim, operation=operation, caller=OTHER_ADMIN).status == 404


def test_who_reads_assignments(sim):
    """Anyone who has access to the channel."""
    assign(sim)
    for caller in (OWNER, USER, GUEST, API_TOKEN):
        assert assigned(sim, caller=caller)["total"] == 1
    assert sim.call("list_dial_number_assignments", OTHER_ADMIN, channel=ROOM).status == 404


def test_an_assignment_is_cancelled(sim):
    """Once; then there is none."""
    assign(sim)
    for status in (200, 404):
        assert sim.call("cancel_dial_number_assignment", OWNER, uuid=ROOM, number=US[1:]).status == status
        assert assigned(sim)["total"] == 0
    assert sim.call("cancel_dial_number_assignment", OWNER, uuid=ROOM, number="x").status == 400


# The inventory


@pytest.mark.rule("R366", "R367")
def test_a_disabled_number_leads_nowhere(sim):
    """Its assignments go, it is in no list; enabled again it is listed, without them."""
    for uuid in (ROOM, EVENT_ROOM):
        assign(sim, uuid=uuid)
    assign(sim, GB)
    assert switch(sim, "disable").status == 200
    assert (assigned(sim)["total"], assigned(sim, EVENT_ROOM)["total"]) == (1, 0)
    assert (inbound(sim), available(sim)["results"]) == ([GB_SHOWN], [GB_SHOWN])
    assert switch(sim, "enable", US[1:]).status == 200
    assert (inbound(sim), assigned(sim, EVENT_ROOM)["total"]) == ([US_SHOWN, GB_SHOWN], 0)


@pytest.mark.rule("R325")
def test_the_default_list(sim):
    """The flag isDefault is true for what is on it, and left out for the rest."""
    assert (default(sim, "add").status, default(sim, "remove", US).status) == (200, 200)
    assert inbound(sim) == [{"number": US, "code": "US"}, {**GB_SHOWN, "isDefault": True}]


@pytest.mark.parametrize(
    "operation", ["add_default_dial_number", "remove_default_dial_number", "set_inbound_number_state"]
)
def test_who_manages_numbers(sim, operation):
    """Customer Admins and API tokens, of numbers that their client has."""
    state = {"state": "disable"} if "state" in operation else {}
    for caller in (OWNER, USER, GUEST):
        answer = sim.call(operation, caller, number=US, **state)
        assert (answer.status, answer.body["code"]) == (403, "role_missing")
    for caller in (ADMIN, API_TOKEN):
        assert sim.call(operation, caller, number=US, **state).status == 200
    assert sim.call(operation, OTHER_ADMIN, number=US, **state).status == 404
    assert sim.call(operation, ADMIN, number="+1555", **state).status == 404
    assert sim.call(operation, ADMIN, number="1555x", **state).status == 400


def test_states_of_numbers_are_words(sim):
    """They are enable and disable; default is the list and no state."""
    assert switch(sim, "off").status == 400
    assert sim.client(ADMIN).post(f"/numbers/inbound/{GB}/default").status_code == 200
    assert inbound(sim)[1]["isDefault"] is True


def test_a_deleted_channel_frees_its_numbers(sim):
    """An exclusive number can be another channel's afterwards."""
    assign(sim, operation=EXCLUSIVE)
    sim.call("delete_channel", OWNER, uuid=ROOM)
    assert assign(sim, uuid=EVENT_ROOM, operation=EXCLUSIVE).status == 200

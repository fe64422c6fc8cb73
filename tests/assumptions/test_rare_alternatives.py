"""What the alternatives of phones, numbers, addresses, webhooks and the like change, as a caller sees it."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.domain.events.deliveries import DeliveryState
from kit import ADMIN, OWNER, PARTNER_ADMIN, ROOM, START, USER, demo, ok
from kit.things import identity_tokens

LINE, PHONE = "+12025550123", "+12025550147"


def telephony(**chosen):
    """The demo world under a profile, with dial-in enabled in its room and the code of a number that leads there."""
    sim = demo(**chosen)
    ok(sim, "set_dial_in_state", ADMIN, uuid=ROOM, state="enable")
    return sim, ok(sim, "assign_dial_number", OWNER, uuid=ROOM, number=LINE)["code"]


@pytest.mark.parametrize(
    ("handle", "anonymous", "caller", "seen"),
    [
        ("{number}", "anonymous", PHONE, PHONE),
        ("{number}", "anonymous", None, "anonymous"),
        ("{number}", "nobody", None, "nobody"),
        ("Caller {number}", "anonymous", PHONE, f"Caller {PHONE}"),
        ("Phone user", "anonymous", PHONE, "Phone user"),
    ],
)
def test_the_handle_of_a_phone_that_dials_in(handle, anonymous, caller, seen):
    """A phone that dials in gets the handle of the profile, with its number or what stands for a hidden one."""
    sim, code = telephony(dial_in__handle=handle, dial_in__anonymous=anonymous)
    user = sim.calls.dial_in(LINE, code=code, caller=caller)
    assert ok(sim, "get_users", OWNER, userIds=[user.userId])[0]["handle"] == seen


@pytest.mark.parametrize(("chosen", "state"), [("passes", "waiting"), ("opens-door", "in")])
def test_what_an_organizer_pin_does_to_those_who_wait(chosen, state):
    """An organizer's PIN lets its caller pass the closed door, or opens the door to those who wait as well."""
    sim, code = telephony(dial_in__organizer=chosen)
    ok(sim, "set_lobby_door", OWNER, uuid=ROOM, state="close")
    ok(sim, "add_dial_pin", OWNER, uuid=ROOM, body={"pin": "2", "organizer": True})
    sim.presence.join(ROOM, 1004)
    sim.calls.dial_in(LINE, code=code, pin="2")
    assert {each.userId: each.state for each in sim.presence(ROOM)}[1004] == state


@pytest.mark.parametrize(
    ("chosen", "before", "after"),
    [
        ("when-verified", "old@customer.example", "new@customer.example"),
        ("never", "old@customer.example", "old@customer.example"),
        ("at-once", None, "new@customer.example"),
    ],
)
def test_a_new_address_after_one_is_verified(chosen, before, after):
    """The old address stays until the new one is verified, stays for ever, or goes at once."""
    sim = demo(emails__second=chosen)

    def codes(address):
        ok(sim, "set_user_email", USER, userId="1004", body={"email": address})
        return sim.mail[-1].code

    def address():
        answer = sim.call("get_user_email", USER, userId="1004")
        return answer.body.get("email") if answer.ok and answer.body.get("verified", True) else None

    ok(sim, "verify_user_email", USER, userId="1004", code=codes("old@customer.example"))
    code = codes("new@customer.example")
    assert address() == before
    sim.call("verify_user_email", USER, userId="1004", code=code)
    assert address() == after


def test_a_number_taken_from_those_who_share_it():
    """An exclusive assignment of a shared number is refused, or ends the assignments of the others."""
    for chosen, status in (("refuse", 409), ("take", 200)):
        sim, _ = telephony(numbers__exclusive_taken=chosen)
        other = ok(sim, "create_channel", OWNER, body={"name": "Other"})["channelUuid"]
        assert sim.call("assign_exclusive_dial_number", OWNER, uuid=other, number=LINE).status == status
        left = [
            each["phone"]["number"] for each in ok(sim, "list_dial_number_assignments", OWNER, channel=ROOM)["results"]
        ]
        assert (LINE in left) is (chosen == "refuse")


def test_the_code_of_a_shared_number():
    """A shared number leads to a channel by a code of its own, or by the meeting id of the channel."""
    for chosen, same in (("digits", False), ("meeting-id", True)):
        sim, code = telephony(numbers__routing_code=chosen)
        assert (code == ok(sim, "get_channel", OWNER, uuid=ROOM)["meetingId"]) is same


def test_the_pins_that_users_see_while_pins_are_public():
    """Users who are no hosts see all PINs but those of organizers, or all."""
    for chosen, seen in (("plain", ["1"]), ("all", ["1", "2"])):
        sim, _ = telephony(pins__public=chosen)
        for pin in ("1", "2"):
            ok(sim, "add_dial_pin", OWNER, uuid=ROOM, body={"pin": pin, "organizer": pin == "2"})
        sim.change_record("channel", ROOM, publicPIN=True)
        assert [each["pin"] for each in ok(sim, "list_dial_pins", USER, uuid=ROOM)] == seen


def test_without_the_reseller_interface():
    """Clients are made without the reseller interface where a profile needs it for nothing."""
    for chosen, status in ((None, 403), ([], 200)):
        sim = Simulator(clock=START, profile={} if chosen is None else {"clients.reseller-calls": chosen})
        sim.change_record("client", ok(sim, "get_me", PARTNER_ADMIN)["clientId"], reseller=False)
        assert sim.call("create_client", PARTNER_ADMIN, body={"name": "New"}).status == status


@pytest.mark.parametrize(("chosen", "status"), [(["HS256"], 200), (["RS256", "ES256"], 401)])
def test_the_algorithms_of_validators(chosen, status):
    """A token of a validator whose algorithm the profile leaves out is not exchanged."""
    sim = identity_tokens.chosen(validators__algorithms=chosen)
    assert identity_tokens.exchange(sim, identity_tokens.hs(identity_tokens.CLAIMS)).status == status


def happening(**chosen):
    """The demo world under a profile, with an endpoint of the events interface."""
    sim = demo(**chosen)
    ok(sim, "set_events_state", state="enable")
    ok(sim, "add_events_endpoint", body={"url": "https://hooks.example/a", "active": True})
    return sim


@pytest.mark.parametrize(
    ("chosen", "status", "delivered"),
    [("2xx", 204, True), ("2xx", 302, False), ("200", 204, False), ("200", 200, True), ("any", 500, True)],
)
def test_the_answers_that_take_a_delivery(chosen, status, delivered):
    """An endpoint takes a delivery by any status from 200 to 299, by 200 alone, or by whatever it answers."""
    sim = happening(webhooks__taken=chosen)
    sim.webhooks.deliver_to(lambda message: status)
    ok(sim, "create_channel", OWNER, body={"name": "New"})
    assert {each.delivered for each in sim.webhooks} == {delivered}


@pytest.mark.parametrize(("chosen", "attempts"), [([], 1), ([1000], 2)])
def test_the_retries_of_a_delivery(chosen, attempts):
    """A delivery that fails is tried again once for each delay of the profile, and then given up."""
    sim = happening(webhooks__retries=chosen)
    sim.webhooks.deliver_to(lambda message: 500)
    ok(sim, "create_channel", OWNER, body={"name": "New"})
    sim.clock.advance("1h")
    assert {(len(each.attempts), each.state) for each in sim.webhooks} == {(attempts, DeliveryState.FAILED)}


def test_the_column_by_which_the_history_of_broadcasts_is_sorted():
    """The history is sorted by the start, unless a profile names another column; what never started is the latest."""
    for chosen, unstarted_first in (("started", True), ("created", False), ("ended", False)):
        sim = demo(broadcast__history_sort=chosen, duration__broadcast_start="time(10)")
        ok(sim, "set_broadcast_state", ADMIN, uuid=ROOM, state="enable")
        body = {"destination": "rtmp://live.example/app/key", "enabled": True}
        ok(sim, "add_broadcast_destination", OWNER, channel=ROOM, body=body)
        for seconds in (5, 30):
            ok(sim, "start_broadcast", OWNER, uuid=ROOM)
            sim.clock.advance(f"{seconds}s")
            ok(sim, "stop_broadcast", OWNER, uuid=ROOM)
        rows = ok(sim, "list_broadcast_history", OWNER, uuid=ROOM)["rows"]
        assert ["started" in each for each in rows] == ([False, True] if unstarted_first else [True, False])

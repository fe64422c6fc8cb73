"""Guests over the wire."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from confsim import Simulator
from confsim.domain import properties, terms
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.identity.credentials import CREDENTIALS
from confsim.domain.members import roles
from confsim.domain.users import users
from confsim.domain.users.users import USERS, Account, User
from kit import CUSTOMER, OTHER, ROOM, START, START_S, code, demo


def create(sim: Simulator, caller: str | None = None, *, client: str = CUSTOMER, uuid: str = ROOM, **body: Any) -> Any:
    """The answer to the creation of a guest."""
    return sim.call("create_guest", caller, clientId=client, uuid=uuid, body=body or {"handle": "Gus Guest"})


def guest_of(sim: Simulator, token: str) -> User:
    """The user whose token it is."""
    credential = CREDENTIALS.seen(sim.service.world)[token]
    assert credential.user is not None
    return USERS.seen(sim.service.world, CUSTOMER)[credential.user]


def alter(sim: Simulator, **fields: Any) -> Channel:
    """The demo room with these fields changed."""
    change = sim.service.change()
    room = channels.update(change, channels.get(change, CUSTOMER, ROOM), **fields)
    sim.service.commit(change)
    return room


@pytest.mark.rule("R044", "R052", "R069", "R175", "R239")
def test_a_guest_is_a_temporary_user_with_a_token(sim: Simulator) -> None:
    """Made with the handle, bound to the channel, with an id of its own; the answer is a token result."""
    tokens = [create(sim).body["token"] for _ in range(2)]
    first, second = (guest_of(sim, token) for token in tokens)
    assert (first.account, first.handle, first.channel) == (Account.GUEST, "Gus Guest", ROOM)
    assert users.unregistered(first)
    assert first.id != second.id
    assert set(create(sim).body) == {"token", "expires"}


@pytest.mark.rule("R071")
def test_the_token_acts_as_the_guest(sim: Simulator) -> None:
    """Calls made with it are the guest's own."""
    token = create(sim).body["token"]
    assert sim.call("get_user_origin_id", token, userId=guest_of(sim, token).id).status == 200
    assert sim.call("get_user_origin_id", token, userId=1000).status in {403, 404}


@pytest.mark.rule("R070")
def test_expires_is_the_life_in_seconds(sim: Simulator) -> None:
    """A day by default (G111, G112); then the token is dead and the guest still known (G231)."""
    body = create(sim).body
    guest = guest_of(sim, body["token"])
    assert body["expires"] == 86_400
    sim.service.clock.move((START_S + 86_400) * 1000)
    answer = sim.call("list_auth_providers", body["token"])
    assert code(answer) == (401, "credential_expired")
    assert USERS.seen(sim.service.world, CUSTOMER).get(guest.id) == guest


@pytest.mark.parametrize("caller", [None, "no such token", "demo-api-token", "demo-other-admin"])
def test_guests_need_no_token(sim: Simulator, caller: str | None) -> None:
    """The token is what the call gives; one that is sent plays no part (G025, G023)."""
    assert create(sim, caller).status == 200


def test_guests_need_a_broker_by_choice() -> None:
    """A gate is a choice (G025)."""
    sim = Simulator(clock=START, profile={"gate.create_guest": ["api-token"]})
    assert create(sim).status == 401
    assert create(sim, "demo-api-token").status == 200


@pytest.mark.rule("R176")
@pytest.mark.parametrize(
    ("client", "uuid", "status"),
    [
        (CUSTOMER, ROOM, 200),
        (CUSTOMER, ROOM.upper(), 200),
        (CUSTOMER, "cccccccc-cccc-4ccc-8ccc-cccccccccccc", 404),
        (CUSTOMER, "no uuid", 404),
        (OTHER, ROOM, 404),
        ("nothing", ROOM, 404),
    ],
)
def test_the_channel_is_one_of_the_client(sim: Simulator, client: str, uuid: str, status: int) -> None:
    """404 for unknown clients and channels, and for a channel of another client (G198, G229)."""
    assert create(sim, client=client, uuid=uuid).status == status


@pytest.mark.rule("R177")
def test_guest_access_governs_guests(sim: Simulator) -> None:
    """Switched off, none is made (G227); those who are there stay."""
    before = create(sim).body["token"]
    alter(sim, guest_access=False)
    answer = create(sim)
    assert code(answer) == (403, "guest_access_off")
    assert sim.call("list_auth_providers", before).status == 200


def test_only_joining_is_refused_by_choice() -> None:
    """Guests are then made for any channel (G227)."""
    sim = demo(guests__access_off="joining")
    alter(sim, guest_access=False)
    assert create(sim).status == 200


@pytest.mark.parametrize("fields", [{"open": False}, {"private": True}])
@pytest.mark.parametrize(("choice", "status"), [("always", 200), ("open-channel", 403)])
def test_guests_of_a_closed_channel(fields: dict[str, bool], choice: str, status: int) -> None:
    """The lobby gates joining, not being; or guests are made for open channels alone (G230)."""
    sim = demo(guests__creation=choice)
    assert create(sim).status == 200
    alter(sim, **fields)
    assert create(sim).status == status


@pytest.mark.parametrize(("choice", "status"), [("free", 200), ("unique", 409)])
def test_a_guest_called_like_a_registered_user(choice: str, status: int) -> None:
    """Allowed, or refused while the client requires unique handles (G232)."""
    sim = demo(handles__unregistered=choice)
    assert create(sim, handle="uma user").status == status
    assert create(sim, handle="Guest Gwen").status == 200


def test_guests_end_with_their_token_by_choice() -> None:
    """The user is then removed with roles and properties, unless registered meanwhile (G231, G542)."""
    sim = demo(guests__end="removed")
    gone, stays = (guest_of(sim, create(sim).body["token"]) for _ in range(2))
    change = sim.service.change()
    users.register(change, stays, "Registered")
    properties.put(change, properties.of_user(gone), "colour", '"red"')
    roles.add_operator(change, channels.get(change, CUSTOMER, ROOM), gone)
    sim.service.commit(change)
    fired = sim.service.live.fire_due_timers((START_S + 86_400) * 1000)
    assert [each.timer.subject for each in fired] == [str(gone.id)]
    rows = USERS.seen(sim.service.world, CUSTOMER)
    assert rows.get(gone.id) is None
    after = sim.service.change()
    assert roles.find(after, channels.get(after, CUSTOMER, ROOM), gone.id) is None
    assert properties.keys(after, properties.of_user(gone)) == []
    assert rows[stays.id].account is Account.REGISTERED


@pytest.mark.rule("R077")
def test_guests_may_skip_terms_that_are_not_required(sim: Simulator) -> None:
    """Where required is false, a guest calls without accepting."""
    assert sim.call("get_client_terms", clientId=CUSTOMER).body["required"] is False
    assert sim.call("list_auth_providers", create(sim).body["token"]).status == 200


@pytest.mark.rule("R078")
def test_guests_must_accept_terms_that_are_required(sim: Simulator) -> None:
    """Where required is true, a guest is made, and accepts before anything else."""
    change = sim.service.change()
    terms.require(change, clients.get(change, CUSTOMER), True)
    sim.service.commit(change)
    token = create(sim).body["token"]
    assert sim.call("list_auth_providers", token).status == 401
    assert sim.call("accept_terms", token, version=1).status == 200
    assert sim.call("list_auth_providers", token).status == 200


@pytest.mark.parametrize("body", [{"name": "x"}, {"handle": ""}, {"handle": " "}, {"handle": None}, {"handle": 7}])
def test_a_guest_needs_a_handle(sim: Simulator, body: dict[str, Any]) -> None:
    """400 without one."""
    assert create(sim, **body).status == 400


def test_a_disabled_service_makes_no_guests(sim: Simulator) -> None:
    """403, although the call is public (G164)."""
    sim.call("set_client_service_state", "demo-partner-admin", clientId=CUSTOMER, state="disable")
    answer = create(sim)
    assert code(answer) == (403, "service_disabled")


DEMO = Simulator(clock=START)


@given(handle=st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=255).filter(str.strip))
def test_any_text_is_a_handle(handle: str) -> None:
    """Whatever a guest is called is stored as it is."""
    token = create(DEMO, handle=handle).body["token"]
    assert guest_of(DEMO, token).handle == handle


@pytest.mark.parametrize(("choice", "status"), [("free", 200), ("unique", 409)])
@pytest.mark.parametrize(
    ("operation", "caller", "path", "name"),
    [
        ("create_guest", None, {"clientId": CUSTOMER}, "handle"),
        ("create_linked_user", "demo-owner", {}, "handle"),
        ("dial_unregistered_user", "demo-owner", {}, "name"),
    ],
)
def test_whether_a_new_unregistered_user_may_have_a_registered_handle(operation, caller, path, name, choice, status):
    """Every call that makes an unregistered user holds to what the profile says (G232)."""
    sim = demo(handles__unregistered=choice)
    sim.call("set_dial_out_state", "demo-customer-admin", uuid=ROOM, state="enable")
    body = {name: "Uma User"} | ({"number": "+12025550123"} if name == "name" else {})
    assert sim.call(operation, caller, uuid=ROOM, body=body, **path).status == status

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.protocol import images
from confsim.assumptions.users import handles as assumed_handles, users as assumed_users
from confsim.domain import mail
from confsim.domain.clients import clients
from confsim.domain.images import IMAGES
from confsim.domain.users import users
from confsim.domain.users.users import Account, User
from kit import ADMIN, API_TOKEN, CUSTOMER, EVENT_ROOM, MINUTE, PARTNER_ADMIN, ROOM, START, code


def _as(profile: dict) -> Simulator:
    return Simulator(clock=START, profile=profile)


def _wait(sim: Simulator, milliseconds: int) -> None:
    sim.service.clock.move(sim.service.clock.now() + milliseconds)


def _reserved(sim: Simulator, handle: str = "Nova", caller: str = "demo-user") -> str:
    return sim.call("reserve_handle", caller, body={"handle": handle}).body["reservationToken"]


def _user(sim: Simulator, client: str, account: Account, **fields) -> User:
    change = sim.service.change()
    user = users.create(change, client, "Ann", account, **fields)
    sim.service.commit(change)
    return user


def _handle(sim: Simulator, id: int) -> str:
    return sim.call("get_users", API_TOKEN, userIds=id).body[0]["handle"]


def _unique(sim: Simulator, handle: str, caller: str = "demo-owner", **named) -> dict:
    return sim.call("check_handle_unique", caller, handle=handle, **named).body


# Whether a handle is free
@pytest.mark.rule("R170", "R171", "R172")
@pytest.mark.parametrize(
    ("handle", "unique"), [("Uma User", False), ("UMA USER", False), ("Guest Gwen", True), ("Zoë & Ünal+1", True)]
)
def test_a_handle_is_free_when_no_registered_user_has_it(sim, handle, unique):
    """The answer says of any UTF-8 handle whether it is free, and that the client requires it to be."""
    assert _unique(sim, handle) == {"unique": unique, "required": True}


@pytest.mark.rule("R171")
def test_required_tells_the_setting_of_the_client():
    """Where uniqueness is off, required is false, or absent under a profile; unique is answered all the same."""
    for choice, shown in (("always", {"required": False}), ("when-required", {})):
        sim = _as({assumed_handles.HANDLE_REQUIRED_SHOWN.id: choice})
        sim.call("set_handle_uniqueness", ADMIN, state="disable")
        assert _unique(sim, "Uma User") == {"unique": False, **shown}


@pytest.mark.rule("R032", "R173")
def test_uniqueness_is_judged_in_the_client_of_the_call(sim):
    """A handle taken in a child is free in the parent, and for_client asks for the child."""
    assert _unique(sim, "Uma User", PARTNER_ADMIN)["unique"]
    assert not _unique(sim, "Uma User", PARTNER_ADMIN, for_client=CUSTOMER)["unique"]


@pytest.mark.rule("R174")
def test_a_reserved_handle_is_not_free(sim):
    """A reserved handle counts as taken for everybody."""
    _reserved(sim)
    assert not _unique(sim, "NOVA", "demo-owner")["unique"]
    assert not _unique(sim, "Nova", "demo-user")["unique"]
    assert sim.call("reserve_handle", "demo-owner", body={"handle": "nova"}).status == 409


@pytest.mark.parametrize("handle", [None, "", " ", "a\u0007b", "x" * 256])
def test_what_is_no_handle_is_refused(sim, handle):
    """A handle is required, not blank, without control characters and at most 255 long."""
    assert sim.call("check_handle_unique", "demo-owner", handle=handle).status == 400
    body = {} if handle is None else {"handle": handle}
    assert sim.call("reserve_handle", "demo-owner", body=body).status == 400
    assert sim.call("set_user_handle", "demo-guest", userId="me", body=body).status == 400


@pytest.mark.parametrize("handle", ["x" * 255, "🙂", "שלום", "a b", "a/b%2F"])
def test_any_other_text_is_a_handle(sim, handle):
    """Handles are stored as they came."""
    assert sim.call("set_user_handle", "demo-guest", userId="me", body={"handle": handle}).status == 200
    assert sim.call("get_me", "demo-guest").body["handle"] == handle


@pytest.mark.parametrize("caller", ["demo-user", "demo-guest", API_TOKEN])
def test_any_credential_may_check_and_reserve(sim, caller):
    """Guests and API tokens reserve handles too; anyone who has no token does not."""
    assert sim.call("check_handle_unique", caller, handle="Nova").status == 200
    assert sim.call("reserve_handle", caller, body={"handle": "Nova"}).status == 200
    for operation, arguments in (
        ("check_handle_unique", {"handle": "x"}),
        ("reserve_handle", {"body": {"handle": "x"}}),
    ):
        assert sim.call(operation, None, **arguments).status == 401


# Reservation
@pytest.mark.rule("R094")
def test_a_reservation_answers_its_token(sim):
    """The handle is taken from the body, and a token is answered."""
    answer = sim.call("reserve_handle", "demo-user", body={"handle": "Nova"})
    assert answer.status == 200
    assert answer.body.keys() == {"reservationToken"}
    assert sim.call("reserve_handle", "demo-user", handle="Nova").status == 400


@pytest.mark.rule("R095", "R541")
@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("change_handle_with_reservation", {}),
        ("create_user", {"body": {}}),
    ],
)
@pytest.mark.parametrize(("later", "works"), [(15 * MINUTE - 1, True), (15 * MINUTE, False)])
def test_a_token_lives_for_fifteen_minutes(sim, operation, arguments, later, works):
    """A token works up to its last millisecond, and from then on neither call takes it."""
    token = _reserved(sim, caller="demo-guest")
    _wait(sim, later)
    place = "nonce" if operation.startswith("change") else "token"
    answer = sim.call(operation, "demo-guest", **{place: token}, **arguments)
    assert answer.status == (200 if works else 404)
    assert works or _unique(sim, "Nova")["unique"]


@pytest.mark.rule("R098", "R100", "R164")
def test_a_token_changes_the_handle_of_a_registered_caller(sim):
    """The caller has the reserved handle and the former one is free; no body is needed."""
    answer = sim.call("change_handle_with_reservation", "demo-user", nonce=_reserved(sim))
    assert (answer.status, answer.content) == (200, b"")
    assert sim.call("get_me", "demo-user").body["handle"] == "Nova"
    assert _unique(sim, "Uma User")["unique"]


@pytest.mark.rule("R098")
def test_a_token_is_good_for_whoever_has_it(sim):
    """Any user of the client may use a token, unless a profile binds it to its maker."""
    assert sim.call("change_handle_with_reservation", "demo-owner", nonce=_reserved(sim)).status == 200
    bound = _as({assumed_handles.RESERVATION_BEARER.id: "maker"})
    assert bound.call("change_handle_with_reservation", "demo-owner", nonce=_reserved(bound)).status == 404


@pytest.mark.rule("R099", "R546")
def test_a_used_token_changes_nothing_more(sim):
    """A token is used once, by either of the two calls, and a refused call leaves the handle as it was."""
    token = _reserved(sim)
    assert sim.call("create_user", ADMIN, token=token, body={}).status == 200
    answer = sim.call("change_handle_with_reservation", "demo-user", nonce=token)
    assert code(answer) == (404, "reservation_not_found")
    assert sim.call("get_me", "demo-user").body["handle"] == "Uma User"


def test_a_token_of_another_client_is_unknown(sim):
    """A reservation holds in its client alone."""
    assert sim.call("change_handle_with_reservation", "demo-other-admin", nonce=_reserved(sim)).status == 404


@pytest.mark.rule("R174")
@pytest.mark.parametrize(
    ("choice", "second", "first"),
    [("first", (404, "reservation_not_found"), None), ("all", None, (409, "handle_taken"))],
)
def test_the_first_of_two_reservations_holds_once_handles_must_be_unique(choice, second, first):
    """The second of two who hold one handle loses it, or whoever uses the reservation first gets the handle."""
    sim = _as({assumed_handles.RESERVATIONS_DEMANDED.id: choice})
    sim.call("set_handle_uniqueness", ADMIN, state="disable")
    tokens = {caller: _reserved(sim, caller=caller) for caller in ("demo-user", "demo-owner")}
    sim.call("set_handle_uniqueness", ADMIN, state="enable")
    for caller, refused in (("demo-owner", second), ("demo-user", first)):
        answer = sim.call("change_handle_with_reservation", caller, nonce=tokens[caller])
        assert answer.ok if refused is None else code(answer) == refused


@pytest.mark.rule("R174")
def test_a_handle_that_somebody_has_by_now_is_taken(sim):
    """A reservation made while handles need not be unique does not give a handle that another registered user has."""
    sim.call("set_handle_uniqueness", ADMIN, state="disable")
    first = _reserved(sim)
    assert sim.call("set_user_handle", "demo-owner", userId="me", body={"handle": "Nova"}).ok
    sim.call("set_handle_uniqueness", ADMIN, state="enable")
    answer = sim.call("change_handle_with_reservation", "demo-user", nonce=first)
    assert code(answer) == (409, "handle_taken")


def test_an_api_token_has_no_handle(sim):
    """Only a user has a handle."""
    answer = sim.call("change_handle_with_reservation", API_TOKEN, nonce=_reserved(sim))
    assert code(answer) == (403, "no_user_context")


@pytest.mark.parametrize(("choice", "unregistered"), [("handle", True), ("registers", False)])
def test_what_a_guest_does_with_a_token(choice, unregistered):
    """A guest changes the handle alone, or registers where a profile says so."""
    sim = _as({assumed_handles.GUEST_HANDLE_CHANGE.id: choice})
    gwen = sim.call("get_me", "demo-guest").body["id"]
    sim.call("change_handle_with_reservation", "demo-guest", nonce=_reserved(sim, caller="demo-guest"))
    shown = sim.call("get_users", API_TOKEN, userIds=gwen).body[0]
    assert (shown["handle"], shown["unregistered"]) == ("Nova", unregistered)


# Setting a handle
@pytest.mark.rule("R013", "R160")
def test_a_guest_sets_the_own_handle(sim):
    """An unregistered user's handle changes, even to that of a registered one."""
    for handle in ("Gwendolyn", "Uma User"):
        assert sim.call("set_user_handle", "demo-guest", userId="me", body={"handle": handle}).content == b""
        assert sim.call("get_me", "demo-guest").body["handle"] == handle


@pytest.mark.rule("R161", "R163", "R247")
@pytest.mark.parametrize("caller", ["demo-user", ADMIN, API_TOKEN])
def test_a_registered_user_keeps_the_handle(sim, people, caller):
    """The call succeeds, changes nothing, and leaves the wanted handle free."""
    answer = sim.call("set_user_handle", caller, userId=people["demo-user"], body={"handle": "Nova"})
    assert (answer.status, answer.content) == (200, b"")
    assert _handle(sim, people["demo-user"]) == "Uma User"
    assert _unique(sim, "Nova")["unique"]


@pytest.mark.rule("R162")
def test_without_uniqueness_a_registered_user_sets_the_handle(sim):
    """Where uniqueness is off, anybody's handle changes, to one in use too."""
    assert sim.call("set_handle_uniqueness", ADMIN, state="disable").content == b""
    sim.call("set_user_handle", "demo-user", userId="me", body={"handle": "Olaf Owner"})
    assert sim.call("get_me", "demo-user").body["handle"] == "Olaf Owner"
    sim.call("set_handle_uniqueness", API_TOKEN, state="enable")
    assert sim.call("get_me", "demo-user").body["handle"] == "Olaf Owner"
    sim.call("set_user_handle", "demo-user", userId="me", body={"handle": "Nova"})
    assert sim.call("get_me", "demo-user").body["handle"] == "Olaf Owner"


@pytest.mark.parametrize(
    ("caller", "state", "status"),
    [
        (ADMIN, "on", 400),
        ("demo-owner", "enable", 403),
        ("demo-guest", "disable", 403),
        (None, "enable", 401),
    ],
)
def test_who_switches_uniqueness_and_how(sim, caller, state, status):
    """Administrators switch by enable and disable."""
    assert sim.call("set_handle_uniqueness", caller, state=state).status == status


# Registration
ALL = {"description": "New", "fullName": "Nova Star", "email": "n@example.org", "imageUrl": "https://img.example/n.png"}


@pytest.mark.rule("R051", "R096", "R180")
@pytest.mark.parametrize("caller", [ADMIN, API_TOKEN])
def test_an_administrator_registers_a_new_user(sim, people, caller):
    """A registered user with the reserved handle and the given details is made; the caller stays as he is."""
    answer = sim.call("create_user", caller, token=_reserved(sim, caller=caller), body=ALL)
    assert (answer.status, answer.body.keys()) == (200, {"id"})
    assert answer.body["id"] not in people.values()
    shown = sim.call("get_users", API_TOKEN, userIds=answer.body["id"]).body[0]
    assert (shown["handle"], shown["unregistered"], shown["kind"]) == ("Nova", False, "User")
    assert (shown["description"], shown["fullName"], shown["imageUrl"]) == ("New", "Nova Star", ALL["imageUrl"])


@pytest.mark.rule("R044", "R096")
def test_a_guest_becomes_registered(sim, people):
    """The calling guest keeps id and token, is registered, and must accept the terms like every registered user."""
    answer = sim.call("create_user", "demo-guest", token=_reserved(sim, caller="demo-guest"), body={"fullName": "G"})
    assert answer.body == {"id": people["demo-guest"]}
    shown = sim.call("get_users", API_TOKEN, userIds=people["demo-guest"]).body[0]
    assert (shown["handle"], shown["unregistered"], shown["fullName"]) == ("Nova", False, "G")
    assert sim.call("get_me", "demo-guest").status == 401
    sim.call("accept_terms", "demo-guest", version=1)
    assert sim.call("get_me", "demo-guest").status == 200


@pytest.mark.parametrize("caller", ["demo-guest", ADMIN, API_TOKEN])
def test_an_invalid_token_registers_nobody(sim, caller):
    """Without a reservation no user is made, and a guest stays one."""
    before = sim.service.world.digest()
    answer = sim.call("create_user", caller, token="no-such-token", body={})
    assert code(answer) == (404, "reservation_not_found")
    assert sim.service.world.digest() == before


@pytest.mark.parametrize("caller", ["demo-user", "demo-owner"])
def test_a_registered_user_registers_nobody(sim, caller):
    """Anyone who is registered and no administrator is refused, and the token stays good."""
    token = _reserved(sim)
    answer = sim.call("create_user", caller, token=token, body={})
    assert code(answer) == (409, "not_a_guest")
    assert sim.call("create_user", ADMIN, token=token, body={}).status == 200


def test_a_profile_chooses_whom_a_token_registers(people):
    """Where a profile says so, it is always a new user, or always the caller."""
    sim = _as({assumed_users.REGISTERS.id: "new"})
    made = sim.call("create_user", "demo-guest", token=_reserved(sim, caller="demo-guest"), body={})
    assert made.body["id"] not in people.values()
    sim = _as({assumed_users.REGISTERS.id: "caller"})
    assert sim.call("create_user", API_TOKEN, token=_reserved(sim), body={}).status == 403
    assert sim.call("create_user", ADMIN, token=_reserved(sim, "Two"), body={}).status == 409


@pytest.mark.rule("R111")
def test_a_disabled_client_registers_nobody(sim):
    """Creating a user is refused with 403 while the service is disabled."""
    token = _reserved(sim)
    change = sim.service.change()
    clients.update(change, clients.get(change, CUSTOMER), service=clients.ServiceState.DISABLED)
    sim.service.commit(change)
    assert sim.call("create_user", ADMIN, token=token, body={}).status == 403


@pytest.mark.rule("R044")
def test_registered_users_of_all_clients_have_ids_of_their_own(sim):
    """Ids are numbers that no two users of the service share."""
    made = [
        sim.call("create_user", caller, token=_reserved(sim, f"N {place}", caller), body={}).body["id"]
        for place, caller in enumerate((ADMIN, "demo-other-admin", PARTNER_ADMIN, API_TOKEN))
    ]
    assert len(set(made)) == 4
    assert all(isinstance(id, int) for id in made)


@pytest.mark.parametrize(
    ("choice", "verified", "mails"), [("mailed", False, 1), ("silent", False, 0), ("verified", True, 0)]
)
def test_the_address_given_at_registration(choice, verified, mails):
    """A code is mailed to the address, unless a profile says otherwise."""
    sim = _as({"emails.registration": choice})
    made = sim.call("create_user", ADMIN, token=_reserved(sim), body={"email": "n@example.org"}).body["id"]
    assert sim.call("get_user_email", ADMIN, userId=made).body == {"email": "n@example.org", "verified": verified}
    assert len(mail.MAILS.of(sim.service.change()).all) == mails


@pytest.mark.parametrize(("choice", "stored"), [("stored", 0), ("fetched", 1)])
def test_the_image_given_at_registration(choice, stored):
    """Its URL is stored as it is, or fetched where a profile says so."""
    sim = _as({images.GIVEN_URL.id: choice})
    sim.call("create_user", ADMIN, token=_reserved(sim), body={"imageUrl": ALL["imageUrl"]})
    assert len(IMAGES.seen(sim.service.world, CUSTOMER)) == stored


@pytest.mark.parametrize(
    "body", [{"imageUrl": "x.png"}, {"email": "nobody"}, {"fullName": 5}, {"description": "a\u0000"}, []]
)
def test_registration_refuses_bad_details(sim, body):
    """Details that are none are refused, and the token stays good."""
    token = _reserved(sim)
    assert sim.call("create_user", ADMIN, token=token, body=body).status == 400
    assert sim.call("create_user", ADMIN, token=token, body={}).status == 200


# Renaming in a channel
UNREGISTERED = [(Account.GUEST, {}), (Account.LINKED, {}), (Account.DIALLED, {}), (Account.DIALLED, {"inbound": True})]


@pytest.mark.rule("R194", "R196", "R197")
@pytest.mark.parametrize(("account", "fields"), UNREGISTERED)
@pytest.mark.parametrize("caller", ["demo-owner", "demo-operator", API_TOKEN])
def test_a_host_renames_an_unregistered_user(sim, account, fields, caller):
    """Guests, linked and dialled users of the channel get the one handle that they have everywhere."""
    ann = _user(sim, CUSTOMER, account, channel=ROOM, **fields)
    answer = sim.call("rename_channel_user", caller, uuid=ROOM, userId=ann.id, body={"handle": "Bob"})
    assert (answer.status, answer.content) == (200, b"")
    assert _handle(sim, ann.id) == "Bob"


@pytest.mark.rule("R195")
@pytest.mark.parametrize(
    ("caller", "status"),
    [
        ("demo-user", 403),
        ("demo-guest", 403),
        (ADMIN, 403),
        ("demo-other-admin", 404),
        (PARTNER_ADMIN, 404),
        (None, 401),
    ],
)
def test_only_a_host_renames(sim, people, caller, status):
    """Neither the guest nor an administrator without a role in the channel renames."""
    named = {"uuid": ROOM, "userId": people["demo-guest"], "body": {"handle": "Bob"}}
    assert sim.call("rename_channel_user", caller, **named).status == status


@pytest.mark.rule("R196")
@pytest.mark.parametrize("account", [Account.REGISTERED, Account.PREDEFINED])
def test_whoever_is_not_unregistered_is_not_renamed(sim, account):
    """The call is refused, or without effect where a profile says so."""
    for world, status in ((sim, 400), (_as({assumed_handles.RENAME_REGISTERED.id: "ignored"}), 200)):
        ann = _user(world, CUSTOMER, account)
        named = {"uuid": ROOM, "userId": ann.id, "body": {"handle": "Bob"}}
        assert world.call("rename_channel_user", "demo-owner", **named).status == status
        assert _handle(world, ann.id) == "Ann"


@pytest.mark.parametrize("channel", [EVENT_ROOM, None])
def test_a_user_of_another_channel_or_of_none_is_not_found(sim, channel):
    """The unregistered user must belong to the channel, unless a profile says otherwise."""
    for world, status in ((sim, 404), (_as({assumed_handles.CHANNEL_RENAME.id: "any"}), 200)):
        ann = _user(world, CUSTOMER, Account.GUEST, channel=channel)
        named = {"uuid": ROOM, "userId": ann.id, "body": {"handle": "Bob"}}
        assert world.call("rename_channel_user", "demo-owner", **named).status == status


@pytest.mark.parametrize("arguments", [{"userId": "me"}, {"userId": "x"}, {"body": {}}, {"body": {"handle": " "}}])
def test_renaming_refuses_what_is_no_user_or_handle(sim, people, arguments):
    """The user is named by number, the handle is not blank."""
    named = {"uuid": ROOM, "userId": people["demo-guest"], "body": {"handle": "Bob"}, **arguments}
    assert sim.call("rename_channel_user", "demo-owner", **named).status == 400


@pytest.mark.parametrize("arguments", [{"userId": 99}, {"uuid": "cccccccc-cccc-4ccc-8ccc-cccccccccccc"}])
def test_renaming_finds_nobody_where_nobody_is(sim, people, arguments):
    """Unknown users and channels are not found."""
    named = {"uuid": ROOM, "userId": people["demo-guest"], "body": {"handle": "Bob"}, **arguments}
    assert sim.call("rename_channel_user", "demo-owner", **named).status == 404

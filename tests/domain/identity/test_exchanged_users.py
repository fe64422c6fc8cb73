"""Identity tokens: whom they name, and what they change."""

from __future__ import annotations

from typing import Any

import pytest

from confsim import Simulator
from confsim.domain.identity.credentials import CREDENTIALS
from confsim.domain.images import IMAGES
from confsim.domain.users import users
from confsim.domain.users.users import Account, AuthKind, Level, User
from kit import CUSTOMER, START_S, code
from kit.each import each
from kit.things.identity_tokens import CLAIMS, chosen, exchange, hs, of_origin


def predefined(sim: Simulator, **fields: Any) -> User:
    """A predefined user of the origin id person-1."""
    change = sim.service.change()
    user = users.create(change, CUSTOMER, "Stub", Account.PREDEFINED, origin_id="person-1", **fields)
    sim.service.commit(change)
    return user


@pytest.mark.rule("R145", "R239")
def test_somebody_unknown_becomes_a_registered_user(sim: Simulator) -> None:
    """One call suffices: the subject is the origin id, the name handle and full name (G199)."""
    token = exchange(sim, hs(CLAIMS)).body["token"]
    user = of_origin(sim, "person-1")
    assert user is not None
    assert (user.account, user.handle, user.full_name) == (Account.REGISTERED, "Pia Person", "Pia Person")
    assert (user.image, user.email, user.auth_kind) == (CLAIMS["picture"], CLAIMS["email"], AuthKind.CUSTOM)
    credential = CREDENTIALS.seen(sim.service.world).get(token)
    assert credential is not None
    assert credential.user == user.id


def test_a_taken_name_does_not_fail_the_first_login(sim: Simulator) -> None:
    """The handle gets a number; the full name stays as claimed (G201)."""
    found = []
    for number in range(3):
        assert exchange(sim, hs(CLAIMS, sub=f"p{number}", name="Uma User")).status == 200
        found.append(of_origin(sim, f"p{number}"))
    assert [user.handle for user in found if user] == ["Uma User 2", "Uma User 3", "Uma User 4"]
    assert {user.full_name for user in found if user} == {"Uma User"}


def test_a_person_without_a_name_is_called_by_the_subject(sim: Simulator) -> None:
    """Some handle is needed, and nothing else is known."""
    exchange(sim, hs({"sub": "person-1", "exp": START_S + 1}))
    user = of_origin(sim, "person-1")
    assert user is not None
    assert (user.handle, user.full_name, user.image, user.email) == ("person-1", None, None, None)


@pytest.mark.rule("R061")
def test_a_predefined_user_is_connected_with_all_roles(sim: Simulator) -> None:
    """The origin id finds the account; id, levels and what no claim has stay, the kind of authentication comes."""
    before = predefined(sim, levels=(Level.CUSTOMER_ADMIN,), description="stored")
    assert exchange(sim, hs(CLAIMS)).status == 200
    user = of_origin(sim, "person-1")
    assert user is not None
    assert (user.id, user.levels, user.description) == (before.id, before.levels, "stored")
    assert (user.account, user.auth_kind, user.handle) == (Account.REGISTERED, AuthKind.CUSTOM, "Stub")


def test_a_predefined_administrator_acts_after_the_connection(sim: Simulator) -> None:
    """Roles held by the stub open the gates to the person."""
    predefined(sim, levels=(Level.CUSTOMER_ADMIN,))
    token = exchange(sim, hs(CLAIMS)).body["token"]
    assert sim.call("accept_terms", token, version=1).status == 200
    assert sim.call("list_validators", token).status == 200


@pytest.mark.rule("R143")
def test_name_and_picture_in_the_token_update_the_user(sim: Simulator) -> None:
    """A later token changes the details; a registered handle stays (G201)."""
    exchange(sim, hs(CLAIMS))
    exchange(sim, hs(CLAIMS, name="Pia Newname", picture="http://p.example/2"))
    user = of_origin(sim, "person-1")
    assert user is not None
    assert (user.full_name, user.image, user.handle) == ("Pia Newname", "http://p.example/2", "Pia Person")


@pytest.mark.rule("R143")
def test_the_picture_in_the_token_replaces_an_image_that_was_uploaded(sim: Simulator) -> None:
    """The bytes of the one before are forgotten with it."""
    exchange(sim, hs(CLAIMS))
    user = of_origin(sim, "person-1")
    assert user is not None
    sim.call("set_user_image", "demo-api-token", userId=str(user.id), body=b"\x89PNG\r\n\x1a\n")
    assert len(IMAGES.seen(sim.service.world, CUSTOMER)) == 1
    exchange(sim, hs(CLAIMS, picture="http://p.example/2"))
    assert len(IMAGES.seen(sim.service.world, CUSTOMER)) == 0


@pytest.mark.rule("R144")
def test_what_the_token_does_not_tell_stays(sim: Simulator) -> None:
    """Absent claims leave name, picture, address and profile as they were."""
    exchange(sim, hs(CLAIMS))
    before = of_origin(sim, "person-1")
    exchange(sim, hs({"sub": "person-1", "exp": START_S + 60}))
    assert of_origin(sim, "person-1") == before


@pytest.mark.parametrize(
    "changed",
    [
        {"name": 7},
        {"name": ["Pia"]},
        {"name": "  "},
        {"picture": "javascript:alert(1)"},
        {"picture": "http://[::1"},
        {"picture": "/relative"},
        {"picture": {"url": "x"}},
        {"email": "no address"},
        {"email": 5},
        {"email_verified": "true", "email": "new@person.example"},
        {"email_verified": False, "email": "new@person.example"},
    ],
)
def test_details_that_make_no_sense_are_passed_over(sim: Simulator, changed: dict[str, Any]) -> None:
    """A login does not fail because of a bad detail, which changes nothing."""
    exchange(sim, hs(CLAIMS))
    before = of_origin(sim, "person-1")
    assert exchange(sim, hs(CLAIMS, **changed)).status == 200
    after = of_origin(sim, "person-1")
    assert before is not None
    assert after is not None
    shown = ("full_name", "image", "email", "handle")
    assert [getattr(after, field) for field in shown] == [getattr(before, field) for field in shown]


def test_a_long_name_with_line_breaks_is_cut_to_one_line(sim: Simulator) -> None:
    """Control characters become blanks, and sizes hold."""
    exchange(sim, hs(CLAIMS, name="a\r\nb" + "x" * 400))
    user = of_origin(sim, "person-1")
    assert user is not None
    assert user.full_name == "a b" + "x" * 252
    assert user.handle == user.full_name


def test_the_origin_id_of_a_guest_connects_nobody(sim: Simulator) -> None:
    """Only predefined and registered users are found by a token."""
    change = sim.service.change()
    users.create(change, CUSTOMER, "Odd", Account.GUEST, origin_id="person-1")
    sim.service.commit(change)
    answer = exchange(sim, hs(CLAIMS))
    assert code(answer) == (401, "identity_token_invalid")


def test_other_claims_by_choice() -> None:
    """The names of the claims are a choice for every validator."""
    sim = chosen(identity__claims={"originId": "oid", "picture": "avatar"})
    exchange(sim, hs(CLAIMS, oid="employee-9", avatar="https://a.example/9"))
    user = of_origin(sim, "employee-9")
    assert user is not None
    assert (user.image, user.full_name) == ("https://a.example/9", "Pia Person")


@pytest.mark.parametrize(
    ("when", "verified", "stored"),
    [
        ("when-verified", True, True),
        ("when-verified", False, False),
        ("always", False, True),
        ("never", True, False),
    ],
)
def test_when_the_address_counts_as_verified(when: str, verified: bool, stored: bool) -> None:
    """The address in a token becomes the user's by email_verified, always, or never (G200)."""
    sim = chosen(identity__email=when)
    exchange(sim, hs(CLAIMS, email_verified=verified))
    user = of_origin(sim, "person-1")
    assert user is not None
    assert (user.email == CLAIMS["email"]) is stored


def test_unknown_persons_are_refused_by_choice() -> None:
    """Then only predefined and known users come in (G199)."""
    sim = chosen(identity__unknown_subject="refuse")
    assert exchange(sim, hs(CLAIMS)).status == 401
    predefined(sim)
    assert exchange(sim, hs(CLAIMS)).status == 200


def test_the_name_changes_the_handle_too_by_choice() -> None:
    """With a number when it is taken, and none when it is the own one (G201)."""
    sim = chosen(identity__name="handle-too")
    handles = []
    for name in ("Pia Person", "Pia Newname", "PIA Newname", "Uma User"):
        exchange(sim, hs(CLAIMS, name=name))
        user = of_origin(sim, "person-1")
        assert user is not None
        handles.append(user.handle)
    assert handles == ["Pia Person", "Pia Newname", "PIA Newname", "Uma User 2"]


@each(
    "name, handle",
    [
        ("Uma User", "Uma User 2"),
        ("uma user", "Uma User 2"),
        ("Uma", "Uma"),
        ("Uma User X", "Uma User X"),
        ("Olaf Owner", "Olaf Owner 2"),
    ],
)
def test_who_has_a_number_behind_the_name_keeps_it(name: str, handle: str) -> None:
    """Logging in again by the same name changes nothing; another name does (G201)."""
    sim = chosen(identity__name="handle-too")
    for reported in ("Pia Person", "Uma User", name, name):
        exchange(sim, hs(CLAIMS, name=reported))
    user = of_origin(sim, "person-1")
    assert user is not None
    assert user.handle == handle


def test_a_name_that_is_too_long_for_a_handle_is_cut_each_time() -> None:
    """Who has the beginning of the name as handle has no other of that name to step aside for (G201)."""
    sim = chosen(identity__name="handle-too", size__handle=8)
    for _ in range(2):
        exchange(sim, hs(CLAIMS, name="Pia Person the First"))
    user = of_origin(sim, "person-1")
    assert user is not None
    assert user.handle == "Pia Pers"


def test_the_number_goes_where_unique_handles_are_no_longer_required() -> None:
    """The plain name is free then (G201)."""
    sim = chosen(identity__name="handle-too")
    exchange(sim, hs(CLAIMS))
    exchange(sim, hs(CLAIMS, name="Uma User"))
    sim.call("set_handle_uniqueness", "demo-api-token", state="disable")
    exchange(sim, hs(CLAIMS, name="Uma User"))
    user = of_origin(sim, "person-1")
    assert user is not None
    assert user.handle == "Uma User"


def test_the_service_token_lives_as_long_as_the_identity_token_by_choice() -> None:
    """Its end is then exp (G112)."""
    sim = chosen(identity__token_life="as-identity-token")
    assert exchange(sim, hs(CLAIMS)).body["expires"] == 60


def test_a_token_without_exp_gives_the_usual_life() -> None:
    """Where there is no exp to go by, the own life holds."""
    sim = chosen(identity__token_life="as-identity-token", identity__exp_required=False)
    assert exchange(sim, hs(CLAIMS, exp=None)).body["expires"] == 86_400

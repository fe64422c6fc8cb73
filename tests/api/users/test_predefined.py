"""Predefined users over the wire."""

from __future__ import annotations

from typing import Any

import pytest

from confsim import Simulator
from confsim.domain import mail
from confsim.domain.users.users import USERS, Account, User
from kit import CUSTOMER, code, demo

FULL = {
    "name": "Petra Planned",
    "email": "petra@planned.example",
    "description": "Comes in spring",
    "imageUrl": "https://pictures.example/petra.png",
    "originId": "hr-7",
}


def create(sim: Simulator, caller: str | None = "demo-customer-admin", **body: Any) -> Any:
    """The answer to the creation of a predefined user."""
    return sim.call("create_predefined_user", caller, body=body or FULL)


def stored(sim: Simulator, id: int) -> User:
    """The user as the world holds it."""
    return USERS.seen(sim.service.world, CUSTOMER)[id]


@pytest.mark.rule("R012", "R059", "R178")
def test_a_predefined_user_holds_its_details(sim: Simulator) -> None:
    """One JSON object in, the id out; name, description, image and address are stored, the image as it was given."""
    answer = create(sim)
    assert answer.status == 200
    assert set(answer.body) == {"id"}
    user = stored(sim, answer.body["id"])
    assert (user.handle, user.full_name, user.description) == ("Petra Planned", "Petra Planned", "Comes in spring")
    assert (user.image, user.origin_id) == (FULL["imageUrl"], "hr-7")
    assert [address for address, _ in user.pending] == [FULL["email"]]


@pytest.mark.rule("R058")
def test_no_authentication_is_attached(sim: Simulator) -> None:
    """A stub: predefined, without a kind of authentication, without a token."""
    user = stored(sim, create(sim).body["id"])
    assert (user.account, user.auth_kind, user.identity) == (Account.PREDEFINED, None, None)


@pytest.mark.rule("R044")
def test_ids_are_numbers_unique_over_all_clients(sim: Simulator) -> None:
    """Two clients never give the same id."""
    made = [create(sim, caller, name="N").body["id"] for caller in ("demo-customer-admin", "demo-other-admin") * 2]
    assert len(set(made)) == 4
    assert all(type(id) is int for id in made)


def test_a_name_is_all_it_takes(sim: Simulator) -> None:
    """Everything else is an option; two may have the same name (G209)."""
    first, second = (create(sim, name="Uma User").body["id"] for _ in range(2))
    assert first != second
    assert stored(sim, first).origin_id is None


@pytest.mark.parametrize(
    "body",
    [
        {"email": "a@b"},
        {"name": ""},
        {"name": " "},
        {"name": 7},
        {"name": "x" * 256},
        {"name": "N", "email": "no address"},
        {"name": "N", "email": ["a@b"]},
        {"name": "N", "imageUrl": "no url"},
        {"name": "N", "originId": ""},
        {"name": "N", "originId": 7},
        {"name": "N", "description": "x" * 2049},
    ],
)
def test_bad_input_makes_no_user(sim: Simulator, body: dict[str, Any]) -> None:
    """400, and no one is made."""
    before = sim.service.world
    assert create(sim, **body).status == 400
    assert sim.service.world is before


@pytest.mark.parametrize(
    ("caller", "status"),
    [
        (None, 401),
        ("demo-guest", 403),
        ("demo-user", 403),
        ("demo-owner", 403),
        ("demo-operator", 403),
        ("demo-customer-admin", 200),
        ("demo-api-token", 200),
    ],
)
def test_administrators_make_predefined_users(sim: Simulator, caller: str | None, status: int) -> None:
    """Customer Admins and API tokens (G242)."""
    assert create(sim, caller).status == status


@pytest.mark.rule("R008", "R032")
def test_for_client_counts_in_the_query_alone(sim: Simulator) -> None:
    """In the query the user is the child's; in the body the field plays no part."""
    answer = sim.call("create_predefined_user", "demo-partner-admin", body=FULL, for_client=CUSTOMER)
    assert stored(sim, answer.body["id"]).client == CUSTOMER
    answer = create(sim, "demo-partner-admin", **FULL, for_client=CUSTOMER)
    assert answer.status == 200
    assert USERS.seen(sim.service.world, CUSTOMER).get(answer.body["id"]) is None


@pytest.mark.rule("R111", "R245")
def test_a_disabled_service_makes_no_users(sim: Simulator) -> None:
    """Exactly 403, for the client's administrator and through for_client."""
    sim.call("set_client_service_state", "demo-partner-admin", clientId=CUSTOMER, state="disable")
    assert create(sim).status == 403
    assert sim.call("create_predefined_user", "demo-partner-admin", body=FULL, for_client=CUSTOMER).status == 403


@pytest.mark.rule("R061", "R179")
def test_the_origin_id_finds_the_account_again(sim: Simulator) -> None:
    """An origin id names one user of the client; another client may have the same."""
    id = create(sim).body["id"]
    assert sim.call("find_predefined_user", "demo-api-token", originId="hr-7").body == {"id": id}
    answer = create(sim)
    assert code(answer) == (409, "origin_id_taken")
    assert create(sim, "demo-other-admin").status == 200


def test_a_second_user_of_an_origin_id_is_the_first_by_choice() -> None:
    """The existing one is answered, unchanged (G213)."""
    sim = demo(users__origin_id_twice="existing")
    id = create(sim).body["id"]
    assert create(sim, name="Other", originId="hr-7").body == {"id": id}
    assert stored(sim, id).handle == "Petra Planned"


@pytest.mark.rule("R187")
@pytest.mark.parametrize(
    ("caller", "status"),
    [
        (None, 401),
        ("demo-guest", 403),
        ("demo-user", 403),
        ("demo-customer-admin", 403),
        ("demo-api-token", 200),
    ],
)
def test_an_api_token_alone_looks_users_up(sim: Simulator, caller: str | None, status: int) -> None:
    """No user's token does, an administrator's neither."""
    create(sim)
    assert sim.call("find_predefined_user", caller, originId="hr-7").status == status


@pytest.mark.rule("R188", "R246")
@pytest.mark.parametrize("originId", ["nobody", "HR-7", "hr-7 ", "a/b", "ä", "1000"])
def test_somebody_not_yet_in_the_system_is_404(sim: Simulator, originId: str) -> None:
    """Exactly 404 for an unknown origin id."""
    create(sim)
    answer = sim.call("find_predefined_user", "demo-api-token", originId=originId)
    assert code(answer) == (404, "predefined_user_not_found")


@pytest.mark.rule("R189")
def test_the_look_up_is_confined_to_the_token_s_client(sim: Simulator) -> None:
    """A token of another client finds nobody."""
    create(sim)
    other = sim.call("create_api_token", "demo-other-admin").body["token"]
    assert sim.call("find_predefined_user", other, originId="hr-7").status == 404


@pytest.mark.parametrize(("choice", "status"), [("any", 200), ("predefined", 404)])
def test_the_look_up_of_a_connected_user(choice: str, status: int) -> None:
    """Any user of the client is found, or only those still predefined (G214)."""
    import jwt

    sim = demo(users__origin_lookup=choice)
    create(sim)
    token = jwt.encode({"sub": "hr-7", "exp": 1_769_904_009}, "demo-validator-secret-of-32-bytes", "HS256")
    assert sim.call("exchange_identity_token", clientId=CUSTOMER, body={"idToken": token}).status == 200
    assert sim.call("find_predefined_user", "demo-api-token", originId="hr-7").status == status


@pytest.mark.parametrize(
    ("choice", "handle", "full_name"),
    [
        ("both", "Petra Planned", "Petra Planned"),
        ("handle", "Petra Planned", None),
        ("full-name", "user-1", "Petra Planned"),
    ],
)
def test_where_the_name_goes(choice: str, handle: str, full_name: str | None) -> None:
    """Handle, full name, or both (G209)."""
    sim = demo(users__predefined_name=choice)
    user = stored(sim, create(sim).body["id"])
    assert (user.handle, user.full_name) == (handle, full_name)


def test_a_name_that_is_a_handle_must_be_free_by_choice() -> None:
    """Where the name is the handle alone, a registered user's is taken (G209)."""
    answer = create(demo(users__predefined_name="handle"), name="UMA user")
    assert code(answer) == (409, "handle_taken")


@pytest.mark.parametrize("choice", ["stored", "fetched"])
def test_what_becomes_of_the_image_url(choice: str) -> None:
    """Stored as it is, or fetched and served by the double (G243)."""
    sim = demo(images__given_url=choice)
    image = stored(sim, create(sim).body["id"]).image
    assert (image == FULL["imageUrl"]) is (choice == "stored")
    lost = create(sim, name="Paul", imageUrl="http://unreachable.invalid/1.png")
    assert lost.status == (200 if choice == "stored" else 400)


@pytest.mark.parametrize(
    ("choice", "email", "waiting", "mails"),
    [("silent", None, 1, 0), ("mailed", None, 1, 1), ("verified", FULL["email"], 0, 0)],
)
def test_what_becomes_of_the_address(choice: str, email: str | None, waiting: int, mails: int) -> None:
    """Unverified and silent, unverified with a code mailed, or verified (G212)."""
    sim = demo(users__predefined_email=choice)
    user = stored(sim, create(sim).body["id"])
    assert (user.email, len(user.pending)) == (email, waiting)
    assert len(mail.MAILS.of(sim.service.change()).all) == mails


@pytest.mark.parametrize(
    ("caller", "status"),
    [(None, 401), ("demo-guest", 403), ("demo-user", 403), ("demo-customer-admin", 200), ("demo-api-token", 200)],
)
def test_who_reads_an_origin_id(sim: Simulator, caller: str | None, status: int) -> None:
    """The user and administrators (G554)."""
    id = create(sim).body["id"]
    answer = sim.call("get_user_origin_id", caller, userId=id)
    assert answer.status == status
    assert status != 200 or answer.body == {"originId": "hr-7"}


def test_a_user_without_an_origin_id_has_none_to_tell(sim: Simulator) -> None:
    """The field is left out."""
    assert sim.call("get_user_origin_id", "demo-guest", userId="me", expect=200).body == {}

"""Authentication providers: who may read and set them, and what they show of users."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.domain.users import users
from confsim.domain.users.users import Account, AuthKind, Identity
from kit import CUSTOMER, PARTNER, START, demo

ALL = ["google", "microsoft", "github", "facebook", "apple"]


def names(sim: Simulator, client: str = CUSTOMER) -> list[str]:
    """The names of the providers of a client."""
    answer = sim.call("list_client_auth_providers", clientId=client)
    assert answer.status == 200
    return [each["name"] for each in answer.body["providers"]]


def predefined(sim: Simulator) -> int:
    """The id of a predefined user of the customer's client."""
    return sim.call("create_predefined_user", "demo-api-token", body={"name": "Stub"}).body["id"]


@pytest.mark.rule("R072", "R124")
def test_all_providers_of_the_service_are_a_bare_array(sim: Simulator) -> None:
    """Each with its name and the URL of its icon, in order."""
    body = sim.call("list_auth_providers", "demo-user").body
    assert [each["name"] for each in body] == ALL
    assert all(set(each) == {"name", "icon"} for each in body)
    assert body[0]["icon"] == "https://icons.example/google.svg"


@pytest.mark.parametrize(
    ("caller", "status"), [(None, 401), ("nobody", 401), ("demo-guest", 200), ("demo-api-token", 200)]
)
def test_the_providers_of_the_service_need_a_token(sim: Simulator, caller: str | None, status: int) -> None:
    """The call is not among the public ones (G029)."""
    assert sim.call("list_auth_providers", caller).status == status


def test_the_providers_of_the_service_are_public_by_choice() -> None:
    """A gate is a choice (G029)."""
    sim = Simulator(clock=START, profile={"gate.list_auth_providers": ["public"]})
    assert sim.call("list_auth_providers").status == 200


def test_the_list_and_the_icons_are_choices() -> None:
    """The profile says which providers there are, and where their icons lie (G182)."""
    sim = demo(providers__available=["acme"], providers__icon="http://i.example/{name}")
    assert sim.call("list_auth_providers", "demo-user").body == [{"name": "acme", "icon": "http://i.example/acme"}]


@pytest.mark.rule("R072")
def test_the_address_of_an_icon_is_a_url_whatever_the_name() -> None:
    """A name with a space or a slash in it is encoded."""
    sim = demo(providers__available=["Acme & Co/1"])
    assert (
        sim.call("list_auth_providers", "demo-user").body[0]["icon"] == "https://icons.example/Acme%20%26%20Co%2F1.svg"
    )


@pytest.mark.rule("R073", "R127")
def test_the_providers_of_a_client(sim: Simulator) -> None:
    """Name and icon of each, the client's validators not among them; defaultProvider only where there is one."""
    body = sim.call("list_client_auth_providers", clientId=CUSTOMER).body
    assert set(body) == {"providers"}
    assert [each["name"] for each in body["providers"]] == ALL
    assert not {"Demo HS256", "demo-validator"} & {each["name"] for each in body["providers"]}
    body = demo(providers__default="first").call("list_client_auth_providers", clientId=CUSTOMER).body
    assert body["defaultProvider"] == "google"


def test_only_the_names_of_providers_by_choice() -> None:
    """The client's list and the user's method then have no icons (G181)."""
    sim = demo(providers__fields="name")
    assert sim.call("list_client_auth_providers", clientId=CUSTOMER).body["providers"][0] == {"name": "google"}
    assert sim.call("get_user_auth_method", "demo-owner", userId="me").body == {"provider": {"name": "google"}}


@pytest.mark.rule("R126", "R562")
@pytest.mark.parametrize("caller", [None, "no such token", "demo-guest", "demo-other-admin", "demo-api-token"])
def test_the_providers_of_a_client_are_public(sim: Simulator, caller: str | None) -> None:
    """The client is named in the path, and a token, good or bad, plays no part (G023)."""
    assert sim.call("list_client_auth_providers", caller, clientId=CUSTOMER).status == 200


def test_a_bad_token_on_a_public_call_is_refused_by_choice() -> None:
    """A good one passes, none too (G023)."""
    sim = demo(auth__on_public_calls="checked")
    for caller, status in (("no such token", 401), ("demo-guest", 200), (None, 200)):
        assert sim.call("list_client_auth_providers", caller, clientId=CUSTOMER).status == status


def test_an_unknown_client_has_no_providers(sim: Simulator) -> None:
    """404 for an id that names nothing (G198)."""
    assert sim.call("list_client_auth_providers", clientId="no-such-client").status == 404


@pytest.mark.rule("R128", "R130")
def test_providers_are_set_from_a_bare_array(sim: Simulator) -> None:
    """The array of names becomes the client's list, and an empty one leaves none."""
    for wanted in (["github", "google"], ["apple"], []):
        answer = sim.call("set_auth_providers", "demo-customer-admin", body=wanted)
        assert (answer.status, answer.content) == (200, b"")
        assert names(sim) == wanted
    assert names(sim, PARTNER) == ALL


@pytest.mark.rule("R129")
def test_the_providers_hold_for_every_channel_of_the_client(sim: Simulator) -> None:
    """The call names no channel: a login of any user of the client goes by the list."""
    from confsim.domain.clients import clients
    from confsim.domain.identity import invitations

    id = predefined(sim)
    code = sim.call("create_invitation", "demo-api-token", userId=id).body["code"]
    sim.call("set_auth_providers", "demo-customer-admin", body=["apple"])
    change = sim.service.change()
    user, _ = invitations.redeem(change, clients.get(change, CUSTOMER), code)
    assert user.identity is not None
    assert user.identity.provider == "apple"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (["google", "myspace"], "provider_unknown"),
        (["Google"], "provider_unknown"),
        ([""], "provider_unknown"),
        ([7], "invalid_input"),
        ([None], "invalid_input"),
        ({"providers": ["google"]}, "invalid_input"),
        ("google", "invalid_input"),
        (None, "body_malformed"),
    ],
)
def test_a_bad_list_changes_nothing(sim: Simulator, body: object, code: str) -> None:
    """All or nothing: 400, and the list is as it was (G184)."""
    answer = sim.call("set_auth_providers", "demo-customer-admin", body=body)
    assert (answer.status, answer.body["code"]) == (400, code)
    assert names(sim) == ALL


@pytest.mark.parametrize(
    ("caller", "status"),
    [
        (None, 401),
        ("demo-guest", 403),
        ("demo-user", 403),
        ("demo-owner", 403),
        ("demo-customer-admin", 200),
        ("demo-api-token", 200),
        ("demo-partner-admin", 200),
    ],
)
def test_administrators_set_the_providers_of_their_client(sim: Simulator, caller: str | None, status: int) -> None:
    """Customer Admins and API tokens (G187); a Partner Admin only those of the own client."""
    assert sim.call("set_auth_providers", caller, body=["apple"]).status == status
    assert (names(sim) == ["apple"]) is (caller in {"demo-customer-admin", "demo-api-token"})


@pytest.mark.rule("R074", "R125")
@pytest.mark.parametrize("caller", ["demo-owner", "demo-customer-admin", "demo-api-token"])
def test_the_method_of_a_user(sim: Simulator, people: dict[str, int], caller: str) -> None:
    """The provider behind the addressed user, for the user and for administrators."""
    answer = sim.call("get_user_auth_method", caller, userId=people["demo-owner"])
    assert answer.body == {"provider": {"name": "google", "icon": "https://icons.example/google.svg"}}


@pytest.mark.parametrize(
    ("caller", "status"), [(None, 401), ("demo-user", 403), ("demo-guest", 403), ("demo-other-admin", 404)]
)
def test_others_do_not_see_the_method_of_a_user(
    sim: Simulator, people: dict[str, int], caller: str | None, status: int
) -> None:
    """Neither other users (G032) nor other clients."""
    assert sim.call("get_user_auth_method", caller, userId=people["demo-owner"]).status == status


@pytest.mark.rule("R032")
def test_a_partner_admin_sees_the_method_in_a_child(sim: Simulator, people: dict[str, int]) -> None:
    """With for_client the child's user is found, without it not."""
    id = people["demo-user"]
    answer = sim.call("get_user_auth_method", "demo-partner-admin", userId=id, for_client=CUSTOMER)
    assert answer.body["provider"]["name"] == "github"
    assert sim.call("get_user_auth_method", "demo-partner-admin", userId=id).status == 404


def test_nothing_stands_behind_guests_and_predefined_users(sim: Simulator, people: dict[str, int]) -> None:
    """404 for the method of a user without authentication (G031, G211)."""
    for id in (people["demo-guest"], predefined(sim)):
        answer = sim.call("get_user_auth_method", "demo-customer-admin", userId=id)
        assert (answer.status, answer.body["code"]) == (404, "auth_method_not_found")


def test_an_empty_answer_for_nobody_s_method_by_choice(people: dict[str, int]) -> None:
    """The method without a provider, the profile with empty texts (G031, G211)."""
    sim = demo(providers__of_nobody="empty")
    assert sim.call("get_user_auth_method", "demo-customer-admin", userId=people["demo-guest"]).body == {}
    for caller in ("demo-guest", "demo-api-token"):
        assert sim.call("get_auth_profile", caller).body == {"name": "", "email": "", "imageUrl": ""}


@pytest.mark.rule("R075", "R131")
def test_the_profile_is_what_the_provider_told(sim: Simulator, people: dict[str, int]) -> None:
    """Not the service's own details: three texts, whatever the user is called here."""
    change = sim.service.change()
    user = users.get(change, CUSTOMER, people["demo-owner"])
    users.update(
        change, user, full_name="Other", identity=Identity("google", "Olaf G.", "olaf@g.example", "https://g.example/o")
    )
    sim.service.commit(change)
    reported = {"name": "Olaf G.", "email": "olaf@g.example", "imageUrl": "https://g.example/o"}
    assert sim.call("get_auth_profile", "demo-owner").body == reported


@pytest.mark.parametrize(("caller", "status"), [(None, 401), ("demo-guest", 404), ("demo-api-token", 404)])
def test_no_profile_without_a_provider(sim: Simulator, caller: str | None, status: int) -> None:
    """404 where no provider has given any details (G031)."""
    assert sim.call("get_auth_profile", caller).status == status


def test_the_method_of_custom_authentication_is_its_validator(sim: Simulator) -> None:
    """The name of the validator stands for the provider."""
    change = sim.service.change()
    user = users.create(
        change, CUSTOMER, "C", Account.REGISTERED, auth_kind=AuthKind.CUSTOM, identity=Identity("Demo HS256")
    )
    sim.service.commit(change)
    answer = sim.call("get_user_auth_method", "demo-api-token", userId=user.id)
    assert answer.body["provider"]["name"] == "Demo HS256"


@pytest.mark.parametrize("userId", ["you", "0x10", "1.0", "", "9" * 30])
def test_a_user_is_named_by_number_or_me(sim: Simulator, userId: str) -> None:
    """Anything else is bad input."""
    assert sim.call("get_user_auth_method", "demo-customer-admin", userId=userId).status in {400, 404}


def test_an_api_token_is_not_me(sim: Simulator) -> None:
    """It is no user (G159)."""
    answer = sim.call("get_user_auth_method", "demo-api-token", userId="me")
    assert (answer.status, answer.body["code"]) == (403, "no_user_context")

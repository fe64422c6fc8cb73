"""Validators over the wire: the list, the switch, the exchange."""

from __future__ import annotations

from typing import Any

import jwt
import pytest

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.service.conformance import Conformance
from kit import CUSTOMER, OTHER, PARTNER, START, START_S

FIRST, SECOND = "demo-validator", "demo-validator-2"
SECRETS = {FIRST: "demo-validator-secret-of-32-bytes", SECOND: "demo-validator-2-secret-of-32-bytes"}


def id_token(validator: str = FIRST, **claims: Any) -> str:
    """An identity token of one of the demo validators."""
    return jwt.encode({"sub": "person-1", "exp": START_S + 60, "name": "Pia", **claims}, SECRETS[validator], "HS256")


def exchange(sim: Simulator, token: str, client: str = CUSTOMER, caller: str | None = None) -> Any:
    """The answer of the exchange."""
    return sim.call("exchange_identity_token", caller, clientId=client, body={"idToken": token})


def actives(sim: Simulator) -> list[str]:
    """Ids of the active validators."""
    return [each["id"] for each in sim.call("list_validators", "demo-customer-admin").body if each["active"]]


@pytest.mark.rule("R137", "R138", "R139")
def test_the_validators_that_could_be_assigned(sim: Simulator) -> None:
    """Every one that was set up outside the API, by its id; one of them is active."""
    assert sim.call("list_validators", "demo-customer-admin").body == [
        {"id": FIRST, "name": "Demo HS256", "active": True},
        {"id": SECOND, "name": "Second HS256", "active": False},
    ]
    assert sim.call("list_validators", "demo-partner-admin").body == []
    assert {each.name for each in API if "/validators" in each.path} == {
        "list_validators",
        "enable_validator",
        "disable_validator",
    }


def test_only_the_ids_of_validators_by_choice() -> None:
    """The other fields are a choice (G189)."""
    sim = Simulator(clock=START, profile={"validators.fields": "id"})
    assert sim.call("list_validators", "demo-api-token").body == [{"id": FIRST}, {"id": SECOND}]


def test_a_page_of_validators_by_choice() -> None:
    """The container is a choice (G096), and the OpenAPI document has it."""
    sim = Simulator(clock=START, profile={"validators.container": "page"})
    sim.service.pipeline.hold_against(Conformance(sim.service.profile))
    answer = sim.call("list_validators", "demo-api-token")
    assert (answer.body["total"], [each["id"] for each in answer.body["results"]]) == (2, [FIRST, SECOND])
    assert sim.service.bugs == []


@pytest.mark.rule("R113", "R114", "R238")
def test_enabling_makes_active_and_the_one_before_inactive(sim: Simulator) -> None:
    """Tokens of the new one are good from then on, those of the old one no longer."""
    answer = sim.call("enable_validator", "demo-customer-admin", validatorId=SECOND)
    assert (answer.status, answer.content) == (200, b"")
    assert actives(sim) == [SECOND]
    assert exchange(sim, id_token(SECOND)).status == 200
    assert exchange(sim, id_token(FIRST)).status == 401


@pytest.mark.rule("R115")
def test_a_disabled_validator_vouches_for_nothing(sim: Simulator) -> None:
    """Without an active one, every token is 401 (G197); tokens given out before stay good (G194)."""
    token = exchange(sim, id_token()).body["token"]
    assert sim.call("disable_validator", "demo-api-token", validatorId=FIRST).status == 200
    answer = exchange(sim, id_token())
    assert (answer.status, answer.body["code"]) == (401, "no_active_validator")
    assert sim.call("get_user_terms", token).status == 200


def test_validators_of_other_clients_are_left_alone(sim: Simulator) -> None:
    """An administrator reaches the own client's alone."""
    assert sim.call("enable_validator", "demo-other-admin", validatorId=SECOND).status == 404
    assert actives(sim) == [FIRST]


@pytest.mark.parametrize("operation", ["enable_validator", "disable_validator"])
def test_setting_the_state_that_holds(operation: str) -> None:
    """It succeeds and changes nothing, or is refused by choice (G537)."""
    id = FIRST if operation == "enable_validator" else SECOND
    for choice, status in (("succeed", 200), ("refuse", 409)):
        sim = Simulator(clock=START, profile={"states.repeated": choice})
        assert sim.call(operation, "demo-customer-admin", validatorId=id).status == status
        assert actives(sim) == [FIRST]


@pytest.mark.parametrize("operation", ["enable_validator", "disable_validator"])
def test_an_unknown_validator_is_not_found(sim: Simulator, operation: str) -> None:
    """404 for an id that names nothing (G192)."""
    assert sim.call(operation, "demo-customer-admin", validatorId="nothing").status == 404


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("list_validators", {}),
        ("enable_validator", {"validatorId": FIRST}),
        ("disable_validator", {"validatorId": FIRST}),
    ],
)
@pytest.mark.parametrize(
    ("caller", "status"),
    [
        (None, 401),
        ("demo-guest", 403),
        ("demo-user", 403),
        ("demo-owner", 403),
        ("demo-customer-admin", 200),
        ("demo-api-token", 200),
    ],
)
def test_validators_are_for_administrators(
    sim: Simulator, operation: str, arguments: dict[str, str], caller: str | None, status: int
) -> None:
    """Customer Admins and API tokens (G193)."""
    assert sim.call(operation, caller, **arguments).status == status


@pytest.mark.rule("R032")
def test_a_partner_admin_manages_a_child_s_validators(sim: Simulator) -> None:
    """With for_client the three calls run in the child."""
    both = {"for_client": CUSTOMER}
    assert len(sim.call("list_validators", "demo-partner-admin", **both).body) == 2
    assert sim.call("enable_validator", "demo-partner-admin", validatorId=SECOND, **both).status == 200
    assert actives(sim) == [SECOND]
    assert sim.call("disable_validator", "demo-partner-admin", validatorId=SECOND, **both).status == 200
    assert actives(sim) == []
    assert sim.call("enable_validator", "demo-customer-admin", validatorId=FIRST, **both).status == 403


@pytest.mark.rule("R089")
def test_the_client_list_names_the_active_validator(sim: Simulator) -> None:
    """The validator that is assigned is the active one; none is shown when none is."""
    shown = []
    for operation, id in (("enable_validator", SECOND), ("disable_validator", SECOND)):
        sim.call(operation, "demo-customer-admin", validatorId=id)
        shown.append(sim.call("list_clients", "demo-partner-admin").body["results"][0].get("validator"))
    assert shown == [SECOND, None]


@pytest.mark.rule("R013", "R069", "R140", "R145", "R239")
def test_the_exchange_takes_an_object_and_answers_a_token_result(sim: Simulator) -> None:
    """An object with idToken goes in; token and expires come back, with no other call before or between."""
    answer = exchange(sim, id_token())
    assert answer.status == 200
    assert set(answer.body) == {"token", "expires"}
    assert (type(answer.body["token"]), type(answer.body["expires"])) == (str, int)


@pytest.mark.parametrize("token", [None, "no such token", "demo-guest", "demo-other-admin"])
def test_the_exchange_is_public(sim: Simulator, token: str | None) -> None:
    """The identity token is the credential; another plays no part (G026, G023)."""
    assert exchange(sim, id_token(), caller=token).status == 200


def test_the_exchange_needs_an_api_token_by_choice() -> None:
    """A gate is a choice (G026)."""
    sim = Simulator(clock=START, profile={"gate.exchange_identity_token": ["api-token"]})
    assert exchange(sim, id_token()).status == 401
    assert exchange(sim, id_token(), caller="demo-user").status == 403
    assert exchange(sim, id_token(), caller="demo-api-token").status == 200


@pytest.mark.rule("R070")
@pytest.mark.parametrize(
    ("unit", "expires"),
    [
        ("seconds", 86_400),
        ("milliseconds", 86_400_000),
        ("epoch-ms", (START_S + 86_400) * 1000),
        ("epoch-s", START_S + 86_400),
    ],
)
def test_expires_is_the_life_of_the_token(unit: str, expires: int) -> None:
    """The token dies when it says (G111)."""
    sim = Simulator(clock=START, profile={"units.token-expires": unit})
    body = exchange(sim, id_token()).body
    assert body["expires"] == expires
    for seconds, status in ((86_399, 200), (86_400, 401)):
        sim.service.clock.move((START_S + seconds) * 1000)
        assert sim.call("get_user_terms", body["token"]).status == status


@pytest.mark.rule("R061")
def test_a_matching_origin_id_connects_a_predefined_user(sim: Simulator) -> None:
    """The token acts as the user who was made beforehand."""
    id = sim.call("create_predefined_user", "demo-api-token", body={"name": "P", "originId": "person-1"}).body["id"]
    token = exchange(sim, id_token()).body["token"]
    sim.call("accept_terms", token, version=1)
    assert sim.call("get_user_origin_id", token, userId=id).body == {"originId": "person-1"}
    assert sim.call("get_user_origin_id", token, userId="me").body == {"originId": "person-1"}
    assert sim.call("find_predefined_user", "demo-api-token", originId="person-1").body == {"id": id}


@pytest.mark.rule("R143", "R144")
def test_details_in_the_token_reach_the_profile(sim: Simulator) -> None:
    """The claims of a token are stored until another token has others (G031)."""
    reported: list[dict[str, str]] = []
    for claims in ({"picture": "https://p.example/1", "email": "a@b.example"}, {"name": "Pia Zwei"}):
        token = exchange(sim, id_token(**claims)).body["token"]
        sim.call("accept_terms", token, version=1)
        reported.append(sim.call("get_auth_profile", token).body)
    assert reported[0] == {"name": "Pia", "email": "a@b.example", "imageUrl": "https://p.example/1"}
    assert reported[1] == {**reported[0], "name": "Pia Zwei"}


def test_a_token_for_another_client_gives_nothing(sim: Simulator) -> None:
    """A client without a validator vouches for nobody; an unknown client is 404 (G198)."""
    for client, status in ((PARTNER, 401), (OTHER, 401), ("nothing", 404)):
        answer = exchange(sim, id_token(), client)
        assert answer.status == status
        assert "token" not in answer.body


@pytest.mark.parametrize(
    ("choice", "problem"), [("as-unknown", "the reason is not told to callers"), ("told", "it has expired")]
)
def test_the_message_tells_why_a_token_is_refused(choice: str, problem: str) -> None:
    """The message has the reason only under errors.spent-secrets = told; it never has the key."""
    sim = Simulator(clock=START, profile={"errors.spent-secrets": choice})
    answer = exchange(sim, id_token(exp=START_S - 1))
    assert answer.body["message"] == f"The identity token is not valid: {problem}."
    assert SECRETS[FIRST] not in answer.content.decode()


def test_a_disabled_service_exchanges_nothing(sim: Simulator) -> None:
    """403, not 401 (G164)."""
    disabled = sim.call("set_client_service_state", "demo-partner-admin", clientId=CUSTOMER, state="disable")
    assert disabled.status == 200
    answer = exchange(sim, id_token())
    assert (answer.status, answer.body["code"]) == (403, "service_disabled")


@pytest.mark.rule("R068", "R239")
def test_a_persistent_invitation_is_exchanged_like_an_identity_token(sim: Simulator) -> None:
    """Its code is a JWT that gives a service token of its user, again and again (G235)."""
    sim = Simulator(clock=START, profile={"invitations.kind": "always", "errors.spent-secrets": "told"})
    id = sim.call("create_predefined_user", "demo-api-token", body={"name": "P"}).body["id"]
    code = sim.call("create_invitation", "demo-api-token", userId=id).body["code"]
    for _ in range(2):
        token = exchange(sim, code).body["token"]
        assert sim.call("get_user_terms", token).status == 200
    sim.call("create_invitation", "demo-api-token", userId=id)
    answer = exchange(sim, code)
    assert (answer.status, answer.body["code"]) == (401, "invitation_code_invalid")

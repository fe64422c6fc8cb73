"""API tokens over the wire: shown once, masked after, invalid as soon as they are deleted."""

from __future__ import annotations

from typing import Any

import pytest

from confsim import Simulator
from kit import CUSTOMER, START, START_S


def create(sim: Simulator, caller: str | None = "demo-customer-admin", **arguments: Any) -> Any:
    """The body of a new API token."""
    answer = sim.call("create_api_token", caller, **arguments)
    assert answer.status == 200, answer
    return answer.body


def listed(sim: Simulator, caller: str = "demo-customer-admin") -> list[Any]:
    """The API tokens as the list shows them."""
    return list(sim.call("list_api_tokens", caller).body)


def works(sim: Simulator, token: str) -> bool:
    """Whether the value is a credential."""
    return sim.call("list_auth_providers", token).status == 200


@pytest.mark.rule("R013", "R091", "R117", "R216")
@pytest.mark.parametrize(
    ("body", "label"), [({"label": "ci"}, "ci"), ({}, None), (None, None), ({"label": None}, None), ({"label": ""}, "")]
)
def test_a_new_token_is_told_whole(sim: Simulator, body: object, label: str | None) -> None:
    """Id and value, the label when there is one; it is a credential from then on."""
    made = create(sim, body=body)
    assert set(made) == {"id", "token"} | ({"label"} if label is not None else set())
    assert made.get("label") == label
    assert works(sim, made["token"])
    assert made["id"] in [each["id"] for each in listed(sim)]


@pytest.mark.parametrize("label", [7, ["a"], "x" * 256, "a\nb"])
def test_a_bad_label_makes_no_token(sim: Simulator, label: object) -> None:
    """400, and the list is as it was."""
    assert sim.call("create_api_token", "demo-customer-admin", body={"label": label}).status == 400
    assert len(listed(sim)) == 1


def test_labels_may_repeat(sim: Simulator) -> None:
    """The id distinguishes tokens (G282)."""
    assert create(sim, body={"label": "a"})["id"] != create(sim, body={"label": "a"})["id"]


@pytest.mark.rule("R024", "R092", "R093", "R217")
def test_lists_mask_every_value(sim: Simulator) -> None:
    """A bare array in which no value is whole; what is shown is no credential."""
    made = [create(sim), create(sim, body={"label": "b"})]
    shown = listed(sim)
    assert [each["id"] for each in shown][1:] == [each["id"] for each in made]
    for each in shown:
        assert each["token"].startswith("****")
        assert len(each["token"]) == 8
        assert not works(sim, each["token"])
    text = str(shown)
    assert not any(each["token"] in text for each in made)


@pytest.mark.rule("R093", "R118", "R219")
def test_regenerating_tells_a_new_value_and_kills_the_old(sim: Simulator) -> None:
    """Same entry, same label, the whole new value; the old one is dead at once."""
    made = create(sim, body={"label": "ci"})
    again = sim.call("regenerate_api_token", "demo-customer-admin", tokenId=made["id"]).body
    assert (again["id"], again["label"]) == (made["id"], "ci")
    assert again["token"] != made["token"]
    assert works(sim, again["token"])
    assert not works(sim, made["token"])
    assert len(listed(sim)) == 2


def test_a_token_regenerates_itself(sim: Simulator) -> None:
    """It answers with the value that holds from now on (G280)."""
    id = listed(sim)[0]["id"]
    again = sim.call("regenerate_api_token", "demo-api-token", tokenId=id)
    assert again.status == 200
    assert not works(sim, "demo-api-token")
    assert works(sim, again.body["token"])


@pytest.mark.rule("R119")
def test_deleting_is_for_good(sim: Simulator) -> None:
    """The value is dead, the entry gone, and neither comes back."""
    made = create(sim)
    answer = sim.call("delete_api_token", "demo-customer-admin", tokenId=made["id"])
    assert (answer.status, answer.content) == (200, b"")
    assert not works(sim, made["token"])
    assert made["id"] not in [each["id"] for each in listed(sim)]
    for operation in ("delete_api_token", "regenerate_api_token"):
        assert sim.call(operation, "demo-customer-admin", tokenId=made["id"]).status == 404


@pytest.mark.rule("R120", "R121")
def test_the_last_token_deletes_itself(sim: Simulator) -> None:
    """The one that makes the call may go, and so may the last one."""
    [only] = listed(sim)
    assert sim.call("delete_api_token", "demo-api-token", tokenId=only["id"]).status == 200
    assert not works(sim, "demo-api-token")
    assert listed(sim) == []


#: The four calls, each with its arguments.
CALLS = ("create_api_token", "list_api_tokens", "regenerate_api_token", "delete_api_token")


@pytest.mark.parametrize("operation", CALLS)
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
def test_api_tokens_are_for_administrators(sim: Simulator, operation: str, caller: str | None, status: int) -> None:
    """Customer Admins and API tokens of the client (G277)."""
    arguments = {"tokenId": listed(sim)[0]["id"]} if "tokenId" in _path(operation) else {}
    assert sim.call(operation, caller, **arguments).status == status


def _path(operation: str) -> str:
    from confsim.api.catalogue import API

    return API[operation].path


@pytest.mark.parametrize("operation", ["regenerate_api_token", "delete_api_token"])
@pytest.mark.parametrize("caller", ["demo-other-admin", "demo-partner-admin"])
def test_tokens_of_other_clients_are_not_there(sim: Simulator, operation: str, caller: str) -> None:
    """404 for a foreign id, and the token lives on."""
    assert sim.call(operation, caller, tokenId=listed(sim)[0]["id"]).status == 404
    assert works(sim, "demo-api-token")


@pytest.mark.rule("R032", "R218")
def test_a_partner_admin_manages_a_child_s_tokens(sim: Simulator) -> None:
    """With for_client all four calls run in the child, and what is made belongs to it."""
    child = {"for_client": CUSTOMER}
    made = create(sim, "demo-partner-admin", **child)
    assert made["id"] in [each["id"] for each in listed(sim)]
    assert listed(sim, "demo-partner-admin") == []
    assert len(sim.call("list_api_tokens", "demo-partner-admin", **child).body) == 2
    again = sim.call("regenerate_api_token", "demo-partner-admin", tokenId=made["id"], **child).body
    assert sim.call("list_validators", again["token"]).body != []
    assert sim.call("delete_api_token", "demo-partner-admin", tokenId=made["id"], **child).status == 200
    assert not works(sim, again["token"])


@pytest.mark.parametrize("caller", ["demo-customer-admin", "demo-api-token"])
@pytest.mark.parametrize("operation", CALLS)
def test_for_client_is_for_partner_admins(sim: Simulator, operation: str, caller: str) -> None:
    """403 for everybody else, API tokens among them (G152)."""
    arguments = {"tokenId": listed(sim)[0]["id"]} if "tokenId" in _path(operation) else {}
    assert sim.call(operation, caller, for_client=CUSTOMER, **arguments).status == 403


@pytest.mark.rule("R091")
@pytest.mark.parametrize(("unit", "expires"), [("epoch-ms", (START_S + 60) * 1000), ("epoch-s", START_S + 60)])
def test_expires_at_where_tokens_end(unit: str, expires: int) -> None:
    """Shown when tokens are made to end, at creation and in the list (G117, G279)."""
    sim = Simulator(clock=START, profile={"duration.api-token": 60_000, "units.api-token-expires": unit})
    made = create(sim)
    assert made["expiresAt"] == expires
    assert listed(sim)[-1]["expiresAt"] == expires
    sim.service.clock.move((START_S + 60) * 1000)
    assert not works(sim, made["token"])

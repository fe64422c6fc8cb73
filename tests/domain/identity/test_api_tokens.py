"""API tokens: the machine, the mask, the choices."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest

from confsim import Simulator
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.identity import api_tokens, credentials
from confsim.domain.identity.api_tokens import API_TOKENS, TOKENS
from confsim.kernel.refusal import Refusal
from confsim.kernel.rows import ABSENT
from confsim.kernel.world import Change
from kit import CUSTOMER, START_MS, choices

YEAR = 365 * 86_400_000


def opened(**profile: Any) -> tuple[Change, Client]:
    """A change of the demo world with alternatives chosen, and the customer's client."""
    chosen = choices(**profile)
    change = Simulator(clock=START_MS, profile=chosen).service.change()
    return change, clients.get(change, CUSTOMER)


def dead(change: Change, value: str) -> bool:
    """Whether the value authenticates nobody."""
    try:
        credentials.authenticate(change, value)
    except Refusal:
        return True
    return False


def test_a_new_token_acts_for_its_client() -> None:
    """Its value authenticates an API token and no user."""
    change, client = opened()
    made = api_tokens.create(change, client, "label")
    caller = credentials.authenticate(change, made.value)
    assert (caller.client, caller.user, caller.api_token) == (client, None, made.id)


def test_regenerating_kills_the_old_value_and_keeps_the_entry() -> None:
    """Id and label stay, the value is another, and one of the two is dead."""
    change, client = opened()
    made = api_tokens.create(change, client, "label")
    again = api_tokens.regenerate(change, made)
    assert (again.id, again.label) == (made.id, "label")
    assert dead(change, made.value)
    assert not dead(change, again.value)


def test_an_expiry_is_of_the_token_and_of_its_value() -> None:
    """The entry tells it, and the value is dead from then on."""
    change, client = opened()
    made = api_tokens.create(change, client, None)
    later = api_tokens.set_expiry(change, made, START_MS + 1)
    assert api_tokens.get(change, client, later.id).expires == START_MS + 1
    assert not dead(change, made.value)
    api_tokens.set_expiry(change, later, START_MS)
    assert dead(change, made.value)


def test_what_is_gone_stays_gone() -> None:
    """A removed token is not found, and its value is dead."""
    change, client = opened()
    made = api_tokens.create(change, client, None)
    api_tokens.delete(change, made)
    assert dead(change, made.value)
    with pytest.raises(Refusal, match="not_found"):
        api_tokens.get(change, client, made.id)


@pytest.mark.parametrize("state", TOKENS.states)
@pytest.mark.parametrize("trigger", TOKENS.triggers)
def test_the_machine_admits_what_its_rows_say(state: Enum, trigger: str) -> None:
    """A token is created out of nothing; the other triggers need one."""
    admitted = any(state in row.on for row in TOKENS.triggers[trigger].rows)
    assert admitted is ((trigger == "create") is (state is ABSENT))


@pytest.mark.parametrize(
    ("form", "shown"), [("last-4", "****6789"), ("first-4", "abcd****"), ("asterisks", "********")]
)
def test_the_forms_of_the_mask(form: str, shown: str) -> None:
    """What may be seen of a value (G278)."""
    change, _ = opened(api_tokens__mask=form)
    assert api_tokens.masked(change, "abcd0123456789") == shown


def test_tokens_end_by_choice_and_stay_in_the_list() -> None:
    """With a life the value is dead at its end; the entry is still listed (G279)."""
    change, client = opened(duration__api_token=1000)
    made = api_tokens.create(change, client, None)
    assert made.expires == START_MS + 1000
    change.now = START_MS + 1000
    assert dead(change, made.value)
    assert made in api_tokens.API_TOKENS.of(change, client.id).all


@pytest.mark.parametrize(("choice", "expires"), [("renewed", START_MS + 500 + YEAR), ("kept", START_MS + YEAR)])
def test_the_expiry_of_a_regenerated_token(choice: str, expires: int) -> None:
    """It begins anew, or goes on (G280)."""
    change, client = opened(duration__api_token=YEAR, api_tokens__regenerated_expiry=choice)
    made = api_tokens.create(change, client, None)
    change.now += 500
    assert api_tokens.regenerate(change, made).expires == expires


def test_tokens_are_listed_in_the_order_of_their_creation() -> None:
    """Regenerating does not move a token (G136)."""
    change, client = opened()
    made = [api_tokens.create(change, client, str(number)) for number in range(3)]
    api_tokens.regenerate(change, made[0])
    assert [each.label for each in api_tokens.API_TOKENS.of(change, client.id).all] == ["demo", "0", "1", "2"]
    assert len(API_TOKENS.of(change, client.id)) == 4

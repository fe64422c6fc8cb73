"""Tokens of users: their life, their form, what ends them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from confsim import Simulator
from confsim.domain.identity import credentials
from confsim.domain.identity.credentials import CREDENTIALS
from confsim.domain.users import users
from confsim.domain.users.users import Account, User
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change
from kit import CUSTOMER, DAY, START_MS, choices


def opened(**profile: Any) -> tuple[Change, User]:
    """A change of the demo world with alternatives chosen, and a fresh user in it."""
    chosen = choices(**profile)
    change = Simulator(clock=START_MS, profile=chosen).service.change()
    return change, users.create(change, CUSTOMER, "Ned New", Account.REGISTERED)


def test_a_token_lives_its_life_and_no_longer() -> None:
    """At its end it is dead to the millisecond, and use does not prolong it (G020)."""
    change, user = opened()
    issued = credentials.issue(change, user, 1000)
    for now in (START_MS, START_MS + 999):
        change.now = now
        caller = credentials.authenticate(change, issued.value)
        assert caller.user is not None
        assert caller.user.id == user.id
    change.now = START_MS + 1000
    with pytest.raises(Refusal, match="credential_expired"):
        credentials.authenticate(change, issued.value)


def test_use_prolongs_a_token_by_choice() -> None:
    """To the life of a new one from then on (G020)."""
    change, user = opened(tokens__use="prolongs", duration__token=1000)
    issued = credentials.issue(change, user)
    for now in (START_MS, START_MS + 999, START_MS + 1998):
        change.now = now
        assert credentials.authenticate(change, issued.value).expires == now + 1000
    change.now += 1000
    with pytest.raises(Refusal, match="credential_expired"):
        credentials.authenticate(change, issued.value)


@pytest.mark.parametrize(("profile", "life"), [({}, DAY), ({"duration__token": 3_600_000}, 3_600_000)])
def test_the_life_without_another_word(profile: dict[str, Any], life: int) -> None:
    """A day, or what the profile says (G112)."""
    change, user = opened(**profile)
    assert credentials.issue(change, user).expires == START_MS + life


def test_tokens_live_side_by_side() -> None:
    """A new one leaves the earlier ones alone (G021)."""
    change, user = opened()
    first, second = credentials.issue(change, user), credentials.issue(change, user)
    assert first.value != second.value
    for each in (first, second):
        assert credentials.authenticate(change, each.value).user == user


def test_only_the_newest_token_lives_by_choice() -> None:
    """A new one ends the earlier ones (G021)."""
    change, user = opened(tokens__earlier="die")
    first, second = credentials.issue(change, user), credentials.issue(change, user)
    assert credentials.authenticate(change, second.value).user == user
    with pytest.raises(Refusal, match="credential_invalid"):
        credentials.authenticate(change, first.value)


@pytest.mark.parametrize(("form", "length"), [("opaque", 43), ("uuid", 36)])
def test_the_form_of_tokens(form: str, length: int) -> None:
    """Header-safe text, or a UUID (G022)."""
    change, _ = opened(tokens__format=form)
    secret = credentials.secret(change)
    assert len(secret) == length
    assert secret.replace("-", "").replace("_", "").isalnum()


def test_revoking_ends_every_token_of_one_user() -> None:
    """Another user's tokens stay."""
    change, user = opened()
    other = users.create(change, CUSTOMER, "Olga Other", Account.REGISTERED)
    mine, theirs = credentials.issue(change, user), credentials.issue(change, other)
    credentials.revoke(change, user)
    assert credentials.authenticate(change, theirs.value).user == other
    with pytest.raises(Refusal, match="credential_invalid"):
        credentials.authenticate(change, mine.value)


DEMO = Simulator(clock=START_MS)


@given(text=st.text())
def test_a_value_that_was_never_given_out_is_nobody_s(text: str) -> None:
    """No text but a token's own value authenticates."""
    change = DEMO.service.change()
    if text not in CREDENTIALS.of(change):
        with pytest.raises(Refusal, match="credential_invalid"):
            credentials.authenticate(change, text)


@pytest.mark.parametrize("form", ["opaque", "uuid"])
def test_a_fresh_secret_is_nobody_s(form: str) -> None:
    """Also where a world holds a token that another world of the same seed gave out."""
    value = credentials.secret(opened(tokens__format=form)[0])
    change, user = opened(tokens__format=form)
    credentials.add(change, user, value)
    assert credentials.secret(change) != value

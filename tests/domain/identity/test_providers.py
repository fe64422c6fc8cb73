"""Authentication providers: what there is, what a client chose, by what a login goes."""

from __future__ import annotations

from typing import Any

import pytest

from confsim import Simulator
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.identity import providers
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change
from kit import CUSTOMER, START

ALL = ("google", "microsoft", "github", "facebook", "apple")


def opened(**profile: Any) -> tuple[Change, Client]:
    """A change of the demo world with alternatives chosen, and the customer's client."""
    chosen = {f"providers.{name.replace('_', '-')}": value for name, value in profile.items()}
    change = Simulator(clock=START, profile=chosen).service.change()
    return change, clients.get(change, CUSTOMER)


def test_repeated_names_count_once_and_the_order_stays() -> None:
    """The list is stored as it was given."""
    change, client = opened()
    client = providers.choose(change, client, ["github", "google", "github"])
    assert providers.enabled(change, client) == ("github", "google")


@pytest.mark.parametrize(("choice", "stored"), [("ignore", ("google",)), ("store", ("google", "myspace"))])
def test_unknown_names_by_choice(choice: str, stored: tuple[str, ...]) -> None:
    """They are left out, or stored and shown (G184)."""
    change, client = opened(unknown=choice)
    client = providers.choose(change, client, ["google", "myspace"])
    assert providers.enabled(change, client) == stored


@pytest.mark.parametrize(("empty", "stored"), [("none", ()), ("all", ALL)])
def test_a_list_of_unknown_names_is_empty_where_they_are_left_out(empty: str, stored: tuple[str, ...]) -> None:
    """What an empty list means then holds (G184, G185)."""
    change, client = opened(unknown="ignore", empty=empty)
    assert providers.choose(change, client, ["myspace"]).providers == stored


@pytest.mark.parametrize("choice", ["refuse", "store"])
def test_a_blank_name_is_never_stored(choice: str) -> None:
    """Stored or not, a name has to say something."""
    change, client = opened(unknown=choice)
    with pytest.raises(Refusal):
        providers.choose(change, client, ["google", " "])


@pytest.mark.parametrize(("choice", "stored"), [("none", ()), ("all", ALL)])
def test_an_empty_list_by_choice(choice: str, stored: tuple[str, ...]) -> None:
    """No provider, or all of them (G185)."""
    change, client = opened(empty=choice)
    assert providers.enabled(change, providers.choose(change, client, [])) == stored


def test_an_empty_list_is_refused_by_choice() -> None:
    """A client without a provider is then bad input (G185)."""
    change, client = opened(empty="refuse")
    with pytest.raises(Refusal, match="invalid_input"):
        providers.choose(change, client, [])


@pytest.mark.parametrize(("choice", "offered"), [("absent", None), ("first", "google")])
def test_the_default_provider_while_none_is_set(choice: str, offered: str | None) -> None:
    """Nothing, or the first of the list (G183)."""
    change, client = opened(default=choice)
    assert providers.default(change, client) == offered


def test_the_default_provider_goes_with_its_provider() -> None:
    """A default that is no longer in the list is none."""
    change, client = opened()
    client = clients.update(change, client, default_provider="github")
    assert providers.default(change, client) == "github"
    client = providers.choose(change, client, ["google"])
    assert providers.default(change, client) is None


def test_providers_that_the_service_does_not_have_are_not_offered() -> None:
    """What a client chose counts only as far as the service has it (R127)."""
    change, client = opened(available=["github"])
    assert providers.enabled(change, client) == ("github",)


def test_a_login_goes_by_an_enabled_provider_alone() -> None:
    """The first offered one, a named one, but none that is switched off (G188)."""
    change, client = opened()
    client = providers.choose(change, client, ["github", "google"])
    assert providers.to_log_in(change, client) == "github"
    assert providers.to_log_in(change, client, "google") == "google"
    with pytest.raises(Refusal, match="provider_not_enabled"):
        providers.to_log_in(change, client, "apple")
    with pytest.raises(Refusal, match="provider_not_enabled"):
        providers.to_log_in(change, providers.choose(change, client, []))


def test_of_a_long_name_the_beginning_is_shown() -> None:
    """Its first 80 characters."""
    change, client = opened()
    with pytest.raises(Refusal) as caught:
        providers.choose(change, client, ["x" * 100])
    assert caught.value.facts == {"name": "x" * 80}

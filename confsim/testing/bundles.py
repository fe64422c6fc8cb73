"""A Hypothesis journey with one bundle for each kind of thing that operations of the API name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis.stateful import Bundle, initialize, multiple

from confsim.contract.gates import Grant

from .journey import Journey
from .targets import Outcome


class ApiJourney(Journey):
    """A journey with bundles of ids: those of the demo world, and those that its calls create.

    ``api_journey()`` adds a rule for each operation. Subclass the result to use other targets or rules.
    """

    tokens = Bundle("tokens")
    clients = Bundle("clients")
    users = Bundle("users")
    channels = Bundle("channels")
    sessions = Bundle("sessions")
    api_tokens = Bundle("api_tokens")
    reservations = Bundle("reservations")
    validators = Bundle("validators")
    templates = Bundle("templates")
    app_sessions = Bundle("app_sessions")
    breakout_sessions = Bundle("breakout_sessions")
    breakout_rooms = Bundle("breakout_rooms")
    recordings = Bundle("recordings")
    media = Bundle("media")
    destinations = Bundle("destinations")
    broadcasts = Bundle("broadcasts")
    endpoints = Bundle("endpoints")
    asset_tokens = Bundle("asset_tokens")
    assets = Bundle("assets")
    codes = Bundle("codes")
    sources = Bundle("sources")

    #: Kinds of things that exist in the demo world; the bundle of any other kind starts with an id that names nothing.
    in_the_demo_world = ("tokens", "clients", "users", "channels", "validators")
    #: Tokens of callers with a grant. Together they are tried as often as all of ``tokens``; the first is the default.
    likely: Mapping[str, str] = {
        Grant.OWNER: "demo-owner",
        Grant.CUSTOMER_ADMIN: "demo-customer-admin",
        Grant.API_TOKEN: "demo-api-token",
        Grant.PARTNER_ADMIN: "demo-partner-admin",
    }
    #: The token of the reads that invariants make. If it has no rights in the targets' world, invariants check nothing.
    api_token = "demo-api-token"

    def __init__(self) -> None:
        super().__init__()
        self.checked: str | None = None  # the digest of the world for which the invariants were checked last

    @initialize(target=tokens)
    def known_tokens(self) -> Any:
        """The fixed tokens of the demo world."""
        return multiple(*self.control("get_info").body["tokens"])

    @initialize(target=clients)
    def known_clients(self) -> Any:
        """The clients of the demo world."""
        return multiple(*(each["id"] for each in self.control("get_info").body["clients"]))

    @initialize(target=users)
    def known_users(self) -> Any:
        """The users of the demo world who have a token."""
        tokens = self.control("get_info").body["tokens"].values()
        return multiple(*(each["userId"] for each in tokens if each.get("userId") is not None))

    @initialize(target=channels)
    def known_channels(self) -> Any:
        """The channels that the owner of the demo world hosts."""
        return ids_in(self.call("list_channels", "demo-owner"), "channelUuid")

    @initialize(target=validators)
    def known_validators(self) -> Any:
        """The validators of the demo world."""
        return ids_in(self.call("list_validators", "demo-customer-admin"), "id")

    def read(self, operation: str, caller: str | None = None, **arguments: Any) -> Any:
        """Return the body of a GET in every target, None when it is refused.

        The caller is the API token unless another is given. The worlds of the targets are not compared.
        """
        outcomes = [target.call(operation, caller or self.api_token, **arguments) for target in self.driven]
        for target, outcome in zip(self.driven, outcomes, strict=True):
            assert outcome == outcomes[0], f"{operation} with {arguments}: {outcomes[0]}, {target.name} {outcome}"
        return outcomes[0].body if outcomes[0].ok else None


def ids_in(outcome: Outcome, field: str) -> Any:
    """Return the values of a field in an answer or in each of its elements, for a bundle; none for a refusal."""
    return multiple(*(each[field] for each in outcome.elements if isinstance(each, dict) and field in each))

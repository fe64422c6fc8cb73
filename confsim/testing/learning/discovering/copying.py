"""What was read of clients and users, taken over by the model where a world file has no place for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from confsim.assumptions.protocol import units
from confsim.assumptions.register import in_force
from confsim.assumptions.users.users import AUTH_KIND_WORDS
from confsim.domain import terms
from confsim.domain.channels import friendly_urls
from confsim.domain.clients import clients
from confsim.domain.clients.clients import CLIENTS, Client, Default, Terms
from confsim.domain.events import endpoints
from confsim.domain.users import handles, user_images, users
from confsim.domain.users.users import USERS, AuthKind
from confsim.kernel.world import Change
from confsim.service.clock import LATEST
from confsim.testing.learning.comparing.correspondence import MILLISECONDS, Correspondence

from .files import SeenUser
from .parsing import SeenEvents, SeenProviders, SeenSettings, SeenTerms

#: The settings that channels of a client start with, by their fields in the answer.
_DEFAULTS = {
    "speech2text": Default.SPEECH2TEXT,
    "dialIn": Default.DIAL_IN,
    "dialOut": Default.DIAL_OUT,
    "midi": Default.MIDI,
}


class SeenClient(Struct, frozen=True):
    """What was read of a client, None where it could not be read."""

    terms: SeenTerms | None
    providers: SeenProviders | None
    origins: list[str] | None
    domains: list[str] | None
    settings: SeenSettings
    events: SeenEvents | None


def copy_client(change: Change, client_id: str, seen: SeenClient, profile: Mapping[str, Any], shift: int) -> None:
    """Copy terms, providers, hosts and settings of a client; ``shift`` is how far the service's clock is ahead."""
    fields = dict[str, Any]()
    if seen.terms is not None:
        at = seen.terms.promulgated * MILLISECONDS[in_force(profile, units.PROMULGATED)]
        if 0 <= at <= LATEST:  # else it may be in another unit
            fields["terms"] = Terms(seen.terms.version, seen.terms.url, at - shift, seen.terms.required)
    if seen.providers is not None:
        fields["providers"] = tuple(each.name for each in seen.providers.providers)
        fields["default_provider"] = seen.providers.defaultProvider
    for field, listed in (("origins", seen.origins), ("domains", seen.domains)):
        if listed is not None:
            fields[field] = tuple(listed)
    client = _copy_settings(change, clients.update(change, CLIENTS.of(change)[client_id], **fields), seen.settings)
    if seen.events is not None and seen.events.enabled is not client.events:
        endpoints.MACHINE.to(_trigger(not client.events))(change, client)


def _copy_settings(change: Change, client: Client, seen: SeenSettings) -> Client:
    """Copy what is enabled for a client; return it as it is then."""
    if seen.uniqueUsersHandle not in (None, client.unique_handles):
        client = handles.UNIQUENESS.to(_trigger(not client.unique_handles))(change, client)
    if seen.friendlyURLs not in (None, client.friendly_urls):
        client = friendly_urls.SWITCH.to(_trigger(not client.friendly_urls))(change, client)
    for name, default in _DEFAULTS.items():
        held = getattr(client, default.value)
        if getattr(seen, name) not in (None, held):
            client = clients.DEFAULTS[default].to(_trigger(not held))(change, client)
    return client


def copy_user(change: Change, person: SeenUser, known: Correspondence, profile: Mapping[str, Any]) -> None:
    """Copy what a world file has no place for; pair the user of the model with the service's."""
    who, seen = person.who, person.profile
    named = (each for each in USERS.of(change, who.clientId).all if each.handle == who.handle)
    user = next(each for each in named if not known.knows("users", each.id))
    words: Any = in_force(profile, AUTH_KIND_WORDS)
    if seen.imageUrl:
        user = user_images.adopt(change, user, "https://images.example/unknown")
    users.update(
        change,
        user,
        description=seen.description,
        languages=tuple(seen.languages.languages) if seen.languages else (),
        auth_kind=next((each for each in AuthKind if words[each] == seen.authKind), None),
        reputation=user.reputation if seen.reputation is None else seen.reputation,
    )
    known.pair("users", user.id, who.id)


def copy_acceptance(change: Change, person: SeenUser, known: Correspondence) -> None:
    """Copy that a user has accepted the current terms, whatever version they are said to be."""
    if person.accepted:
        client = CLIENTS.of(change)[person.who.clientId]
        user = USERS.of(change, client.id)[known.model("users", person.who.id)]
        terms.accept(change, client, user, client.terms.version)


def _trigger(enabled: bool) -> str:
    """Return the trigger that leads to this state of a switch."""
    return "enable" if enabled else "disable"

"""Origins that may embed the conferencing widget, and domains to which a login may redirect."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from confsim.assumptions import Reason, ask, clients as assumed
from confsim.kernel import Change, Misuse, Refusal
from confsim.values.urls import HOST_NAME, PORT, host_name, uri

from . import clients
from .clients import Client

_ORIGIN = rf"(?ai:https?)://{HOST_NAME}(:{PORT})?"


def set_origins(change: Change, client: Client, origins: Sequence[str]) -> Client:
    """Replace the allowed origins (R229). Refusal INVALID_INPUT where entries are checked."""
    return clients.update(
        change, client, origins=_listed(change, origins, _ORIGIN, "an origin such as https://app.example")
    )


def set_domains(change: Change, client: Client, domains: Sequence[str]) -> Client:
    """Replace the domains to which a login may redirect (R230). Refusal INVALID_INPUT where entries are checked."""
    return clients.update(change, client, domains=_listed(change, domains, HOST_NAME, "a domain such as app.example"))


def may_redirect_to(client: Client, url: str) -> bool:
    """Whether a login through OAuth may redirect to the URL: its host is one of the client's domains (R558)."""
    try:
        host = uri(url).hostname
    except ValueError:
        return False
    return host in set(_hosts(client.domains))


def _hosts(domains: Sequence[str]) -> Iterator[str]:
    """The entries that are host names, as URLs have them."""
    for domain in domains:
        with suppress(Misuse):
            yield host_name(domain)


def _listed(change: Change, entries: Sequence[str], form: str, what: str) -> tuple[str, ...]:
    """The entries in order without duplicates (R018, G291). Refusal INVALID_INPUT when malformed and checked."""
    if ask(change, assumed.EMBEDDING_CHECK):
        for place, entry in enumerate(entries):
            if not re.fullmatch(form, entry):
                raise Refusal(Reason.INVALID_INPUT, where=f"body [{place}]", problem=f"{entry[:80]!r} is not {what}")
    return tuple(dict.fromkeys(entries))

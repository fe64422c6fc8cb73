"""Authentication providers: those of the service, those enabled for a client, and the identity received from one."""

from collections.abc import Sequence
from urllib.parse import quote

from confsim.assumptions import Context, Reason, ask, identity as assumed, note_shown
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.users.users import Identity, User
from confsim.kernel import Change, Refusal


def icon(context: Context, name: str) -> str:
    """The URL of the provider's icon, with the name percent-encoded (R072)."""
    return ask(context, assumed.PROVIDER_ICON).replace("{name}", quote(name, safe=""))


def enabled(context: Context, client: Client) -> tuple[str, ...]:
    """The providers by which the client's users may log in, in the order in which they were set."""
    note_shown(context, client, "providers")
    if ask(context, assumed.UNKNOWN_PROVIDERS) == "store":
        return client.providers
    known = ask(context, assumed.AVAILABLE_PROVIDERS)
    return tuple(name for name in client.providers if name in known)


def default(context: Context, client: Client) -> str | None:
    """The provider that is offered first, or None when it is not set or no longer enabled (G183)."""
    names = enabled(context, client)
    if client.default_provider in names:
        return client.default_provider
    return names[0] if names and ask(context, assumed.DEFAULT_PROVIDER) == "first" else None


def choose(change: Change, client: Client, names: Sequence[str]) -> Client:
    """Set the providers of the client and so of all its channels; repeated names count once (R128, R129).

    Refusal PROVIDER_UNKNOWN, and then nothing is set; INVALID_INPUT for a blank name.
    """
    chosen = tuple(dict.fromkeys(names))
    unknown = [name for name in chosen if name not in ask(change, assumed.AVAILABLE_PROVIDERS)]
    if unknown:
        what = ask(change, assumed.UNKNOWN_PROVIDERS)
        if what == "refuse":
            raise Refusal(Reason.PROVIDER_UNKNOWN, name=unknown[0][:80])
        if what == "ignore":
            chosen = tuple(name for name in chosen if name not in unknown)
        elif any(not name.strip() for name in unknown):
            raise Refusal(Reason.INVALID_INPUT, where="body", problem="a name is blank")
    if not chosen:
        what = ask(change, assumed.NO_PROVIDERS)
        if what == "refuse":
            raise Refusal(Reason.INVALID_INPUT, where="body", problem="it names no provider")
        if what == "all":
            chosen = ask(change, assumed.AVAILABLE_PROVIDERS)
    return clients.update(change, client, providers=chosen)


def to_log_in(change: Change, client: Client, name: str | None = None) -> str:
    """The provider of a login: the named one, or the one that is offered first. Refusal PROVIDER_NOT_ENABLED (G188)."""
    names = enabled(change, client)
    if name is None:
        name = default(change, client) or (names[0] if names else "any provider")
    if name not in names:
        raise Refusal(Reason.PROVIDER_NOT_ENABLED, name=name)
    return name


def find_identity(context: Context, user: User | None) -> Identity | None:
    """The identity last received from the user's provider, or None when there is none and that is not refused.

    Refusal AUTH_METHOD_NOT_FOUND for guests, predefined users and API tokens (G031, G211).
    """
    if user is not None and user.identity is not None:
        return user.identity
    if ask(context, assumed.NO_PROVIDER) == "refuse":
        raise Refusal(Reason.AUTH_METHOD_NOT_FOUND)
    return None

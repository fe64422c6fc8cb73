"""The command that has the webhooks of a world sent to an address."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from confsim.cli.command import confsim, noting_the_end, option
from confsim.cli.options import base_url, caller
from confsim.cli.printing import printable
from confsim.kernel.refusal import Misuse

from .following import PAUSE

if TYPE_CHECKING:
    from .at_server import Remote

#: Roles that may add an endpoint.
_ADMINS = ("partner-admin", "customer-admin")
#: Deliveries to an endpoint that one look asks for.
_PAGE = 100


@dataclass
class _Client:
    """A client whose webhooks are sent: its name, the token of an admin, the endpoint (while there is one)."""

    name: str
    token: str
    endpoint: str = ""


@confsim.command(example="confsim listen --forward-to http://localhost:3000/webhooks")
@option("--forward-to", required=True, metavar="URL", help="Address that gets the webhooks; :3000/path is enough.")
@base_url()
@caller()
def listen(forward_to: str, base_url: str, caller: str | None) -> None:
    """Have the webhooks of a world sent to an address, and print a line for each attempt, until Ctrl-C.

    Turns events on and adds an endpoint for each client that has an admin (with --as, for the client of that admin),
    and undoes both at the end. The server sends the webhooks itself, signed with the secret of the client, which is
    printed; so the address is reached from the machine of the server.
    """
    from .at_server import world_at

    url = _url(forward_to)
    with world_at(base_url) as remote, noting_the_end() as ended, ExitStack() as stack:
        _allow(remote, url, stack)
        clients = list(_clients(remote, caller))
        for client in clients:
            stack.callback(_leave, remote, client, events=_events(remote, client))
            _join(remote, client, url)
        seen: dict[str, int] = {}
        while not ended():
            _rejoin(remote, clients, url)
            for client in clients:
                for line in _attempts(remote, client, seen):
                    click.echo(line)
            time.sleep(PAUSE)


def _url(text: str) -> str:
    """Return the URL in ``--forward-to``. Raises Misuse for what is not one."""
    from confsim.values.urls import uri

    url = text if "://" in text else f"http://{'localhost' if text.startswith(':') else ''}{text}"
    try:
        parts = uri(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        good = False
    if not good:
        raise Misuse(f"--forward-to: {text!r} is not an address such as http://localhost:3000/webhooks")
    return url


def _allow(remote: Remote, url: str, stack: ExitStack) -> None:
    """Have the world send over HTTP to the address; the stack restores what was before."""
    from confsim.control.operations.webhooks import get_webhooks, set_webhooks
    from confsim.service.webhooks.sending import Route
    from confsim.values.urls import is_loopback, uri

    before = remote.control(get_webhooks)
    host = (uri(url).hostname or "").removesuffix(".")
    allow = before.allow if is_loopback(host) else sorted({*before.allow, host})
    if before.deliver is Route.HTTP and allow == before.allow:
        return
    remote.control(set_webhooks, {"deliver": Route.HTTP.value, "allow": allow})
    stack.callback(_restore, remote, before.deliver.value, before.allow)


def _restore(remote: Remote, deliver: str, allow: list[str]) -> None:
    from confsim.control.operations.webhooks import set_webhooks

    with suppress(Misuse):  # the server has ended
        remote.control(set_webhooks, {"deliver": deliver, "allow": allow})


def _clients(remote: Remote, who: str | None) -> Iterator[_Client]:
    """Yield the clients whose webhooks are sent. Raises Misuse if there is none."""
    names = {client.id: client.name for client in remote.info.clients}
    if who is not None:
        yield _Client(who, remote.token(who) or "")
        return
    admins: dict[str, str] = {}
    for token, holder in remote.info.tokens.items():
        if holder.role in _ADMINS:
            admins.setdefault(holder.clientId, token)
    if not admins:
        raise Misuse(f"{remote.root} has no admin with a lasting token; name one with --as")
    for client, token in admins.items():
        yield _Client(names.get(client, client), token)


def _events(remote: Remote, client: _Client) -> bool:
    """Return whether the events of a client are on."""
    try:
        return bool(remote.perform("get_events_status", client.token)["enabled"])
    except Misuse as misuse:
        if misuse.facts.get("code") == "events_off":
            return False
        raise Misuse(f"{misuse} Name an admin by --as, such as customer-admin") from None


def _join(remote: Remote, client: _Client, url: str) -> None:
    """Turn on the events of a client, add the endpoint, and print the secret."""
    if not _events(remote, client):
        remote.perform("set_events_state", client.token, state="enable")
    client.endpoint = remote.perform("add_events_endpoint", client.token, {"url": url})["id"]
    secret = remote.perform("get_events_secret", client.token)["secret"]
    click.echo(f"{printable(client.name)}: webhooks go to {url}, signed with {secret}")


def _rejoin(remote: Remote, clients: list[_Client], url: str) -> None:
    """Add the endpoints again that are gone, as after a reset of the world."""
    from confsim.control.operations.webhooks import list_endpoints

    there = {each.id for each in remote.control(list_endpoints)}
    for client in clients:
        if client.endpoint not in there:
            _join(remote, client, url)


def _leave(remote: Remote, client: _Client, *, events: bool) -> None:
    """Remove the endpoint, and turn events off if they were off."""
    with suppress(Misuse):  # the server has ended, or the endpoint is gone
        if client.endpoint:
            remote.perform("remove_events_endpoint", client.token, id=client.endpoint)
        if not events:
            remote.perform("set_events_state", client.token, state="disable")


def _attempts(remote: Remote, client: _Client, seen: dict[str, int]) -> Iterator[str]:
    """Yield a line for each attempt since the last look."""
    from confsim.control.operations.webhooks import list_deliveries

    from .at_server import instant

    for delivery in remote.control(list_deliveries, endpoint=client.endpoint, limit=_PAGE):
        for attempt in delivery.attempts[seen.get(delivery.id, 0) :]:
            outcome = str(attempt.status) if attempt.status is not None else attempt.problem or "no answer"
            yield printable(f"{instant(attempt.at)} {delivery.kind} {delivery.message} {outcome}")
        seen[delivery.id] = len(delivery.attempts)

"""The Host names that a live server accepts beside its own, and its public URL.

A request with any other Host name is refused.
"""

from __future__ import annotations

from typing import Annotated

from confsim.contract.types import Wire
from confsim.control.context import ControlContext
from confsim.control.declare import CommandBody, operation
from confsim.control.operations import bounds
from confsim.kernel.refusal import Misuse
from confsim.values.urls import host_name


class HostNames(Wire):
    """Host names, in alphabetical order."""

    names: Annotated[list[str], "The Host names that the server answers to."]


class AddHostName(CommandBody):
    """``name`` is a Host name without a port, such as conf.example."""

    name: Annotated[str, "A Host name without a port."]


class PublicAddress(Wire):
    """The URL at the start of URLs in answers; null for the Host name of each request."""

    url: Annotated[str | None, "The URL that URLs in answers begin with; null for the Host name of each request."]


class SetPublicAddress(CommandBody):
    """``url`` is the address of the server, such as https://conf.example; null for the Host name of each request."""

    url: Annotated[
        str | None, "The URL that URLs in answers are to begin with; null for the Host name of each request."
    ]


@operation("GET /names")
def list_names(context: ControlContext) -> HostNames:
    """List the Host names that the server accepts beside its own and the loopback names."""
    return HostNames(names=sorted(context.worlds.names))


@operation("POST /names", replayed=False, bounds=bounds.NAMES)
def add_name(context: ControlContext, body: AddHostName) -> HostNames:
    """Add a Host name that is accepted at once. URLs in answers have the Host name of the request.

    Calls in process accept any name. Misuse for an invalid Host name.
    """
    context.worlds.answer_to(body.name)
    return list_names(context)


@operation("DELETE /names/{name}", replayed=False)
def drop_name(context: ControlContext, name: Annotated[str, "The Host name."]) -> HostNames:
    """Stop accepting a Host name that was added. Raises Misuse (404) if it was not."""
    if host_name(name) not in context.worlds.names:
        raise Misuse(f"{name[:80]!r} is none of the Host names that were added", status=404)
    context.worlds.stop_answering_to(name)
    return list_names(context)


@operation("GET /address")
def get_address(context: ControlContext) -> PublicAddress:
    """Get the URL at the start of URLs in answers, the same for all worlds of the server."""
    return PublicAddress(url=context.worlds.public_url or None)


@operation("PUT /address", replayed=False)
def set_address(context: ControlContext, body: SetPublicAddress) -> PublicAddress:
    """Set the URL at the start of URLs in answers, at once: for a server behind a proxy, with its path if it has one.

    The server accepts the Host name of the URL as well. Misuse for an invalid http or https URL, or one with a query.
    """
    context.worlds.serve_at(body.url or "")
    return get_address(context)

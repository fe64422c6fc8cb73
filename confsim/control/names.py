"""The Host names that a live server answers to beside its own, and the URL by which it is known.

A call under any other name is refused, whoever sends it.
"""

from __future__ import annotations

import re

from confsim.contract.types import Wire
from confsim.kernel.refusal import Misuse

from .control import Control, Order, operation

_NAME = re.compile(r"(?=.{1,253}\Z)[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\Z", re.ASCII)


class Names(Wire):
    """Host names, in alphabetical order."""

    names: list[str]


class AddName(Order):
    """``name`` is a Host name without a port, such as conf.example."""

    name: str


class Address(Wire):
    """What URLs in answers begin with; null for the name that each call was made by."""

    url: str | None


class SetAddress(Order):
    """``url`` is where others reach the server, such as https://conf.example; null for the name of each call."""

    url: str | None


@operation("GET /names")
def list_names(control: Control) -> Names:
    """List the Host names that the server answers to beside its own, and the loopback ones."""
    return Names(names=sorted(control.worlds.names))


@operation("POST /names")
def add_name(control: Control, body: AddName) -> Names:
    """Let the server answer to one more Host name, at once. URLs in answers bear the name that a call was made by.

    In this process any name will do. Misuse for what is no Host name.
    """
    if not _NAME.match(body.name):
        raise Misuse(f"{body.name[:80]!r} is no Host name; leave scheme, port and path away")
    control.worlds.names.add(body.name.lower())
    return list_names(control)


@operation("DELETE /names/{name}")
def drop_name(control: Control, name: str) -> Names:
    """Answer to a Host name no longer. Misuse (404) when the server does not answer to it by order."""
    if name.lower() not in control.worlds.names:
        raise Misuse(f"{name[:80]!r} is none of the Host names that were added", status=404)
    control.worlds.names.remove(name.lower())
    return list_names(control)


@operation("GET /address")
def get_address(control: Control) -> Address:
    """Tell what URLs in answers begin with, of every world of the server."""
    return Address(url=control.worlds.public_url or None)


@operation("PUT /address")
def set_address(control: Control, body: SetAddress) -> Address:
    """Say what URLs in answers begin with, at once: where a proxy stands before the server, with a path of its own too.

    The server answers to its Host name as well. Misuse for what is no http or https URL, or has a query.
    """
    control.worlds.public_url = body.url or ""
    return get_address(control)

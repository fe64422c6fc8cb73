"""The address of a served world, for the URLs in its responses."""

from __future__ import annotations

from msgspec import Struct

#: The host in URLs of responses to a call without a Host, as in process.
HOST = "confsim.test"


class Address(Struct, frozen=True):
    """The place of a world on its server.

    ``mount`` is the path of the world, empty at the root. ``host`` is the host and port by which callers in this
    process reach the server. ``public_url``, if set, is the start of every URL in responses.
    """

    mount: str = ""
    host: str = HOST
    public_url: str = ""


#: The address of a world without a server.
NOWHERE = Address()

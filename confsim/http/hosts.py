"""Host headers: their syntax, and the names that a live server answers to, as protection from DNS rebinding.

Own code, as Werkzeug's ``host_is_trusted`` takes a list of names: it cannot admit every IP address where the server is
bound to all, nor distinguish a malformed header from the name of another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from functools import lru_cache
from ipaddress import ip_address

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_ANY = frozenset({"0.0.0.0", "::", ""})
_PORT = re.compile("(:[0-9]*)?")
#: A name or an address, and optionally a port (RFC 3986, 3.2.2). No comma, which joins repeated headers.
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[\w.~!$&'()*+;=%-]+)(:([0-9]*))?", re.ASCII)


@lru_cache(maxsize=64)
def is_valid(host: str) -> bool:
    """Return whether a Host header is well-formed: one host, no URL, a port below 65536 (RFC 9112, 3.2)."""
    match = _HOST.fullmatch(host)
    return match is not None and (len(match[3] or "") < 5 or int(match[3]) < 65536)


def known(bound: str, more: Container[str] = ()) -> Callable[[str], bool]:
    """Return a function that returns whether a Host header names this server.

    Names of the server are the loopback names, the host ``bound``, and those in ``more``, in lower case, which is read
    at each call. A server bound to every address answers to any IP address too: DNS cannot redirect one.
    """
    names = _LOOPBACK | {bound.lower()}
    everywhere = bound in _ANY

    def answers_to(host: str) -> bool:
        name = name_of(host)
        ours = name in names or name in more or name.endswith(".localhost") or (everywhere and _is_address(name))
        return bool(name) and ours

    return answers_to


def name_of(host: str) -> str:
    """Return the name in a Host header, in lower case and without the port; "" for a malformed one."""
    if host.startswith("["):
        name, _, port = host[1:].partition("]")
    else:
        name, colon, port = host.partition(":")
        name, port = name.removesuffix("."), colon + port
    return name.lower() if _PORT.fullmatch(port) else ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True

"""Which Host names a live server answers to, so that no foreign name can be made to point at it (DNS rebinding)."""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from functools import lru_cache
from ipaddress import ip_address

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_ANY = frozenset({"0.0.0.0", "::", ""})
_PORT = re.compile("(:[0-9]*)?")
#: A name or an address and perhaps a port (RFC 3986, 3.2.2); of the punctuation of names, no comma: two header lines.
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[\w.~!$&'()*+;=%-]+)(:([0-9]*))?", re.ASCII)


@lru_cache(maxsize=64)
def is_valid(host: str) -> bool:
    """Whether a Host header is one at all: not two, no URL, a port that there can be (RFC 9112, 3.2)."""
    match = _HOST.fullmatch(host)
    return match is not None and (len(match[3] or "") < 5 or int(match[3]) < 65536)


def known(bound: str, more: Container[str] = ()) -> Callable[[str], bool]:
    """Tell of a Host header whether it names this server.

    Loopback names do, the host it is bound to, and ``more``, in lower case, whatever they are at the time; where it is
    bound to every address, any address in digits does too, for an address cannot be made to point elsewhere.
    """
    names = _LOOPBACK | {bound.lower()}
    everywhere = bound in _ANY

    def answers_to(host: str) -> bool:
        name = name_of(host)
        ours = name in names or name in more or name.endswith(".localhost") or (everywhere and _is_address(name))
        return bool(name) and ours

    return answers_to


def name_of(host: str) -> str:
    """The name in a Host header, without the port, in lower case; empty for what is no name and a port."""
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

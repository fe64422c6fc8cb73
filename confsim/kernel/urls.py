"""URLs: one spelling for equal ones (RFC 3986), ASCII for all others (RFC 3987), and the hosts of this machine."""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import SplitResult, quote, urlsplit

#: An escape; one right after a broken one stays, since its character could complete that one.
_ESCAPE = re.compile("(?<!%)(?<!%[0-9A-Fa-f])%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
#: Characters that have a meaning in a URL, the percent sign of an escape among them.
_RESERVED = "%:/?#[]@!$&'()*+,;="


def normalised(text: str) -> str:
    """Return a path or a query with its escapes spelt in the one way (RFC 3986, 6.2.2.1 and 6.2.2.2).

    Escaped letters, digits, ``-``, ``.``, ``_`` and ``~`` stand for themselves; the digits of all other escapes are in
    upper case. Broken escapes stay as they are.
    """
    return _ESCAPE.sub(_respelt, text) if "%" in text else text


def _respelt(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED else escape[0].upper()


def path_segments(path: str) -> list[str]:
    """Return the segments of a raw path, normalised; the first is "", before the slash at the beginning.

    An encoded slash is data of its segment. Dot segments stay: a client removes them when it resolves a reference (RFC
    3986, 5.2), and a parameter may have such a value.
    """
    return normalised(path).split("/")


def encoded(text: str, keep: str = "") -> str:
    """Return a part of a URL with every character that no URL has in UTF-8 and percent-encoded (RFC 3987, 3.1).

    Characters of ``keep`` stay: the braces of a template.
    """
    return quote(text, safe=_RESERVED + keep)


def ascii_host(host: str) -> str:
    """Return a host name in lower case and ASCII (IDNA). Raises ValueError for one that has no such form."""
    try:
        return (host if host.isascii() else host.encode("idna").decode()).lower()
    except UnicodeError as error:
        raise ValueError(f"{host[:80]!r} is not a valid host name: {error}") from None


def uri(url: str) -> SplitResult:
    """Return the parts of a URL as it is sent: in ASCII, the host by IDNA, the rest percent-encoded (RFC 3987, 3.1).

    Raises ValueError for one without a host or with an invalid host or port.
    """
    parts = urlsplit(url)
    host, port = ascii_host(parts.hostname or ""), parts.port
    if not host:
        raise ValueError(f"{url[:80]!r} has no host")
    user, at, _ = parts.netloc.rpartition("@")
    netloc = f"{encoded(user)}{at}{f'[{host}]' if ':' in host else encoded(host)}{'' if port is None else f':{port}'}"
    return SplitResult(parts.scheme, netloc, *map(encoded, parts[2:]))


def is_loopback(host: str) -> bool:
    """Return whether a host, in lower case, is this machine: localhost or below it (RFC 6761, 6.3), or an address."""
    name = host.removesuffix(".")
    try:
        return name == "localhost" or name.endswith(".localhost") or ip_address(host).is_loopback
    except ValueError:
        return False

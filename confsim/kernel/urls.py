"""URLs: one spelling for equal ones (RFC 3986), ASCII for all others (RFC 3987), and the hosts of this machine."""

from __future__ import annotations

import re
from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import SplitResult, quote, urlsplit

from .refusal import Misuse

#: An escape; one right after a broken one stays, since its character could complete that one.
_ESCAPE = re.compile("(?<!%)(?<!%[0-9A-Fa-f])%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
#: Characters that have a meaning in a URL, the percent sign of an escape among them.
_RESERVED = "%:/?#[]@!$&'()*+,;="
#: A host in ASCII: a name, an IPv4 address, or an IPv6 address without its brackets.
_HOST = re.compile(r"[A-Za-z0-9._~%!$&'()*+,;=-]+|[0-9A-Fa-f:.]+(%25[A-Za-z0-9._~-]+)?")
_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9_-]+(\.[a-z0-9_-]+)*\Z")


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
    return (normalised(path) if "%" in path else path).split("/")


def encoded(text: str, keep: str = "") -> str:
    """Return a part of a URL with every character that no URL has in UTF-8 and percent-encoded (RFC 3987, 3.1).

    Characters of ``keep`` stay: the braces of a template.
    """
    return quote(text, safe=_RESERVED + keep)


def ascii_host(host: str) -> str:
    """Return a host in lower case and ASCII (IDNA). Raises ValueError for one that has no such form."""
    try:
        found = (host if host.isascii() else host.encode("idna").decode()).lower()
    except UnicodeError:  # a part of it is empty, too long, or of characters that names cannot have
        found = ""
    if not _HOST.fullmatch(found):
        raise ValueError(f"{host[:80]!r} is not a valid host name")
    return found


def host_name(text: str) -> str:
    """Return a host name or address in lower case and ASCII, without brackets or a dot at its end.

    Raises Misuse for anything else, such as a URL or a name with a port.
    """
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") and ":" in text else text.removesuffix(".")
    with suppress(ValueError):
        host = ascii_host(bare)
        if _NAME.match(host) or ip_address(host):
            return host
    raise Misuse(f"{text[:80]!r} is not a host name; leave scheme, port and path away")


def uri(url: str) -> SplitResult:
    """Return the parts of a URL as it is sent: in ASCII, the host by IDNA, the rest percent-encoded (RFC 3987, 3.1).

    Raises ValueError for one without a host or with an invalid host or port.
    """
    parts = urlsplit(url)
    host, port = ascii_host(parts.hostname or ""), parts.port
    user, at, _ = parts.netloc.rpartition("@")
    netloc = f"{encoded(user)}{at}{f'[{host}]' if ':' in host else host}{'' if port is None else f':{port}'}"
    return SplitResult(parts.scheme, netloc, *map(encoded, parts[2:]))


def origin_spellings(origin: str) -> set[str]:
    """Return the texts, in lower case, that may name the origin a browser sends.

    Its host may be written in ASCII or not, its default port or none. A text that is not an origin has one spelling.
    """
    try:
        parts = uri(origin)
        host = (parts.hostname or "").encode().decode("idna")
    except ValueError:
        return {origin.lower()}
    found = {f"{parts.scheme}://{parts.netloc}", f"{parts.scheme}://{parts.netloc.replace(parts.hostname or '', host)}"}
    default = {"http": 80, "https": 443}.get(parts.scheme)
    return found | {f"{each}:{default}" for each in found if parts.port is None}


def is_loopback(host: str) -> bool:
    """Return whether a host, in lower case, is this machine: localhost or below it (RFC 6761, 6.3), or an address."""
    name = host.removesuffix(".")
    try:
        return name == "localhost" or name.endswith(".localhost") or ip_address(host).is_loopback
    except ValueError:
        return False

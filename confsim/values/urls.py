"""URLs: one spelling for equal ones (RFC 3986), ASCII for all others (RFC 3987), and the hosts of this machine."""

from __future__ import annotations

import re
from ipaddress import IPv6Address, ip_address
from urllib.parse import SplitResult, quote, urlsplit

from confsim.kernel import Misuse

#: An escape; one right after a broken one stays, since its character could complete that one.
_ESCAPE = re.compile("(?<!%)(?<!%[0-9A-Fa-f])%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
#: Characters that have a meaning in a URL, the percent sign of an escape among them.
_RESERVED = "%:/?#[]@!$&'()*+,;="
_LABEL = "[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
#: Regular expressions of a host name in ASCII (RFC 1035, 2.3.4; with the underscores of containers' names; an IPv4
#: address looks like one) and of a port. HOST_PATTERN is for JSON Schema, whose generators look-ahead (for the length)
#: would stall.
HOST_PATTERN = rf"{_LABEL}(\.{_LABEL})*\.?"
HOST_NAME = rf"(?![A-Za-z0-9._-]{{254}}){HOST_PATTERN}"
PORT = "([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
_NAME = re.compile(HOST_NAME)
_HOST_FORM = (
    "a name such as hooks.example, its parts of 1 to 63 letters, digits, '-' or '_' and without '-' at an end; "
    "or an IP address without a zone"
)


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
    """Return a host in lower case and ASCII (IDNA), an IPv6 address without brackets. Raises ValueError for others.

    An address has no zone, which means something on one machine only.
    """
    try:
        found = (host if host.isascii() else host.encode("idna").decode()).lower()
        if _NAME.fullmatch(found) or ("%" not in found and ip_address(found)):
            return found
    except ValueError:  # also where a part is too long for IDNA, or of characters that names cannot have
        pass
    raise ValueError(f"the host {host[:80]!r} is not valid (expected {_HOST_FORM})")


def host_name(text: str) -> str:
    """Return a host name or address in lower case and ASCII, without brackets or a dot at its end.

    Raises Misuse for anything else, such as a URL or a name with a port.
    """
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") and ":" in text else text
    try:
        return ascii_host(bare).removesuffix(".")
    except ValueError:
        form = f"leave scheme, port and path away (expected {_HOST_FORM})"
        raise Misuse(f"{text[:80]!r} is not a host name; {form}") from None


def uri(url: str) -> SplitResult:
    """Return the parts of a URL as it is sent: in ASCII, the host by IDNA, the rest percent-encoded (RFC 3987, 3.1).

    Raises ValueError, which says what is wrong, for one without a host or with an invalid host or port.
    """
    try:
        parts = urlsplit(url)
    except ValueError:  # of brackets and other marks in the place of the host
        raise ValueError(f"the host is not valid (expected {_HOST_FORM})") from None
    if not parts.hostname:
        raise ValueError("it has no host")
    host, port = ascii_host(parts.hostname), _port(parts)
    user, at, _ = parts.netloc.rpartition("@")
    netloc = f"{encoded(user)}{at}{f'[{host}]' if ':' in host else host}{'' if port is None else f':{port}'}"
    return SplitResult(parts.scheme, netloc, *map(encoded, parts[2:]))


def _port(parts: SplitResult) -> int | None:
    """Return the port of a URL, None for none. Raises ValueError for an invalid one."""
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:
        raise ValueError(f"the port {parts.netloc.rpartition(':')[2][:80]!r} is not a number from 1 to 65535")
    return port


def web_origin(text: str) -> str:
    """Return the origin of web pages, in lower case and ASCII. Raises Misuse for a text that is not one."""
    wrong = f"{text[:200]!r} is not an origin (expected scheme, host and port alone, e.g. http://localhost:5173)"
    if not text.isprintable() or set(text) & set(" \\@"):
        raise Misuse(wrong)
    try:
        parts = uri(text)
    except ValueError:
        raise Misuse(wrong) from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or text.partition("://")[2].count("/"):
        raise Misuse(wrong)
    if parts.query or parts.fragment or set(text) & set("?#"):
        raise Misuse(wrong)
    return f"{parts.scheme}://{parts.netloc}".lower()


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
    """Return whether a host, in lower case, is this machine: localhost or below it (RFC 6761, 6.3), or an address.

    An IPv6 address that stands for an IPv4 address is loopback if that is.
    """
    name = host.removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback

"""The headers X-Forwarded-*, by which a proxy says what its client asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping

_HOST = re.compile(r"(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_PREFIX = re.compile(r"(?:/[A-Za-z0-9._~-]+)+")
_PORT = re.compile(r"[0-9]{1,5}")
_PORTS = {"http": "80", "https": "443"}


def start_of_urls(headers: Mapping[str, str], scheme: str) -> str:
    """Return the start of URLs for the client of the nearest proxy, without a slash at its end; "" if none is named.

    Reads X-Forwarded-Proto, -Host, -Port and -Prefix, of each the last value, which the nearest proxy added. What one
    leaves out, or is malformed, is the ``scheme`` and the Host header. ``headers`` has names in lower case.
    """
    proto, host, port, prefix = (_last(headers, name) for name in ("proto", "host", "port", "prefix"))
    if not (proto or host or port or prefix):
        return ""
    proto = proto.lower() if proto.lower() in _PORTS else scheme
    host = host if _HOST.fullmatch(host) else headers.get("host", "")
    if _PORT.fullmatch(port) and not re.search(r":[0-9]+\Z", host) and port != _PORTS[proto]:
        host = f"{host}:{port}"
    prefix = f"/{prefix.strip('/')}"
    return f"{proto}://{host}{prefix if _PREFIX.fullmatch(prefix) else ''}"


def _last(headers: Mapping[str, str], name: str) -> str:
    return headers.get(f"x-forwarded-{name}", "").rpartition(",")[2].strip()

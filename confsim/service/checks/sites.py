"""Whether a page of another site made a browser send a request: by its Origin, and by what the browser says itself."""

from __future__ import annotations

from urllib.parse import urlsplit

from confsim.service.messages import Request

_PORTS = {"http": 80, "https": 443}
_OTHER_SITES = {"cross-site", "same-site"}


def cross_site(request: Request, host: str = "", public_url: str = "") -> bool:
    """Return whether a page of another site made a browser send the request.

    Pages of ours have the scheme, the host and the port by which the request came, or those of ``public_url``. ``host``
    stands for a missing Host header.
    """
    headers = request.headers
    origin = headers.get("origin")
    if origin is not None:
        here = _place(f"{request.scheme}://{headers.get('host', host)}")
        site = _place(origin)
        if site is None or site not in {here, _place(public_url)}:
            return True
    return headers.get("sec-fetch-site", "none").lower() in _OTHER_SITES


def _place(url: str) -> tuple[str, str, int] | None:
    """Return the scheme, the host and the port of a URL; None for an opaque origin, and for what is not a URL."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _PORTS or not parts.hostname or "@" in parts.netloc:
        return None
    return parts.scheme, parts.hostname, _PORTS[parts.scheme] if port is None else port

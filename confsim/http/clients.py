"""Clients of an app in the same process: Werkzeug's test client, and an adapter for requests."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from werkzeug.test import Client as TestClient, Cookie

from confsim.api.call import HOST
from confsim.service.messages import Handler, Request
from confsim.service.service import OfOneProcess
from confsim.service.waiting import wait_for
from confsim.values.urls import normalised

from .stamps import PHRASES

if TYPE_CHECKING:
    import requests


class Client(TestClient):
    """Werkzeug's test client, below the base address of the API and with a token.

    A path is below ``prefix`` unless it starts with one of ``roots``, and below ``mount`` unless it starts with the
    mount of a world. ``headers`` and ``query`` present the token; headers of a request take precedence. The host, also
    of cookies, is that of all in-process clients, unless a URL or ``base_url`` names another.
    """

    def __init__(
        self,
        wsgi: Any,
        mount: str,
        prefix: str,
        roots: tuple[str, ...],
        headers: Mapping[str, str],
        query: Mapping[str, str],
    ) -> None:
        super().__init__(wsgi, use_cookies="Cookie" not in headers)
        self._mount = mount
        self._prefix = prefix
        self._roots = roots
        self._headers = headers
        self._query = query

    def open(self, *args: Any, **kwargs: Any) -> Any:
        """Send a request and return the response; a path is relative to the base address."""
        path = args[0] if args else kwargs.pop("path", "/")
        if isinstance(path, str):
            args = (self._placed(path), *args[1:])
            kwargs.setdefault("base_url", _base_of(path))
        if self._headers:
            kwargs["headers"] = _merged(self._headers, kwargs.get("headers"))
        return super().open(*args, **kwargs)

    def set_cookie(self, key: str, value: str = "", *, domain: str = HOST, **kwargs: Any) -> None:
        """Set a cookie for the host."""
        super().set_cookie(key, value, domain=domain, **kwargs)

    def get_cookie(self, key: str, domain: str = HOST, path: str = "/") -> Cookie | None:
        """Return a cookie of the host, or None."""
        return super().get_cookie(key, domain, path)

    def delete_cookie(self, key: str, *, domain: str = HOST, path: str = "/") -> None:
        """Delete a cookie of the host."""
        super().delete_cookie(key, domain=domain, path=path)

    def _add_cookies_to_wsgi(self, environ: dict[str, Any]) -> None:
        """Send the client's cookies after those of the request, which Werkzeug would silently drop."""
        given = environ.get("HTTP_COOKIE")
        super()._add_cookies_to_wsgi(environ)
        if given:
            environ["HTTP_COOKIE"] = "; ".join(filter(None, (given, environ.get("HTTP_COOKIE"))))

    def _placed(self, path: str) -> str:
        plain = normalised(path.partition("?")[0])
        if path.startswith("/") and not _starts(plain, "/w"):
            path = self._mount + ("" if any(_starts(plain, root) for root in self._roots) else self._prefix) + path
        if self._query:
            path += ("&" if "?" in path else "?") + urlencode(self._query)
        return path


def _base_of(path: str) -> str:
    """Return scheme and host of a URL; those of the process for a path."""
    parts = urlsplit(path)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme and parts.netloc else f"http://{HOST}"


def _starts(path: str, root: str) -> bool:
    return path == root or path.startswith(f"{root}/")


def _merged(own: Mapping[str, str], given: Any) -> list[tuple[str, str]]:
    items = list(given.items() if hasattr(given, "items") else given or ())
    names = {str(name).lower() for name, _ in items}
    return [*((name, value) for name, value in own.items() if name.lower() not in names), *items]


def requests_session(handler: Handler, headers: Mapping[str, str], query: Mapping[str, str]) -> requests.Session:
    """Return a session of requests that calls the app in this process, whatever the host of a URL."""
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3 import HTTPHeaderDict, HTTPResponse

    class Adapter(OfOneProcess, HTTPAdapter):
        """Calls the app in this process."""

        def send(self, request: requests.PreparedRequest, *_args: Any, **_more: Any) -> requests.Response:
            path, _, query = request.path_url.partition("?")
            named = joined((name, _text(value)) for name, value in request.headers.items())
            scheme = urlsplit(request.url or "").scheme
            asked = Request(request.method or "GET", path, query, named, _body(request.body), scheme=scheme)
            response = wait_for(handler(asked))
            if response.cut is not None:
                raise requests.ConnectionError("the connection was dropped, by a fault", request=request)
            content = b"" if request.method == "HEAD" else response.body
            raw = HTTPResponse(
                BytesIO(content),
                HTTPHeaderDict(response.headers),
                response.status,
                reason=PHRASES.get(response.status, ""),
                preload_content=False,
                request_method=request.method,
            )
            return self.build_response(request, raw)

    session = requests.Session()
    session.trust_env = False
    session.headers.update(headers)
    session.params = dict(query)
    for scheme in ("http://", "https://"):
        session.mount(scheme, Adapter())
    return session


def _body(body: Any) -> bytes:
    """Return the body of a prepared request as bytes; it may be bytes, text, a file, or an iterable of both."""
    if hasattr(body, "read"):
        body = body.read()
    if body is None or isinstance(body, bytes | str):
        return body.encode() if isinstance(body, str) else body or b""
    return b"".join(piece.encode() if isinstance(piece, str) else piece for piece in body)


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def joined(items: Any) -> dict[str, str]:
    """Return header values by lower-case name; repeated headers are joined by ``", "``."""
    headers: dict[str, str] = {}
    for name, value in items:
        key = name.lower()
        headers[key] = f"{headers[key]}, {value}" if key in headers else value
    return headers

"""The transport for httpx, synchronous and asynchronous. It is imported, with httpx, on first use."""

from __future__ import annotations

from collections.abc import Callable

import anyio  # httpx depends on it
import httpx

from confsim.service.deferred import POLL_INTERVAL, polling, wait_for
from confsim.service.messages import Request, Response

from .clients import joined


class HttpxTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Calls an app in this process, for ``httpx.Client`` and ``httpx.AsyncClient``.

    The app gets the path of a URL as written.
    """

    def __init__(self, handler: Callable[[Request], Response]) -> None:
        self._handler = handler

    def __repr__(self) -> str:
        return f"<HttpxTransport to {self._handler!r}>"

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; block until the response is ready. Raises RemoteProtocolError for a dropped connection."""
        return _received(request, wait_for(self._begin(request, request.read())))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Like ``handle_request``; other tasks run while the response is pending."""
        content = await request.aread()
        with polling():
            response = self._begin(request, content)
        while response.poll is not None:
            response = response.poll() or response
            await anyio.sleep(POLL_INTERVAL)
        return _received(request, response)

    def _begin(self, request: httpx.Request, body: bytes) -> Response:
        path, _, query = request.url.raw_path.decode("ascii").partition("?")
        headers = joined(request.headers.multi_items())
        return self._handler(Request(request.method, path, query, headers, body, scheme=request.url.scheme))


def _received(request: httpx.Request, response: Response) -> httpx.Response:
    if response.cut is not None:
        raise httpx.RemoteProtocolError("the connection was dropped, by a fault", request=request)
    content = b"" if request.method == "HEAD" else response.body
    return httpx.Response(response.status, headers=response.headers, content=content)

"""The transport for httpx, synchronous and asynchronous. It is imported, with httpx, on first use."""

from __future__ import annotations

from concurrent.futures import Future

import anyio  # httpx depends on it
import httpx

from confsim.service.messages import Handler, Outcome, Request, Response
from confsim.service.waiting import POLL_INTERVAL, wait_for
from confsim.service.worker import Worker

from .clients import joined


class HttpxTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Calls an app in this process, for ``httpx.Client`` and ``httpx.AsyncClient``.

    The app gets the path of a URL as written.
    """

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._worker = Worker()

    def __repr__(self) -> str:
        return f"<HttpxTransport to {self._handler!r}>"

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; block until the response is ready. Raises RemoteProtocolError for a dropped connection."""
        return _received(request, wait_for(self._begin(request, request.read())))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Like ``handle_request``; other tasks run meanwhile."""
        outcome = self._begin(request, await request.aread(), self._worker)
        try:
            while isinstance(outcome, Future) and not outcome.done():
                await anyio.sleep(POLL_INTERVAL)  # on any event loop
            return _received(request, wait_for(outcome))
        finally:
            if isinstance(outcome, Future):
                outcome.cancel()

    def _begin(self, request: httpx.Request, body: bytes, worker: Worker | None = None) -> Outcome:
        path, _, query = request.url.raw_path.decode("ascii").partition("?")
        headers = joined(request.headers.multi_items())
        return self._handler(
            Request(request.method, path, query, headers, body, scheme=request.url.scheme, worker=worker)
        )


def _received(request: httpx.Request, response: Response) -> httpx.Response:
    if response.cut is not None:
        raise httpx.RemoteProtocolError("the connection was dropped, by a fault", request=request)
    content = b"" if request.method == "HEAD" else response.body
    return httpx.Response(response.status, headers=response.headers, content=content)

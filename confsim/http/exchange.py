"""The last step of an API response: common headers, conditional and range requests."""

from __future__ import annotations

from msgspec.structs import replace

from confsim.assumptions.protocol import transport
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext, ask
from confsim.contract.encode import Raw
from confsim.contract.operation import Operation
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change
from confsim.service.errors import refused
from confsim.service.messages import Request, Response
from confsim.service.service import Service

from . import cors
from .stamps import http_date

_NO_STORE = ("Cache-Control", "no-store")


class Exchange:
    """One API request to a world; the context of the assumptions used before its call is performed."""

    __slots__ = ("_download", "carried", "request", "service")

    def __init__(self, service: Service, request: Request) -> None:
        self.carried = ProfileContext(service.profile)
        self.service = service
        self.request = request
        self._download = False

    def asks_for(self, operation: Operation) -> None:
        """Note the operation that it reaches: one that answers the bytes of a file takes conditions and ranges."""
        self._download = operation.result is Raw

    def finish(self, response: Response, change: Change) -> Response:
        """Return the response as it is sent, and as the journal notes it (G006, G010, G013).

        Date is the instant of the call on the world's clock (RFC 9110, 6.6.1).
        """
        headers, request = response.headers, self.request
        headers.append(("Date", http_date(change.now)))
        caching = ask(change, transport.CACHING)
        if caching == "no-store":
            headers.append(_NO_STORE)
        if response.status == 200 and (self._download or caching == "etag") and request.method in {"GET", "HEAD"}:
            response = self._selected(response, change)
            headers = response.headers
        name = ask(change, transport.REQUEST_ID)
        if name:
            headers += [(name, value) for key, value in headers if key == "X-Confsim-Request-Id"]
        if "origin" in request.headers and request.method != "OPTIONS":
            headers += cors.headers(self.service, request, change)
        return response

    def _selected(self, response: Response, change: Change) -> Response:
        """Return the response with its entity tag: whole, the requested range of a download, 304 or 416."""
        from . import representation

        request, headers = self.request, response.headers
        tag = representation.etag(response.body)
        headers.append(("ETag", tag))
        if self._download:
            headers.append(("Accept-Ranges", "bytes"))
        if "if-none-match" in request.headers and representation.is_unmodified(request, tag):
            return replace(response, status=304, body=b"")
        if not self._download or "range" not in request.headers or request.method != "GET":
            return response
        part = representation.in_range(request, response, tag)
        if part is not None:
            return part
        refusal = Refusal(Reason.RANGE_NOT_SATISFIABLE, range=request.headers["range"][:200], length=len(response.body))
        none = refused(change, refusal)
        others = [(name, value) for name, value in headers if name not in {"Content-Type", "Content-Disposition"}]
        whole = ("Content-Range", f"bytes */{len(response.body)}")
        return replace(none, headers=[*none.headers, *others, whole])

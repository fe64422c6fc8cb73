"""The request of a step and its response, as expressions read them."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from confsim.service.messages import Response
from confsim.transport.address import OperationRequest


class StepExchange(Struct, frozen=True):
    """A request of an operation, the whole URL it was sent to, and its response."""

    url: str
    call: OperationRequest
    response: Response

    @property
    def parameters(self) -> dict[str, str]:
        """The path parameters by name, as texts."""
        return dict(zip(self.call.operation.placeholders, self.call.path, strict=True))

    @property
    def headers(self) -> dict[str, str]:
        """The header lines of the response, by lower-case name."""
        return {name.lower(): value for name, value in self.response.headers}


def read_json(raw: bytes) -> Any:
    """Return a body as plain values, as a text when it is not JSON, None when it is empty."""
    if not raw:
        return None
    try:
        return msgspec.json.decode(raw)
    except (ValueError, RecursionError):
        return raw.decode(errors="replace")

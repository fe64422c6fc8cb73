"""What a call in process was answered."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from .message import Response


class Answer(Struct, frozen=True, eq=False):
    """What a call was answered: status code, headers, and the body as plain values (None when there is none)."""

    _response: Response

    @property
    def status(self) -> int:
        """The HTTP status code."""
        return self._response.status

    @property
    def ok(self) -> bool:
        """Whether the status is a success."""
        return self._response.status < 400

    @property
    def headers(self) -> dict[str, str]:
        """The header lines."""
        return dict(self._response.headers)

    @property
    def content(self) -> bytes:
        """The body as bytes."""
        return self._response.body

    @property
    def body(self) -> Any:
        """The JSON body as plain values, None when the body is empty."""
        return msgspec.json.decode(self._response.body) if self._response.body else None

    def __repr__(self) -> str:
        return f"<Answer {self.status} {self.content[:200]!r}>"

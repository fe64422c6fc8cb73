"""The form in which a file may be uploaded, as it is handed to an operation."""

from __future__ import annotations

from msgspec import Struct


class Form(Struct):
    """The file in a multipart/form-data body: its type (None for none said) and bytes, or why there is none."""

    content_type: str | None = None
    data: bytes = b""
    problem: str = ""

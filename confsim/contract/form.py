"""Uploaded forms, as operations receive them."""

from __future__ import annotations

from msgspec import Struct


class Form(Struct):
    """The file in a multipart/form-data body: its type (None if not given) and bytes, or why there is no file."""

    content_type: str | None = None
    data: bytes = b""
    problem: str = ""

"""HTTP by httpx without TLS: reading the certificates for a client takes longer than most tests."""

from __future__ import annotations

from functools import partial
from typing import Any

import httpx

client = partial(httpx.Client, verify=False)


def get(url: str, **options: Any) -> httpx.Response:
    """One GET by a client of its own."""
    with client() as one:
        return one.get(url, **options)


def post(url: str, **options: Any) -> httpx.Response:
    """One POST by a client of its own."""
    with client() as one:
        return one.post(url, **options)

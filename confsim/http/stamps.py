"""Parts of every response: the reason phrase of its status, and the Date header.

Both come from the standard library, as Werkzeug's do: a live server starts without importing Werkzeug, which takes
about 40 ms; it is imported with the first request that needs it (``representation``, ``inputs``).
"""

from __future__ import annotations

from functools import lru_cache
from http import HTTPStatus
from wsgiref.handlers import format_date_time

#: The reason phrase of each status code.
PHRASES = {status.value: status.phrase for status in HTTPStatus}


@lru_cache(maxsize=16)
def _second(second: int) -> str:
    return format_date_time(second)


def http_date(instant: int) -> str:
    """Return an instant (epoch milliseconds) in the form of a Date header (RFC 9110, 5.6.7)."""
    return _second(instant // 1000)

"""Parts of every response: the phrase of its status and the Date header.

Both are the standard library's, on which Werkzeug's stand too: a live server starts without importing Werkzeug, which
takes some 40 ms, and imports it with the first request whose headers ask for more (``representation``, ``inputs``).
"""

from __future__ import annotations

from functools import lru_cache
from http import HTTPStatus
from wsgiref.handlers import format_date_time

#: The phrase of each status code.
PHRASES = {status.value: status.phrase for status in HTTPStatus}


@lru_cache(maxsize=16)
def _second(second: int) -> str:
    return format_date_time(second)


def http_date(instant: int) -> str:
    """An instant (epoch milliseconds) as a Date header has it (RFC 9110, 5.6.7)."""
    return _second(instant // 1000)

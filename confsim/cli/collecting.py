"""When the garbage collector of Python runs in a server: never amid calls of the API.

Such a call leaves no garbage that only the collector finds, which a test holds for every operation. To look for some
takes a fifth of the time of calls that make things, and pauses of tens of milliseconds once a world is large. So what
they make is put aside unexamined (``gc.freeze``, which costs the same at any size); what other requests make is looked
through right after each.
"""

from __future__ import annotations

import gc

from confsim.http.live.connection import Handler
from confsim.service.messages import Request, Response

#: The part of a path that no request of the API has.
_CONTROL = "/_confsim"
#: Young objects that are looked through in some milliseconds; more are put aside.
_FEW = 20_000


class Collecting:
    """A handler of requests that collects garbage where there may be some. The collector must be disabled."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    def __call__(self, request: Request) -> Response:
        """The response to a request."""
        if _CONTROL not in request.target:
            return self._handler(request)
        gc.freeze()
        try:
            return self._handler(request)
        finally:
            if gc.get_count()[0] < _FEW:
                gc.collect(0)

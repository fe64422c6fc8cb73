"""Events that a live server logs of its requests."""

from __future__ import annotations

import logging
from collections.abc import Callable

from confsim.service.messages import Request, Response

#: Called with each request that is answered, is yet to be answered (its response says so) or, with None, no longer can
#: be: the request, the response, the seconds since it came.
Log = Callable[[Request, Response | None, float], object]

_LOG = logging.getLogger("confsim.http")


def tell(log: Log, request: Request, response: Response | None, seconds: float) -> None:
    """Log a request; a log that fails holds up nobody."""
    try:
        log(request, response, seconds)
    except Exception:
        _LOG.exception("the call cannot be logged: %s %s", request.method, request.target)

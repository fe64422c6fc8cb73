"""The events of requests that a live server logs."""

from __future__ import annotations

import logging
from collections.abc import Callable

from confsim.service.messages import Request, Response

#: Called with each request: when it is answered, when its response is pending, or with None when its client has gone;
#: with the response and the seconds since the request.
Log = Callable[[Request, Response | None, float], object]

_LOG = logging.getLogger("confsim.http")


def log_request(log: Log, request: Request, response: Response | None, seconds: float) -> None:
    """Log a request; an exception of the log function is ignored."""
    try:
        log(request, response, seconds)
    except Exception:
        _LOG.exception("the call cannot be logged: %s %s", request.method, request.target)

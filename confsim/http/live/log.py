"""The events of requests that a live server logs."""

from __future__ import annotations

import logging
from collections.abc import Callable

from confsim.service.messages import Outcome, Request

#: Called with each request: when it is answered, when its response comes later, or with None when its client has gone;
#: with the response, or its future, and the seconds since the request.
Log = Callable[[Request, Outcome | None, float], object]

_LOG = logging.getLogger("confsim.http")


def log_request(log: Log, request: Request, response: Outcome | None, seconds: float) -> None:
    """Log a request; an exception of the log function is ignored."""
    try:
        log(request, response, seconds)
    except Exception:
        _LOG.exception("the call cannot be logged: %s %s", request.method, request.target)

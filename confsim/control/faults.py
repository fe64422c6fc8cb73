"""Faults of the world: what goes wrong because a test wants it to, by operation and by thing."""

from __future__ import annotations

from typing import Any

from confsim.contract.types import Json, Wire
from confsim.service import fault
from confsim.service.faults import Standing

from .control import Control, Order, operation


class FaultInfo(Wire, kw_only=True):
    """A fault in force. ``met`` counts the calls or things that match, ``hits`` those of them that were struck."""

    id: str
    operation: str | None = None
    thing: str | None = None
    match: dict[str, Any]
    on: int
    times: Json
    do: Json
    met: int
    hits: int


class ByRequest(Wire):
    """Whether a request may bring what is to be done to it."""

    enabled: bool


class SetByRequest(Order):
    """Whether a request may bring what is to be done to it."""

    enabled: bool


@operation("GET /faults")
def list_faults(control: Control) -> list[FaultInfo]:
    """List the faults in force, in their order, each with what it met and hit."""
    return [_told(each) for each in control.service.faults]


@operation("PUT /faults")
def put_faults(control: Control, body: Json) -> list[FaultInfo]:
    """Let these be the faults from now on, and answer them; all are taken or none.

    Each is ``{operation, match, on, times, do}``, or ``thing`` for the operation; id, met and hits are passed over. It
    strikes from the ``on``-th call or thing (1) that matches, ``times`` of them (1), or "always".

    - ``operation``: one of the API by its name, or "*". ``match``: parameters of its path as they stand there,
      ``caller`` (a token or a user id), ``client`` (the caller's). ``do``: ``reason`` (a refusal of the API's own by
      its code) with ``facts``; or ``status`` with ``body`` and ``headers``; ``retryAfter`` in seconds, alone the rate
      limit; ``clock``, a duration on the clock of the world; ``real``, a true one up to 30s; ``drop`` the connection
      "before" the operation or "after"; ``truncate`` the body after so many bytes, or true.
    - ``thing`` and ``do``: admission (refused, ignored), call (busy, unanswered, failed), recording (stuck, failed,
      late), proxy (creating), mail (lost), webhook (lost, doubled, late, out of order): the outcome, or ``{outcome,
      by}`` with a duration. ``match``: what the thing is told from others by, such as channel, user, to, kind.

    Misuse names the first of what is not known, with the nearest name.
    """
    control.service.faults.put(fault.read_all(body))
    return list_faults(control)


@operation("POST /faults")
def add_fault(control: Control, body: Json) -> FaultInfo:
    """Add one fault after those in force, whose counts go on. Misuse as of ``put_faults``."""
    control.service.faults.add(fault.read(body))
    return list_faults(control)[-1]


@operation("DELETE /faults")
def clear_faults(control: Control) -> list[FaultInfo]:
    """Take all faults away; answers the empty list that is left."""
    control.service.faults.put([])
    return list_faults(control)


@operation("GET /faults/by-request")
def get_by_request(control: Control) -> ByRequest:
    """Tell whether a request may bring what is to be done to it, in X-Confsim or ``_confsim``."""
    return ByRequest(enabled=control.service.faults.by_request)


@operation("PUT /faults/by-request")
def set_by_request(control: Control, body: SetByRequest) -> ByRequest:
    """Let requests bring what is to be done to them, or pass it over; a reset leaves that as it is.

    A request says so by the header X-Confsim or the query parameter ``_confsim``: a JSON object of what a fault can
    ``do``, or ``name=value;...``; and ``now``, the instant at which it is served. It holds for this request alone.
    """
    control.service.faults.by_request = body.enabled
    return get_by_request(control)


def _told(standing: Standing) -> FaultInfo:
    asked = standing.fault
    return FaultInfo(
        id=standing.id,
        operation=asked.operation,
        thing=asked.thing,
        match=dict(asked.match),
        on=asked.on,
        times=asked.times,
        do=asked.do,
        met=standing.met,
        hits=standing.hits,
    )

"""Faults of the world: failures that a test injects, by operation and by thing."""

from __future__ import annotations

from typing import Annotated, Any

from confsim.contract.types import Json, Wire
from confsim.control.context import ControlContext
from confsim.control.declare import CommandBody, operation
from confsim.service.faults import spec
from confsim.service.faults.injection import ActiveFault


class FaultInfo(Wire, kw_only=True):
    """An active fault. ``met`` counts the calls or things that matched, ``hits`` those that it was injected into."""

    id: Annotated[str, "The id of the fault."]
    operation: Annotated[str | None, "The operation that it is injected into."] = None
    thing: Annotated[str | None, "The kind of thing that it is injected into."] = None
    match: Annotated[dict[str, Any], "What a call or thing must be like."]
    on: Annotated[int, "From which of them on it is injected."]
    times: Annotated[Json, "How often it is injected."]
    do: Annotated[Json, "What it does."]
    met: Annotated[int, "How many calls or things matched."]
    hits: Annotated[int, "How many it was injected into."]


class ByRequest(Wire):
    """Whether a request can carry faults for itself."""

    enabled: Annotated[bool, "Whether a request can carry faults for itself."]


class SetByRequest(CommandBody):
    """Whether a request can carry faults for itself."""

    enabled: Annotated[bool, "Whether a request can carry faults for itself."]


@operation("GET /faults")
def list_faults(context: ControlContext) -> list[FaultInfo]:
    """List the active faults, in their order, each with its counts."""
    return [_describe(each) for each in context.service.faults]


@operation("PUT /faults")
def put_faults(context: ControlContext, body: Json) -> list[FaultInfo]:
    """Replace the faults by these, and return them; all or, when one is invalid, none of them.

    Each is ``{operation, match, on, times, do}``, or with ``thing`` in place of the operation; id, met and hits are
    ignored. It is injected from the ``on``-th matching call or thing (default 1), ``times`` times (default 1) or
    "always".

    - ``operation``: the name of an operation of the API, or "*". ``match``: parameters of its path by name, ``caller``
      (a token or a user id), ``client`` (of the caller). ``do``: ``reason`` (the code of a refusal of the API) with
      ``facts``; or ``status`` with ``body`` and ``headers``; ``retryAfter`` in seconds, by itself the refusal of the
      rate limit; ``clock``, a delay on the clock of the world; ``real``, a delay in real time up to 30s; ``drop``: cut
      the connection "before" or "after" the operation; ``truncate``: cut the body after so many bytes, or true.
    - ``thing`` and ``do``: admission (refused, ignored), call (busy, unanswered, failed), recording (stuck, failed,
      late), proxy (creating), mail (lost), webhook (lost, doubled, late, out of order): the outcome, or ``{outcome,
      by}`` with a duration. ``match``: the attributes to match on, such as channel, user, to, kind.

    Misuse with the first unknown name and the name closest to it.
    """
    context.service.faults.put(spec.read_all(body))
    return list_faults(context)


@operation("POST /faults")
def add_fault(context: ControlContext, body: Json) -> FaultInfo:
    """Add a fault after the active ones, which keep their counts. Misuse as of ``put_faults``."""
    context.service.faults.add(spec.read(body))
    return list_faults(context)[-1]


@operation("DELETE /faults")
def clear_faults(context: ControlContext) -> list[FaultInfo]:
    """Remove all faults, and return the empty list."""
    context.service.faults.put([])
    return list_faults(context)


@operation("GET /faults/by-request")
def get_by_request(context: ControlContext) -> ByRequest:
    """Get whether a request can carry faults for itself, in X-Confsim or ``_confsim``."""
    return ByRequest(enabled=context.service.faults.by_request)


@operation("PUT /faults/by-request")
def set_by_request(context: ControlContext, body: SetByRequest) -> ByRequest:
    """Set whether requests can carry faults for themselves, or whether these are ignored; a reset does not change it.

    A request carries one in the header X-Confsim or in the query parameter ``_confsim``: a JSON object of effects, as
    the ``do`` of a fault, or ``name=value;...``; and ``now``, the instant at which it is served.
    """
    context.service.faults.allow_by_request(body.enabled)
    return get_by_request(context)


def _describe(active: ActiveFault) -> FaultInfo:
    fault_spec = active.spec
    return FaultInfo(
        id=active.id,
        operation=fault_spec.operation,
        thing=fault_spec.thing,
        match=dict(fault_spec.match),
        on=fault_spec.on,
        times=fault_spec.times,
        do=fault_spec.do,
        met=active.met,
        hits=active.hits,
    )

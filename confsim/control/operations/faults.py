"""Faults of the world: failures that a test injects into calls and things, and the calls that they hold."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import msgspec

from confsim.contract.types import Json, Pattern, ReadAs, Wire
from confsim.control.context import ControlContext
from confsim.control.declare import CommandBody, operation
from confsim.control.fields import FaultDo, FaultEffect, one_of
from confsim.control.matching import read_body
from confsim.control.operations import bounds
from confsim.domain.fault_points import FAULT_POINTS
from confsim.kernel.refusal import Misuse, require_at_most
from confsim.service.faults import injection, spec
from confsim.service.faults.holding import HeldCall
from confsim.service.faults.interceptor import ActiveFault
from confsim.service.faults.words import read_effect
from confsim.service.masking import Mask

#: Decisions on a held call.
_ACTIONS = ("release", "change", "drop")

Times = Annotated[
    Json,
    Pattern(lambda profile: {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "enum": [spec.ALWAYS]}]}),
    "The number of times it is injected, or always.",
]


class Fault(CommandBody, kw_only=True):
    """A fault of calls of an operation, or of things of a kind. ``id``, ``met`` and ``hits`` are ignored."""

    ONE_OF: ClassVar = ("operation", "thing")

    operation: Annotated[str | None, "The name of an operation of the API, or * for all of them."] = None
    thing: Annotated[
        Annotated[str, one_of(*FAULT_POINTS)] | None, "The kind of thing that it is injected into, in its place."
    ] = None
    match: Annotated[dict[str, str | int], "The properties of the calls or things."] = {}
    on: Annotated[int, Pattern(lambda profile: {"minimum": 1}), "From which of them on it is injected."] = 1
    times: Times = 1
    do: FaultDo
    id: Annotated[Json, "The id of an active fault."] = None
    met: Annotated[Json, "The number of things that an active one matched."] = None
    hits: Annotated[Json, "The number of things that an active one was injected into."] = None


class FaultInfo(Wire, kw_only=True):
    """An active fault. ``met`` counts the calls or things that matched, ``hits`` those that it was injected into."""

    id: Annotated[str, "The id of the fault."]
    operation: Annotated[str | None, "The operation that it is injected into."] = None
    thing: Annotated[str | None, "The kind of thing that it is injected into."] = None
    match: Annotated[dict[str, str | int], "The properties of the calls or things."]
    on: Annotated[int, "From which of them on it is injected."]
    times: Times
    do: FaultDo
    met: Annotated[int, "The number of matching calls or things."]
    hits: Annotated[int, "The number of calls or things it was injected into."]


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


@operation("PUT /faults", sets_faults=True, most_bytes=bounds.LARGE, bounds=bounds.FAULTS | bounds.HELD)
def put_faults(context: ControlContext, body: Annotated[Json, ReadAs(list[Fault])]) -> list[FaultInfo]:
    """Replace the faults by these, and return them; all or, when one is invalid, none of them.

    Each is ``{operation, match, on, times, do}``, or with ``thing`` in place of the operation; id, met and hits are
    ignored. It is injected from the ``on``-th matching call or thing (default 1), ``times`` times (default 1) or
    "always".

    - ``operation``: the name of an operation of the API, or "*". ``match``: parameters of its path by name, ``caller``
      (a token or a user id), ``client`` (of the caller). ``do``: ``reason`` (the code of a refusal of the API) with
      ``facts``; or ``status`` with ``body`` and ``headers``; ``retryAfter`` in seconds, by itself the refusal of the
      rate limit; ``clock``, a delay on the clock of the world; ``real``, a delay in real time up to 30s; ``drop``: cut
      the connection "before" or "after" the operation; ``truncate``: cut the body after this number of bytes, or true;
      ``hold``: hold the call "before" or "after" the operation, until ``decide_held``, or for ``holdAtMost`` (30s).
    - ``thing`` and ``do``: admission (refused, ignored), call (busy, unanswered, failed), recording (stuck, failed,
      late), proxy (creating), mail (lost), webhook (lost, doubled, late, out of order): the outcome, or ``{outcome,
      by}`` with a duration. ``match``: the attributes to match on, such as channel, user, to, kind.

    Misuse with the first unknown name and the name closest to it.
    """
    if isinstance(body, list):
        require_at_most(len(body), injection.MOST, "faults of the world")
    context.service.faults.put(spec.read_all(body))
    return list_faults(context)


@operation("POST /faults", sets_faults=True, most_bytes=bounds.LARGE, bounds=bounds.FAULTS | bounds.HELD)
def add_fault(context: ControlContext, body: Annotated[Json, ReadAs(Fault)]) -> FaultInfo:
    """Add a fault after the active ones, which keep their counts. Misuse as of ``put_faults``."""
    context.service.faults.add(spec.read(body))
    return list_faults(context)[-1]


@operation("DELETE /faults")
def clear_faults(context: ControlContext) -> list[FaultInfo]:
    """Remove all faults, and return the empty list."""
    context.service.faults.put([])
    return list_faults(context)


@operation("DELETE /faults/{id}")
def remove_fault(context: ControlContext, id: Annotated[str, "The id of the fault."]) -> list[FaultInfo]:
    """Remove one fault, and return the others, which keep their counts. Misuse (404) for an unknown id."""
    context.service.faults.remove(id)
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


# Held calls


class HeldCallInfo(Wire):
    """A call that is held, ``when`` "before" its operation, which has done nothing, or "after", when it is committed.

    ``request`` is the id of its journal entry and ``status`` and ``answer`` are what is withheld, once it has run.
    """

    id: Annotated[str, "The id of the held call."]
    when: Annotated[str, one_of("before", "after"), "Whether it is held before its operation or after it."]
    since: Annotated[int, "The instant at which it came in, in epoch milliseconds."]
    remaining: Annotated[int, "The milliseconds of real time after which it is released."]
    operation: Annotated[str, "The operation that was called."]
    method: Annotated[str, "The method of the call."]
    path: Annotated[str, "The path of the call."]
    query: Annotated[str, "The query of the call, as it was sent."]
    body: Annotated[Any, "The body, as JSON or as text."]
    request: Annotated[str | None, "The id of the call in the journal, once it has run."] = None
    status: Annotated[int | None, "The status that is withheld."] = None
    answer: Annotated[Json, "The answer that is withheld, as JSON or as text."] = None


class DecideHeld(CommandBody):
    """The decision on a held call. ``action`` is "release", "change" or "drop".

    A change has ``do``, the effect that decides the answer, as the ``do`` of a fault: ``{"status": 503}``; or ``body``,
    the JSON body that the operation gets in place of the one that was sent, for a call held before it.
    """

    action: Annotated[str, one_of(*_ACTIONS), "What becomes of it."]
    do: Annotated[FaultEffect, "The effect on the call."] = None
    body: Annotated[Json, "The body that the operation gets."] = None


class HeldOutcome(Wire):
    """The outcome of a held call, and the id of the call in the journal."""

    id: Annotated[str, "The id of the held call."]
    outcome: Annotated[str, one_of("released", "changed", "dropped"), "Its outcome."]
    request: Annotated[str | None, "The id of the call in the journal."] = None


@operation("GET /held")
def list_held(context: ControlContext) -> list[HeldCallInfo]:
    """List the calls that are held, in the order in which they came.

    A fault whose ``do`` has ``hold`` "before" or "after" holds calls, each until it is released, changed or dropped, or
    until ``holdAtMost`` of real time is over (by default 30s). Other calls are not delayed.
    """
    return [_describe_held(context, each) for each in context.service.pipeline.held]


@operation("POST /held/{id}", replayed=False, most_bytes=bounds.LARGE)
def decide_held(
    context: ControlContext, id: Annotated[str, "The id of the held call."], body: DecideHeld
) -> HeldOutcome:
    """Release, change or drop a held call; the rest of the call is complete when this returns.

    A dropped call has its connection closed; one that was held after its operation has changed the world nevertheless.
    Misuse (404) for a call that is not held, (409) for another body of a call that has run.
    """
    held, action = context.service.pipeline.held, body.action
    if action not in _ACTIONS:
        raise Misuse(f"action: {action!r} is none of {', '.join(_ACTIONS)}")
    if action == "change":
        if (body.do is None) is (body.body is None):
            raise Misuse("a change has either do or body")
        if body.do is None:
            done = held.release(id, msgspec.json.encode(body.body))
        else:
            effect = read_effect(body.do, "do")
            if effect.hold or effect.drop:
                raise Misuse("do: a held call is not held again, and is dropped by the action")
            done = held.change(id, effect)
    elif body.do is not None or body.body is not None:
        raise Misuse(f"action: {action} takes neither do nor body")
    else:
        done = held.drop(id) if action == "drop" else held.release(id)
    entry = done.entry
    return HeldOutcome(id=id, outcome=done.outcome, request=None if entry is None else entry.id)


def _describe_held(context: ControlContext, held: HeldCall) -> HeldCallInfo:
    request, entry = held.incoming.request, held.entry
    mask = Mask(context.service.profile, context.service.world)
    return HeldCallInfo(
        id=held.id,
        when="before" if entry is None else "after",
        since=held.since,
        remaining=held.remaining,
        operation=held.incoming.operation.name,
        method=request.method,
        path=mask.path(request.target),
        query=mask.query(request.query),
        body=read_body(request.body),
        request=None if entry is None else entry.id,
        status=None if entry is None else entry.response.status,
        answer=None if entry is None else read_body(entry.response.body),
    )

"""Journal entries as the control plane describes them, and the search for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from confsim.api.catalogue import API
from confsim.assumptions.register import ProfileContext
from confsim.contract.operation import Operation
from confsim.contract.query import decode_query, unknown_parameters
from confsim.contract.types import Wire
from confsim.domain.identity.credentials import CREDENTIALS
from confsim.kernel.refusal import Refusal
from confsim.kernel.timers import NEVER
from confsim.kernel.world import Change
from confsim.service.entries import ControlCall, JournalEntry, Noted, TimerEntry
from confsim.service.faults.interceptor import FaultHit as Hit
from confsim.service.faults.per_request import QUERY
from confsim.service.masking import Mask
from confsim.service.service import Service
from confsim.transport.address import route
from confsim.values.urls import normalised

from .context import ControlContext
from .declare import CONTROL
from .fields import FaultDo, one_of
from .labels.call import about
from .labels.label import Named, caller_label
from .labels.timer import FiredTimer, describe_timer, of_entry
from .matching import EntryKind, RequestPattern, kind_of, matches, read_body, require_known
from .moments import in_order
from .record_changes import RecordChange, changes

#: Bytes of a body up to which it is read for what a call is about.
_READ = 64 << 10


class IgnoredInput(Wire):
    """Fields of the body and parameters of the query that the operation does not know; they had no effect."""

    body: Annotated[list[str], "Fields of the body that had no effect."]
    query: Annotated[list[str], "Parameters of the query that had no effect."]


class CallerInfo(Wire):
    """The caller: a user, or an API token."""

    clientId: Annotated[str, "The client of the caller."]
    userId: Annotated[int | None, "The user who called."] = None
    apiToken: Annotated[str | None, "The API token that called."] = None
    label: Annotated[str, "What people call the caller."] = ""
    token: Annotated[str, "The token by which it called: whole if it never expires, as get_info shows it."] = ""
    expires: Annotated[int | None, "The instant at which the token expires, in epoch milliseconds; null for never."] = (
        None
    )


class FaultHit(Wire):
    """A fault that was injected into a call or a thing: its id (null for one of the request itself), its effect ``do``.

    ``when`` is "before" if the operation did not run, "after" if it ran, "within" for an effect on a thing. ``held`` is
    "held", "released", "changed", "dropped", or "expired" for a call that was released after its time.
    """

    id: Annotated[str | None, "The id of the fault; null for one of the request itself."]
    do: Annotated[FaultDo, "The effect of the fault."]
    when: Annotated[
        str, one_of("before", "after", "within"), "Whether the operation ran before it, after it or around it."
    ]
    held: Annotated[
        Annotated[str, one_of("held", "released", "changed", "dropped", "expired")] | None,
        "The outcome of a call that was held.",
    ] = None


class RequestInfo(Wire):
    """A call of the API. ``operation`` is null when no route matched.

    ``assumptions`` are the ids of those that it used, and of those that the start was built on and that it shows.
    ``fault`` lists the faults injected into it; the status is 0 when no response was sent. ``fired`` lists the timers
    that fired since the call before it, in order, on a clock that ran or was moved.

    An entry of ``kind`` "control" is a call of the control plane that changed something or used an assumption; its
    answer is not stored. One of kind "timer" is a timer that ``fired``, at its due instant.
    """

    id: Annotated[str, "The id of the call."]
    at: Annotated[int, "The instant of it, in epoch milliseconds."]
    operation: Annotated[str | None, "The operation that was called; null when no route matched."]
    method: Annotated[str, "The method of the call."]
    path: Annotated[str, "The path of the call."]
    query: Annotated[dict[str, str], "The parameters of the query."]
    body: Annotated[Any, "The body, as JSON or as text."]
    status: Annotated[int, "The status of the answer."]
    answer: Annotated[Any, "The body of the answer, as JSON or as text."]
    caller: Annotated[CallerInfo | None, "The caller; null on a public call."]
    assumptions: Annotated[list[str], "The ids of the assumptions that it relied on."]
    changes: Annotated[list[RecordChange], "The records that it wrote."]
    ignored: Annotated[IgnoredInput, "Input that had no effect."]
    fault: Annotated[list[FaultHit], "The faults that were injected into it."]
    fired: Annotated[list[FiredTimer], "The timers that fired since the call before."]
    kind: Annotated[EntryKind, "The kind of entry."] = EntryKind.CALL
    about: Annotated[Named | None, "The record that it is about, by its label; null for none."] = None

    def __repr__(self) -> str:
        return f"<{self.id} {self.method} {self.path} [{self.operation or 'no operation'}] {self.status}>"


def describe(context: ControlContext, entry: Noted, longest: int | None = None) -> RequestInfo:
    """Return the description of an entry of any kind; a body of more than ``longest`` bytes is not shown."""
    if isinstance(entry, ControlCall):
        return _control_call(context, entry)
    if isinstance(entry, TimerEntry):
        return _timer(context, entry)
    request, response = entry.request, entry.response
    mask = Mask(context.service.profile, entry.after)
    query, then = _query(context, mask.query(request.query)), entry.before.change(0)
    performed = API.find(entry.operation)
    return RequestInfo(
        id=entry.id,
        at=entry.at,
        operation=entry.operation or None,
        method=request.method,
        path=mask.path(request.target),
        query=query,
        body=read_body(request.body, longest),
        status=response.status,
        answer=read_body(response.body, longest),
        caller=_caller(context, then, entry),
        assumptions=context.service.relied_on(entry),
        changes=list(changes(entry.touched, entry.before, entry.after)),
        ignored=_ignored(performed, _without(query), request.body),
        fault=describe_hits(entry.fault),
        fired=[describe_timer(then, timer) for timer in entry.fired],
        about=about_entry(context.service, entry),
    )


def list_entries(
    context: ControlContext, pattern: RequestPattern, kind: EntryKind, limit: int | None = None, offset: int = 0
) -> list[RequestInfo]:
    """Return the descriptions of the entries of a kind that match, oldest first.

    With ``limit`` only the newest ones, before the newest ``offset``. Control calls and timers are in their order
    between the calls. Raises Misuse (404) for an unknown operation or assumption.
    """
    require_known(pattern, kind)
    journal = context.service.journal
    found = [
        each
        for each in (journal if kind is EntryKind.CALL else in_order(journal))
        if kind in {kind_of(each), EntryKind.ALL} and matches(context, each, pattern)
    ]
    end = max(0, len(found) - offset)
    return [describe(context, entry) for entry in found[0 if limit is None else max(0, end - limit) : end]]


def describe_hits(hits: Iterable[Hit]) -> list[FaultHit]:
    """Return the description of faults that hit a call or a thing."""
    return [FaultHit(id=hit.id or None, do=hit.do, when=hit.when, held=hit.held or None) for hit in hits]


def _control_call(context: ControlContext, call: ControlCall) -> RequestInfo:
    """Return the description of a control call."""
    operation = CONTROL[call.operation]
    method, target = route(operation, call.path, {})
    return RequestInfo(
        id=call.id,
        at=call.at,
        operation=call.operation,
        method=method,
        path=context.service.address.mount + target,
        query=dict(call.query),
        body=read_body(call.body),
        status=call.status,
        answer=None,
        caller=None,
        assumptions=list(call.assumptions),
        changes=[] if call.worlds is None else list(changes(call.touched, *call.worlds)),
        ignored=IgnoredInput(body=[], query=[]),
        fault=describe_hits(call.fault),
        fired=[],
        kind=EntryKind.CONTROL,
        about=about_entry(context.service, call),
    )


def _timer(context: ControlContext, entry: TimerEntry) -> RequestInfo:
    """Return the description of a timer."""
    return RequestInfo(
        id=entry.id,
        at=entry.at,
        operation=None,
        method="",
        path="",
        query={},
        body=None,
        status=0,
        answer=None,
        caller=None,
        assumptions=list(entry.assumptions),
        changes=list(changes(entry.touched, *entry.worlds)),
        ignored=IgnoredInput(body=[], query=[]),
        fault=describe_hits(entry.fault),
        fired=[of_entry(entry)],
        kind=EntryKind.TIMER,
        about=about_entry(context.service, entry),
    )


def about_entry(service: Service, entry: Noted) -> Named | None:
    """Return the record that an entry is about, by its label; None for one that names nothing."""
    if isinstance(entry, TimerEntry):
        fired = of_entry(entry)
        return Named(kind=fired.kind, id=fired.id, client=entry.client, label=fired.label) if fired.kind else None
    if isinstance(entry, ControlCall):
        worlds = () if entry.worlds is None else entry.worlds[::-1]
        return about(worlds, CONTROL[entry.operation], "/".join(entry.path), read_body(entry.body, _READ), "")
    path = Mask(service.profile, entry.after).path(entry.request.target)
    client = "" if entry.caller is None else entry.caller.client.id
    body = read_body(entry.request.body, _READ)
    return about((entry.after, entry.before), API.find(entry.operation), path, body, client)


def _caller(context: ControlContext, change: Change, entry: JournalEntry) -> CallerInfo | None:
    caller = entry.caller
    if caller is None:
        return None
    return CallerInfo(
        clientId=caller.client.id,
        userId=None if caller.user is None else caller.user.id,
        apiToken=caller.api_token,
        label=caller_label(change, caller),
        token=_token(context, change, entry),
        expires=None if caller.expires == NEVER else caller.expires,
    )


def _token(context: ControlContext, change: Change, entry: JournalEntry) -> str:
    """Return the token of a call: one that never expires, else its beginning."""
    try:
        token = entry.token or context.service.token_of(entry.request, _query(context, entry.request.query)) or ""
    except Refusal:
        return ""
    credential = CREDENTIALS.get(change, token)
    return token if credential is not None and credential.expires is None else f"{token[:4]}…" if token else ""


def _query(context: ControlContext, text: str) -> dict[str, str]:
    try:
        return decode_query(ProfileContext(context.service.profile), text)
    except Refusal:
        return {"": text}


def _without(query: dict[str, str]) -> dict[str, str]:
    """Return the query without the parameter that carries a fault for this request."""
    return {name: value for name, value in query.items() if name != QUERY}


def _ignored(performed: Operation | None, query: dict[str, str], raw: bytes) -> IgnoredInput:
    if performed is None:
        return IgnoredInput(body=[], query=[])
    body = performed.body
    return IgnoredInput(
        body=[] if body is None else body.ignored_fields(raw), query=unknown_parameters(performed, query)
    )


def below(context: ControlContext, entry: JournalEntry) -> str:
    """Return the path of the call below the mount of the world, as sent."""
    mount, target = context.service.address.mount, entry.request.target
    if not mount or not normalised(target).startswith(f"{mount}/"):
        return target
    return "/" + target.split("/", mount.count("/") + 1)[-1]

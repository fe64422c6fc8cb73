"""Journal entries as the control plane describes them, and the search for entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from confsim.api.catalogue import API
from confsim.assumptions.register import ProfileContext
from confsim.contract.operation import Operation
from confsim.contract.query import decode_query, unknown_parameters
from confsim.contract.types import Int, Json, Wire
from confsim.domain.identity.credentials import Caller
from confsim.kernel.refusal import Misuse, Refusal
from confsim.kernel.table import Table
from confsim.kernel.timers import Timer
from confsim.kernel.world import World
from confsim.service.faults.per_request import QUERY
from confsim.service.journal import Entry

from .context import ControlContext
from .declare import CommandBody


class FiredTimer(Wire):
    """A timer that fired: when, its kind (``what``), and the client and the thing that it concerned."""

    at: int
    what: str
    client: str
    subject: str


def describe_timer(timer: Timer) -> FiredTimer:
    """The description of a timer that fired."""
    return FiredTimer(at=timer.due, what=timer.kind, client=timer.client, subject=timer.subject)


class RecordChange(Wire):
    """A record that a call wrote: its changed fields. ``before`` is null for a new one, ``after`` for a removed one."""

    table: str
    client: str
    key: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class IgnoredInput(Wire):
    """Fields of the body and parameters of the query that the operation does not know; they had no effect."""

    body: list[str]
    query: list[str]


class CallerInfo(Wire):
    """The caller: a user, or an API token."""

    clientId: str
    userId: int | None = None
    apiToken: str | None = None


class FaultHit(Wire):
    """A fault that was injected into a call: its id (null for a fault of the request itself) and its effect ``do``.

    ``when`` is "before" if the operation did not run, "after" if it ran, "within" for an effect on a thing.
    """

    id: str | None
    do: Json
    when: str


class RequestInfo(Wire):
    """A call of the API. ``operation`` is null when no route matched; ``assumptions`` are the ids of those it used.

    ``fault`` lists the faults injected into it; the status is 0 when no response was sent. ``fired`` lists the timers
    that fired since the call before it, in order, on a clock that ran or was moved.
    """

    id: str
    at: int
    operation: str | None
    method: str
    path: str
    query: dict[str, str]
    body: Any
    status: int
    answer: Any
    caller: CallerInfo | None
    assumptions: list[str]
    changes: list[RecordChange]
    ignored: IgnoredInput
    fault: list[FaultHit]
    fired: list[FiredTimer]


class RequestPattern(CommandBody):
    """A pattern of calls; a call matches when it matches every field that is given.

    ``path`` may contain ``*`` for any text. ``body`` matches part of the JSON body: an object matches one that has at
    least its fields, any other value must be equal.
    """

    operation: str | None = None
    method: str | None = None
    path: str | None = None
    status: Int | None = None
    body: Json = None


def matching(context: ControlContext, pattern: RequestPattern) -> Iterator[Entry]:
    """The entries of the journal that match, oldest first. Raises Misuse (404) for an unknown operation."""
    if pattern.operation is not None and pattern.operation not in API.operations:
        raise Misuse(f"there is no operation {pattern.operation!r}", status=404)
    for entry in context.service.journal:
        request = entry.request
        if (
            (pattern.operation is None or entry.operation == pattern.operation)
            and (pattern.method is None or request.method == pattern.method.upper())
            and (pattern.path is None or fnmatchcase(request.target, pattern.path))
            and (pattern.status is None or entry.response.status == pattern.status)
            and (pattern.body is None or part_of(pattern.body, _read(request.body)))
        ):
            yield entry


def describe(context: ControlContext, entry: Entry) -> RequestInfo:
    """The description of an entry."""
    request, response = entry.request, entry.response
    query = _query(context, request.query)
    return RequestInfo(
        id=entry.id,
        at=entry.at,
        operation=entry.operation or None,
        method=request.method,
        path=request.target,
        query=query,
        body=_read(request.body),
        status=response.status,
        answer=_read(response.body),
        caller=_caller(entry.caller),
        assumptions=list(entry.assumptions),
        changes=list(changes(entry)),
        ignored=_ignored(API.get(entry.operation), _without(query), request.body),
        fault=[FaultHit(id=hit.id or None, do=hit.do, when=hit.when) for hit in entry.fault],
        fired=[describe_timer(timer) for timer in entry.fired],
    )


def _caller(caller: Caller | None) -> CallerInfo | None:
    if caller is None:
        return None
    return CallerInfo(
        clientId=caller.client.id,
        userId=None if caller.user is None else caller.user.id,
        apiToken=caller.api_token,
    )


def _query(context: ControlContext, text: str) -> dict[str, str]:
    try:
        return decode_query(ProfileContext(context.service.profile), text)
    except Refusal:
        return {"": text}


def _without(query: dict[str, str]) -> dict[str, str]:
    """The query without the parameter that carries a fault for this request."""
    return {name: value for name, value in query.items() if name != QUERY}


def _ignored(performed: Operation | None, query: dict[str, str], raw: bytes) -> IgnoredInput:
    if performed is None:
        return IgnoredInput(body=[], query=[])
    body = performed.body
    return IgnoredInput(
        body=[] if body is None else body.ignored_fields(raw), query=unknown_parameters(performed, query)
    )


def _read(raw: bytes) -> Any:
    """The bytes as a JSON value, else as text, else as a remark on their number; None for none."""
    if not raw:
        return None
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
        pass
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return f"<{len(raw)} bytes>"


def changes(entry: Entry) -> Iterator[RecordChange]:
    """The records that the call wrote, each once, with the fields that changed."""
    for (client, table), key in dict.fromkeys(entry.touched):
        before, after = (_record(world, client, table, key) for world in (entry.before, entry.after))
        if before == after:
            continue
        if before is not None and after is not None:
            names = [name for name in after if before.get(name) != after[name]]
            before, after = ({name: each[name] for name in names} for each in (before, after))
        yield RecordChange(table=table, client=client, key=key_text(key), before=before, after=after)


def _record(world: World, client: str, table: str, key: Any) -> dict[str, Any] | None:
    record = Table.declared[table].seen(world, client).get(key)
    if record is None:
        return None
    fields: dict[str, Any] = msgspec.to_builtins(record, str_keys=True)
    return fields


def key_text(key: Any) -> str:
    """The key of a record as text, the parts of a compound key separated by spaces."""
    return " ".join("" if part is None else str(part) for part in key) if isinstance(key, tuple) else str(key)


def below(context: ControlContext, entry: Entry) -> str:
    """The path of the call below the mount of the world, as it was sent."""
    mount, target = context.service.address.mount, entry.request.target
    return target.removeprefix(mount) if mount and target.startswith(f"{mount}/") else target


def part_of(part: Any, whole: Any) -> bool:
    """Whether a JSON value matches part of another: an object one with at least its fields, else equal values."""
    if isinstance(part, Mapping):
        return isinstance(whole, Mapping) and all(
            name in whole and part_of(value, whole[name]) for name, value in part.items()
        )
    if isinstance(part, list):
        return isinstance(whole, list) and len(part) == len(whole) and all(map(part_of, part, whole))
    return type(part) is type(whole) and bool(part == whole)

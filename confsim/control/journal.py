"""The journal: every call of the API, what it was answered, what it leaned on and what it changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

import msgspec

from confsim.api.catalogue import API
from confsim.assumptions.protocol import transport
from confsim.assumptions.register import ProfileContext, in_force
from confsim.contract.operation import Operation
from confsim.contract.query import query_of, unknown
from confsim.contract.types import Int, Json, Wire
from confsim.domain.identity.credentials import Caller
from confsim.kernel.refusal import Misuse, Refusal
from confsim.kernel.table import Table
from confsim.kernel.world import World
from confsim.service.brought import QUERY
from confsim.service.journal import Entry

from .clock import Happened, happened
from .control import Control, Order, operation

#: So many characters of a segment of a path tell what it comes near to.
_LONGEST = 80


class Changed(Wire):
    """A record that a call wrote: the fields that differ; ``before`` null when it was made, ``after`` when removed."""

    table: str
    client: str
    key: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class Ignored(Wire):
    """What a call sent and the service passed over."""

    body: list[str]
    query: list[str]


class CallerInfo(Wire):
    """Who called: a user, or an API token."""

    clientId: str
    userId: int | None = None
    apiToken: str | None = None


class Struck(Wire):
    """A fault that struck a call: its id, null for what the request brought itself, and what it did.

    ``when`` is "before" where the operation did not run, "after" where it ran, "within" for what happened in it.
    """

    id: str | None
    do: Json
    when: str


class Seen(Wire):
    """A call. ``operation`` is null when no route matched; ``assumptions`` are the ids of those it leaned on.

    ``fault`` are the faults that struck it; a call that was never answered has the status 0. ``fired`` is what fell due
    since the call before, on a clock that was moved or went on by itself, in order.
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
    changes: list[Changed]
    ignored: Ignored
    fault: list[Struck]
    fired: list[Happened]


class Unmatched(Wire):
    """A call that reached no operation, with the route that comes nearest to it."""

    id: str
    at: int
    method: str
    path: str
    status: int
    nearest: str


class Count(Wire):
    """How many calls there are."""

    count: int


class SetJournal(Order):
    """``most`` is how many calls the journal keeps; fewer while large bodies of theirs take up more than 256 MB."""

    most: Int


class Pattern(Order):
    """Which calls are meant: those that are all of what is given.

    ``path`` may hold ``*`` for anything; ``body`` is a part of the JSON body: objects that have at least these fields,
    everything else equal.
    """

    operation: str | None = None
    method: str | None = None
    path: str | None = None
    status: Int | None = None
    body: Json = None


@operation("GET /requests")
def list_requests(
    control: Control,
    *,
    operation: str | None = None,
    method: str | None = None,
    path: str | None = None,
    status: int | None = None,
    limit: int | None = None,
) -> list[Seen]:
    """List the calls of the API, newest last: those that match, and the last so many of them.

    Misuse (404) for an unknown operation.
    """
    pattern = Pattern(operation=operation, method=method, path=path, status=status)
    found = list(matching(control, pattern))
    return [seen(control, each) for each in (found if limit is None else found[max(0, len(found) - limit) :])]


@operation("PUT /requests")
def set_journal(control: Control, body: SetJournal) -> SetJournal:
    """Say how many calls are kept; the oldest go first."""
    control.service.journal.most = body.most
    return body


@operation("DELETE /requests")
def clear_requests(
    control: Control,
    *,
    operation: str | None = None,
    method: str | None = None,
    path: str | None = None,
    status: int | None = None,
) -> Count:
    """Forget every call, or those that match; tells how many they were. Misuse (404) for an unknown operation."""
    journal, pattern = control.service.journal, Pattern(operation=operation, method=method, path=path, status=status)
    if pattern == Pattern():
        return Count(count=journal.clear())
    return Count(count=journal.forget({each.id for each in matching(control, pattern)}))


@operation("DELETE /requests/{id}")
def forget_request(control: Control, id: str) -> Count:
    """Forget one call. Misuse (404) when there is none of this id."""
    if not control.service.journal.forget((id,)):
        raise Misuse(f"there is no request {id!r}", status=404)
    return Count(count=1)


@operation("POST /requests/count")
def count_requests(control: Control, body: Pattern) -> Count:
    """Count the calls that match. Misuse (404) for an unknown operation."""
    return Count(count=sum(1 for _ in matching(control, body)))


@operation("POST /requests/find")
def find_requests(control: Control, body: Pattern) -> list[Seen]:
    """List the calls that match, newest last. Misuse (404) for an unknown operation."""
    return [seen(control, each) for each in matching(control, body)]


@operation("GET /requests/unmatched")
def list_unmatched_requests(control: Control) -> list[Unmatched]:
    """List the calls that reached no operation, each with the nearest route."""
    return [
        Unmatched(
            id=each.id,
            at=each.at,
            method=each.request.method,
            path=each.request.target,
            status=each.response.status,
            nearest=_nearest(control, each),
        )
        for each in control.service.journal
        if not each.operation and each.response.status >= 400
    ]


def matching(control: Control, pattern: Pattern) -> Iterator[Entry]:
    """The entries that are all of what the pattern says."""
    if pattern.operation is not None and pattern.operation not in API.operations:
        raise Misuse(f"there is no operation {pattern.operation!r}", status=404)
    for entry in control.service.journal:
        request = entry.request
        if (
            (pattern.operation is None or entry.operation == pattern.operation)
            and (pattern.method is None or request.method == pattern.method.upper())
            and (pattern.path is None or fnmatchcase(request.target, pattern.path))
            and (pattern.status is None or entry.response.status == pattern.status)
            and (pattern.body is None or part_of(pattern.body, _read(request.body)))
        ):
            yield entry


def seen(control: Control, entry: Entry) -> Seen:
    """The entry as it is told."""
    request, response = entry.request, entry.response
    query = _query(control, request.query)
    return Seen(
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
        fault=[Struck(id=hit.id or None, do=hit.do, when=hit.when) for hit in entry.fault],
        fired=[happened(timer) for timer in entry.fired],
    )


def _caller(caller: Caller | None) -> CallerInfo | None:
    if caller is None:
        return None
    return CallerInfo(
        clientId=caller.client.id,
        userId=None if caller.user is None else caller.user.id,
        apiToken=caller.api_token,
    )


def _query(control: Control, text: str) -> dict[str, str]:
    try:
        return query_of(ProfileContext(control.service.profile), text)
    except Refusal:
        return {"": text}


def _without(query: dict[str, str]) -> dict[str, str]:
    """The query without what it brings for the simulator itself."""
    return {name: value for name, value in query.items() if name != QUERY}


def _ignored(performed: Operation | None, query: dict[str, str], raw: bytes) -> Ignored:
    if performed is None:
        return Ignored(body=[], query=[])
    body = performed.body
    return Ignored(body=[] if body is None else body.ignored(raw), query=unknown(performed, query))


def _read(raw: bytes) -> Any:
    """The bytes as JSON, as text, or by their number."""
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


def changes(entry: Entry) -> Iterator[Changed]:
    """The records that the call wrote, each once, with the fields that differ."""
    for (client, table), key in dict.fromkeys(entry.touched):
        before, after = (_record(world, client, table, key) for world in (entry.before, entry.after))
        if before == after:
            continue
        if before is not None and after is not None:
            names = [name for name in after if before.get(name) != after[name]]
            before, after = ({name: each[name] for name in names} for each in (before, after))
        yield Changed(table=table, client=client, key=key_text(key), before=before, after=after)


def _record(world: World, client: str, table: str, key: Any) -> dict[str, Any] | None:
    record = Table.declared[table].seen(world, client).get(key)
    if record is None:
        return None
    told: dict[str, Any] = msgspec.to_builtins(record, str_keys=True)
    return told


def key_text(key: Any) -> str:
    """The key of a record as text."""
    return " ".join("" if part is None else str(part) for part in key) if isinstance(key, tuple) else str(key)


def below(control: Control, entry: Entry) -> str:
    """The path of the call below the mount of the world, as it came."""
    mount, target = control.service.mount, entry.request.target
    return target.removeprefix(mount) if mount and target.startswith(f"{mount}/") else target


def part_of(part: Any, whole: Any) -> bool:
    """Whether a JSON value is a part of another: objects have at least its fields, everything else is equal."""
    if isinstance(part, Mapping):
        return isinstance(whole, Mapping) and all(
            name in whole and part_of(value, whole[name]) for name, value in part.items()
        )
    if isinstance(part, list):
        return isinstance(whole, list) and len(part) == len(whole) and all(map(part_of, part, whole))
    return type(part) is type(whole) and bool(part == whole)


def _nearest(control: Control, entry: Entry) -> str:
    """The route that the request comes nearest to."""
    profile = control.service.profile
    prefix = in_force(profile, transport.PREFIX)
    target = below(control, entry)
    asked = [segment[:_LONGEST].lower() for segment in _segments(target.removeprefix(prefix))]
    routes = (each.route(profile) for each in API)
    method, path = max(routes, key=lambda route: _nearness(entry.request.method, asked, *route))
    return f"{method} {prefix}{path}"


def _segments(path: str) -> list[str]:
    return [segment for segment in path.split("/") if segment]


def _nearness(method: str, asked: Sequence[str], offered: str, path: str) -> float:
    ours = _segments(path)
    alike = sum(0.8 if our.startswith("{") else _alike(their, our) for their, our in zip(asked, ours, strict=False))
    return alike / max(len(asked), len(ours), 1) + (0.05 if method == offered else 0.0)


@lru_cache(maxsize=4096)
def _alike(their: str, our: str) -> float:
    return SequenceMatcher(None, their, our.lower()).ratio()

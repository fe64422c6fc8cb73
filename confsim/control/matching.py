"""The search for entries of the journal: patterns of calls, and what matches them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Annotated, Any

import msgspec

from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER
from confsim.contract.types import Int, Json, Wire
from confsim.kernel.refusal import Misuse, require_at_most, suggest
from confsim.service.document import FILES
from confsim.service.entries import ControlCall, JournalEntry, Noted, TimerEntry
from confsim.service.masking import Mask
from confsim.transport.address import route
from confsim.values.plain import whole_number
from confsim.values.urls import normalised

from .context import ControlContext
from .declare import CONTROL, CommandBody
from .operations.bounds import LONGEST_PATTERN

#: Bytes of a body in which a text is sought.
_SEARCHED = 64 << 10
#: A class of statuses: 4xx.
_CLASS = re.compile(r"([1-5])xx", re.IGNORECASE)
#: The word for calls without a caller.
NOBODY = "nobody"


class EntryKind(StrEnum):
    """The kind of an entry of the journal: a call of the API, a call of the control plane, a timer that fired."""

    CALL = "call"
    CONTROL = "control"
    TIMER = "timer"
    ALL = "all"


def kind_of(entry: Noted) -> EntryKind:
    """Return the kind of an entry."""
    if isinstance(entry, JournalEntry):
        return EntryKind.CALL
    return EntryKind.CONTROL if isinstance(entry, ControlCall) else EntryKind.TIMER


class CallClasses(Wire):
    """Calls by the class of their status."""

    succeeded: Annotated[int, "Calls answered with 2xx."]
    redirected: Annotated[int, "Calls answered with 3xx."]
    refused: Annotated[int, "Calls answered with 4xx."]
    failed: Annotated[int, "Calls answered with 5xx."]
    unanswered: Annotated[int, "Calls without an answer: a fault cut them off, or they are held."]


def by_class(entries: Iterable[Noted]) -> dict[str, int]:
    """Return how many of the calls of the API are in each class, by the fields of ``CallClasses``."""
    classes = Counter(each.response.status // 100 for each in entries if isinstance(each, JournalEntry))
    numbers = {"unanswered": 0, "succeeded": 2, "redirected": 3, "refused": 4, "failed": 5}
    return {name: classes[number] for name, number in numbers.items()}


class RequestPattern(CommandBody):
    """A pattern of calls; a call matches when it matches every field that is given.

    ``path`` may contain ``*`` for any text. ``body`` matches part of the JSON body: an object matches one that has at
    least its fields, any other value must be equal. ``text`` is sought in path, query, body and answer, in any case.
    """

    operation: Annotated[str | None, "The operation that was called."] = None
    method: Annotated[str | None, "The method of the call."] = None
    path: Annotated[str | None, "The path of the call, where * stands for any text."] = None
    status: Annotated[Int | str | None, "The status of the answer, or the class of statuses, such as 4xx."] = None
    body: Annotated[Json, "A part of the body."] = None
    assumption: Annotated[str | None, "An assumption that the call used."] = None
    caller: Annotated[str | None, "The id of the user or API token that called, or nobody."] = None
    text: Annotated[str | None, "A text in the path, the query, the body or the answer."] = None


def matching(context: ControlContext, pattern: RequestPattern) -> Iterator[JournalEntry]:
    """Yield the calls of the API in the journal that match, oldest first.

    Raises Misuse for a path pattern that is too long and a status that is not valid, (404) for an unknown operation or
    assumption.
    """
    require_known(pattern, EntryKind.CALL)
    for entry in context.service.journal:
        if matches(context, entry, pattern):
            yield entry


def matches(context: ControlContext, entry: Noted, pattern: RequestPattern) -> bool:
    """Return whether an entry of any kind matches a pattern; a timer has neither method, path, body nor caller."""
    if isinstance(entry, JournalEntry):
        request, operation, status = entry.request, entry.operation, entry.response.status
        method, target, body = request.method, request.target, request.body
    elif isinstance(entry, ControlCall):
        method, target = route(CONTROL[entry.operation], entry.path, {})
        target = context.service.address.mount + target
        body, status, operation = entry.body, entry.status, entry.operation
    else:
        method, target, body, status, operation = "", "", b"", 0, ""
    return (
        (pattern.operation is None or operation == pattern.operation)
        and (pattern.method is None or method == pattern.method.upper())
        and (pattern.path is None or _is_at(target, pattern.path))
        and (pattern.status is None or has_status(status, pattern.status))
        and (pattern.caller is None or _called(entry, pattern.caller))
        and (pattern.body is None or part_of(pattern.body, read_body(body)))
        and (pattern.assumption is None or pattern.assumption in _relied_on(context, entry))
        and (not pattern.text or _says(context, entry, target, body, pattern.text.lower()))
    )


def _relied_on(context: ControlContext, entry: Noted) -> Container[str]:
    return context.service.relied_on(entry) if isinstance(entry, JournalEntry) else entry.assumptions


def has_status(status: int, wanted: int | str) -> bool:
    """Return whether a status is the wanted one, or of the wanted class. Raises Misuse for neither."""
    if isinstance(wanted, int):
        return status == wanted
    found = _CLASS.fullmatch(wanted)
    if found is not None:
        return status // 100 == int(found[1])
    number = whole_number(wanted)
    if number is None:
        raise Misuse(f"status: {wanted[:40]!r} is neither a status such as 404 nor a class such as 4xx")
    return status == number


def _called(entry: Noted, wanted: str) -> bool:
    """Return whether a user or an API token called, by its id; or nobody."""
    if not isinstance(entry, JournalEntry):
        return False
    return wanted == (NOBODY if entry.caller is None else entry.caller.name)


def _says(context: ControlContext, entry: Noted, target: str, body: bytes, text: str) -> bool:
    """Return whether a lower-case text stands in what an entry shows."""
    if isinstance(entry, TimerEntry):
        return text in f"{entry.id} {entry.kind} {entry.subject}".lower()
    if isinstance(entry, ControlCall):
        said = f"{entry.id} {entry.operation} {target}"
        return text in said.lower() or _stands(text, body)
    mask = Mask(context.service.profile, entry.after)
    said = f"{entry.id} {entry.operation} {mask.path(target)} {mask.query(entry.request.query)}"
    return text in said.lower() or _stands(text, body) or _stands(text, entry.response.body)


def _stands(text: str, body: bytes) -> bool:
    """Return whether a lower-case text stands in the beginning of a body."""
    piece = body[:_SEARCHED]
    return text.encode() in piece.lower() or (not text.isascii() and text in piece.decode(errors="replace").lower())


def _is_at(target: str, pattern: str) -> bool:
    """Return whether a path matches a pattern, as it was sent or normalised."""
    return fnmatchcase(target, pattern) or ("%" in target and fnmatchcase(normalised(target), pattern))


def require_known(pattern: RequestPattern, kind: EntryKind) -> None:
    """Raise Misuse for a path pattern that is too long or an invalid status, (404) for an unknown name.

    The operation is one that entries of the kind can have; with timers, one of the control plane.
    """
    require_at_most(len(pattern.path or ""), LONGEST_PATTERN, "characters of a path pattern")
    require_at_most(len(pattern.text or ""), LONGEST_PATTERN, "characters of a text")
    if pattern.status is not None:
        has_status(0, pattern.status)
    if pattern.operation is not None:
        called = {**API.operations, **FILES.operations} if kind in (EntryKind.CALL, EntryKind.ALL) else {}
        known = called if kind is EntryKind.CALL else {**called, **CONTROL.operations}
        if pattern.operation not in known:
            whose = "there is no" if called else "the control plane has no"
            raise Misuse(f"{whose} operation {pattern.operation!r}{suggest(pattern.operation, known)}", status=404)
    if pattern.assumption is not None and pattern.assumption not in REGISTER.entries:
        meant = suggest(pattern.assumption, REGISTER.entries)
        raise Misuse(f"there is no assumption {pattern.assumption!r}{meant}", status=404)


def part_of(part: Any, whole: Any) -> bool:
    """Return whether a JSON value matches part of another: an object one with its fields, else an equal value."""
    if isinstance(part, Mapping):
        return isinstance(whole, Mapping) and all(
            name in whole and part_of(value, whole[name]) for name, value in part.items()
        )
    if isinstance(part, list):
        return isinstance(whole, list) and len(part) == len(whole) and all(map(part_of, part, whole))
    return type(part) is type(whole) and bool(part == whole)


def read_body(raw: bytes, longest: int | None = None) -> Any:
    """Return bytes as a JSON value, else as text, else (or if more than ``longest``) a remark on their number."""
    if not raw:
        return None
    if longest is not None and len(raw) > longest:
        return f"<{len(raw)} bytes>"
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
        pass
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return f"<{len(raw)} bytes>"

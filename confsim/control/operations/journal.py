"""The journal: every call of the API, its answer, the assumptions it used and the records it changed."""

from __future__ import annotations

from typing import Annotated

from confsim.contract.types import Count, Int, Wire
from confsim.control.context import ControlContext
from confsim.control.declare import CommandBody, operation
from confsim.control.journal_view import RequestInfo, below, describe, list_entries
from confsim.control.matching import EntryKind, RequestPattern, matching
from confsim.control.moments import in_order, noted
from confsim.control.operations import bounds
from confsim.control.why.routes import SimilarRoutes
from confsim.kernel.refusal import Misuse
from confsim.service.entries import ControlCall, JournalEntry, Noted


class UnmatchedRequest(Wire):
    """A call that matched no route, with the most similar route."""

    id: Annotated[str, "The id of the call."]
    at: Annotated[int, "The instant of it, in epoch milliseconds."]
    method: Annotated[str, "The method of the call."]
    path: Annotated[str, "The path of the call."]
    status: Annotated[int, "The status of the answer."]
    nearest: Annotated[str, "The route that is most similar."]


class RequestCount(Wire):
    """A number of calls."""

    count: Annotated[int, "The number of calls."]


class MatchingRequests(Wire):
    """The number of calls in the journal that match; ``dropped`` older calls are unknown, as it no longer has them."""

    count: Annotated[int, "The number of calls."]
    dropped: Annotated[int, "The number of older calls that the journal has dropped."]


class Moment(Wire):
    """A moment at which the world can be seen: right after a call of the API or of the control plane, or a timer."""

    id: Annotated[str, "The id of the call or the timer, as ``at`` of records takes it."]
    kind: Annotated[EntryKind, "What it is right after."]
    at: Annotated[int, "The instant of it, in epoch milliseconds."]
    what: Annotated[str, "The operation, the kind of the timer, or the method and path that matched no route."]
    status: Annotated[int | None, "The status of the answer; none of a timer."] = None


class SetJournal(CommandBody):
    """``most`` is the number of calls that the journal keeps; fewer while their large bodies exceed 256 MB together."""

    most: Annotated[Int, "The number of calls that the journal keeps."]


class JournalLimit(Wire):
    """The number of calls that the journal keeps."""

    most: Annotated[int, "The number of calls that the journal keeps."]


@operation("GET /requests", beside=True, bounds=bounds.PATTERN)
def list_requests(
    context: ControlContext,
    *,
    operation: Annotated[str | None, "Calls of this operation."] = None,
    method: Annotated[str | None, "Calls of this method."] = None,
    path: Annotated[str | None, "Calls of this path, where * stands for any text."] = None,
    status: Annotated[str | None, "Calls with this status, or of this class, such as 4xx."] = None,
    caller: Annotated[str | None, "Calls of this user or API token, by its id; or of nobody."] = None,
    text: Annotated[str | None, "Calls with this text in path, query, body or answer, in any case."] = None,
    assumption: Annotated[str | None, "Calls that used this assumption."] = None,
    kind: EntryKind = EntryKind.CALL,
    limit: Count | None = None,
    offset: Annotated[Count | None, "How many of the newest are left out."] = None,
) -> list[RequestInfo]:
    """List the calls of the API that match, newest last; with ``limit`` only the newest ones.

    ``kind`` is "call"; with "control" it lists calls of the control plane that changed something or used an assumption,
    with "timer" timers that fired, with "all" everything in the order in which it happened. Misuse (404) for an unknown
    operation or assumption.
    """
    pattern = RequestPattern(
        operation=operation,
        method=method,
        path=path,
        status=status,
        assumption=assumption,
        caller=caller,
        text=text,
    )
    return list_entries(context, pattern, kind, limit, offset or 0)


@operation("PUT /requests", replayed=False, bounds=bounds.JOURNAL)
def set_journal(context: ControlContext, body: SetJournal) -> JournalLimit:
    """Set the number of calls that the journal keeps; the oldest are dropped first."""
    context.service.journal.limit(body.most)
    return JournalLimit(most=body.most)


@operation("DELETE /requests", replayed=False, bounds=bounds.PATTERN)
def clear_requests(
    context: ControlContext,
    *,
    operation: Annotated[str | None, "Calls of this operation."] = None,
    method: Annotated[str | None, "Calls of this method."] = None,
    path: Annotated[str | None, "Calls of this path, where * stands for any text."] = None,
    status: Annotated[str | None, "Calls with this status, or of this class, such as 4xx."] = None,
) -> RequestCount:
    """Remove the calls that match, or all, and return their number. Misuse (404) for an unknown operation."""
    journal, pattern = (
        context.service.journal,
        RequestPattern(operation=operation, method=method, path=path, status=status),
    )
    if pattern == RequestPattern():
        return RequestCount(count=journal.clear())
    return RequestCount(count=journal.forget({each.id for each in matching(context, pattern)}))


@operation("GET /requests/{id}")
def get_request(context: ControlContext, id: Annotated[str, "The id of the call."]) -> RequestInfo:
    """Get one call of the API or of the control plane, or one timer.

    Misuse (404) for an id that nothing has had, (410) for what the journal has dropped.
    """
    return describe(context, noted(context, id))


@operation("DELETE /requests/{id}", replayed=False)
def forget_request(context: ControlContext, id: Annotated[str, "The id of the call."]) -> RequestCount:
    """Remove one call from the journal. Misuse (404) for an unknown id."""
    if not context.service.journal.forget((id,)):
        raise Misuse(f"there is no request {id!r}", status=404)
    return RequestCount(count=1)


@operation("POST /requests/count", replayed=False, beside=True, most_bytes=bounds.RECORD, bounds=bounds.PATTERN)
def count_requests(context: ControlContext, body: RequestPattern) -> MatchingRequests:
    """Count the calls in the journal that match. Misuse (404) for an unknown operation."""
    dropped = context.service.journal.dropped
    return MatchingRequests(count=len(list(matching(context, body))), dropped=dropped)


@operation("POST /requests/find", replayed=False, beside=True, most_bytes=bounds.RECORD, bounds=bounds.PATTERN)
def find_requests(context: ControlContext, body: RequestPattern) -> list[RequestInfo]:
    """List the calls that match, newest last. Misuse (404) for an unknown operation."""
    return list_entries(context, body, EntryKind.CALL)


@operation("GET /requests/unmatched", beside=True)
def list_unmatched_requests(
    context: ControlContext, *, id: Annotated[str | None, "The id of the one call that is looked at."] = None
) -> list[UnmatchedRequest]:
    """List the calls that matched no route, each with the most similar route."""
    routes = SimilarRoutes(context.service.profile)
    return [
        UnmatchedRequest(
            id=each.id,
            at=each.at,
            method=each.request.method,
            path=each.request.target,
            status=each.response.status,
            nearest=routes.nearest(each.request.method, below(context, each)),
        )
        for each in context.service.journal
        if not (each.operation or each.handshake or each.response.status < 400 or id not in (None, each.id))
    ]


@operation("GET /moments", beside=True)
def list_moments(
    context: ControlContext,
    *,
    at: Annotated[str | None, "The id of the one that the others are around; the newest without one."] = None,
    limit: Annotated[Count | None, "How many there are before it and after it."] = None,
) -> list[Moment]:
    """List the moments at which the world can be seen, oldest first, with ``limit`` only those around one.

    Each is right after something in the journal: a call of the API or of the control plane, or a timer. Misuse (404)
    for an id that nothing has had, (410) for what the journal has dropped.
    """
    found = in_order(context.service.journal)
    place = len(found)
    if at is not None:
        wanted = noted(context, at)
        place = next(place for place, each in enumerate(found) if each is wanted)
    if limit is not None:
        found = found[max(0, place - limit) : place + limit + 1]
    return [_moment(each) for each in found]


def _moment(each: Noted) -> Moment:
    if isinstance(each, JournalEntry):
        request = each.request
        what = each.operation or f"{request.method} {request.target}"
        return Moment(id=each.id, kind=EntryKind.CALL, at=each.at, what=what, status=each.response.status)
    if isinstance(each, ControlCall):
        return Moment(id=each.id, kind=EntryKind.CONTROL, at=each.at, what=each.operation, status=each.status)
    return Moment(id=each.id, kind=EntryKind.TIMER, at=each.at, what=each.kind)

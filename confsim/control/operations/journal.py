"""The journal: every call of the API, its answer, the assumptions it used and the records it changed."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from confsim.api.catalogue import API
from confsim.assumptions.protocol import transport
from confsim.assumptions.register import in_force
from confsim.contract.types import Int, Wire
from confsim.control.context import ControlContext
from confsim.control.declare import CommandBody, operation
from confsim.control.journal_view import Kind, RequestInfo, RequestPattern, below, describe, find, matching
from confsim.kernel.refusal import Misuse
from confsim.service.journal import Entry

#: Characters of a path segment that are compared with routes.
_LONGEST = 80


class UnmatchedRequest(Wire):
    """A call that matched no route, with the most similar route."""

    id: str
    at: int
    method: str
    path: str
    status: int
    nearest: str


class RequestCount(Wire):
    """A number of calls."""

    count: int


class SetJournal(CommandBody):
    """``most`` is the number of calls that the journal keeps; fewer while their large bodies exceed 256 MB together."""

    most: Int


@operation("GET /requests")
def list_requests(
    context: ControlContext,
    *,
    operation: str | None = None,
    method: str | None = None,
    path: str | None = None,
    status: int | None = None,
    kind: Kind = Kind.CALL,
    limit: int | None = None,
) -> list[RequestInfo]:
    """List the calls of the API that match, newest last; with ``limit`` the newest so many of them.

    ``kind`` is "call"; with "control" it lists calls of the control plane that changed something or used an assumption,
    with "timer" timers that fired, with "all" everything in the order in which it happened. Misuse (404) for an unknown
    operation.
    """
    pattern = RequestPattern(operation=operation, method=method, path=path, status=status)
    if kind is not Kind.CALL:
        listed = find(context, pattern, kind)
        return listed if limit is None else listed[max(0, len(listed) - limit) :]
    found = list(matching(context, pattern))
    return [describe(context, each) for each in (found if limit is None else found[max(0, len(found) - limit) :])]


@operation("PUT /requests", replayed=False)
def set_journal(context: ControlContext, body: SetJournal) -> SetJournal:
    """Set the number of calls that the journal keeps; the oldest are dropped first."""
    context.service.journal.limit(body.most)
    return body


@operation("DELETE /requests", replayed=False)
def clear_requests(
    context: ControlContext,
    *,
    operation: str | None = None,
    method: str | None = None,
    path: str | None = None,
    status: int | None = None,
) -> RequestCount:
    """Remove the calls that match, or all, and return their number. Misuse (404) for an unknown operation."""
    journal, pattern = (
        context.service.journal,
        RequestPattern(operation=operation, method=method, path=path, status=status),
    )
    if pattern == RequestPattern():
        return RequestCount(count=journal.clear())
    return RequestCount(count=journal.forget({each.id for each in matching(context, pattern)}))


@operation("DELETE /requests/{id}", replayed=False)
def forget_request(context: ControlContext, id: str) -> RequestCount:
    """Remove one call from the journal. Misuse (404) for an unknown id."""
    if not context.service.journal.forget((id,)):
        raise Misuse(f"there is no request {id!r}", status=404)
    return RequestCount(count=1)


@operation("POST /requests/count", replayed=False)
def count_requests(context: ControlContext, body: RequestPattern) -> RequestCount:
    """Count the calls that match. Misuse (404) for an unknown operation."""
    return RequestCount(count=sum(1 for _ in matching(context, body)))


@operation("POST /requests/find", replayed=False)
def find_requests(context: ControlContext, body: RequestPattern) -> list[RequestInfo]:
    """List the calls that match, newest last. Misuse (404) for an unknown operation."""
    return [describe(context, each) for each in matching(context, body)]


@operation("GET /requests/unmatched")
def list_unmatched_requests(context: ControlContext) -> list[UnmatchedRequest]:
    """List the calls that matched no route, each with the most similar route."""
    return [
        UnmatchedRequest(
            id=each.id,
            at=each.at,
            method=each.request.method,
            path=each.request.target,
            status=each.response.status,
            nearest=_nearest(context, each),
        )
        for each in context.service.journal
        if not each.operation and each.response.status >= 400
    ]


def _nearest(context: ControlContext, entry: Entry) -> str:
    """The method and path of the route that is most similar to the request."""
    profile = context.service.profile
    prefix = in_force(profile, transport.PREFIX)
    target = below(context, entry)
    asked = [segment[:_LONGEST].lower() for segment in _segments(target.removeprefix(prefix))]
    routes = (each.route(profile) for each in API)
    method, path = max(routes, key=lambda route: _similarity(entry.request.method, asked, *route))
    return f"{method} {prefix}{path}"


def _segments(path: str) -> list[str]:
    return [segment for segment in path.split("/") if segment]


def _similarity(method: str, asked: Sequence[str], offered: str, path: str) -> float:
    segments = _segments(path)
    alike = sum(
        0.8 if declared.startswith("{") else _text_similarity(given, declared)
        for given, declared in zip(asked, segments, strict=False)
    )
    return alike / max(len(asked), len(segments), 1) + (0.05 if method == offered else 0.0)


@lru_cache(maxsize=4096)
def _text_similarity(given: str, declared: str) -> float:
    return SequenceMatcher(None, given, declared.lower()).ratio()

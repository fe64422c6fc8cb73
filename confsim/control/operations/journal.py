"""The journal: every call of the API, its answer, the assumptions it used and the records it changed."""

from __future__ import annotations

from typing import Annotated

from confsim.contract.types import Int, Limit, Wire
from confsim.control.context import ControlContext
from confsim.control.declare import CommandBody, operation
from confsim.control.journal_view import Kind, RequestInfo, RequestPattern, below, describe, entry_of, find, matching
from confsim.control.nearest import Routes
from confsim.kernel.refusal import Misuse
from confsim.service.deferred import in_slices, in_steps
from confsim.service.journal import Entry


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

    count: Annotated[int, "How many calls there are."]


class SetJournal(CommandBody):
    """``most`` is the number of calls that the journal keeps; fewer while their large bodies exceed 256 MB together."""

    most: Annotated[Int, "How many calls the journal keeps."]


class JournalLimit(Wire):
    """How many calls the journal keeps."""

    most: Annotated[int, "The number of calls that the journal keeps."]


@operation("GET /requests")
def list_requests(
    context: ControlContext,
    *,
    operation: Annotated[str | None, "Calls of this operation."] = None,
    method: Annotated[str | None, "Calls of this method."] = None,
    path: Annotated[str | None, "Calls of this path, where * stands for any text."] = None,
    status: Annotated[int | None, "Calls with this status."] = None,
    kind: Kind = Kind.CALL,
    limit: Limit | None = None,
) -> list[RequestInfo]:
    """List the calls of the API that match, newest last; with ``limit`` the newest so many of them.

    ``kind`` is "call"; with "control" it lists calls of the control plane that changed something or used an assumption,
    with "timer" timers that fired, with "all" everything in the order in which it happened. Misuse (404) for an unknown
    operation.
    """
    pattern = RequestPattern(operation=operation, method=method, path=path, status=status)
    return in_steps(find(context, pattern, kind, limit))


@operation("PUT /requests", replayed=False)
def set_journal(context: ControlContext, body: SetJournal) -> JournalLimit:
    """Set the number of calls that the journal keeps; the oldest are dropped first."""
    context.service.journal.limit(body.most)
    return JournalLimit(most=body.most)


@operation("DELETE /requests", replayed=False)
def clear_requests(
    context: ControlContext,
    *,
    operation: Annotated[str | None, "Calls of this operation."] = None,
    method: Annotated[str | None, "Calls of this method."] = None,
    path: Annotated[str | None, "Calls of this path, where * stands for any text."] = None,
    status: Annotated[int | None, "Calls with this status."] = None,
) -> RequestCount:
    """Remove the calls that match, or all, and return their number. Misuse (404) for an unknown operation."""
    journal, pattern = (
        context.service.journal,
        RequestPattern(operation=operation, method=method, path=path, status=status),
    )
    if pattern == RequestPattern():
        return RequestCount(count=journal.clear())

    def forget(found: list[Entry]) -> RequestCount:
        return RequestCount(count=journal.forget({each.id for each in found}))

    return in_slices(matching(context, pattern), forget)


@operation("GET /requests/{id}")
def get_request(context: ControlContext, id: Annotated[str, "The id of the call."]) -> RequestInfo:
    """Get one call. Misuse (404) for an id that no call has had, (410) for a call that the journal has dropped."""
    return describe(context, entry_of(context, id))


@operation("DELETE /requests/{id}", replayed=False)
def forget_request(context: ControlContext, id: Annotated[str, "The id of the call."]) -> RequestCount:
    """Remove one call from the journal. Misuse (404) for an unknown id."""
    if not context.service.journal.forget((id,)):
        raise Misuse(f"there is no request {id!r}", status=404)
    return RequestCount(count=1)


@operation("POST /requests/count", replayed=False)
def count_requests(context: ControlContext, body: RequestPattern) -> RequestCount:
    """Count the calls that match. Misuse (404) for an unknown operation."""
    return in_slices(matching(context, body), lambda found: RequestCount(count=len(found)))


@operation("POST /requests/find", replayed=False)
def find_requests(context: ControlContext, body: RequestPattern) -> list[RequestInfo]:
    """List the calls that match, newest last. Misuse (404) for an unknown operation."""
    return in_steps(find(context, body, Kind.CALL))


@operation("GET /requests/unmatched")
def list_unmatched_requests(context: ControlContext) -> list[UnmatchedRequest]:
    """List the calls that matched no route, each with the most similar route."""
    routes = Routes(context.service.profile)
    found = (
        None
        if each.operation or each.response.status < 400
        else UnmatchedRequest(
            id=each.id,
            at=each.at,
            method=each.request.method,
            path=each.request.target,
            status=each.response.status,
            nearest=routes.nearest(each.request.method, below(context, each)),
        )
        for each in context.service.journal
    )
    return in_slices(found, list)

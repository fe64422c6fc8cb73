"""The journal of a world as a Python sequence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import overload

from confsim.control.invoke import ControlPlane
from confsim.control.journal_view import RequestInfo, describe, list_entries
from confsim.control.matching import EntryKind, RequestPattern
from confsim.control.operations.journal import (
    UnmatchedRequest,
    clear_requests,
    count_requests,
    find_requests,
    list_unmatched_requests,
)
from confsim.control.why.operation import Why, explain_request

from .assertions import METHODS, counted, known, require, require_place


class RequestsFacade(Sequence[RequestInfo]):
    """The journal of a world: a sequence of calls, newest last."""

    def __init__(self, control: ControlPlane) -> None:
        self._control = control

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'request')}>"

    def __len__(self) -> int:
        return len(self._control.context.service.journal)

    def __iter__(self) -> Iterator[RequestInfo]:
        return iter(self[:])  # one listing, not one for each of them

    @overload
    def __getitem__(self, place: int) -> RequestInfo: ...
    @overload
    def __getitem__(self, place: slice) -> list[RequestInfo]: ...
    def __getitem__(self, place: int | slice) -> RequestInfo | list[RequestInfo]:
        __tracebackhide__ = True
        context = self._control.context
        entries = list(context.service.journal)
        require_place(place, len(entries), "requests")
        found = entries[place]
        return [describe(context, each) for each in found] if isinstance(found, list) else describe(context, found)

    def find(
        self,
        *,
        operation: str | None = None,
        method: str | None = None,
        path: str | None = None,
        status: int | str | None = None,
        body: object = None,
        assumption: str | None = None,
        caller: str | int | None = None,
        text: str | None = None,
    ) -> list[RequestInfo]:
        """Return the calls that match every given value.

        ``path`` may contain ``*``, ``body`` is part of the body. ``status`` is one, or a class of statuses such as
        "4xx"; ``caller`` the id of a user or API token, or "nobody"; ``text`` stands in path, query, body or answer.
        """
        return self._control.call(
            find_requests,
            operation=operation,
            method=method,
            path=path,
            status=status,
            body=body,
            assumption=assumption,
            caller=None if caller is None else str(caller),
            text=text,
        )

    def matching(
        self,
        *,
        operation: str | None = None,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
        body: object = None,
        assumption: str | None = None,
    ) -> int:
        """Return the number of calls in the journal that match, as for ``find``."""
        return self._control.call(
            count_requests,
            operation=operation,
            method=method,
            path=path,
            status=status,
            body=body,
            assumption=assumption,
        ).count

    def assert_called(
        self,
        operation: str | None = None,
        *,
        method: str | None = None,
        path: str | None = None,
        query: Mapping[str, str] | None = None,
        body: object = None,
        status: int | None = None,
        times: int | None = None,
    ) -> list[RequestInfo]:
        """Return the calls that match; ``*`` stands for any text, ``query`` and ``body`` may be parts of the call's.

        Raises AssertionError, with the differences of the nearest calls, unless there are exactly ``times`` (default:
        at least one), or unless that can be known: a journal keeps the newest ``most`` calls. Raises Misuse for an
        unknown operation (404) or method.
        """
        if operation is not None:
            self.matching(operation=operation)
        known("method", method and method.upper(), METHODS)
        wanted = {"operation": operation, "method": method and method.upper(), "path": path, "query": query}
        dropped = self._control.context.service.journal.dropped
        return require(
            self,
            "call",
            {**wanted, "body": body, "status": status},
            times,
            dropped,
            lambda call: self.why(call.id).text,
        )

    def why(self, id: str) -> Why:
        """Return why a call was refused: what decided it, what is missing or in the way, and how that came about.

        Raises Misuse (404) for an unknown id, (410) for a call that the journal has dropped.
        """
        return self._control.call(explain_request, id)

    def between(self) -> list[RequestInfo]:
        """Return the events between the calls: control calls (kind "control") and timers (kind "timer")."""
        context = self._control.context
        found = list_entries(context, RequestPattern(), EntryKind.ALL)
        return [each for each in found if each.kind is not EntryKind.CALL]

    @property
    def unmatched(self) -> list[UnmatchedRequest]:
        """Return the calls that matched no route, each with the most similar one."""
        return self._control.call(list_unmatched_requests)

    def export(
        self,
        kind: str,
        *,
        operation: str | None = None,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
        limit: int | None = None,
    ) -> str:
        """Return the calls as text: "curl" commands, a "pytest" test, a "scenario" (Arazzo) or a "har".

        Exports all calls, with the control calls between them; or only those that match ``operation``, ``method``,
        ``path`` and ``status``, with ``limit`` only the newest.
        """
        exported: bytes = self._control(
            "export_requests", as_=kind, operation=operation, method=method, path=path, status=status, limit=limit
        ).data
        return exported.decode()

    def clear(
        self,
        *,
        operation: str | None = None,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
    ) -> int:
        """Remove all calls, or those that match, as for ``find``; return their number."""
        return self._control.call(clear_requests, operation=operation, method=method, path=path, status=status).count

    def forget(self, id: str) -> None:
        """Remove one call. Raises Misuse (404) for an unknown id."""
        self._control("forget_request", id)

    @property
    def most(self) -> int:
        """The most calls that the journal stores; the oldest are dropped first. Can be set."""
        return self._control.context.service.journal.most

    @most.setter
    def most(self, most: int) -> None:
        self._control("set_journal", most=most)

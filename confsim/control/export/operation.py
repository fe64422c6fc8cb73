"""The control operations that export the journal. Each writer is imported with the first export of its format."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from msgspec.structs import replace

from confsim.contract.encode import Raw
from confsim.contract.types import Count
from confsim.control.context import ControlContext
from confsim.control.declare import operation
from confsim.control.export.calls import ApiCall, merged
from confsim.control.matching import RequestPattern, matching
from confsim.control.moments import entry_of
from confsim.control.operations import bounds
from confsim.service.entries import ControlCall
from confsim.service.faults.per_request import without_hold


class ExportFormat(StrEnum):
    """The formats of an export."""

    CURL = "curl"
    HAR = "har"
    PYTEST = "pytest"
    SCENARIO = "scenario"


#: Media type of each format.
_MEDIA = {
    ExportFormat.CURL: "text/plain; charset=utf-8",
    ExportFormat.HAR: "application/json",
    ExportFormat.PYTEST: "text/x-python; charset=utf-8",
    ExportFormat.SCENARIO: "application/json",
}


def _written(context: ControlContext, calls: list[ApiCall | ControlCall], form: ExportFormat, *, whole: bool) -> bytes:
    """Return the calls in a format; ``whole`` says whether they are all of the journal."""
    match form:
        case ExportFormat.CURL:
            from .curl import as_curl

            return as_curl(context, calls).encode()
        case ExportFormat.HAR:
            from .har import as_har

            return as_har(context, calls)
        case ExportFormat.PYTEST:
            from .pytest import as_test

            return as_test(context.service, calls).encode()
        case ExportFormat.SCENARIO:
            from .arazzo import as_scenario

            return as_scenario(context, calls, whole=whole)


@operation("GET /requests/export", beside=True, bounds=bounds.PATTERN)
def export_requests(
    context: ControlContext,
    *,
    as_: ExportFormat,
    operation: Annotated[str | None, "Calls of this operation."] = None,
    method: Annotated[str | None, "Calls of this method."] = None,
    path: Annotated[str | None, "Calls of this path, where * stands for any text."] = None,
    status: Annotated[str | None, "Calls with this status, or of this class, such as 4xx."] = None,
    limit: Count | None = None,
    ids: Annotated[str | None, "Calls of these ids, separated by commas."] = None,
) -> Raw:
    """Export the calls as ``curl`` commands, a ``pytest`` test with the fixture, a ``scenario`` (Arazzo) or a ``har``.

    Exports all of them, with the calls of the control plane between them; or those that match, with ``limit`` the
    newest so many, and with ``ids`` those with these ids, separated by commas, each once. An exported test or scenario
    of a whole journal passes on a fresh world with the same start; a scenario lists the calls that no step can express
    in ``x-confsim-left-out``, and then it is incomplete when it is run. A HAR (HTTP Archive 1.2) has the calls of the
    API with their answers, as browsers and proxies read them. Misuse (404) for an unknown operation or id.
    """
    pattern = RequestPattern(operation=operation, method=method, path=path, status=status)
    with context.service.lock:
        entries = list(matching(context, pattern))
        if ids is not None:
            entries = [entry_of(context, id) for id in dict.fromkeys(ids.split(","))]
        controls = context.service.journal.control_calls
    if limit is not None:
        entries = entries[max(0, len(entries) - limit) :]
    whole = pattern == RequestPattern() and limit is None and ids is None
    as_sent = as_ in (ExportFormat.CURL, ExportFormat.HAR)
    if not as_sent:  # one call is made after the other: nobody would release one that brings a hold for itself
        entries = [replace(each, request=without_hold(each.request)) for each in entries]
    calls = list(merged(context, entries, controls if whole else (), handshakes=as_sent))
    return Raw(_MEDIA[as_], _written(context, calls, as_, whole=whole))


@operation("GET /bundle", media="application/json", beside=True)
def get_bundle(
    context: ControlContext, *, mask: Annotated[bool, "Whether stand-ins take the place of secrets."] = False
) -> Raw:
    """Get one document with all that playing the journal again takes: start, profile, calls, answers, versions.

    ``confsim replay`` plays it and says where an answer parts. ``mask`` puts stand-ins in the place of secrets: tokens,
    codes, PINs, passwords, keys of validators, and what headers present.
    """
    from confsim.control.bundle.make import bundle

    return Raw("application/json", bundle(context, masked=mask))

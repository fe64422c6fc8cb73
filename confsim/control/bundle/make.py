"""The making of a bundle from the journal of a served world."""

from __future__ import annotations

import platform
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from confsim.api.call import HOST
from confsim.assumptions.protocol.refusals import CODE, Reason
from confsim.assumptions.protocol.transport import PREFIX
from confsim.control.context import ControlContext
from confsim.control.declare import CONTROL
from confsim.control.export.calls import ApiCall, merged
from confsim.service.entries import ControlCall, DeliveryNote, DeliveryStep, JournalEntry
from confsim.service.files import state
from confsim.service.files.profile import plain
from confsim.service.service import Service
from confsim.version import __version__

from .document import FORMAT, NOT_SET, Bundle, BundledCall, EntryPoint, SentRequest, content, form_digest, recorded

_FOREIGN = CODE[Reason.HOST_UNKNOWN].id


def bundle(context: ControlContext, *, masked: bool) -> bytes:
    """Return the journal as the JSON of a bundle, with its start; ``masked`` replaces secrets by stand-ins."""
    service = context.service
    with service.lock:
        journal = service.journal
        entries, controls, notes = list(journal), journal.control_calls, journal.deliveries
        whole = not entries or entries[0].number == 1
        start = service.history.origin if whole else entries[0].before
        first = 1 if whole else entries[0].number
        left_out = _left_out(service, entries, first)
    made = list(merged(context, entries, [each for each in controls if whole or each.after >= first]))
    notes = tuple(each for each in notes if whole or each.after >= first)
    calls = list(_with_results(map(_bundled, made), notes))
    last = next((each.id for each in reversed(calls) if each.answer is not None), "")
    at_end = bool(entries) and bool(calls) and calls[-1].id == last and last == entries[-1].id
    whole_bundle = Bundle(
        format=FORMAT,
        confsim=__version__,
        python=platform.python_version(),
        made_from=service.provenance.made_from,
        profile=plain(service.profile),
        mount=service.address.mount,
        host=service.address.host or HOST,
        public_url=service.address.public_url,
        origins=sorted(service.address.origins),
        trusts_proxy=service.address.trusts_proxy,
        faults_by_request=service.faults.by_request,
        webhooks_listed=service.webhooks.listed,
        started=min((each.at for each in calls), default=service.clock.now()),
        first=first,
        start=Raw(state.document(start)),
        calls=calls,
        left_out=left_out,
        digest=form_digest(entries[-1].after, entries[-1].at) if at_end else "",
        attempts=_attempts(notes),
    )
    if masked:
        from .masked import masked as without_secrets  # imported here: it plays the calls, and so imports the server

        whole_bundle = without_secrets(whole_bundle, made)
    return msgspec.json.format(msgspec.json.encode(whole_bundle), indent=1) + b"\n"


def _with_results(calls: Iterable[BundledCall], notes: Sequence[DeliveryNote]) -> Iterator[BundledCall]:
    """Yield the calls, with the results of webhook deliveries between them."""
    waiting = deque(each for each in notes if each.step is DeliveryStep.RESULT)
    for call in calls:
        number = int(call.id[1:])
        while waiting and (waiting[0].between if call.request is None else waiting[0].after) < number:
            yield _result(waiting.popleft())
        yield call
    yield from map(_result, waiting)


def _attempts(notes: Sequence[DeliveryNote]) -> list[DeliveryNote]:
    """Return the attempts, including earlier ones whose result came after the first call."""
    attempts = [each for each in notes if each.step is not DeliveryStep.RESULT]
    known = {(each.id, each.number) for each in attempts}
    results = (each for each in notes if each.step is DeliveryStep.RESULT)
    earlier = [replace(each, step=DeliveryStep.SENT) for each in results if (each.id, each.number) not in known]
    return [*earlier, *attempts]


def _result(note: DeliveryNote) -> BundledCall:
    return BundledCall(id="", at=note.at, delivery=note)


def _left_out(service: Service, entries: list[JournalEntry], first: int) -> list[str]:
    """Return the missing parts of the history, in words."""
    found = []
    if first > 1:
        found.append(f"{first - 1} calls before the first, which the journal no longer has, and faults set by then")
    gone = service.journal.count - (first - 1) - len(entries)
    if gone:
        found.append(f"{gone} calls that were removed from the journal")
    handshakes = sum(each.handshake for each in entries)
    if handshakes:
        found.append(f"{handshakes} handshakes of websockets; who came in by them is in it")
    return found


def _bundled(call: ApiCall | ControlCall) -> BundledCall:
    if isinstance(call, ControlCall):
        moves = CONTROL[call.operation].moves_clock
        return BundledCall(
            id=call.id,
            at=call.at,
            control="" if moves else call.operation,
            path=call.path,
            query=dict(call.query),
            body=content(call.body),
        )
    entry, request = call.entry, call.entry.request
    why = "a fault held it until somebody released it" if any(_holds(hit.do) for hit in entry.fault) else ""
    entry_point = EntryPoint.HTTP
    if call.operation is not None and PREFIX.id not in entry.assumptions:  # the profile is asked for over HTTP only
        entry_point = EntryPoint.SCENARIO if "host" in request.headers else EntryPoint.PYTHON
    named = entry_point is not EntryPoint.HTTP
    return BundledCall(
        id=entry.id,
        at=entry.at,
        operation=entry.operation,
        request=SentRequest(
            method=request.method,
            target=request.target,
            query=request.query,
            headers=request.headers,
            body=content(request.body),
            fault=request.fault,
            problem=request.problem,
        ),
        answer=recorded(entry.response),
        entry=entry_point,
        token=entry.token,
        texts=call.texts if named else {},
        values=call.values if named else {},
        own_instant=call.sets_its_time,
        foreign_host=_FOREIGN in entry.assumptions and not entry.operation,  # with one, a fault refused it
        why=why,
        after=Raw(state.document(entry.after)) if why else NOT_SET,
        faults=[each.to_dict() for each in entry.remaining_faults] if why and entry.remaining_faults else None,
    )


def _holds(do: Any) -> bool:
    return isinstance(do, dict) and "hold" in do

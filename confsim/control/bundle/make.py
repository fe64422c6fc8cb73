"""A bundle of the journal of a served world."""

from __future__ import annotations

import platform
from typing import Any

import msgspec
from msgspec import Raw

from confsim.api.address import HOST
from confsim.assumptions.protocol.refusals import CODE, Reason
from confsim.assumptions.protocol.transport import PREFIX
from confsim.control.context import ControlContext
from confsim.control.declare import CONTROL
from confsim.control.export.calls import ApiCall, is_handshake, merged
from confsim.service.files import state
from confsim.service.files.profile import plain
from confsim.service.journal import ControlCall, Entry
from confsim.service.service import Service
from confsim.version import __version__

from . import masking
from .document import FORMAT, NOT_SET, Bundle, BundledCall, EntryPoint, SentRequest, content, kept

_FOREIGN = CODE[Reason.HOST_UNKNOWN].id


def bundle(context: ControlContext, *, masked: bool) -> bytes:
    """The journal as the JSON of a bundle, with its start; ``masked`` puts stand-ins in the place of secrets."""
    service = context.service
    entries = list(service.journal)
    whole = not entries or entries[0].number == 1
    start = service.history.origin if whole else entries[0].before
    first = 1 if whole else entries[0].number
    controls = [each for each in service.journal.control_calls if whole or each.after >= first]
    made = list(merged(context, entries, controls))
    calls = [_bundled(each, masked=masked) for each in made]
    last = next((each.id for each in reversed(calls) if each.answer is not None), "")
    at_end = bool(entries) and not masked and bool(calls) and calls[-1].id == last and last == entries[-1].id
    document = state.document(start)
    whole_bundle = msgspec.json.encode(
        Bundle(
            format=FORMAT,
            confsim=__version__,
            python=platform.python_version(),
            made_from=service.provenance.made_from,
            profile=plain(service.profile),
            mount=service.address.mount,
            host=service.address.host or HOST,
            public_url=service.address.public_url,
            faults_by_request=service.faults.by_request,
            webhooks_listed=service.webhooks.listed,
            started=min((each.at for each in calls), default=service.clock.now()),
            first=first,
            start=Raw(document),
            calls=calls,
            left_out=_left_out(service, entries, first),
            masked=masked,
            digest=entries[-1].after.digest() if at_end else "",
        ),
    )
    if masked:
        whole_bundle = masking.mask(whole_bundle, _secrets(document, made))
    return msgspec.json.format(whole_bundle, indent=1) + b"\n"


def _left_out(service: Service, entries: list[Entry], first: int) -> list[str]:
    """What the bundle does not have of what happened, in words."""
    found = []
    if first > 1:
        found.append(f"{first - 1} calls before the first, which the journal no longer has, and faults set by then")
    gone = service.journal.count - (first - 1) - len(entries)
    if gone:
        found.append(f"{gone} calls that were removed from the journal")
    handshakes = sum(map(is_handshake, entries))
    if handshakes:
        found.append(f"{handshakes} handshakes of websockets; who came in by them is in it")
    return found


def _secrets(document: bytes, calls: list[ApiCall | ControlCall]) -> list[str]:
    """What is to be masked. A token that the world has made by itself follows from its seed, and is none of them."""
    known = masking.in_document(document)
    sent = [each for each in calls if isinstance(each, ApiCall)]
    own = {each.token for each in sent if each.entry.caller is not None} - set(known)
    answers = b"\n".join(each.entry.response.body for each in sent)
    presented = dict.fromkeys(secret for each in sent for secret in masking.in_request(each.entry))
    return [*known, *(each for each in presented if each not in own and each.encode() not in answers)]


def _bundled(call: ApiCall | ControlCall, *, masked: bool) -> BundledCall:
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
    why = _unrepeatable(entry, masked=masked)
    entry_point = EntryPoint.HTTP
    if call.operation is not None and PREFIX.id not in entry.assumptions:  # which is asked for by HTTP alone
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
        answer=kept(entry.response),
        entry=entry_point,
        token=entry.token,
        texts=call.texts if named else {},
        values=call.values if named else {},
        own_instant=call.sets_its_time,
        foreign_host=_FOREIGN in entry.assumptions,
        why=why,
        after=Raw(state.document(entry.after)) if why else NOT_SET,
        faults=[each.to_dict() for each in entry.remaining_faults] if why and entry.remaining_faults else None,
    )


def _unrepeatable(entry: Entry, *, masked: bool) -> str:
    """Why a call cannot be repeated; empty for one that can."""
    if masked and masking.is_signed(entry):
        return "its identity token is masked"
    if any(_holds(hit.do) for hit in entry.fault):
        return "a fault held it until somebody released it"
    return ""


def _holds(do: Any) -> bool:
    return isinstance(do, dict) and "hold" in do

"""The replay of a bundle: each call is repeated in a new world, and its answer compared to the byte."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from confsim.api.catalogue import API
from confsim.control import mount
from confsim.control.context import ControlContext
from confsim.control.declare import CONTROL
from confsim.control.invoke import invoke
from confsim.control.scenarios import direct
from confsim.domain.events.deliveries import Delivery
from confsim.http.app import App
from confsim.kernel.refusal import Misuse, Refusal
from confsim.service.clock import Clock
from confsim.service.entries import DeliveryNote
from confsim.service.files import state
from confsim.service.files.profile import read_profile
from confsim.service.incoming import Incoming
from confsim.service.service import Service
from confsim.service.waiting import wait_for
from confsim.service.worlds import Worlds
from confsim.transport.address import OperationRequest, request_of

from .document import FIRST_WITH_FORM, Bundle, BundledCall, EntryPoint, RecordedAnswer, form_digest, raw, recorded
from .revealed import SecretMap

#: What a replay of an older format says about the world after the last call.
WITHOUT_FORM = (
    "the world after the last call: up to format 3, a bundle has the digest of its bytes, which versions change"
)
#: Characters shown around the first difference.
_AROUND = 60


class Mismatch(Struct, frozen=True):
    """The first difference from the bundle: the call, the part that differs, and both values."""

    id: str
    call: str
    what: str
    was: Any
    got: Any


class Replayed(Struct, frozen=True, kw_only=True):
    """The result of a replay: the calls repeated, those skipped with the reason, and the first mismatch."""

    calls: int
    not_repeated: list[str]
    left_out: list[str]
    parting: Mismatch | None


def replay(bundle: Bundle, calls: Iterable[BundledCall] | None = None) -> Replayed:
    """Replay a bundle, up to the first difference. Raises Misuse for an invalid profile or start.

    ``calls`` may be given to count those that are taken.
    """
    player, count, skipped = Player(bundle), 0, []
    parting = None
    for call in bundle.calls if calls is None else calls:
        if call.why:
            skipped.append(f"{call.id}: {call.why}")
        count += call.delivery is None and not call.why
        got = player.play(call)
        parting = got if isinstance(got, Mismatch) else None if got is None else player.parting(call, got)
        if parting is not None:
            break
    left_out = bundle.left_out
    if bundle.digest and bundle.format < FIRST_WITH_FORM:
        left_out = [*left_out, WITHOUT_FORM]
    elif parting is None and bundle.digest and (digest := player.digest()) != bundle.digest:
        last = bundle.calls[-1].id if bundle.calls else ""
        parting = Mismatch(last, "", "the world after the last call", bundle.digest, digest)
    return Replayed(calls=count, not_repeated=skipped, left_out=left_out, parting=parting)


class Player:
    """The world of a bundle, in which its calls are repeated, one after the other."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._profile = read_profile(bundle.profile)
        clock = Clock(bundle.started)
        clock.freeze()
        service = self._service = Service(state.world_from(bytes(bundle.start)), clock, self._profile)
        service.journal.limit(1)
        service.journal.continue_from(bundle.first)
        service.faults.allow_by_request(bundle.faults_by_request)
        service.webhooks.set_listed(bundle.webhooks_listed)
        self._attempts: dict[tuple[str, int], deque[DeliveryNote]] = defaultdict(deque)
        for note in bundle.attempts:
            self._attempts[note.id, note.number].append(note)
        service.webhooks.repeat(self._recorded)
        self._revealed = SecretMap(bundle.stand_ins, lambda: state.document(service.world))
        self._worlds = self._mounted(service)
        self._at = bundle.started
        self._foreign = False
        self._app = App(self._worlds, mount.whole(), lambda host: not self._foreign)
        self._context = ControlContext(service, self._worlds, bundle.host)
        self._direct = direct(self._context, patient=False)

    def _mounted(self, service: Service) -> Worlds:
        """Return the worlds of a server in which this one has its recorded mount."""
        bundle = self._bundle
        if not bundle.mount:
            worlds = Worlds(service)
        else:
            worlds = Worlds(Service(service.world, Clock(bundle.started), self._profile))
            worlds.add(bundle.mount.removeprefix("/w/"), service)
        recorded = {name: getattr(bundle, name) for name in ("host", "public_url", "trusts_proxy")}
        service.pipeline.serve_at(replace(service.address, origins=frozenset(bundle.origins), **recorded))
        return worlds

    def digest(self) -> str:
        """Return the digest of the form of the present world, at the instant of the last call."""
        return form_digest(self._service.world, self._at)

    def play(self, call: BundledCall) -> RecordedAnswer | Mismatch | None:
        """Repeat a call, or set the recorded state of one that cannot be repeated.

        Returns the answer of an API call (else None), and the difference found while setting a recorded state.
        """
        self._at = call.at
        if not call.own_instant:
            self._service.live.show(call.at)
        if call.delivery is not None:
            self._service.webhooks.report(call.delivery)
            return None
        call = self._revealed.call(call)
        if call.why:
            self._set(call)
            return None
        if call.request is None:
            return self._control(call) if call.control else None
        if call.entry is not EntryPoint.HTTP and (unknown := _unknown(call)) is not None:
            return unknown
        self._service.journal.continue_from(int(call.id[1:]))
        self._send(call)
        entry = self._service.journal.last()
        if entry is None or entry.id != call.id:
            return Mismatch(
                call.id, _name(call), "the answer", None if call.answer is None else call.answer.status, None
            )
        return recorded(entry.response)

    def parting(self, call: BundledCall, got: RecordedAnswer) -> Mismatch | None:
        """Return the first difference of an answer from the recorded one; None when they are equal."""
        assert call.answer is not None
        self._revealed.learn(call.answer, got)
        found = _difference(call.answer, self._revealed.hidden(got))
        return None if found is None else Mismatch(call.id, _name(call), *found)

    def _set(self, call: BundledCall) -> None:
        self._service.live.replace(state.world_from(bytes(call.after)))
        if call.faults is not None:
            body = _without_holds(msgspec.json.encode(call.faults))
            invoke(self._context, CONTROL["put_faults"], (), {}, body)

    def _recorded(self, delivery: Delivery) -> DeliveryNote | None:
        """Return the outcome of the next attempt of a delivery; None when it counted as delivered."""
        notes = self._attempts.get((delivery.id, len(delivery.attempts)))
        return notes.popleft() if notes else None

    def _send(self, call: BundledCall) -> None:
        assert call.request is not None
        request = call.request.request()
        if call.entry is EntryPoint.HTTP:
            self._foreign = call.foreign_host
            self._app(request)
            return
        operation, service = API[call.operation], self._service
        texts = tuple(call.texts[name] for name in operation.placeholders)
        if call.entry is EntryPoint.SCENARIO:
            below = replace(request, target=request.target.removeprefix(self._bundle.mount))
            with suppress(ConnectionResetError):
                self._direct.send(OperationRequest(operation, texts, call.values, below))
            return
        made = request_of(operation, texts, call.values, self._profile, dict(request.headers), request.body)
        service.perform(Incoming(operation, texts, made.query, call.token, made.request))

    def _control(self, call: BundledCall) -> Mismatch | None:
        operation, body = CONTROL.find(call.control), raw(call.body)
        if operation is None:
            return Mismatch(call.id, call.control, "the operation of the control plane", call.control, None)
        if operation.sets_faults:
            if _is_hold(_json(body)):
                return None
            body = _without_holds(body)
        try:
            wait_for(invoke(self._context, operation, call.path, call.query, body))
        except (Misuse, Refusal) as refusal:
            return Mismatch(call.id, call.control, "the call of the control plane", "done", str(refusal))
        return None


def _unknown(call: BundledCall) -> Mismatch | None:
    """Return what this confsim lacks of a call by its operation's name: another version may have it."""
    operation = API.find(call.operation)
    if operation is None:
        return Mismatch(call.id, _name(call), "the operation", call.operation, None)
    if not call.texts.keys() >= set(operation.placeholders):
        return Mismatch(call.id, _name(call), "the path parameters", [*call.texts], [*operation.placeholders])
    return None


def _name(call: BundledCall) -> str:
    assert call.request is not None
    return f"{call.operation or 'no operation'} {call.request.method} {call.request.target}"


def _without_holds(body: bytes) -> bytes:
    """Return a list of faults without those that hold calls, which no replay repeats; another body as it is."""
    faults = _json(body)
    return msgspec.json.encode([each for each in faults if not _is_hold(each)]) if isinstance(faults, list) else body


def _is_hold(fault: Any) -> bool:
    return isinstance(fault, dict) and isinstance(fault.get("do"), dict) and "hold" in fault["do"]


def _json(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (ValueError, RecursionError):
        return None


def _difference(was: RecordedAnswer, got: RecordedAnswer) -> tuple[str, Any, Any] | None:
    """Return the first difference of two answers: the part, and both values; None when they are equal."""
    if was.status != got.status:
        return "the status", was.status, got.status
    for place, (one, other) in enumerate(zip(was.headers, got.headers, strict=False)):
        if one != other:
            return f"header line {place + 1}", ": ".join(one), ": ".join(other)
    if len(was.headers) != len(got.headers):
        return "the header lines", [name for name, _ in was.headers], [name for name, _ in got.headers]
    if was.body != got.body:
        return _place(raw(was.body), raw(got.body))
    return ("where the connection is dropped", was.cut, got.cut) if was.cut != got.cut else None


def _place(was: bytes, got: bytes) -> tuple[str, Any, Any]:
    """Return the first difference of two bodies, with the text around it."""
    at = next(
        (n for n, (one, other) in enumerate(zip(was, got, strict=False)) if one != other), min(len(was), len(got))
    )
    begin = max(0, at - _AROUND)
    shown = (each[begin : at + _AROUND].decode(errors="replace") for each in (was, got))
    before, after = shown
    return f"byte {at + 1} of the body", before, after

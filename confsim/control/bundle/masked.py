"""Masking of a bundle: it is replayed with stand-ins in the place of secrets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from confsim.control.export.calls import ApiCall
from confsim.service.entries import ControlCall, DeliveryNote
from confsim.service.files import state
from confsim.service.masking import DISTINCTIVE

from . import masking
from .document import Bundle, BundledCall, RecordedAnswer, content, raw
from .masking import StandIns, fingerprint
from .replay import Mismatch, Player, replay
from .substitution import FORMS, Substitution

#: Reason why a call is not replayed: with stand-ins it would be another call.
WHY = "with its secrets masked it would be answered otherwise"


def masked(bundle: Bundle, calls: list[ApiCall | ControlCall]) -> Bundle:
    """Return the bundle with a stand-in for each secret; ``calls`` are the calls of which it was made.

    The answers are those of a world that knows only the stand-ins: they differ from the recorded ones in texts that
    contain secrets or follow from them. When a call would have another effect, its resulting state is stored and the
    call is not replayed.
    """
    bundle = replace(bundle, calls=[_with_key_as_text(each) for each in bundle.calls])
    parted = replay(bundle).parting
    given, made = _Secrets(bundle, calls).substitutions()
    prints = {text: fingerprint(secret) for secret, text in made.pairs.items()}
    bundle = replace(
        bundle,
        start=Raw(given.state(bytes(bundle.start))),
        attempts=[_note(given, each) for each in bundle.attempts],
        masked=True,
        stand_ins=prints,
    )
    by_id = {(each.entry.id if isinstance(each, ApiCall) else each.id): each for each in calls}
    player, found = Player(bundle), []
    for call in bundle.calls:
        hidden = made.call(given.call(call))
        if call.delivery is not None:
            hidden = replace(hidden, delivery=_note(given, call.delivery))
        answer = None if call.answer is None else made.answer(given.answer(call.answer))
        if parted is None:
            got = player.play(hidden)
            if isinstance(got, Mismatch) or not _alike(call.answer, got):
                hidden = _left(hidden, by_id[call.id], given, made)
                player.play(hidden)
            elif call.answer is not None and got is not None:
                _learn_etag(given, call.answer, got)
                answer = made.answer(got)
                player.parting(replace(hidden, answer=answer), got)
        found.append(replace(hidden, answer=answer))
    return replace(bundle, calls=found, digest=player.digest() if bundle.digest and parted is None else "")


class _Secrets:
    """The secrets of a bundle: those that the world was given, and those that it made."""

    def __init__(self, bundle: Bundle, calls: list[ApiCall | ControlCall]) -> None:
        self._bundle = bundle
        self._given: dict[str, None] = {}
        self._made: dict[str, None] = {}
        self._give(masking.in_document(msgspec.json.decode(bytes(bundle.start))))
        bodies = {each.id: raw(each.body) for each in bundle.calls}
        for each in calls:
            if isinstance(each, ApiCall):
                self._of_call(each)
            else:
                self._of_control_call(each, bodies.get(each.id, each.body))

    def substitutions(self) -> tuple[Substitution, Substitution]:
        """Return the substitutions for the given secrets, and for those that the world made."""
        corpus = msgspec.json.encode(self._bundle)
        known = {*self._given, *self._made}
        stand_ins = StandIns(lambda text: text in known or (len(text) >= DISTINCTIVE and text.encode() in corpus))
        found = []
        for secrets in (self._given, self._made):
            pairs = {secret: stand_ins.of(secret) for secret in secrets}
            found.append(Substitution({secret: text for secret, text in pairs.items() if secret != text}))
        return found[0], found[1]

    def _of_call(self, call: ApiCall) -> None:
        entry = call.entry
        self._give(masking.in_request(entry))
        self._give(masking.identity_tokens(entry))
        sent = b"\n".join((entry.request.target.encode(), entry.request.query.encode(), entry.request.body))
        self._make(masking.in_writes(entry.touched, entry.after), sent)
        self._make(masking.in_answer(entry.response.body), sent)

    def _of_control_call(self, call: ControlCall, body: bytes) -> None:
        self._give(masking.in_body(body))
        if call.operation == "put_state":
            self._give(masking.in_document(msgspec.json.decode(body)))
        if call.worlds is not None:
            self._make(masking.in_writes(call.touched, call.worlds[1]), body)

    def _give(self, secrets: Iterable[str]) -> None:
        for secret in secrets:
            if secret not in self._made:
                self._given[secret] = None

    def _make(self, secrets: Iterable[str], sent: bytes) -> None:
        """Add the secrets in the world's records: made by it, unless a request sent them."""
        for secret in secrets:
            if secret not in self._given and secret not in self._made:
                given = any(form(secret).encode() in sent for form in FORMS)
                (self._given if given else self._made)[secret] = None


def _with_key_as_text(call: BundledCall) -> BundledCall:
    """Return the call that makes a validator with its JWK as text, which is what the world stores."""
    if call.control != "make_validator":
        return call
    body = msgspec.json.decode(raw(call.body))
    if isinstance(body.get("key"), dict):
        body["key"] = msgspec.json.encode(body["key"]).decode()
    return replace(call, body=content(msgspec.json.encode(body)))


def _left(hidden: BundledCall, call: ApiCall | ControlCall, given: Substitution, made: Substitution) -> BundledCall:
    """Return a call that is not replayed, with its resulting state."""
    if isinstance(call, ApiCall):
        after, faults = call.entry.after, call.entry.remaining_faults
    elif call.worlds is not None:
        after, faults = call.worlds[1], None
    else:
        return hidden
    document = made.state(given.state(state.document(after)))
    return replace(hidden, why=WHY, after=Raw(document), faults=[each.to_dict() for each in faults] if faults else None)


def _note(given: Substitution, note: DeliveryNote) -> DeliveryNote:
    return replace(note, url=given.text(note.url), problem=note.problem and given.text(note.problem))


def _learn_etag(given: Substitution, was: RecordedAnswer, got: RecordedAnswer) -> None:
    """Map the ETag to that of the masked world, for later requests that name it."""
    before, after = ({name.lower(): value for name, value in each.headers}.get("etag", "") for each in (was, got))
    if before != after and len(before) >= DISTINCTIVE:
        given.add({before.strip('W/"'): after.strip('W/"')})


def _alike(was: RecordedAnswer | None, got: RecordedAnswer | None) -> bool:
    """Return whether two answers differ only in texts."""
    if was is None or got is None:
        return was is got
    if (was.status, was.cut, [name for name, _ in was.headers]) != (got.status, got.cut, [n for n, _ in got.headers]):
        return False
    if was.body == got.body:
        return True
    try:
        before, after = (msgspec.json.decode(raw(each.body)) for each in (was, got))
    except ValueError:
        return len(raw(was.body)) == len(raw(got.body))
    return _same_shape(before, after)


def _same_shape(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same_shape(each, other[name]) for name, each in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same_shape, one, other))
    return bool(one == other) or (isinstance(one, str) and isinstance(other, str))

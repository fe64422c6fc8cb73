"""How each assumption can be seen in a service by a known call or request, and why some cannot."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from confsim.api.catalogue import API
from confsim.assumptions.protocol import transport, wire
from confsim.assumptions.protocol.refusals import REASONS, STATUS, Reason
from confsim.assumptions.register import REGISTER
from confsim.contract.operation import Operation
from confsim.reference.observed import observed
from confsim.reference.probes import probes, seen_in_calls
from confsim.reference.raw_probes import RAW_PROBES
from confsim.testing.learning.declared import why_left_out

#: Why no answer shows some values, where neither the declarations nor the calls that are made say so.
UNSEEN = {
    "clients.names": "no call removes a client, so that none is made to try a name again",
    "emails.second": "it needs the code of a mail",
    "gate.verify_user_email": "it needs the code of a mail",
    "streaming.session": "the session that is not started is in no list, so that nothing names its id",
    "time.visibility-lag": "no model is followed that shows changes later",
}
#: By assumption the one that may hide it: no call shows its value, and under some value of it none shows this one.
HIDDEN_BY = {"sessions.not-started": "streaming.session"}
NO_ALTERNATIVE = "no alternative to it is known"
#: What the first calls of a run show.
_FIRST = {
    wire.PRESENTATION.id: "list_supported_languages as each caller, with every way to present a token",
    transport.PREFIX.id: "list_supported_languages as each caller, below the base URL",
}
#: Most operations that a reason names.
_NAMED = 3


@cache
def seen() -> Mapping[str, str]:
    """Return, by the id of the assumption, the call or the request that shows its value, in words."""
    routes = {id: how for id, how in _succeeding().items() if id in REGISTER.entries}
    raw = {id: probe.seen for probe in reversed(RAW_PROBES) for id in probe.tells}
    return dict(sorted({**_FIRST, **routes, **raw, **seen_in_calls()}.items()))


@cache
def unseen() -> Mapping[str, str]:
    """Return, by the id of each assumption that no known probe shows, the reason in words."""
    return {id: _why(id) for id in sorted(REGISTER.entries.keys() - seen().keys())}


def refusal_of(id: str) -> Reason | None:
    """Return the refusal whose status or code an assumption is; None for other assumptions."""
    return _refusals().get(id)


def why_not_called(id: str, *, allow_phone_calls: bool = False) -> str:
    """Return why operations are not called that may show an assumption, "" when nothing keeps them from it.

    Of a refusal all operations count that are known to be refused so. Raises KeyError for an unknown id.
    """
    reason = refusal_of(id)
    if reason is None:
        named = [*REGISTER.entries[id].operations] or [id.partition(".")[2]]
        operations = [operation for name in named if (operation := API.find(name)) is not None]
        left_out = list(filter(why_left_out, operations))
        rings = any(each.rings for each in operations)
    else:
        operations = _refused(reason)
        left_out = operations if all(map(why_left_out, operations)) else []
        rings = bool(operations) and all(each.rings for each in operations)
    if left_out:
        return f"{left_out[0].name} is not called, since {why_left_out(left_out[0])}"
    return "it needs a phone" if rings and not allow_phone_calls else ""


def _succeeding() -> Mapping[str, str]:
    """Return a call that succeeds in words, by the id of the route of its operation: it shows the route."""
    found: dict[str, str] = {}
    for probe in probes():
        if int(probe.seen.rpartition(": ")[2]) < 400:
            found.setdefault(f"route.{probe.calls[-1].operation}", probe.seen)
    return found


def _why(id: str) -> str:
    entry, reason = REGISTER.entries[id], refusal_of(id)
    if id in UNSEEN:
        return UNSEEN[id]
    if not entry.candidates():
        return NO_ALTERNATIVE
    if not_called := why_not_called(id):
        return not_called
    if reason is not None:
        return f"no known call is refused so: {reason.value.sentence}"
    if not entry.operations:
        return "no call by the API alone is known that shows it"
    called = [name for name in entry.operations if name in _called()]
    if not called:
        return f"no known probe calls {', '.join(entry.operations[:_NAMED])}"
    return f"no known call of {', '.join(called[:_NAMED])} shows it"


@cache
def _refusals() -> Mapping[str, Reason]:
    return {entry.id: reason for reason, entry in STATUS.items() if entry is not None} | REASONS


def _refused(reason: Reason) -> list[Operation]:
    """Return the operations that real calls found refused so."""
    return [API[name] for name, each in observed().items() if reason.name in each["refusals"]]


@cache
def _called() -> frozenset[str]:
    """Return the operations that known probes call."""
    return frozenset(call.operation for probe in probes() for call in probe.calls)

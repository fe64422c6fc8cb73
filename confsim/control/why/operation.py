"""The control operation that says why a call was refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import CODE, STATUS, Reason
from confsim.assumptions.register import REGISTER, in_force
from confsim.contract.types import Wire
from confsim.control.context import ControlContext
from confsim.control.declare import operation
from confsim.control.labels.label import Named, named
from confsim.control.matching import EntryKind, kind_of, read_body
from confsim.control.moments import noted
from confsim.reference import rules
from confsim.service.entries import ControlCall, JournalEntry, Noted, TimerEntry

from .case import Case, Finding
from .deciding import deciding_assumptions, rules_of, rules_of_timer
from .headline import headline
from .past import Past
from .sentences import finding


class Step(Wire):
    """An entry of the journal that led to a refusal."""

    id: Annotated[str, "The id of the entry."]
    kind: Annotated[EntryKind, "The kind of entry."]
    at: Annotated[int, "The instant of it, in epoch milliseconds."]
    text: Annotated[str, "What happened, in a sentence without a full stop."]


class Decided(Wire):
    """What decided: a documented rule, or an assumption that a profile can change."""

    kind: Annotated[str, "rule or assumption."]
    name: Annotated[str, "Its number or id, as explain takes it."]
    text: Annotated[str, "What it says."]
    value: Annotated[Any, "The value of an assumption that is in force; null for a rule."] = None
    alternatives: Annotated[list[Any], "Other values of an assumption."] = []
    shapes: Annotated[bool, "Whether it only shapes the answer: its status, its code."] = False


class Why(Wire, kw_only=True):
    """Why a call was refused. ``text`` is empty for one that was not.

    ``told`` is what the caller was told, which may be less. ``there`` is the record in the way, or probably meant;
    ``gone`` the one that is missing since it was removed. ``steps`` are the entries that led to it, this one last.
    """

    id: Annotated[str, "The id of the entry."]
    text: Annotated[str, "Why, in a sentence without a full stop."]
    told: Annotated[str, "The message that the caller got; empty for none."] = ""
    code: Annotated[str, "The reason of the refusal, as explain takes it; empty for none."] = ""
    steps: Annotated[list[Step], "The entries that led to it, oldest first."] = []
    decided: Annotated[list[Decided], "The rules and assumptions that decided."] = []
    there: Annotated[Named | None, "The record in the way, or the one that was probably meant."] = None
    gone: Annotated[Named | None, "The record that is missing since it was removed."] = None
    nearest: Annotated[str, "The id, token or route that was probably meant."] = ""
    see: Annotated[list[str], "What can be done next."] = []


@operation("GET /requests/{id}/why", beside=True)
def explain_request(context: ControlContext, id: Annotated[str, "The id of the call."]) -> Why:
    """Explain why a call of the API or of the control plane was refused.

    The answer names the record that is missing or in the way, the entries that made and removed it, and the rules and
    assumptions that decided.

    Raises Misuse (404) for an id that nothing has had, (410) for what the journal has dropped.
    """
    entry = noted(context, id)
    if isinstance(entry, TimerEntry):
        return Why(id=id, text="")
    case = Case(Past(context.service), entry)
    found = finding(case)
    if found is None:
        return Why(id=id, text="")
    gone = found.gone
    return Why(
        id=id,
        text=found.sentence,
        told=_told(case),
        code="" if case.reason is None else case.reason.name.lower(),
        steps=[_step(case.past, each) for each in _steps(case, found)],
        decided=list(_decided(case, found)),
        there=None if found.there is None else named(case.change, found.there),
        gone=None if gone is None else Named(gone.held.table.name, gone.held.id, gone.held.client, gone.label),
        nearest=found.nearest,
        see=list(found.see),
    )


def _told(case: Case) -> str:
    """Return the message in the answer."""
    if isinstance(case.entry, ControlCall):
        return str(case.entry.refusal or "")
    body = read_body(case.entry.response.body, 64 << 10)
    message = body.get("message") if isinstance(body, dict) else None
    return message if isinstance(message, str) else ""


def _steps(case: Case, found: Finding) -> Iterator[Noted]:
    """Yield the entries that made and removed what the refusal is about, and the refused one."""
    if found.gone is not None:
        yield from (each for each in (found.gone.made, found.gone.ended) if each is not None)
    elif found.there is not None:
        held = found.there
        made = case.past.made((held.client, held.table.name, held.table.key(held.record)))
        if made is not None:
            yield made
    yield case.entry


def _step(past: Past, entry: Noted) -> Step:
    return Step(id=entry.id, kind=kind_of(entry), at=entry.at, text=headline(past, entry))


def _decided(case: Case, found: Finding) -> Iterator[Decided]:
    """Yield what decided: rules first, then assumptions, then those that only shape the answer."""
    reason = case.reason
    numbers = [] if reason is None else rules_of(reason.value.source)
    if found.gone is not None and isinstance(found.gone.ended, TimerEntry):
        numbers += rules_of_timer(found.gone.ended)
    performed = API.find(case.entry.operation)
    if reason is not None and reason.value.of_caller and performed is not None and performed.gate_entry is None:
        numbers += performed.rules
    for number in dict.fromkeys(numbers):
        if number in rules():
            yield Decided(kind="rule", name=number, text=rules()[number].statement)
    if reason is None or not isinstance(case.entry, JournalEntry):
        return
    for id in deciding_assumptions(case.entry):
        yield _assumption(case, id)
    yield from (_assumption(case, id, shapes=True) for id in _shaping(reason))


def _shaping(reason: Reason) -> list[str]:
    """Return the ids of the assumptions about the status and the code of a refusal."""
    return [entry.id for entry in (STATUS[reason], CODE[reason]) if entry is not None]


def _assumption(case: Case, id: str, *, shapes: bool = False) -> Decided:
    entry = REGISTER.entries[id]
    return Decided(
        kind="assumption",
        name=id,
        text=entry.statement,
        value=in_force(case.service.profile, entry),
        alternatives=list(entry.alternatives),
        shapes=shapes,
    )

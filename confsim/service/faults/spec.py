"""The specification of a fault: its target, match, schedule and effect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from confsim.domain.fault_points import FAULT_POINTS, TIMED, FaultOutcome, InjectedFault
from confsim.kernel.refusal import Misuse, suggest
from confsim.service.clock import LATEST
from confsim.values.spans import span

from .effects import Effect
from .words import read_effect

#: Stands for every operation.
EVERY = "*"
#: Fields by which calls are matched, beside the parameters of their paths.
CALLERS = ("caller", "client")
ALWAYS = "always"
#: Default delay of a webhook that arrives out of order.
_A_MINUTE = 60_000


class FaultSpec(Struct, frozen=True, kw_only=True):
    """A fault of an operation by name, of all ("*"), or of a thing; ``do`` is its effect as given."""

    operation: str | None = None
    thing: str | None = None
    match: Mapping[str, str | int]
    on: int
    times: int | str
    do: Any
    effect: Effect | InjectedFault[Any]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values from which ``read`` makes the same fault."""
        return {name: value for name in _NAMES if (value := getattr(self, name)) is not None}


_NAMES = ("operation", "thing", "match", "on", "times", "do")
#: Fields of an active fault that are ignored on input.
_SHOWN = frozenset({"id", "met", "hits"})


def read_all(values: object) -> list[FaultSpec]:
    """Return the faults in plain values. Raises Misuse with the first mistake and its place."""
    if not isinstance(values, list):
        raise Misuse("faults are a list of objects")
    return [read(each, f"faults[{place}]") for place, each in enumerate(values)]


def read(values: object, where: str = "fault") -> FaultSpec:
    """Return the fault in plain values. Raises Misuse with the mistake, its place, and the nearest name."""
    if not isinstance(values, dict):
        raise Misuse(f"{where} is to be an object of {', '.join(_NAMES)}")
    given = {name: value for name, value in values.items() if name not in _SHOWN and value is not None}
    for name in given:
        if name not in _NAMES:
            raise Misuse(f"{where}: a fault has no {name!r}{suggest(name, _NAMES)}")
    operation, thing = given.get("operation"), given.get("thing")
    if (operation is None) is (thing is None):
        raise Misuse(f"{where}: name an operation or a thing")
    effect: Effect | InjectedFault[Any]
    if operation is not None:
        facts = _facts_of(operation, where)
        effect = read_effect(given.get("do"), f"{where}.do")
    else:
        if not isinstance(thing, str) or thing not in FAULT_POINTS:
            raise Misuse(f"{where}.thing: nothing is called {thing!r}{suggest(thing, FAULT_POINTS)}")
        facts = FAULT_POINTS[thing].facts
        effect = _injected(thing, given.get("do"), f"{where}.do")
    return FaultSpec(
        operation=operation,
        thing=thing,
        match=_match(given.get("match", {}), facts, f"{where}.match"),
        on=_count(given.get("on", 1), f"{where}.on"),
        times=ALWAYS
        if given.get("times") == ALWAYS
        else _count(given.get("times", 1), f"{where}.times", " or 'always'"),
        do=given["do"],
        effect=effect,
    )


def _facts_of(operation: object, where: str) -> tuple[str, ...]:
    if operation == EVERY:
        return CALLERS
    from confsim.api.catalogue import API

    operations = API.operations
    if not isinstance(operation, str) or operation not in operations:
        raise Misuse(f"{where}.operation: there is no operation {operation!r}{suggest(operation, operations)}")
    return (*operations[operation].placeholders, *CALLERS)


def _match(values: object, facts: tuple[str, ...], where: str) -> dict[str, str | int]:
    if not isinstance(values, dict):
        raise Misuse(f"{where} is to be an object of {', '.join(facts)}")
    for name, value in values.items():
        if name not in facts:
            raise Misuse(f"{where}: it is not matched by {name!r}{suggest(name, facts)}")
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise Misuse(f"{where}.{name}: {value!r} is neither a text nor a whole number")
    return values


def _count(value: object, where: str, other: str = "") -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise Misuse(f"{where}: {value!r} is no whole number from 1{other}")
    return value


def _injected(thing: str, values: object, where: str) -> InjectedFault[Any]:
    """Return the outcome for a thing: a word, or an object of ``outcome`` and ``by``."""
    given = {"outcome": values} if isinstance(values, str) else values
    if not isinstance(given, dict) or "outcome" not in given:
        raise Misuse(f"{where} is to be an outcome, or an object of outcome and by")
    for name in given:
        if name not in ("outcome", "by"):
            raise Misuse(f"{where}: a fault of a thing does no {name!r}{suggest(name, ('outcome', 'by'))}")
    outcomes = FAULT_POINTS[thing].outcomes
    if given["outcome"] not in list(outcomes):
        words = [outcome.value for outcome in outcomes]
        raise Misuse(f"{where}.outcome: no {thing} is {given['outcome']!r}{suggest(given['outcome'], words)}")
    outcome = FaultOutcome(given["outcome"])
    if outcome not in TIMED:
        if "by" in given:
            raise Misuse(f"{where}.by: what is {outcome.value} takes no time")
        return InjectedFault(outcome)
    if "by" not in given and outcome is FaultOutcome.LATE:
        raise Misuse(f"{where}.by: how much later? a duration such as '10m'")
    try:
        by = span(given.get("by", _A_MINUTE))
    except Misuse as misuse:
        raise Misuse(f"{where}.by: {misuse}") from None
    if not 1 <= by <= LATEST:
        raise Misuse(f"{where}.by: {given['by']!r} is no while")
    return InjectedFault(outcome, by)

"""What the tests of a run met of the API: operations, refusals, transitions of machines and assumptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from threading import get_ident
from typing import Any

from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import CODE, Reason
from confsim.assumptions.register import REGISTER
from confsim.contract.openapi.errors import declared
from confsim.kernel.machine import Machine
from confsim.kernel.rows import Row
from confsim.kernel.world import Change, World
from confsim.reference.observed import observed
from confsim.service.journal import Entry
from confsim.service.service import Service

#: What is counted, in the order of the report.
KINDS = ("operations", "refusals", "transitions", "assumptions")
#: The machines of each area of the API.
MACHINES = {
    "auth": ("user token",),
    "terms": ("terms document", "terms acceptance"),
    "validators": ("validator",),
    "users": (
        *("account", "email", "guest access", "handle reservation", "handle uniqueness", "invitation"),
        *("user image", "property"),
    ),
    "roles": ("channel role", "hosting"),
    "access": ("access level customer-admin", "access level partner-admin"),
    "api_tokens": ("API token",),
    "friendly_urls": ("friendly URL", "friendly URLs of a client"),
    "clients": (
        *("client service", "client hierarchy", "client default speech2text", "client default dial_in"),
        *("client default dial_out", "client default midi"),
    ),
    "channels": (
        *("channel", "channel image", "wall", "attendee lock", "presenters limit", "speech2text", "midi"),
        *("dial in", "dial out", "event room", "lobby auto-close", "broadcast enabled"),
    ),
    "runtime": ("lobby door", "presence", "presenter", "audience", "streaming placement"),
    "sessions": ("session",),
    "app_sessions": ("app session",),
    "config": ("configuration document",),
    "templates": ("settings template", "template offer", "template selection"),
    "breakout": ("breakout session", "breakout room", "breakout assignment", "linked user"),
    "telephony": ("inbound number", "default number", "number assignment", "dial-in PINs", "call"),
    "recordings": ("recording", "recording asset", "download URL", "asset token"),
    "media": ("media asset",),
    "gateway": ("gateway endpoint",),
    "broadcast": ("broadcast", "broadcast destination"),
    "events": ("events interface", "events endpoint", "webhook delivery"),
}


def _code(reason: Reason) -> str:
    """The code by which a refusal is named: the one that it has on the wire by default."""
    return reason.name.lower()


#: The code of each refusal, by the id of its assumption: each refusal that is answered uses its own.
_REASONS = {entry.id: _code(reason) for reason, entry in CODE.items()}
#: Changes of one thread whose transitions are kept until they are put in force; one that is dropped is forgotten.
_OPEN = 8

#: One thing that can be met: (operation,), (operation, code), (machine, transition) or (assumption,).
Item = tuple[str, ...]
#: How often each was met, by kind.
Counts = dict[str, Counter[Item]]


def no_counts() -> Counts:
    """Counts of nothing."""
    return {kind: Counter() for kind in KINDS}


def transition(row: Row) -> str:
    """A row of a machine in words: ``reserve: absent -> reserved [free]``."""
    label = f"{row.when}: {' | '.join(state.value for state in row.on)} -> {row.then.value}"
    return label if row.only_if is None else f"{label} [{row.only_if}]"


class Collector:
    """Counts what calls meet, in every world of this process that is made while it is attached.

    The calls of a scenario by which a world is made are not counted, nor anything while it is ``paused``.
    """

    def __init__(self) -> None:
        self.counts = no_counts()
        self.paused = False
        #: By thread: the transitions of its latest changes, by the identity of each change.
        self._open: dict[int, dict[int, tuple[Change, list[Item]]]] = {}
        self._observers: list[tuple[Row, _RowObserver]] = []

    def attach(self) -> None:
        """Follow every world that is made from now on, and every row of every machine."""
        for machine in Machine.declared.values():
            for row in machine.rows:
                observer = _RowObserver(partial(self._moved, (machine.name, transition(row))))
                row.observers += (observer,)
                self._observers.append((row, observer))
        Service.when_made = (*Service.when_made, self._follow)

    def detach(self) -> None:
        """Follow no further world and no row."""
        for row, observer in self._observers:
            row.observers = tuple(each for each in row.observers if each is not observer)
        self._observers.clear()
        Service.when_made = tuple(each for each in Service.when_made if each != self._follow)
        self.paused = True

    def _follow(self, service: Service) -> None:
        def changed(before: World, change: Change, after: World) -> None:
            if self._called in service.journal.followers:
                self._in_force(change)

        service.journal.follow(self._called)
        service.live.observe(changed)

    def _called(self, entry: Entry) -> None:
        if self.paused:
            return
        operation, counts = entry.operation, self.counts
        counts["assumptions"].update((id,) for id in entry.assumptions)
        if operation:
            counts["operations"][operation,] += 1
            counts["refusals"].update((operation, _REASONS[id]) for id in entry.assumptions if id in _REASONS)

    def _moved(self, item: Item, change: Change) -> None:
        changes = self._open.setdefault(get_ident(), {})
        if id(change) not in changes:
            while len(changes) >= _OPEN:
                del changes[next(iter(changes))]
            changes[id(change)] = change, []
        changes[id(change)][1].append(item)

    def _in_force(self, change: Change) -> None:
        _, moved = self._open.get(get_ident(), {}).pop(id(change), (change, []))
        if not self.paused:
            self.counts["transitions"].update(moved)
            assumptions = self.counts["assumptions"]
            for used in change.used:  # by timers and by the control plane; calls are counted with their entries
                assumptions.setdefault((used,), 0)


class _RowObserver:
    """An observer of one row, whichever state it is applied in."""

    __slots__ = ("notify", "sees")

    def __init__(self, note: Callable[[Change], None]) -> None:
        self.sees = lambda state: True
        self.notify = lambda change, record: note(change)


def possible(profile: Mapping[str, Any]) -> dict[str, dict[str, set[Item]]]:
    """What can be met under a profile, by area of the API and by kind.

    The refusals of an operation are those that follow from its declaration and those that real calls of it were given.
    An assumption belongs to every area that has one of its operations; one that names none belongs to no area.
    """
    found: dict[str, dict[str, set[Item]]] = {area: {kind: set() for kind in KINDS} for area in API.areas}
    for operation in API:
        area = found[operation.area]
        area["operations"].add((operation.name,))
        codes = {_code(reason) for reason in declared(operation, profile)}
        for name, where in observed().get(operation.name, {}).get("refusals", {}).items():
            if not where or profile.keys() & set(where):
                codes.add(_code(Reason[name]))
        area["refusals"] |= {(operation.name, code) for code in codes}
    for place, machines in MACHINES.items():
        for name in machines:
            found[place]["transitions"] |= {(name, transition(row)) for row in Machine.declared[name].rows}
    for entry in REGISTER.entries.values():
        for concerned in entry.operations:
            found[API[concerned].area]["assumptions"].add((entry.id,))
    return found


def merge(counts: Counts, more: Mapping[str, Iterable[tuple[Item, int]]]) -> None:
    """Add counts, as ``plain`` returns them, to others."""
    for kind, items in more.items():
        for item, count in items:
            counts[kind][tuple(item)] += count


def plain(counts: Counts) -> dict[str, list[tuple[Item, int]]]:
    """The counts as lists, which xdist can hand on."""
    return {kind: sorted(items.items()) for kind, items in counts.items()}


class Coverage:
    """The part of what can be met that was met, in the areas of the operations that were called.

    ``met`` counts, and ``missing`` lists, by area and by kind. ``untouched`` are the other areas. ``beyond`` is what
    was met and belongs to no touched area: assumptions that concern every operation, machines that others moved.
    """

    def __init__(self, counts: Counts, profile: Mapping[str, Any]) -> None:
        can = possible(profile)
        touched = {API[name].area for (name,) in counts["operations"]}
        self.untouched = [area for area in can if area not in touched]
        self.met: dict[str, dict[str, dict[Item, int]]] = {}
        self.missing: dict[str, dict[str, list[Item]]] = {}
        beyond = {kind: dict(items) for kind, items in counts.items()}
        for area in (each for each in can if each in touched):
            names = {name for (name,) in can[area]["operations"]}
            can[area]["refusals"] |= {item for item in counts["refusals"] if item[0] in names}
            self.met[area], self.missing[area] = {}, {}
            for kind, items in can[area].items():
                self.met[area][kind] = {item: counts[kind][item] for item in sorted(items) if item in counts[kind]}
                self.missing[area][kind] = sorted(item for item in items if item not in counts[kind])
                for item in items:
                    beyond[kind].pop(item, None)
        self.beyond = {kind: dict(sorted(items.items())) for kind, items in beyond.items() if items}
        self.totals = {kind: self._total(kind) for kind in KINDS}

    def _total(self, kind: str) -> tuple[int, int]:
        """How many different things were met of those that can be, in all touched areas."""
        met = {item for area in self.met.values() for item in area[kind]}
        missing = {item for area in self.missing.values() for item in area[kind]}
        return len(met), len(met) + len(missing)

    @property
    def percent(self) -> float:
        """What was met of all that can be in the touched areas, in percent; 0 when nothing was called."""
        met, of = (sum(total[place] for total in self.totals.values()) for place in (0, 1))
        return 100 * met / of if of else 0.0

    def document(self) -> dict[str, Any]:
        """The coverage as plain values for JSON."""
        return {
            "percent": round(self.percent, 2),
            "totals": {kind: {"met": met, "of": of} for kind, (met, of) in self.totals.items()},
            "areas": {
                area: {
                    kind: {"met": _nested(self.met[area][kind]), "missing": _listed(self.missing[area][kind])}
                    for kind in KINDS
                }
                for area in self.met
            },
            "beyond": {kind: _nested(items) for kind, items in self.beyond.items()},
            "untouched": self.untouched,
        }


def _nested(items: Mapping[Item, int]) -> dict[str, Any]:
    """Counts by name, or by name and then by what it did."""
    found: dict[str, Any] = {}
    for (name, *rest), count in items.items():
        if rest:
            found.setdefault(name, {})[rest[0]] = count
        else:
            found[name] = count
    return found


def _listed(items: Iterable[Item]) -> Any:
    """Names, or what is missing by name."""
    names: list[str] = []
    found: dict[str, list[str]] = {}
    for name, *rest in items:
        if rest:
            found.setdefault(name, []).append(rest[0])
        else:
            names.append(name)
    return found or names

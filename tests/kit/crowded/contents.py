"""What the crowded world holds, beside what there is: by this table a test names what is missing in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from confsim import Simulator
from confsim.assumptions.events import EventKind
from confsim.assumptions.protocol.refusals import CODE, Reason
from confsim.contract.operation import Operation
from confsim.control.matching import EntryKind
from confsim.control.operations.browse import filled_tables
from confsim.domain.events.deliveries import DeliveryState
from confsim.domain.fault_points import FAULT_POINTS
from confsim.domain.mail import MailKind
from confsim.kernel.machine import Machine
from confsim.kernel.rows import ABSENT
from confsim.service.entries import TimerEntry
from confsim.service.faults.words import WORDS
from kit.crowded.standing import UNREACHED
from kit.crowded.texts import HOSTILE, LONG_TOKEN
from kit.declared import own_tables, own_timers

#: Returns names of things.
Names = Callable[[Simulator], Iterable[Any]]


def routed(sim: Simulator) -> set[str]:
    """Return the names of all operations that the mount of a world routes to, of the API and beside it."""
    endpoints = sim.app.mount.routes({})._answers
    found: list[Operation] = [
        operation for each in endpoints for operation in (each.operation, *each.variants.values())
    ]
    return {each.name for each in found}


def _called(refused: bool) -> Names:
    return lambda sim: (each.operation for each in sim.service.journal if (each.response.status >= 400) is refused)


def _states(sim: Simulator) -> Iterator[tuple[str, str]]:
    """Machine and state of every record."""
    for table, _, rows in filled_tables(sim.service.world, None):
        for machine in Machine.of(table):
            yield from {(machine.name, str(machine.state(record).value)) for record in rows.all}


def _reachable(_: Simulator) -> Iterator[tuple[str, str]]:
    """Machine and state of every machine of records, but for those that no call leads to."""
    for machine in (machine for table in own_tables() for machine in Machine.of(table)):
        for state in machine.states:
            if state is not ABSENT and (machine.name, str(state.value)) not in UNREACHED:
                yield machine.name, str(state.value)


def _hits(sim: Simulator) -> Iterator[str]:
    """The words of the faults that hit a call."""
    for entry in sim.service.journal:
        for hit in entry.fault:
            yield from hit.do if hit.when != "within" else ()


def _waiting_words(sim: Simulator) -> Iterator[str]:
    return (word for fault in sim.faults if fault.operation for word in fault.do)


def _waiting_outcomes(sim: Simulator) -> Iterator[tuple[str, str]]:
    return ((fault.thing, fault.do["outcome"]) for fault in sim.faults if fault.thing and isinstance(fault.do, dict))


def _outcomes(_: Simulator) -> Iterator[tuple[str, str]]:
    return ((point.name, outcome.value) for point in FAULT_POINTS.values() for outcome in point.outcomes)


def _codes(sim: Simulator) -> Iterator[str]:
    used = {id for entry in sim.service.journal for id in entry.assumptions}
    return (reason.name for reason, entry in CODE.items() if entry.id in used)


def _depths(sim: Simulator) -> Iterator[int]:
    """How deep each client stands."""
    parents = {each.id: each.parent for each in sim.control("get_info").clients}
    for id in parents:
        depth, above = 0, parents[id]
        while above is not None:
            depth, above = depth + 1, parents[above]
        yield depth


def _websockets(sim: Simulator) -> Iterator[str]:
    for entry in sim.service.journal:
        if entry.handshake or "/streaming/" in entry.request.target:
            yield f"handshake {entry.response.status}"
    yield f"{len(sim.service.realtime)} open"


def _texts(sim: Simulator) -> Iterator[str]:
    """The hostile texts that stand in the journal, of which the search finds those that came into a record too."""
    sent = b"\n".join(entry.request.body for entry in sim.service.journal).decode(errors="replace")
    return (name for name, text in HOSTILE.items() if text[:20] in sent)


def _kinds_of_tables(_: Simulator) -> Iterator[str]:
    return (table.name for table in own_tables())


#: By name: what there is, and what a world has of it.
CONTENTS: Mapping[str, tuple[Names, Names]] = {
    "operation that succeeded": (routed, _called(refused=False)),
    "operation that was refused": (routed, _called(refused=True)),
    "kind of record": (
        lambda _: (table.name for table in own_tables()),
        lambda sim: (each.kind for each in _kinds(sim)),
    ),
    "state of a machine": (_reachable, _states),
    "state of a delivery": (lambda _: DeliveryState, lambda sim: (each.state for each in sim.webhooks)),
    "kind of event": (lambda _: map(str, EventKind), lambda sim: map(str, _logged(sim))),
    "kind of mail": (lambda _: map(str, MailKind), lambda sim: (str(each.kind) for each in sim.mail)),
    "timer that waits": (lambda _: own_timers(), lambda sim: (each.kind for each in sim.service.world.timers)),
    "timer that fired": (
        lambda _: own_timers(),
        lambda sim: (each.kind for each in sim.service.journal.between if isinstance(each, TimerEntry)),
    ),
    "word of a fault that hit": (lambda _: WORDS, _hits),
    "word of a fault that waits": (lambda _: WORDS, _waiting_words),
    "outcome of a fault that waits": (_outcomes, _waiting_outcomes),
    "reason of a refusal": (lambda _: (each.name for each in Reason if each is not Reason.INTERNAL_ERROR), _codes),
    "kind of journal entry": (
        lambda _: set(EntryKind) - {EntryKind.ALL},
        lambda sim: (each.kind for each in sim.control("list_requests", kind="all")),
    ),
    "held call": (lambda _: ("before", "after"), lambda sim: (each.when for each in sim.control("list_held"))),
    "websocket": (lambda _: ("handshake 101", "handshake 401", "handshake 426", "4 open"), _websockets),
    "hostile text": (lambda _: HOSTILE, _texts),
    "depth of a client": (lambda _: range(5), _depths),
    "long token": (
        lambda _: (True,),
        lambda sim: (len(each) > len(LONG_TOKEN) for each in sim.control("get_info").tokens),
    ),
    "other world": (lambda _: (2,), lambda sim: (len(sim.worlds) - 1,)),
    "snapshot": (lambda _: (True,), lambda sim: (len(each) == 64 for each in sim.snapshots)),
}


def _kinds(sim: Simulator) -> Any:
    return sim.control("list_records", limit=0).kinds


def _logged(sim: Simulator) -> Iterator[str]:
    return (each.record["kind"] for each in sim.control("list_records", kind="event log", limit=500).records)


def missing(sim: Simulator) -> list[str]:
    """Return what there is and the world does not hold, in words."""
    found = []
    for what, (there_is, has) in CONTENTS.items():
        held = Counter(has(sim))
        found += [f"{what}: {each}" for each in there_is(sim) if each not in held]
    return found

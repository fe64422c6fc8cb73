"""Which triggers were tried in which pair of states of two machines, and which pairs of states were reached."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from confsim.kernel.machine import Machine
from confsim.kernel.tables.table import Table

from .step import Tried
from .view import View, word

#: A machine and one of its states.
StateOf = tuple[str, str]


class Pairs:
    """Counts for one channel and its client: each record counts that belongs to the channel, or to no channel."""

    def __init__(self, channel: str, client: str) -> None:
        self.channel = channel
        self.client = client
        self.reached: set[frozenset[StateOf]] = set()
        self.tried: set[tuple[Tried, StateOf]] = set()
        self._met: set[frozenset[StateOf]] = set()
        self._seen: set[tuple[frozenset[StateOf], frozenset[Tried]]] = set()

    def __getstate__(self) -> dict[str, object]:
        """Return what another process is sent: without what only saves time."""
        return {**vars(self), "_met": set(), "_seen": set()}

    def states(self, view: View) -> frozenset[StateOf]:
        """Return the states that records of each machine have in a world, "absent" where there is no record."""
        found: set[StateOf] = set()
        for machine, tables in _machines():
            records = [record for table in tables for record in view[table] if self._concerned(record)]
            states = {str(word(machine.read(record))) for record in records}
            if not states and "absent" in _states(machine):
                states = {"absent"}
            found |= {(machine.name, state) for state in states}
        return frozenset(found)

    def _concerned(self, record: object) -> bool:
        client = getattr(record, "client", self.client)
        channel = getattr(record, "channel", None) or self.channel
        base = getattr(record, "parent", None) or getattr(record, "id", None)
        if hasattr(record, "meeting_id"):
            return base == self.channel
        return bool(client == self.client and channel == self.channel)

    def reach(self, states: frozenset[StateOf]) -> None:
        """Note the states of a world."""
        if states not in self._met:
            self._met.add(states)
            self.reached |= {frozenset(pair) for pair in combinations(sorted(states), 2) if pair[0][0] != pair[1][0]}

    def try_in(self, states: frozenset[StateOf], tried: frozenset[Tried]) -> None:
        """Note the triggers that were tried in a world with these states."""
        if (states, tried) not in self._seen:
            self._seen.add((states, tried))
            self.tried |= {(trigger, state) for trigger in tried for state in states if state[0] != trigger[0]}

    def add(self, other: Pairs) -> None:
        """Add what another exploration has met."""
        self.reached |= other.reached
        self.tried |= other.tried


def possible() -> Iterator[frozenset[StateOf]]:
    """Yield every pair of states of two machines that have records."""
    states = [(machine.name, state) for machine, _ in _machines() for state in _states(machine)]
    for one, other in combinations(states, 2):
        if one[0] != other[0]:
            yield frozenset((one, other))


def _states(machine: Machine) -> list[str]:  # type: ignore[type-arg]
    return [str(word(state)) for state in machine.states]


def _machines() -> list[tuple[Machine, list[str]]]:  # type: ignore[type-arg]
    """Return the machines that have several states and records, with the tables of these."""
    return [
        (machine, tables)
        for machine in Machine.declared.values()
        if len(machine.states) > 1
        and (tables := [table.name for table in Table.declared.values() if table.record is machine.record])
    ]

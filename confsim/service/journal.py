"""The journal of a world: every call with its final response, the assumptions used and the changes made.

It also has the events between calls: control calls, and timers that fire.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from msgspec.structs import replace

from confsim.kernel.refusal import Misuse, require_at_most
from confsim.kernel.timers import Timer
from confsim.kernel.world import Change, World

from .entries import ControlCall, DeliveryNote, JournalEntry, TimerEntry
from .faults.interceptor import FaultHit, hits_in
from .live import WorldObserver

#: Header lines of an answer: names and values.
Headers: TypeAlias = "tuple[tuple[str, str], ...]"

#: Default number of calls in a journal, whose oldest are evicted, and the highest that can be set.
MOST_CALLS, MOST_EVER = 1000, 1_000_000
#: Most bytes of large bodies in a journal, the newest aside; the oldest calls are evicted.
HEAVIEST = 256 << 20


class Journal(WorldObserver):
    """The latest calls, oldest first, at most ``most`` of them, and the events between them.

    ``count`` is the number of calls ever recorded, ``epoch`` that of restarts.
    """

    def __init__(self, most: int = MOST_CALLS) -> None:
        self.most = most
        self._entries: deque[JournalEntry] = deque(maxlen=most)
        self._control_calls: deque[ControlCall] = deque(maxlen=most)
        self._others: deque[ControlCall | TimerEntry] = deque(maxlen=most)
        self._deliveries: deque[DeliveryNote] = deque()
        self._hits: dict[str, tuple[FaultHit, ...]] = {}
        self._answers: dict[tuple[str, int], tuple[Headers, bytes]] = {}
        self._between = 0
        self.count = self._begun = 0
        self.epoch = 0
        self._used: dict[str, None] = {}
        self._uses: dict[str, Mapping[str, None]] = {}

    def __iter__(self) -> Iterator[JournalEntry]:
        return iter(tuple(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def control_calls(self) -> tuple[ControlCall, ...]:
        """The control calls that a replay repeats, oldest first."""
        return tuple(self._control_calls)

    @property
    def between(self) -> list[ControlCall | TimerEntry]:
        """The events between the API calls, oldest first: all control calls, and timers."""
        return sorted((*self._control_calls, *self._others), key=lambda each: int(each.id[1:] or 0))

    @property
    def deliveries(self) -> tuple[DeliveryNote, ...]:
        """The steps of webhook deliveries since the oldest stored call, oldest first."""
        return tuple(self._deliveries)

    @property
    def between_count(self) -> int:
        """The number of events between API calls ever recorded."""
        return self._between

    @property
    def dropped(self) -> int:
        """The number of calls that the journal has evicted since it began or was emptied: all before the oldest."""
        if self._entries:
            return max(0, self._entries[0].number - 1 - self._begun)
        return 0 if self.most else self.count - self._begun

    def restart(self) -> None:
        """Remove everything, and count from 1 again."""
        self.clear()
        self.count = self._between = self._begun = 0
        self.epoch += 1

    def limit(self, most: int) -> None:
        """Set the most calls that are stored. Raises Misuse for a negative number, and above ``MOST_EVER``."""
        if most < 0:
            raise Misuse(f"a journal cannot keep {most} calls")
        require_at_most(most, MOST_EVER, "calls in the journal")
        self.most = most
        self._control_calls = deque(self._control_calls, most)
        self._others = deque(self._others, most)
        self._entries = deque(self._entries, most)

    def use(self, assumptions: Iterable[str]) -> None:
        """Add assumptions used by the consequences of a call, such as a delivery."""
        self._used.update(dict.fromkeys(assumptions))

    @property
    def used_count(self) -> int:
        """The number of assumptions used since the journal began."""
        return len(self._used)

    def last(self) -> JournalEntry | None:
        """The newest entry."""
        return self._entries[-1] if self._entries else None

    def instant_of(self, calls: int) -> int:
        """Return the instant of the call that was made so many calls ago, 0 when there is none."""
        return self._entries[-calls].at if len(self._entries) >= calls else 0

    def find(self, id: str) -> JournalEntry | None:
        """Return the entry of this id, None when there is none; the newest are searched first."""
        last = self.last()
        if last is None or last.id == id:
            return last
        return next((each for each in reversed(tuple(self._entries)) if each.id == id), None)

    def next_id(self) -> str:
        """The id of the next entry."""
        self.count += 1
        return f"r{self.count}"

    def continue_from(self, number: int) -> None:
        """Let the entry to come have this number, as where the calls before it are not repeated."""
        self.count = number - 1

    def share(self, operation: str, used: Mapping[str, None]) -> Mapping[str, None]:
        """Add the assumptions that a call of the operation used; those of the latest such call, if it used the same."""
        shared = self._uses.get(operation)
        if shared is None or shared != used:
            shared = self._uses[operation] = used
            self._used.update(used)
        return shared

    def answered(self, entry: JournalEntry, withheld: JournalEntry | None) -> None:
        """Add the entry of a call, or put it in the place of the withheld one, unless that was evicted or removed.

        The oldest is evicted when there are too many.
        """
        if withheld is None:
            self._entries.append(entry)
        elif (place := next((at for at, each in enumerate(self._entries) if each is withheld), None)) is not None:
            self._entries[place] = entry
        if entry.weight:
            _evict_by_size(self._entries)

    def next_between(self, kind: str) -> str:
        """Return the id of the next event between calls; ``kind`` is its first letter."""
        self._between += 1
        return f"{kind}{self._between}"

    def add_between(self, other: ControlCall | TimerEntry) -> None:
        """Add a timer, or a control call that a replay leaves out; the oldest is evicted."""
        self._others.append(other)
        self._used.update(other.assumptions)
        if other.weight:
            _evict_by_size(self._others)

    def fired(self, timer: Timer, before: World, change: Change, after: World) -> None:
        """Note a timer that has fired, if it used or wrote anything."""
        if change.carried.used or change.touched:
            about = timer.kind, timer.client, timer.subject
            id, used, touched, worlds = self.next_between("t"), change.carried.used, change.touched, (before, after)
            self.add_between(TimerEntry(self.count, change.now, id, *about, used, touched, worlds, hits_in(change)))

    def add_control_call(self, call: ControlCall) -> None:
        """Add a control call that a replay repeats; the oldest are evicted with the API calls after them."""
        self._control_calls.append(call)
        self._used.update(call.assumptions)
        if call.weight:
            _evict_by_size(self._control_calls)

    def add_delivery(self, note: DeliveryNote) -> DeliveryNote:
        """Append a step of a webhook delivery and return it; steps before the oldest call are evicted."""
        notes, placed = self._deliveries, replace(note, after=self.count, between=self._between)
        oldest = self._entries[0].number if self._entries else self.count
        while notes and notes[0].after < oldest - 1:
            notes.popleft()
        notes.append(placed)
        return placed

    def note_answer(self, delivery: str, at: int, headers: Headers, body: bytes) -> None:
        """Note what a receiver answered to an attempt; the oldest are forgotten when there are too many."""
        self._answers[delivery, at] = headers, body
        if len(self._answers) > self.most:
            del self._answers[next(iter(self._answers))]

    def answer_to(self, delivery: str, at: int) -> tuple[Headers, bytes]:
        """Return the headers and the beginning of the body that answered an attempt; nothing if that is unknown."""
        return self._answers.get((delivery, at), ((), b""))

    def note_hits(self, delivery: str, hits: tuple[FaultHit, ...]) -> None:
        """Note the faults that hit a webhook delivery; those of the oldest are forgotten when there are too many."""
        self._hits[delivery] = hits
        if len(self._hits) > self.most:
            del self._hits[next(iter(self._hits))]

    def forget_hits(self, undone: Callable[[str], bool]) -> None:
        """Forget the hits of the deliveries that another world has undone."""
        self._hits = {delivery: hits for delivery, hits in self._hits.items() if not undone(delivery)}

    def hits_of(self, delivery: str) -> tuple[FaultHit, ...]:
        """Return the faults that hit a webhook delivery."""
        return self._hits.get(delivery, ())

    def clear(self) -> int:
        """Remove every entry; return their number."""
        count = len(self._entries)
        self._begun = self.count
        self._entries.clear()
        kept = self._control_calls, self._others, self._deliveries, self._hits, self._answers, self._used, self._uses
        for each in kept:
            each.clear()
        return count

    def forget(self, ids: Collection[str]) -> int:
        """Remove the entries of these ids; return how many were found."""
        rest = deque((entry for entry in self._entries if entry.id not in ids), self.most)
        count, dropped = len(self._entries) - len(rest), self.dropped
        self._entries = rest
        self._begun += self.dropped - dropped  # what was removed from the front was not evicted
        return count

    def assumptions(self) -> list[str]:
        """Return the sorted ids of the assumptions used since the journal began, also by evicted entries."""
        return sorted(self._used)


def _evict_by_size(entries: deque[Any]) -> None:
    """Evict the oldest entries until the large bodies of the rest fit the limit; the newest stays."""
    total = sum(entry.weight for entry in entries)
    while total > HEAVIEST and len(entries) > 1:
        total -= entries.popleft().weight

"""The search for the shortest sequence of calls that shows a difference, by repeating parts of a journey."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from confsim.testing.learning.run import Run, RunStep
from confsim.testing.learning.service import Interrupted

from .replay import imagined, made_by, needed, needs_of, replayed

#: Most requests for the search of one reproducer.
MOST_REQUESTS = 150


def signature(step: RunStep) -> tuple[str, str, object]:
    """Return the identity of a difference: operation, place, and the statuses when those differ."""
    difference = step.difference
    assert difference is not None
    place = re.sub(r"/\d+", "/*", difference.place)
    return step.call.operation, place, (difference.expected, difference.got) if place == "status" else None


class Reproducer(Struct, frozen=True):
    """The steps of a short reproducer, as repeated, and whether the difference occurred again.

    If it did not, the steps are those that the call depends on. ``interrupted`` is what ended the search early.
    """

    steps: list[RunStep]
    repeatable: bool
    interrupted: BaseException | None = None


def shrink(run: Run, journey: Sequence[RunStep]) -> Reproducer:
    """Return a short reproducer of the difference of the last step of a journey."""
    return _Shrinking(run, journey).result()


class _Shrinking:
    def __init__(self, run: Run, journey: Sequence[RunStep]) -> None:
        self._run = run
        self._steps = [*run.history]
        self._last = next(place for place, step in enumerate(self._steps) if step is journey[-1])
        self._origin = made_by(self._steps, run.shapes)
        first = next(place for place, step in enumerate(self._steps) if step is journey[0])
        self._journey = range(first, self._last)
        self._wanted = signature(journey[-1])
        self._spent = run.service.sent
        self._best: list[RunStep] | None = None
        self._bare = [self._last]

    def result(self) -> Reproducer:
        """Return the shortest reproducer found: what was found before an interruption stays."""
        interrupted: BaseException | None = None
        try:
            self._search()
        except (Interrupted, KeyboardInterrupt) as reason:
            interrupted = reason
        if self._best is not None:
            return Reproducer(self._best, True, interrupted)
        return Reproducer([self._steps[place] for place in self._bare], False, interrupted)

    def _search(self) -> None:
        """Try what the call depends on, then also what was to change the same things, then all steps; shorten it."""
        last = self._steps[self._last]
        assert last.difference is not None
        made = [
            self._origin[named] for named in last.difference.things if self._origin.get(named, self._last) < self._last
        ]
        self._bare = needed(self._steps, [self._last, *made], self._origin)
        asked = [place for place in self._journey if self._steps[place].call.declared.changes]
        writes = [place for place in asked if self._steps[place].predicted.reply.status < 400]
        named = set(last.call.names())
        related = [place for place in asked if named & set(self._steps[place].call.names())]
        done = [place for place in writes if place in related]
        for tried in (made, [*made, *done], [*made, *related], [*made, *writes], list(self._journey)):
            places = needed(self._steps, [*tried, self._last], self._origin)
            if self._shows(places):
                self._reduce(places)
                return

    def _reduce(self, places: list[int]) -> None:
        """Remove halves, then ever smaller parts, while the difference still occurs."""
        size = max(1, len(places) // 2)
        while True:
            for start in range(0, len(places) - 1, size):
                rest = self._without(places, set(places[start : start + size]))
                if rest is not None and self._shows(rest):
                    places = rest
                    break
            else:
                if size == 1:
                    return
                size //= 2
                continue
            size = max(1, min(size, len(places) // 2))

    def _without(self, places: list[int], out: set[int]) -> list[int] | None:
        """Return the indices without some and those that depend on them; None when the last step depends on one."""
        left: list[int] = []
        for place in places:
            if place not in out and all(each in left for each in needs_of(self._steps, place, self._origin)):
                left.append(place)
        return left if left and left[-1] == self._last and len(left) < len(places) else None

    def _shows(self, places: list[int]) -> bool:
        """Return whether the difference occurs when these steps are repeated."""
        run = self._run
        if run.service.sent - self._spent > MOST_REQUESTS:
            return False
        steps = [self._steps[place] for place in places]
        fresh = f"{run.names.tag}r{run.names.replay()}"
        predicted = imagined(run.model, steps, run.shapes, run.names.tag, fresh)
        if predicted is None or predicted.reply.status != self._steps[self._last].predicted.reply.status:
            return False
        made = replayed(run, steps, fresh)
        last = made[-1]
        if last.difference is None or signature(last) != self._wanted:
            return False
        if self._best is None or len(made) <= len(self._best):
            self._best = made
        return True

"""Ways to what was tried in the model and shown by no call: each area is explored, and the ways are gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence

from confsim.api.catalogue import API
from confsim.contract.operation import Operation
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.places import leaves
from confsim.testing.learning.model import Prediction
from confsim.testing.verifying.candidates import Step

from .finding import DRAWS
from .rehearsing import Fits
from .surroundings import Surroundings
from .tried import Goal, is_about_callers

#: How often each area is explored in each client, and after how many times that found nothing new it is explored once.
EXPLORED, _IDLE = 2, 4
#: How often more it is, the first time, while operations of it have not succeeded.
_MORE = 3
#: The part of the trials, beside those for any call, that seek one call in place of several.
_NOW = 2


class Goals:
    """Calls that show goals (``tried``). ``around`` gives the calls around others."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._candidates = around.candidates
        self._seen = around.seen
        self._tried = around.tried
        self._pages = around.pages
        self._finder = around.finder
        #: How often in a row the exploration of an area found nothing new.
        self._idle: Counter[str] = Counter()
        self._explored: set[str] = set()

    def open(self) -> Iterator[ModelCall]:
        """Yield calls that show what was only tried so far."""
        yield from self._shown_of(self._tried.open())

    def of_area(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield what shows goals of the area of an operation, which is explored before, those about callers aside.

        The first time further fields of answers aside, too, since many are shown by what is called for other goals.
        """
        first = operation.area not in self._explored
        self.explore([operation.area], EXPLORED)
        yield from self._shown_of(
            [
                (goal, way)
                for goal, way in self._tried.open()
                if way[-1][0].declared.area == operation.area
                and not is_about_callers(goal)
                and not (first and goal[1] == "has" and self._has_shown(goal[0]))
            ]
        )
        yield from self._around.looked(self._around.wrongs.of(each.name for each in API if each.area == operation.area))

    def about_callers(self, operation: Operation) -> Iterator[ModelCall]:
        """Yield calls of an operation by callers who hold one of its grants alone, and by such that hold none."""
        yield from self._shown_of(
            [
                (goal, way)
                for goal, way in self._tried.open()
                if way[-1][0].operation == operation.name and is_about_callers(goal)
            ]
        )

    def explore(self, areas: Iterable[str], times: int = 1) -> None:
        """Try the operations of some areas in journeys that are only rehearsed."""
        stage = self._around.rehearsal()
        for area in areas:
            homes, idle = self._finder.homes, self._idle[area]
            for home in homes * times if idle < _IDLE else [homes[idle % len(homes)]]:
                known = self._tried.count
                stage.explore(area, home)
                self._idle[area] = 0 if self._tried.count > known else self._idle[area] + 1
            for home in self._finder.homes * (_MORE if times > 1 and area not in self._explored else 0):
                if self._succeeded(area):
                    break
                stage.explore(area, home)
            self._explored.add(area)

    def _has_shown(self, operation: str) -> bool:
        """Return whether any answer of an operation had any field."""
        fields = leaves(self._finder.shapes.answer(API[operation]))
        return any(self._seen[operation, "has", pointer] for pointer, _ in fields)

    def _succeeded(self, area: str) -> bool:
        """Return whether each operation of an area has succeeded, or a way is known on which it does."""
        there = (each for each in API if each.area == area and self._candidates.served(each.name))
        return not any(self._tried.lacks((each.name, "succeeds")) for each in there)

    def _shown_of(self, ways: list[tuple[Goal, tuple[Step, ...]]]) -> Iterator[ModelCall]:
        """Yield the calls of ways to goals; first those that change nothing, last those that remove things.

        A row of a machine that changes nothing is applied only where no other goal applies it.
        """
        shared = Counter(id(way[-1][0]) for _, way in ways)

        def order(item: tuple[Goal, tuple[Step, ...]]) -> tuple[object, ...]:
            goal, way = item
            writes = sum(each.effective for _, each in way)
            idle = goal[0] == "applies" and not way[-1][1].effective
            return is_about_callers(goal), way[-1][1].removed, idle, writes, len(way), -shared[id(way[-1][0])]

        ways.sort(key=order)
        for goal, way in ways:
            if self._seen[goal]:
                continue
            found = yield from self._way(goal, way)
            if found is None:
                continue
            if goal[1:] == ("succeeds",):
                yield from self._around.shown(*found)
            elif goal[1] in ("several", "decided by"):
                yield from self._pages.of(*found, last=True)
                if not self._seen[goal]:
                    yield found[0]
            else:
                yield from self._around.made(found[0])

    def _way(self, goal: Goal, way: Sequence[Step]) -> Generator[ModelCall, None, Step | None]:
        """Yield the calls on the way to a goal, and return its last one; None when it leads there no more."""

        def fits(call: ModelCall, predicted: Prediction) -> bool:
            return goal in self._tried.goals(call, predicted, self._candidates.role(call))

        self._tried.forget(goal)
        if len(way) > 1:  # with what there is by now it may be one call
            found = self._now(way[-1][0].declared, fits)
            if found is not None:
                return found
        stage = self._around.rehearsal()
        calls = stage.reused(way, fits) or stage.trimmed(way, fits)
        return (yield from self._around.followed(stage, calls, fits))

    def _now(self, operation: Operation, fits: Fits) -> Step | None:
        """Return one call that fits, with what was made last or with what there is; None when none is found."""
        latest = max((each.journey for each in self._candidates.things), default=-1)
        for journey in (latest, -1):
            self._candidates.begin_journey(journey)
            found = self._finder.find(operation, fits, draws=_NOW * DRAWS)
            if found is not None:
                break
        self._candidates.begin_journey(-1)
        return found

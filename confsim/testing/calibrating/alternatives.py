"""The answers of the model under other values of assumptions, computed for every call beside the answer in force.

Each alternative gets every call that may distinguish it: those that use its assumption and, once its world differs from
the world in force, all later ones. So a difference is found however long ago it began.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, cast

from msgspec import Struct

from confsim.assumptions.register import REGISTER, context_of
from confsim.kernel.refusal import Misuse
from confsim.kernel.tables.table import Table
from confsim.kernel.timers import Timer
from confsim.kernel.world import Change, World
from confsim.reference.probes import distinguished, seen_in_calls
from confsim.service.live import WorldObserver
from confsim.service.service import Service
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import Comparison, Made, Reply
from confsim.testing.learning.comparing.correspondence import Correspondence
from confsim.testing.learning.comparing.places import Shapes
from confsim.testing.learning.discovering.discovery import READ_UNDER
from confsim.testing.learning.model import Prediction, after_waiting, call_service
from confsim.testing.learning.run import Run, RunStep

from .alternative import Alternative
from .evidence import AssumptionEvidence

#: Number of calls without a difference after which an alternative with a world of its own is no longer followed: one
#: that a known probe tells, and one of which no call is known that tells it.
_PATIENCE, _BRIEF = 3000, 20


class _Followed(Struct):
    """An alternative with a world or names of its own: that world, and how its names correspond to those in force."""

    world: World
    known: Correspondence
    calls: int = 0

    def copy(self) -> _Followed:
        """Return an independent copy."""
        return _Followed(self.world, self.known.copy(), self.calls)


class _Named:
    """The things of the run, under the ids that they have in another world."""

    def __init__(self, made: Made, known: Correspondence) -> None:
        self._made = made
        self._known = known

    def __contains__(self, named: object) -> bool:
        """Return whether this id of the other world belongs to something that the run made."""
        kind, name = cast("tuple[str, Any]", named)
        return (kind, self._known.model(kind, name)) in self._made


class WorldPair:
    """The world of an alternative, and how its ids correspond to those of the world in force.

    ``reply`` is its last answer.
    """

    reply: Reply

    def __init__(self, service: Service, shapes: Shapes, world: World, known: Correspondence) -> None:
        self._service = service
        self._shapes = shapes
        self._world = world
        self._known = known

    def differs(self, call: ModelCall, predicted: Prediction, made: Made | None) -> bool | None:
        """Return whether the alternative answers a call otherwise than predicted; None when it cannot be sent."""
        self._service.live.suppose(self._world)
        try:
            other = call_service(self._service, call.renamed(self._known.service))
        except Misuse:
            return None
        self._world, self.reply = other.after, other.reply
        comparison = Comparison(self._shapes, self._known)
        return comparison.difference(call.declared, predicted.reply, other.reply, made) is not None

    def made(self, things: Made | None) -> Made | None:
        """Return things under the ids that they have in the world of the alternative."""
        return None if things is None else _Named(things, self._known)

    def wait(self, until: int) -> None:
        """Let the timers fire that are due by an instant."""
        self._world = after_waiting(self._service, self._world, until)


class AlternativesState(Struct):
    """The alternatives that were followed after some steps, and those that were lost."""

    followed: dict[Alternative, _Followed]
    lost: set[Alternative]


class Alternatives(WorldObserver):
    """The alternatives that are followed beside one model.

    ``consulted`` maps each assumption that a judged step depended on, under any alternative, to the first such step.
    ``patient`` says that all are followed for long, even those that no known probe tells.
    """

    def __init__(self, run: Run, *, patient: bool = False) -> None:
        self._run = run
        self.patient = patient
        self.consulted: dict[str, int] = dict.fromkeys(run.rests_on, -1)
        run.model.service.live.observers.add(self)
        #: Since the last step, the timers that fired: the worlds before and after each, and what it depended on.
        self._timers: list[tuple[World, World, frozenset[str]]] = []
        self._services: dict[Alternative, Service] = {}
        self._followed: dict[Alternative, _Followed] = {}
        self._shapes = Shapes(run.profile)
        #: Alternatives that are no longer followed; no conclusion is drawn about them.
        self.lost: set[Alternative] = set()

    def begin(self, evidence: AssumptionEvidence) -> None:
        """Follow the open values under which the same reads mean another world, from the beginning of the run."""
        run = self._run
        for each in evidence.open_to(READ_UNDER):
            model = run.discovery.again(each.over(run.profile), run.known.renewed(), run.model.clock)
            self._followed[each] = _Followed(model.world, self._run_known())

    # States

    def state(self) -> AlternativesState:
        """Return which alternatives are followed now; later steps do not change it."""
        return AlternativesState(_copied(self._followed), set(self.lost))

    def resume(self, before: Alternatives, state: AlternativesState, same: Mapping[Alternative, Alternative]) -> None:
        """Go on as others were after so many steps; ``same`` has alternatives that mean what another meant there."""
        count = len(self._run.history)
        self.consulted = {id: first for id, first in before.consulted.items() if first < count}
        self._followed = _copied(state.followed)
        self.lost = set(state.lost)
        for each, other in same.items():
            if (found := _nearest(state.followed, other)) is not None:
                self._followed[each] = found.copy()
            if other in state.lost:
                self.lost.add(each)

    def note(self, step: RunStep, evidence: AssumptionEvidence) -> None:
        """Note the assumptions that the last step depended on, and the timers before it."""
        self._follow_timers(step, evidence)
        self._consult((*step.predicted.used, f"route.{step.call.operation}"))

    def _consult(self, ids: Iterable[str]) -> None:
        last = len(self._run.history) - 1
        for id in ids:
            if id not in self.consulted:
                self.consulted[id] = last

    def fired(self, timer: Timer, before: World, change: Change, after: World) -> None:  # noqa: ARG002 - any timer
        """Note a timer that fired."""
        self._consult(context_of(change).used)
        self._timers.append((before, after, frozenset(context_of(change).used)))

    def _follow_timers(self, step: RunStep, evidence: AssumptionEvidence) -> None:
        """Follow the alternatives to what the timers depended on that fired between the last step and this one.

        Each is followed from the world before the first of these timers.
        """
        world, found = step.before, dict[Alternative, World]()
        for before, after, used in reversed(self._timers):
            if after is world:
                world = before
                found.update(dict.fromkeys(evidence.open_to(used), before))
        self._timers.clear()
        for each, start in found.items():
            if each not in self._followed and each not in self.lost:
                self._followed[each] = _Followed(start, self._run_known())

    # Steps

    def concerned(self, step: RunStep, evidence: AssumptionEvidence) -> list[Alternative]:
        """Return the open alternatives that a step may distinguish from the values in force."""
        used = evidence.open_to(step.predicted.used)
        followed = [each for each in self._followed if evidence.is_open(each)]
        return [each for each in dict.fromkeys([*followed, *used]) if each not in self.lost]

    def differing(self, step: RunStep, concerned: Iterable[Alternative]) -> Iterator[Alternative]:
        """Yield the alternatives under which the model would answer a step otherwise; go on following the others."""
        for each in concerned:
            if self._differs(step, each):
                yield each

    def answer(self, step: RunStep, alternative: Alternative) -> tuple[Prediction, ModelCall] | None:
        """Return the model's answer to a step under an alternative, and the call with the ids of that world."""
        return self._answer(step, alternative, self._followed.get(alternative))

    def _answer(
        self, step: RunStep, alternative: Alternative, followed: _Followed | None
    ) -> tuple[Prediction, ModelCall] | None:
        call = step.call if followed is None else step.call.renamed(followed.known.service)
        service = self._service(alternative)
        service.live.suppose(step.before if followed is None else followed.world)
        try:
            return call_service(service, call), call
        except Misuse:
            return None

    def explains(self, step: RunStep, alternative: Alternative) -> bool:
        """Return whether the model under an alternative gives the answer that the service gave to a step."""
        followed = _nearest(self._followed, alternative)
        found = self._answer(step, alternative, followed)
        if found is None:
            return False
        run, (predicted, call) = self._run, found
        known = run.known.copy()
        known.undo(step.pairs)  # what was paired with an answer that was not as expected is paired anew
        known = known if followed is None else known.through(followed.known)
        comparison = Comparison(Shapes(alternative.over(run.profile)), known)
        made: Made | None = run.things if run.scope.is_open(step.call) else None
        if made is not None and followed is not None:
            made = _Named(made, followed.known)
        return comparison.difference(call.declared, predicted.reply, step.reply, made) is None

    def forget(self, alternatives: Iterable[Alternative]) -> None:
        """Stop following these alternatives."""
        for each in alternatives:
            self._followed.pop(each, None)
            self._services.pop(each, None)

    def _service(self, alternative: Alternative) -> Service:
        if alternative not in self._services:
            run = self._run
            made = run.model.service.fork(profile=alternative.over(run.profile), clock=run.model.clock)
            made.journal.limit(1)
            made.live.observers.add(self)
            self._services[alternative] = made
        return self._services[alternative]

    def telling(
        self, call: ModelCall, predicted: Prediction, evidence: AssumptionEvidence
    ) -> tuple[list[Alternative], list[Alternative]]:
        """Return the open alternatives that a call would distinguish at once, and those whose world it would change."""
        world = self._run.model.world
        step = RunStep(call, predicted, predicted.reply, 0, world, None)
        now: list[Alternative] = []
        later: list[Alternative] = []
        for each in self.concerned(step, evidence):
            found = self.answer(step, each)
            if found is None:
                continue
            followed = self._followed.get(each)
            same = followed is None and predicted.reply == found[0].reply
            if not same and self._compared(step, found[0].reply, self._known(followed).copy()):
                now.append(each)
            elif followed is None and not _same_rows(found[0], predicted):
                later.append(each)
        return now, later

    def pair(self, alternative: Alternative) -> WorldPair:
        """Return the model beside itself under an alternative, for calls that are only tried."""
        followed = self._followed.get(alternative)
        world = self._run.model.world if followed is None else followed.world
        return WorldPair(self._service(alternative), self._shapes, world, self._known(followed).copy())

    def worlds(self, alternatives: Iterable[Alternative]) -> list[World]:
        """Return the worlds of the alternatives that have one of their own."""
        return [self._followed[each].world for each in alternatives if each in self._followed]

    @property
    def followed(self) -> list[Alternative]:
        """Return the alternatives that have a world of their own."""
        return list(self._followed)

    def _known(self, followed: _Followed | None) -> Correspondence:
        return self._run_known() if followed is None else followed.known

    def _differs(self, step: RunStep, alternative: Alternative) -> bool:
        found = self.answer(step, alternative)
        if found is None:
            self.lost.add(alternative)
            return False
        predicted, _ = found
        self._consult(predicted.used)
        followed = self._followed.get(alternative)
        same = followed is None and predicted.reply == step.predicted.reply
        if same and _same_rows(predicted, step.predicted):
            return False
        known = self._known(followed)
        if not same and self._compared(step, predicted.reply, known):
            return True
        if followed is None and (known.renames or not _same_rows(predicted, step.predicted)):
            self._followed[alternative] = _Followed(predicted.after, known)
        elif followed is not None:
            followed.world = predicted.after
            followed.calls += 1
            if followed.calls > (_PATIENCE if self.patient or _is_distinguished(alternative) else _BRIEF):
                self.lost.add(alternative)
                self.forget([alternative])
        return False

    def _run_known(self) -> Correspondence:
        """Return the correspondence of two worlds that were one until now: each id to itself."""
        known = Correspondence()
        known.shift = 0
        return known

    def _compared(self, step: RunStep, reply: Reply, known: Correspondence) -> bool:
        """Return whether a reply differs from the model's in anything that is compared."""
        made = self._run.things if self._run.scope.is_open(step.call) else None
        comparison = Comparison(self._shapes, known)
        return comparison.difference(step.call.declared, step.predicted.reply, reply, made) is not None


def _is_distinguished(alternative: Alternative) -> bool:
    return len(alternative.ids) > 1 or alternative.key in distinguished() or alternative.key in _told_defaults()


@cache
def _told_defaults() -> frozenset[str]:
    """Return the defaults that a known probe tells from another value."""
    return frozenset(Alternative((id, REGISTER.entries[id].default)).key for id in seen_in_calls())


def _nearest(followed: Mapping[Alternative, _Followed], alternative: Alternative) -> _Followed | None:
    """Return the world of an alternative, else that of a part of it; None when it is the world in force."""
    found = followed.get(alternative)
    if found is not None or len(alternative.values) == 1:
        return found
    return next((world for part, world in followed.items() if part.is_part_of(alternative)), None)


def _copied(followed: Mapping[Alternative, _Followed]) -> dict[Alternative, _Followed]:
    return {each: found.copy() for each, found in followed.items()}


def _same_rows(one: Prediction, other: Prediction) -> bool:
    """Return whether two calls that started from one world wrote the same rows."""
    if one.touched != other.touched or one.after.id_counter != other.after.id_counter:
        return False
    if one.after.timers.queue != other.after.timers.queue:
        return False
    return all(_row(one.after, *each) == _row(other.after, *each) for each in one.touched)


def _row(world: World, client: str, table: str, key: Any) -> Any:
    found = world.state(Table.declared[table], client).rows.get(key)
    return None if found is None else found[1]

"""The repetition of recorded steps with fresh things: in the model alone, or on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from confsim.kernel.refusal import Misuse
from confsim.kernel.world import World
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.cleaning import reserve_removal
from confsim.testing.learning.comparing.comparison import Reply, chosen_values
from confsim.testing.learning.comparing.places import NOT_NAMES, Shapes
from confsim.testing.learning.model import Model, Prediction
from confsim.testing.learning.run import Run, RunStep


class Renaming:
    """Turns recorded calls into calls with the ids of fresh things.

    Texts with the prefix ``tag`` get the prefix ``fresh`` instead.
    """

    def __init__(self, shapes: Shapes, tag: str, fresh: str) -> None:
        self._shapes = shapes
        self._tag = tag
        self._fresh = fresh
        self._names: dict[tuple[str, Any], Any] = {}

    def call(self, call: ModelCall) -> ModelCall:
        """Return the call to make now for a recorded one."""
        renamed = call.renamed(lambda kind, value: self._names.get((kind, value), value))
        path, query, body = (
            retagged(each, self._tag, self._fresh) for each in (renamed.path, renamed.query, renamed.body)
        )
        return replace(renamed, path=path, query=query, body=body)

    def learn(self, call: ModelCall, was: Reply, now: Reply) -> None:
        """Learn the new ids of the model for the recorded ones."""
        if was.status >= 400 or now.status >= 400:
            return
        shape = self._shapes.answer(call.declared)
        before, after = list(chosen_values(shape, was.body)), list(chosen_values(shape, now.body))
        if len(before) == len(after):
            for (kind, old), (_, new) in zip(before, after, strict=True):
                if kind not in NOT_NAMES:
                    self._names.setdefault((kind, old), new)


def retagged(value: Any, tag: str, fresh: str) -> Any:
    """Return a value of a call with another tag in its texts."""
    if isinstance(value, str):
        return value.replace(tag, fresh)
    if isinstance(value, dict):
        return {name: retagged(each, tag, fresh) for name, each in value.items()}
    if isinstance(value, list):
        return [retagged(each, tag, fresh) for each in value]
    return value.replace(tag.encode(), fresh.encode()) if isinstance(value, bytes) else value


def made_by(steps: Sequence[RunStep], shapes: Shapes) -> dict[tuple[str, Any], int]:
    """Return the index of the step that first showed each thing."""
    found: dict[tuple[str, Any], int] = {}
    for place, step in enumerate(steps):
        if step.predicted.reply.status < 400:
            for named in chosen_values(shapes.answer(step.call.declared), step.predicted.reply.body):
                found.setdefault(named, place)
    return found


def needed(steps: Sequence[RunStep], wanted: Sequence[int], origin: dict[tuple[str, Any], int]) -> list[int]:
    """Return the indices of the wanted steps and of those that they depend on, in order."""
    found: set[int] = set()
    left = list(wanted)
    while left:
        place = left.pop()
        if place in found:
            continue
        found.add(place)
        left += needs_of(steps, place, origin)
    return sorted(found)


def needs_of(steps: Sequence[RunStep], place: int, origin: dict[tuple[str, Any], int]) -> list[int]:
    """Return the indices of the steps that made what a step names."""
    call = steps[place].call
    found = (origin.get(named) for named in (*call.names(), ("tokens", call.caller)))
    return [before for before in found if before is not None and before < place]


def with_needed(history: Sequence[RunStep], steps: Sequence[RunStep], shapes: Shapes) -> list[RunStep]:
    """Return the steps together with those of a history that they depend on, in order."""
    those = set(map(id, steps))
    wanted = [place for place, step in enumerate(history) if id(step) in those]
    return [history[place] for place in needed(history, wanted, made_by(history, shapes))]


def imagined(model: Model, steps: Sequence[RunStep], shapes: Shapes, tag: str, fresh: str) -> Prediction | None:
    """Return the model's last answer if these steps are repeated; None when they cannot be."""
    renaming, world, predicted = Renaming(shapes, tag, fresh), None, None
    at: World | None = world
    for step in steps:
        try:
            predicted = model.imagine(renaming.call(step.call), at)
        except Misuse:
            return None
        renaming.learn(step.call, step.predicted.reply, predicted.reply)
        at = predicted.after
    return predicted


def replayed(run: Run, steps: Sequence[RunStep], fresh: str) -> list[RunStep]:
    """Repeat steps on both sides, up to the first that differs; a status that differed before may do so again."""
    renaming, made = Renaming(run.shapes, run.names.tag, fresh), list[RunStep]()
    for step in steps:
        reserve_removal(run)
        taken = run.take(renaming.call(step.call))
        made.append(taken)
        if taken.difference is not None and not (taken.together and step.together and step.difference is not None):
            break
        renaming.learn(step.call, step.predicted.reply, taken.predicted.reply)
    return made

"""The search for alternatives of assumptions that would explain a service's answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from confsim.assumptions.protocol.refusals import REASONS, STATUS
from confsim.assumptions.register import REGISTER
from confsim.kernel.refusal import Misuse
from confsim.service.clock import Clock
from confsim.testing.learning.comparing.comparison import Comparison, Difference
from confsim.testing.learning.comparing.places import Shapes
from confsim.testing.learning.run import Run, RunStep

from .replay import Renaming


def explanations(run: Run, steps: Sequence[RunStep], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the alternatives, by assumption, each of which alone makes the model answer the last step correctly.

    ``known`` are those that explain other differences, which the steps before may have. There is none when the steps
    are not all that the difference depends on.
    """
    if not _shown(run, steps, known):
        return {}
    used = dict.fromkeys(id for step in (steps[-1], *steps[:-1]) for id in step.predicted.used)
    found: dict[str, Any] = {}
    seen = dict(observed(steps[-1]))
    for id in [*seen, *used]:
        entry = REGISTER.entries[id]
        for value in (*([seen[id]] if id in seen else ()), *entry.candidates()):
            if id not in found and explains(run, steps, {**known, id: value}):
                found[id] = value
    return found


def _shown(run: Run, steps: Sequence[RunStep], known: Mapping[str, Any]) -> bool:
    """Return whether these steps alone show the difference of the last one, as a model answers them."""
    wanted = steps[-1].difference
    *_, found = differences(run, steps, {**run.profile, **known})
    if wanted is None or not isinstance(found, Difference):
        return False
    return found.place == wanted.place and (found.place != "status" or found.predicted == wanted.predicted)


def observed(step: RunStep) -> Iterator[tuple[str, Any]]:
    """Yield values of assumptions that an answer itself shows, by id: another status, another code of a refusal."""
    predicted, reply = step.predicted.reply, step.reply
    code = next((id for id in step.predicted.used if id in REASONS), None)
    if code is None or predicted.status < 400 or reply.status < 400 or step.difference is None:
        return
    status = STATUS[REASONS[code]]
    if predicted.status != reply.status and status is not None:
        yield status.id, reply.status
    elif step.difference.place.endswith("/code") and isinstance(step.difference.answered, str):
        yield code, step.difference.answered


def explains(run: Run, steps: Sequence[RunStep], profile: Mapping[str, Any]) -> bool:
    """Return whether a model under values over those of the run gives the service's answer to the last step.

    It gives that to each step before it that the model of the run answers correctly, too.
    """
    *earlier, last = differences(run, steps, {**run.profile, **profile})
    before = zip(steps, earlier, strict=False)
    return last is None and all(now is None or step.difference is not None for step, now in before)


def differences(run: Run, steps: Sequence[RunStep], profile: Mapping[str, Any]) -> Iterator[object]:
    """Yield, for each step that was made, how the answer of a model under a profile differs, or None."""
    known, clock = run.known.renewed(), Clock(steps[0].at)
    try:
        model = run.discovery.again(profile, known, clock)
        shapes = Shapes(profile)
        renaming, comparison = Renaming(run.shapes, "\0", "\0"), Comparison(shapes, known)
        for step in steps:
            clock.move(step.at)
            predicted = model.call(renaming.call(step.call))
            made = run.things if run.scope.is_open(step.call) else None
            yield comparison.difference(step.call.declared, predicted.reply, step.reply, made)
            renaming.learn(step.call, step.predicted.reply, predicted.reply)
    except Misuse as misuse:  # the model cannot exist under this profile
        yield misuse

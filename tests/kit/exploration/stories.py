"""Sequences of acts, told as a story, as a pytest test and as a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from confsim import Simulator
from kit import START

from .acts import every
from .acts.act import Act, Answer
from .starts import PROFILE, Start
from .view import View


def performed(start: Start, story: Sequence[str]) -> tuple[Simulator, list[tuple[Act, Answer]]]:
    """Return a simulator of the demo world after the acts of a start and of a story, with the answers.

    Its journal holds all calls. Raises ValueError for an act that is not possible.
    """
    sim = Simulator(clock=START, profile={**PROFILE, **start.profile})
    acts, answers = every(), []
    for sentence in (*start.story, *story):
        call = acts[sentence].call(View(sim.service.world, sim.service.clock.now()))
        if call is None:
            raise ValueError(f"{sentence} is not possible after {len(answers)} acts")
        answers.append((acts[sentence], acts[sentence].perform(sim, call)))
    return sim, answers


def as_story(start: Start, story: Sequence[str]) -> str:
    """Return a line for each act, with the status of its answer; those of the start come first."""
    _, answers = performed(start, story)
    return "\n".join(_lines(answers, len(start.story)))


def _lines(answers: Sequence[tuple[Act, Answer]], before: int) -> Iterator[str]:
    for number, (act, answer) in enumerate(answers):
        given = "given" if number < before else f"{number - before + 1:5}"
        outcome = f"{answer.status}, refused" if answer.refused else answer.status
        yield f"{given}  {act.sentence}: {outcome}"


def as_pytest(start: Start, story: Sequence[str]) -> str:
    """Return the text of a test module that makes the calls again and compares the answers."""
    sim, _ = performed(start, story)
    return sim.requests.export("pytest")


def as_scenario(start: Start, story: Sequence[str]) -> str:
    """Return an Arazzo document whose steps make the calls again."""
    sim, _ = performed(start, story)
    return sim.requests.export("scenario")

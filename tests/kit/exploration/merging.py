"""Whether worlds of one form are one world: every act answers the same in both, and leads to worlds of one form."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from confsim.canonical.form import FormLevel, Forms
from confsim.kernel.world import World

from .explorer import Explorer
from .starts import Start
from .step import without_log
from .view import View

#: A world and its instant.
At = tuple[World, int]


class Pair(Struct, frozen=True):
    """Two worlds of one form that differ in bytes, and the first act that tells them apart, "" if none does."""

    one: At
    other: At
    told_apart: str


def pairs(start: Start, level: FormLevel, depth: int, most: int) -> Iterator[Pair]:
    """Yield pairs of worlds of one form that were reached from a start by different acts, at most so many."""
    explorer = Explorer(start, invariants=(), level=level)
    forms = Forms(level)
    first: dict[bytes, tuple[At, str]] = {}
    found = 0
    frontier: list[At] = [explorer.world(0)]
    for _ in range(depth):
        following: list[At] = []
        for world, now in frontier:
            before = View(world, now)
            for act in start.acts:
                step = explorer.stage.step(before, act)
                if step is None or not step.changed:
                    continue
                at = without_log(step.after.world), step.after.now
                digest, exact = forms.digest(*at), f"{at[1]} {at[0].digest()}"
                known = first.setdefault(digest, (at, exact))
                if known[0] is at:
                    following.append(at)
                elif known[1] != exact and found < most:
                    found += 1
                    yield Pair(known[0], at, told_apart(explorer, forms, known[0], at))
                if found == most:
                    return
        frontier = following


def told_apart(explorer: Explorer, forms: Forms, one: At, other: At) -> str:
    """Return what tells two worlds apart: the first act that is possible, answered or followed otherwise."""
    views = View(*one), View(*other)
    colours = forms.form(*one).colours, forms.form(*other).colours
    for act in explorer.start.acts:
        results = []
        for view, colour in zip(views, colours, strict=True):
            step = explorer.stage.step(view, act)
            if step is None:
                results.append(None)
                continue
            answer = forms.words(step.answer.body, {**colour, **forms.form(*_after(step)).colours}, step.after.now)
            results.append((step.answer.status, answer, forms.digest(*_after(step))))
        if results[0] != results[1]:
            return act.sentence
    return ""


def _after(step: object) -> At:
    after: View = step.after  # type: ignore[attr-defined]
    return without_log(after.world), after.now

"""The table of what every operation costs, its summary, and why some stay above a bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from statistics import median
from typing import Any

import msgspec
from msgspec import Struct
from operations import Figure

from kit.growth.reasons import why as known_reason
from kit.growth.variants import CALLS, is_search

#: Bounds of the figures in the demo world, as multiples of the bare app: median, 95th percentile, worst. Those of calls
#: again are bounds of reads: what a call has removed, for one, is not there again. Those of first calls are asked of
#: all but the removal of large trees; median and 95th percentile of all operations are held against them too.
BOUNDS = {"again": (0.3, 0.5, None), "first": (0.4, 0.8, 3.0)}
#: Most seconds of a call that neither answers nor writes more than so much: the bytes of 200 things, or 200 records.
LONGEST, ANSWERED, WRITTEN = 0.05, 40_000, 200
#: How many times its figure at the smallest size a call may cost at the largest.
GROWTH = 2.0
#: Most records that a call writes by which calls are counted apart.
MANY = 3
#: Records from which on a call removes a large tree.
TREE = 20
#: Why an operation is above a bound in the demo world, where neither what it writes nor what it answers says so.
COSTLY: dict[str, str] = {
    "get_channel_config": "documents of four levels are merged",
}
#: Why an operation is above the worst bound in the demo world.
SLOW: dict[str, str] = {
    "delete_channel": "a tree: whatever a channel has goes with it, here one of everything",
}
_SEARCHES = {call.name for call in CALLS if is_search(call)}


class Growth(Struct, frozen=True):
    """How much more a call costs in the largest world of a kind than in the smallest, and why it may."""

    call: str
    kind: str
    small: Figure
    large: Figure
    reason: str

    @property
    def ratio(self) -> float:
        """The larger ratio of the two figures."""
        return max(self.large.again / self.small.again, self.large.first / self.small.first)

    @property
    def inherent(self) -> str:
        """Why the cost must grow: what the call answers or writes does, or it searches; "" when it need not."""
        if self.large.answer > 2 * self.small.answer:
            return f"answers {self.large.answer:,} bytes"
        if self.large.written > 2 * self.small.written:
            return f"writes {self.large.written:,} records"
        return "searches texts" if self.call in _SEARCHES else ""


def growths(figures: Iterable[Figure]) -> list[Growth]:
    """The growth of every call by every kind that was measured at two sizes, the largest first."""

    def place(figure: Figure) -> tuple[str, str]:
        return figure.call, figure.kind

    grown = sorted((figure for figure in figures if figure.kind), key=place)
    found = []
    for (call, kind), group in groupby(grown, place):
        sized = sorted(group, key=lambda figure: figure.size)
        if len(sized) > 1:
            found.append(Growth(call, kind, sized[0], sized[-1], known_reason(call)))
    return sorted(found, key=lambda growth: -growth.ratio)


def above(growth: Growth) -> bool:
    """Whether a call grows more than it may."""
    return growth.ratio > GROWTH and not growth.inherent


def long(figures: Iterable[Figure]) -> list[Figure]:
    """The calls in grown worlds that take longer than a call may, those that search texts aside."""
    return [
        figure
        for figure in figures
        if figure.seconds > LONGEST
        and figure.answer <= ANSWERED
        and figure.written <= WRITTEN
        and figure.call not in _SEARCHES
    ]


def why(figure: Figure) -> str:
    """Why a call costs more in the demo world than nineteen of twenty may; "" for one that does not."""
    if all(getattr(figure, mode) <= most for mode, (_, most, _) in BOUNDS.items()):
        return ""
    said = SLOW.get(figure.operation) or COSTLY.get(figure.operation)
    if said is None and figure.written:
        said = f"writes {figure.written} record{'s' * (figure.written > 1)}, in the table and its indexes"
    return said or f"answers {figure.answer:,} bytes"


def unneeded(figures: Sequence[Figure]) -> list[str]:
    """The operations of which ``SLOW`` says why they are above the worst bound, and which are clearly not.

    Figures of one call differ by a fifth from run to run.
    """
    worst = BOUNDS["first"][2]
    assert worst is not None
    return [figure.call for figure in figures if not figure.kind and figure.call in SLOW and figure.worst < 0.8 * worst]


def table(figures: Sequence[Figure]) -> Iterator[str]:
    """A line for each call: its figures in the demo world, the worst at each size with its kind, its growth."""
    sizes = sorted({figure.size for figure in figures if figure.kind})
    by_call: dict[str, list[Figure]] = {}
    for figure in figures:
        by_call.setdefault(figure.call, []).append(figure)
    most = {growth.call: growth for growth in reversed([each for each in growths(figures) if not each.inherent])}
    head = "".join(f"{size:>10,}" for size in sizes)
    yield f"{'operation':52}{'again':>8}{'first':>8}{head}{'grows':>8}  with, because"
    for call, taken in by_call.items():
        plain = next((figure for figure in taken if not figure.kind), None)
        line = f"{call:52}" + (f"{plain.again:8.2f}{plain.first:8.2f}" if plain else " " * 16)
        for size in sizes:
            worst = max((figure.worst for figure in taken if figure.kind and figure.size == size), default=None)
            line += " " * 10 if worst is None else f"{worst:10.2f}"
        growth = most.get(call)
        if growth is not None:
            line += f"{growth.ratio:8.1f}" + (f"  {growth.kind}" if growth.ratio > GROWTH else "")
            line += f": {growth.reason or 'NO REASON'}" if above(growth) else ""
        elif plain is not None and why(plain):
            line += f"{'':8}  {why(plain)}"
        yield line


def summary(figures: Sequence[Figure]) -> Iterator[str]:
    """Median, 95th percentile and worst of the demo world with their bounds, the slowest, and those that grow most."""
    plain = [figure for figure in figures if not figure.kind and figure.call == figure.operation]
    if plain:
        reads = [figure for figure in plain if not figure.written]
        yield _reported("again", "that write nothing", reads, BOUNDS["again"])
        yield _reported("again", "", plain, (None, None, None))
        yield _reported("first", "", plain, (*BOUNDS["first"][:2], None))
        yield _reported("first", f"that write fewer than {TREE} records", _no_trees(plain), BOUNDS["first"])
        said = ", ".join(f"{ratio} that {kind}" for kind, ratio in by_writing(plain).items())
        yield f"again, by what is written: the median is {said}"
        yield from _above(plain)
        yield "the ten slowest:"
        for figure in sorted(plain, key=lambda figure: -figure.worst)[:10]:
            yield f"  {figure.call:50}{figure.again:8.2f}x again{figure.first:8.2f}x first  {why(figure)}"
    grown = growths(figures)
    if grown:
        free = [growth for growth in grown if not growth.inherent]
        over = [growth for growth in free if above(growth)]
        yield f"growth: {len(free)} pairs of a call and a kind, {len(over)} above {GROWTH}x"
        held = long(figures)
        yield f"longer than {LONGEST * 1000:.0f} ms, though little is answered and written: {len(held)} calls"
        for figure in sorted(held, key=lambda figure: -figure.seconds)[:10]:
            because = known_reason(figure.call) or "NO REASON"
            yield f"  {figure.seconds * 1000:7.0f} ms  {figure.call} ({figure.size:,} {figure.kind}) {because}"
        yield "the ten that grow most:"
        for growth in free[:10]:
            small, large = growth.small, growth.large
            span = f"{small.worst:.2f}x with {small.size:,}, {large.worst:.2f}x with {large.size:,}"
            yield f"  {growth.ratio:7.1f}  {growth.call} ({growth.kind}: {span}) {growth.reason}"


def _reported(mode: str, which: str, figures: Sequence[Figure], bounds: tuple[float | None, ...]) -> str:
    """A line with the percentiles of the figures, beside their bounds."""
    values = percentiles([getattr(figure, mode) for figure in figures])
    named = ", ".join(
        f"{name} {value:.2f}x" + (f" (at most {most}x)" if most else "")
        for name, value, most in zip(("median", "95th percentile", "worst"), values, bounds, strict=True)
    )
    return f"{mode}: {len(figures)} operations{which and ' ' + which} in the demo world: {named}"


def _no_trees(plain: Sequence[Figure]) -> list[Figure]:
    return [figure for figure in plain if figure.written < TREE]


def by_writing(plain: Sequence[Figure]) -> dict[str, str]:
    """By how many records they write, the operations: their median in the demo world, called again, and number."""
    groups: dict[str, list[float]] = {}
    for figure in sorted(plain, key=lambda figure: figure.written):
        groups.setdefault(_writing(figure.written), []).append(figure.again)
    return {kind: f"{median(ratios):.2f}x of {len(ratios)}" for kind, ratios in groups.items()}


def _writing(records: int) -> str:
    if records > MANY:
        return f"write more than {MANY} records"
    return ("write nothing", "write one record")[records] if records < 2 else f"write {records} records"


def _above(plain: Sequence[Figure]) -> Iterator[str]:
    """How many operations are above the bound of nineteen of twenty, and by which of the reasons."""
    for mode, (_, most, _) in BOUNDS.items():
        over = [figure for figure in plain if getattr(figure, mode) > most]
        writing = len([figure for figure in over if figure.written])
        yield f"{mode}: {len(over)} operations above {most}x, of which {writing} write and {len(over) - writing} do not"


def percentiles(values: Sequence[float]) -> tuple[float, float, float]:
    """The median, the 95th percentile and the largest."""
    ordered = sorted(values)
    return median(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], ordered[-1]


def as_json(figures: Sequence[Figure]) -> dict[str, Any]:
    """The figures and their summary as plain values."""
    plain = [figure for figure in figures if not figure.kind and figure.call == figure.operation]
    reads = [figure for figure in plain if not figure.written]
    groups = (
        ("again", "again", plain),
        ("again, reads", "again", reads),
        ("first", "first", plain),
        ("first, trees aside", "first", _no_trees(plain)),
    )
    modes = {
        name: dict(zip(("median", "p95", "worst"), percentiles([getattr(each, mode) for each in group]), strict=True))
        for name, mode, group in groups
        if group
    }
    grown = [growth for growth in growths(figures) if above(growth)]
    return {
        "yardstick": "a bare Werkzeug app of 200 rules, one POST, in the same rounds",
        "operations": len(plain),
        "demo": modes,
        "by_writing": by_writing(plain),
        "grown": [{"call": each.call, "kind": each.kind, "ratio": each.ratio, "reason": each.reason} for each in grown],
        "long": [
            {"call": each.call, "kind": each.kind, "ms": round(each.seconds * 1000), "reason": known_reason(each.call)}
            for each in long(figures)
        ],
        "figures": msgspec.to_builtins(list(figures)),
    }

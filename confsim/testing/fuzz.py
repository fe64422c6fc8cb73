"""Fuzzing of assumptions: a test is run again under other alternatives of the assumptions that its calls used.

A test depends on an assumption when it passes with the value in force and fails with another. A failing set of choices
is reduced to its smallest subset. This module does not know how to run a test: ``search`` is given a function for it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import combinations
from typing import Any

import msgspec
from msgspec import Struct

from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER, Assumption
from confsim.contract.gates import Grant
from confsim.contract.operation import Operation

#: Alternatives of assumptions, by id.
Choices = Mapping[str, Any]
#: A choice by the id of its assumption and its place among the alternatives.
Token = tuple[str, int]
#: Most choices of a set, by round: pairs of which a run used only one assumption are tried again in smaller sets.
_SIZES = (8, 3, 2)
#: How many times smaller a limit is under test: no test is to be named for an ordinary name, only for a long one.
_SMALLER = 4
#: Longest text of a value in a report.
_LONGEST = 60


class Mode(StrEnum):
    """How alternatives are tried: each alone, or also every pair of them together."""

    SINGLES = "singles"
    PAIRS = "pairs"


class SeenCall(Struct, frozen=True):
    """A call that a test made: the operation ("" when no route matched), the status and the body."""

    operation: str
    status: int
    body: bytes


class RunOutcome(Struct, frozen=True):
    """The result of one run of a test: whether it passed, else the error, the calls, and the assumptions used."""

    passed: bool
    error: str
    calls: Sequence[SeenCall]
    used: frozenset[str]


class Finding(Struct, frozen=True):
    """A smallest set of choices under which a test fails, the first call that differed, and a question about it."""

    choices: dict[str, Any]
    call: str
    question: str
    error: str


class Dependency(Struct, frozen=True):
    """The findings about the same assumptions as one: every smallest set of choices of them, and one question.

    ``call`` and ``error`` are those of the first set.
    """

    assumptions: list[str]
    choices: list[dict[str, Any]]
    call: str
    question: str
    error: str


class Result(Struct):
    """The results of the variants of one test.

    ``runs`` counts them. ``dependencies`` has the findings joined by their assumptions. ``unstable`` is the error of a
    test that failed when it was repeated unchanged; no findings are claimed for it.
    """

    runs: int = 0
    findings: list[Finding] = []
    dependencies: list[Dependency] = []
    unstable: str | None = None


Run = Callable[[Choices], RunOutcome]


def alternatives(used: Iterable[str], chosen: Choices) -> dict[str, tuple[Any, ...]]:
    """Return the alternatives to try for each assumption used, without those that a profile chose."""
    return {id: found for id in sorted(used) if id not in chosen and (found := _alternatives(REGISTER.entries[id]))}


def _alternatives(entry: Assumption[Any]) -> tuple[Any, ...]:
    """Return the alternatives of one assumption that a service may have.

    A limit that states none is tried at a part of its size.
    """
    if entry.id.startswith("size.") and not entry.alternatives:
        return (entry.default // _SMALLER,)
    operation = API.find(entry.id.removeprefix("gate."))
    if operation is None:
        return entry.candidates()
    return tuple(value for value in entry.candidates() if not _is_unlikely(operation, value))


def _is_unlikely(operation: Operation, grants: tuple[Grant, ...]) -> bool:
    """Return whether a gate is implausible: anybody changes something, or "self" where no user is named."""
    by_anybody = operation.changes and not operation.public and Grant.PUBLIC in grants
    return by_anybody or (grants == (Grant.SELF,) and "userId" not in operation.placeholders)


def pair_rows(domains: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Yield few sets of choices in which every pair of alternatives of two assumptions occurs."""
    from allpairspy import AllPairs

    if len(domains) < 2:
        return
    stays = object()
    names = list(domains)
    for row in AllPairs([[stays, *domains[name]] for name in names]):
        choices = {name: value for name, value in zip(names, row, strict=True) if value is not stays}
        if len(choices) > 1:
            yield choices


def packed(pairs: Iterable[frozenset[Token]], most: int) -> list[dict[str, int]]:
    """Return few sets of choices in which each of some pairs occurs, with at most so many choices in each."""
    rows: list[dict[str, int]] = []
    for pair in pairs:
        wanted = dict(sorted(pair))
        for row in rows:
            if len(row | wanted) <= most and all(row.get(id, place) == place for id, place in wanted.items()):
                row.update(wanted)
                break
        else:
            rows.append(wanted)
    return rows


def smallest(choices: Choices, fails: Callable[[Choices], bool]) -> dict[str, Any]:
    """Return a minimal subset of choices under which the test fails."""
    left = dict(choices)
    size = len(left) // 2
    while size:
        names = list(left)
        for start in range(0, len(names), size):
            part = names[start : start + size]
            rest = {name: value for name, value in left.items() if name not in part}
            if rest and fails(rest):
                left = rest
        size //= 2
    return left


def search(run: Run, expected: RunOutcome, domains: Mapping[str, Sequence[Any]], mode: Mode) -> Result:
    """Run a test under alternatives, and return the smallest sets of choices under which it fails.

    ``expected`` is the outcome of the unchanged test, which passed. A failure counts only when it occurs twice and the
    unchanged test then passes again.
    """
    found = _Search(run, expected, mode).result(domains)
    found.dependencies = joined(found.findings)
    return found


def joined(findings: Iterable[Finding]) -> list[Dependency]:
    """Return the findings joined by their assumptions, in the order of the first of each."""
    groups: dict[frozenset[str], list[Finding]] = {}
    for each in findings:
        groups.setdefault(frozenset(each.choices), []).append(each)
    return [
        Dependency(
            list(first.choices),
            [first.choices, *(each.choices for each in others)],
            first.call,
            question(first.choices, *(each.choices for each in others)),
            first.error,
        )
        for first, *others in groups.values()
    ]


class _Search:
    def __init__(self, run: Run, expected: RunOutcome, mode: Mode) -> None:
        self._run = run
        self._expected = expected
        self._mode = mode
        self._again: RunOutcome | None = None
        self._found = Result()
        #: The choices of runs that passed, with the assumptions that each used: of one choice, and of several.
        self._singles: list[tuple[Choices, frozenset[str]]] = []
        self._tried: list[tuple[Choices, frozenset[str]]] = []

    def result(self, domains: Mapping[str, Sequence[Any]]) -> Result:
        robust: dict[str, list[Any]] = {}
        for id, values in domains.items():
            for value in values:
                if self._lean({id: value}):
                    if self._found.unstable is not None:
                        return self._found
                else:
                    robust.setdefault(id, []).append(value)
        if self._mode is Mode.PAIRS:
            self._pairs(robust)
        return self._found

    def _pairs(self, robust: Mapping[str, Sequence[Any]]) -> None:
        """Find the sets of choices that fail only together.

        A pair counts as tried once a run that passed used both assumptions: under another choice the test may use only
        one of them. Pairs of which one choice makes the test never use the other assumption cannot fail together.
        """
        chosen = {(id, place): value for id, values in robust.items() for place, value in enumerate(values)}
        left = {
            frozenset((one, other)): None
            for one, other in combinations(chosen, 2)
            if one[0] != other[0] and other[0] in self._used(one[0], chosen[one])
            and one[0] in self._used(other[0], chosen[other])
        }  # fmt: skip
        rows = list(pair_rows({id: range(len(values)) for id, values in robust.items()}))
        for most in (*_SIZES, 0):
            for row in rows:
                if left and self._found.unstable is None:
                    self._interactions({id: chosen[id, place] for id, place in row.items()})
            for choices, used in self._tried:
                tokens = {(id, robust[id].index(value)) for id, value in choices.items() if id in used}
                left = {pair: None for pair in left if not pair <= tokens}
            self._tried.clear()
            rows = packed(left, most) if most else []

    def _used(self, id: str, value: Any) -> frozenset[str]:
        """Return the assumptions that the test used under one choice alone."""
        return next((used for choices, used in self._singles if choices == {id: value}), frozenset())

    def _interactions(self, row: dict[str, Any]) -> None:
        """Find the sets of choices in one row that fail only together."""
        rows = [row]
        while rows and self._found.unstable is None:
            row = rows.pop()
            known = next((each.choices for each in self._found.findings if each.choices.items() <= row.items()), None)
            if known is None and len(row) > 1 and self._fails(row):
                known = smallest(row, self._fails)
                if not self._lean(known):
                    continue
            if known is not None:
                rows += ({id: value for id, value in row.items() if id != out} for out in known)

    def _fails(self, choices: Choices) -> bool:
        return not self._outcome(choices).passed

    def _outcome(self, choices: Choices) -> RunOutcome:
        self._found.runs += 1
        outcome = self._run(choices)
        if outcome.passed and len(choices) == 1:
            self._singles.append((choices, outcome.used))
        elif outcome.passed:
            self._tried.append((choices, outcome.used))
        return outcome

    def _lean(self, choices: dict[str, Any]) -> bool:
        """Return whether the test fails under these choices; note the finding if it does."""
        outcome = self._outcome(choices)
        if outcome.passed:
            return False
        if self._again is None:
            self._again = self._outcome({})
        if not self._again.passed:
            self._found.unstable = self._again.error
            return True
        if self._outcome(choices).passed:
            self._found.unstable = outcome.error
            return True
        if choices not in [each.choices for each in self._found.findings]:
            call = first_difference(self._expected.calls, self._again.calls, outcome.calls)
            self._found.findings.append(Finding(choices, call, question(choices), outcome.error))
        return True


def question(choices: Choices, *others: Choices) -> str:
    """Return the questions about sets of choices of the same assumptions, for the makers of the service."""
    parts = []
    for id in choices:
        entry = REGISTER.entries[id]
        values = dict.fromkeys(_text(each[id]) for each in (choices, *others))
        parts.append(f"{entry.statement} Is it {_either([_text(entry.default), *values])}?")
    return " ".join(parts)


def in_words(sets: Sequence[Choices]) -> str:
    """Return sets of choices of the same assumptions in words; those that differ in one value only are joined."""
    rows = [{id: [json.dumps(each[id])] for id in sets[0]} for each in sets]
    for id in reversed([*sets[0]]):
        merged: list[dict[str, list[str]]] = []
        for row in rows:
            like = next((each for each in merged if {**each, id: row[id]} == row), None)
            if like is None:
                merged.append(row)
            else:
                like[id] += row[id]
        rows = merged
    return "; ".join(" with ".join(f"{id} = {_either(values)}" for id, values in row.items()) for row in rows)


def _either(values: Sequence[str]) -> str:
    *before, last = values
    return f"{', '.join(before)} or {last}" if before else last


def first_difference(expected: Sequence[SeenCall], again: Sequence[SeenCall], got: Sequence[SeenCall]) -> str:
    """Return a sentence about the first call that differs from ``expected``.

    ``again`` are the calls of a second unchanged run: what differs there too, by time or chance, is ignored.
    """
    for number, (was, other, now) in enumerate(zip(expected, again, got, strict=False), 1):
        name = now.operation or was.operation or "a call of no operation"
        if was.operation != now.operation:
            return f"call {number}: {now.operation or 'no operation'} instead of {was.operation or 'no operation'}"
        if was.status != now.status:
            return f"call {number}: {name} answered {now.status} instead of {was.status}"
        before, stable, after = _leaves(was.body), _leaves(other.body), _leaves(now.body)
        for place in {**before, **after}:
            one, two = before.get(place, _ABSENT), after.get(place, _ABSENT)
            if one != two and stable.get(place, _ABSENT) == one:
                at = f" at {place}" if place else ""
                return f"call {number}: {name} answered {_text(two)} instead of {_text(one)}{at}"
    if len(got) != len(expected):
        return f"{len(got)} calls instead of {len(expected)}"
    return "no answer of a call differed"


_ABSENT = object()


def _leaves(body: bytes) -> dict[str, Any]:
    """Return the values in a JSON document by JSON Pointer (RFC 6901); for anything else, its bytes."""
    found: dict[str, Any] = {}

    def walk(value: Any, place: str) -> None:
        if isinstance(value, dict) and value:
            for name, each in value.items():
                walk(each, f"{place}/{name.replace('~', '~0').replace('/', '~1')}")
        elif isinstance(value, list) and value:
            for index, each in enumerate(value):
                walk(each, f"{place}/{index}")
        else:
            found[place] = value

    try:
        walk(msgspec.json.decode(body), "")
    except (ValueError, RecursionError):
        return {"": body}
    return found


def _text(value: Any) -> str:
    if value is _ABSENT:
        return "nothing"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    text = msgspec.json.encode(value, enc_hook=str).decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

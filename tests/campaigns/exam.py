"""The exam of the tools that learn: services of other code, bugs, drifts and hidden profiles that they do not know.

``--only`` takes parts of it: ``styles`` (what calibrate and observe claim about the conferencing service in its three
styles, against the table of the truth), ``bugs`` (verify under the true values, beside the service with each of its
forty bugs), ``together`` (with all of them at once), ``drifts`` (verify beside confsim's own server behind the proxy,
with each of the forty drifts) and ``profiles`` (calibrate beside confsim's own server under hidden profiles).

A bug or drift is found by findings that two runs beside the true service do not have, reported once an answer has shown
it. For the open half, each line says at which request it was shown and reported, by how many findings, and how many
calls the shortest reproducer has. The half in reserve (``kit.exam.draw``) gives totals alone, and is stored without its
names. ``--part 2/5`` takes the second fifth of the items; ``--into FILE`` adds the verdicts to those of other parts,
which are not made again. ``judge`` joins the exam when there is one.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
from msgspec import Struct

from confsim.kernel.refusal import Misuse
from kit.exam import draw, learning, profiles, truth
from kit.exam.services import Drifted, Served, Styled
from kit.exam.showing import is_visible
from services.drifts import answers, values  # noqa: F401  (which register the drifts)
from services.drifts.registry import DRIFTS

BAD = ("wrong claims of calibrate", "wrong claims of observe")
PARTS = ("styles", "bugs", "together", "drifts", "profiles")
#: Seeds of the runs beside the true service.
_TRUE = (0, 1)


class Verdict(Struct):
    """What became of an item: the request that showed it (0 for none), the one that reported it, and by what."""

    shown: int = 0
    at: int = 0
    findings: int = 0
    calls: int = 0
    requests: int = 0
    seconds: float = 0
    why: str = ""

    @property
    def is_found(self) -> bool:
        """Whether a finding reported it."""
        return self.findings > 0


class Stored(Struct):
    """Verdicts by part and item, those in reserve by a key without its name; claims by tool and style.

    ``true`` has the places that verify reports beside the true service, by part.
    """

    verdicts: dict[str, Verdict] = {}
    claims: dict[str, learning.Claims] = {}
    profiles: dict[str, profiles.Revealed] = {}
    true: dict[str, list[str]] = {}


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS), help="parts of the exam")
    options.add_argument("--styles", default="a", metavar="abc", help="styles of the service, for bugs and claims")
    options.add_argument("--requests", type=int, default=2000, help="of each run")
    options.add_argument("--together", type=int, default=5000, metavar="N", help="requests of the run with all bugs")
    options.add_argument("--profiles", type=int, default=40, metavar="N", help="hidden profiles")
    options.add_argument("--part", default="1/1", metavar="I/N", help="which part of the items to try")
    options.add_argument("--half", choices=("open", "reserved", "both"), default="both", help="which half to try")
    options.add_argument("--into", type=Path, metavar="FILE", help="verdicts so far, to be added to")
    options.add_argument("--seconds", type=float, default=float("inf"), help="begin nothing after so long")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Run, print what became of each open item, and return the figures."""
    sitting = Sitting(chosen)
    figures: dict[str, Any] = dict.fromkeys(BAD, 0)
    for style in chosen.styles:
        if "styles" in chosen.only:
            figures |= sitting.claims(style, figures)
        if "bugs" in chosen.only:
            figures |= sitting.bugs(style)
        if "together" in chosen.only:
            figures |= sitting.together(style)
    if "drifts" in chosen.only:
        figures |= sitting.drifts()
    if "profiles" in chosen.only:
        figures |= sitting.profiles()
    return figures


class Sitting:
    """One sitting of the exam: its options, and the verdicts so far."""

    def __init__(self, chosen: argparse.Namespace) -> None:
        self._chosen = chosen
        self._until = time.monotonic() + chosen.seconds
        file = chosen.into
        is_there = file is not None and file.exists()
        self._stored = msgspec.json.decode(file.read_bytes(), type=Stored) if is_there else Stored()

    def _store(self) -> None:
        if self._chosen.into:
            self._chosen.into.write_bytes(msgspec.json.format(msgspec.json.encode(self._stored), indent=0) + b"\n")

    def _is_late(self) -> bool:
        return bool(time.monotonic() > self._until)

    # Claims

    def claims(self, style: str, figures: dict[str, Any]) -> dict[str, Any]:
        """What calibrate and observe claim about a style."""
        found: dict[str, Any] = {}
        tools: dict[str, Callable[[], learning.Claims]] = {
            "calibrate": lambda: learning.calibrated(style, self._chosen.requests),
            "observe": lambda: learning.observed(style),
        }
        for tool, claim in tools.items():
            key = f"{tool} {style}"
            if key not in self._stored.claims:
                if self._is_late():
                    continue
                self._stored.claims[key] = _claimed(claim)
                self._store()
            told = self._stored.claims[key]
            for line in told.wrong:
                print(f"{key}: wrong: {line}")  # noqa: T201  (this is its output)
            found |= {
                f"{key}: right claims": told.right,
                f"{key}: wrong claims": len(told.wrong),
                f"{key}: claims that the service does not decide": told.undecided,
                f"{key}: requests": told.requests,
                f"{key}: answers that no alternative explains": told.contradicted,
                f"{key}: ended early": told.failed,
            }
            total = f"wrong claims of {tool}"
            found[total] = figures[total] = figures[total] + len(told.wrong)
        found[f"style {style}: entries that it settles"] = len(truth.values(style))
        found[f"style {style}: entries that no alternative describes"] = len(truth.others(style))
        return found

    # Bugs and drifts

    def bugs(self, style: str) -> dict[str, Any]:
        """Verify beside the service with each bug that shows in the style."""
        names = [name for name in draw.drawn() if is_visible(name, style)]
        return self._items(
            f"bugs {style}",
            names,
            draw.reserved(draw.drawn()),
            lambda drawn: Styled(style, drawn),
            truth.values(style),
        )

    def drifts(self) -> dict[str, Any]:
        """Verify beside confsim's own server with each drift."""
        return self._items("drifts", sorted(DRIFTS), draw.reserved(DRIFTS), Drifted, {})

    def _items(
        self,
        part: str,
        names: list[str],
        reserved: frozenset[str],
        made: Callable[[list[str]], Served],
        profile: dict[str, Any],
    ) -> dict[str, Any]:
        number, parts = map(int, self._chosen.part.split("/"))
        for name in names[number - 1 :: parts]:
            is_reserved = name in reserved
            key = _key(part, name, is_reserved)
            wanted = self._chosen.half == "both" or is_reserved == (self._chosen.half == "reserved")
            if wanted and key not in self._stored.verdicts and not self._is_late():
                self._stored.verdicts[key] = self._tried(part, made, [name], profile)
                self._store()
            verdict = self._stored.verdicts.get(key)
            if verdict is not None and not is_reserved:
                print(f"{part}: {name}: {_said(verdict)}", flush=True)  # noqa: T201  (this is its output)
        figures: dict[str, Any] = {}
        for half, those in (("open", set(names) - reserved), ("reserved", set(names) & reserved)):
            keys = [_key(part, name, half == "reserved") for name in those]
            tried = [self._stored.verdicts[key] for key in keys if key in self._stored.verdicts]
            figures |= _totals(f"{part}, {half}", len(keys), tried)
        return figures

    def _tried(
        self, part: str, made: Callable[[list[str]], Served], names: list[str], profile: dict[str, Any]
    ) -> Verdict:
        known = self._true(part, made, profile)
        began, served = time.process_time(), made(names)
        found = learning.verified(served, profile, self._requests(part))
        new = [each for each in found if each.place not in known and 0 < served.shown <= each.at]
        return Verdict(
            shown=served.shown,
            at=min((each.at for each in new), default=0),
            findings=len(new),
            calls=min((each.calls for each in new), default=0),
            requests=served.requests,
            seconds=time.process_time() - began,
        )

    def _requests(self, part: str) -> int:
        return int(self._chosen.together if part.startswith("together") else self._chosen.requests)

    def _true(self, part: str, made: Callable[[list[str]], Served], profile: dict[str, Any]) -> set[str]:
        """The places that verify reports beside the true service."""
        if part not in self._stored.true:
            runs = [learning.verified(made([]), profile, self._requests(part), seed) for seed in _TRUE]
            self._stored.true[part] = sorted({each.place for found in runs for each in found})
            self._store()
        return set(self._stored.true[part])

    def together(self, style: str) -> dict[str, Any]:
        """Verify beside the service with all forty bugs: places that are reported, beside those of the true one."""
        part = f"together {style}"
        names = [name for name in draw.drawn() if is_visible(name, style)]
        if part not in self._stored.verdicts and not self._is_late():
            self._stored.verdicts[part] = self._tried(
                part, lambda drawn: Styled(style, drawn), names, truth.values(style)
            )
            self._store()
        told = self._stored.verdicts.get(part, Verdict())
        return {f"{part}: bugs": len(names), f"{part}: findings": told.findings, f"{part}: requests": told.requests}

    # Profiles

    def profiles(self) -> dict[str, Any]:
        """Calibrate beside confsim's own server under hidden profiles."""
        number, parts = map(int, self._chosen.part.split("/"))
        seeds = range(self._chosen.profiles)
        reserved = draw.reserved([f"{seed:03}" for seed in seeds])
        figures: dict[str, Any] = {}
        for seed in seeds[number - 1 :: parts]:
            key = _key("profile", f"{seed:03}", f"{seed:03}" in reserved)
            if key not in self._stored.profiles and not self._is_late():
                self._stored.profiles[key] = profiles.calibrated(seed, self._chosen.requests)
                self._store()
            told = self._stored.profiles.get(key)
            if told is not None and f"{seed:03}" not in reserved:
                for line in (*told.lines, *told.wrong):
                    print(f"profile {seed}: {line}", flush=True)  # noqa: T201  (this is its output)
        for half in ("open", "reserved"):
            those = [f"{seed:03}" for seed in seeds if (f"{seed:03}" in reserved) == (half == "reserved")]
            keys = [_key("profile", name, half == "reserved") for name in those]
            tried = [self._stored.profiles[key] for key in keys if key in self._stored.profiles]
            figures |= {
                f"profiles, {half}": len(those),
                f"profiles, {half}, tried": len(tried),
                f"profiles, {half}, values hidden": sum(each.hidden for each in tried),
                f"profiles, {half}, values that calls reveal": sum(each.revealed for each in tried),
                f"profiles, {half}, of these learned": sum(each.learned for each in tried),
                f"profiles, {half}, wrong claims": sum(len(each.wrong) for each in tried),
            }
        return figures


def _claimed(claim: Callable[[], learning.Claims]) -> learning.Claims:
    try:
        return claim()
    except Misuse as misuse:
        return learning.Claims(failed=str(misuse))


def _key(part: str, name: str, is_reserved: bool) -> str:
    """The key of an item, which does not tell what is in reserve."""
    if is_reserved:
        name = hashlib.sha256(f"{draw.SEED} {name}".encode()).hexdigest()[:12]
    return f"{part}: {name}"


def _said(verdict: Verdict) -> str:
    if not verdict.is_found:
        shown = f"shown at request {verdict.shown}" if verdict.shown else "not shown"
        return f"not found in {verdict.requests} requests ({shown})"
    return (
        f"found at request {verdict.at} (shown at {verdict.shown}), findings: {verdict.findings}, "
        f"calls of the shortest reproducer: {verdict.calls}"
    )


def _totals(title: str, count: int, tried: Iterable[Verdict]) -> dict[str, Any]:
    tried = list(tried)
    found = [each for each in tried if each.is_found]
    return {
        title: count,
        f"{title}, tried": len(tried),
        f"{title}, shown by an answer": sum(each.shown > 0 for each in tried),
        f"{title}, found": len(found),
        f"{title}, found by one finding": sum(each.findings == 1 for each in found),
        f"{title}, requests until found, median": _median(each.at for each in found),
        f"{title}, findings, median": _median(each.findings for each in found),
        f"{title}, calls of the shortest reproducer, median": _median(each.calls for each in found),
        f"{title}, CPU seconds, median": _median(round(each.seconds, 1) for each in tried),
    }


def _median(numbers: Iterable[float]) -> float:
    return median(list(numbers) or [0])

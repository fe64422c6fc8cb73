"""Flip every alternative of every assumption over journeys: what it changes must have been reported before.

Journeys are the scenarios that ship, stories of entries that little else makes matter, calls of each operation by
everybody, walks through the catalogue, and with ``--suite`` what the tests of the suite send: these are recorded first.
All of it takes an hour: with ``--into FILE --seconds N`` it runs in parts, each of which goes on where the last one
stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from kit.proofs import flips, journeys, stories
from kit.proofs.flips import Flip, Journey, Report

BAD = ("unsound", "never effective", "named with a reason that is not true")
TESTS = Path(__file__).resolve().parents[1]

#: Requests of the journeys that are handed to processes at once.
PORTION = 600
#: Requests after which a journey is cut.
LONGEST = 100

#: Flips that change nothing that a journey could show, each with the reason.
UNSEEN: dict[str, str] = {
    "gate.list_own_access_levels = (<Grant.SIGNED_IN: 'signed-in'>,)": "an API token has no levels of its own: the "
    "operation refuses it as the gate does",
    **dict.fromkeys(
        ("status.internal-error = 418", "code.internal-error = 'another_code'"),
        "a failure of confsim itself, which no journey meets",
    ),
    **dict.fromkeys(
        (
            *("data.messages = 'ignore'", "streaming.close = 'stay'", "streaming.messages = 'none'"),
            *(f"streaming.token = ('{way}',)" for way in ("calls", "query", "subprotocol")),
        ),
        "of websockets, which are no requests: tests/http/live/test_websockets.py opens them",
    ),
    "time.source = 'standing'": "of worlds that are made without a clock; the clock of a journey stands anyway",
    **dict.fromkeys(
        (
            *("webhooks.signature = 'none'", "webhooks.timestamp = 'true'", "webhooks.timestamp = 'world'"),
            "webhooks.timeout = 15000",
        ),
        "what a receiver outside is sent, and how long it is waited for: tests/service/webhooks has receivers",
    ),
    **dict.fromkeys(
        (
            *("webhooks.retries = ()", "webhooks.retries = (1000,)"),
            *("webhooks.taken = '200'", "webhooks.taken = 'any'"),
        ),
        "what follows from the answer of a receiver outside: tests/service/webhooks has receivers",
    ),
}


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument(
        "--suite", nargs="*", metavar="PATH", help="record the journeys of these tests, all by default"
    )
    options.add_argument(
        "--journeys", type=Path, metavar="FILE", help="where recorded journeys are, or are to be stored"
    )
    options.add_argument("--walks", type=int, default=0, help="walks through the catalogue")
    options.add_argument("--only", default="", metavar="TEXT", help="journeys whose name contains the text")
    options.add_argument("--ids", default="", metavar="PREFIX,…", help="entries whose id begins so")
    options.add_argument("--sample", type=int, metavar="N", help="this many journeys, drawn at random")
    options.add_argument("--seed", type=int, default=0, help="of the sample")
    options.add_argument("--all-entries", action="store_true", help="flip also what code does not read in a journey")
    options.add_argument(
        "--into", type=Path, metavar="FILE", help="add to the findings of this file, and skip what is done"
    )
    options.add_argument("--again", action="store_true", help="flip again what was unsound, and nothing else")
    options.add_argument("--seconds", type=float, default=float("inf"), help="begin no journey after so long")
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--show", type=int, default=40, help="findings of each sort that are printed")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Flip, print what is unsound and what is never effective, and return the figures."""
    found = [each for each in collected(chosen) if chosen.only in each.name]
    if chosen.sample is not None:
        found = random.Random(chosen.seed).sample(found, min(chosen.sample, len(found)))
    done = set() if chosen.into is None or not chosen.into.exists() else set(_stored(chosen.into).done)
    found = [each if _key(each) in done or stories.entries(each) else _cut(each) for each in found]
    prefixes = tuple(chosen.ids.split(","))
    wanted = {id: each for id, each in flips.flips().items() if id.startswith(prefixes)}
    report = _stored(chosen.into) if chosen.into is not None and chosen.into.exists() else Report()
    left = [each for each in found if _key(each) not in set(report.done)]
    asked = wanted
    if chosen.again:
        left = [each for each in found if any(line.startswith(f"{each.name}, ") for line in report.unsound)]
        asked = {
            id: again
            for id, each in wanted.items()
            if (again := [flip for flip in each if any(f", {flip}: " in line for line in report.unsound)])
        }
        report.unsound = []
        report.done = [key for key in report.done if key not in {_key(each) for each in left}]
    _flip_all(left, partial(_flip, wanted=asked, read_alone=not chosen.all_entries), report, chosen)
    named = [str(flip) for each in wanted.values() for flip in each]
    never = [name for name in named if name not in report.effective and name not in UNSEEN]
    for title, lines in (("unsound", report.unsound), ("never effective", never), ("left out", report.left_out)):
        for line in lines[: chosen.show]:
            print(f"{title}: {line}")  # noqa: T201  (this is its output)
    idle = Counter(report.named) - Counter(report.showing)
    for id, count in idle.most_common(chosen.show):
        print(f"named without effect: {id}, in {count} of {report.named[id]} journeys")  # noqa: T201
    return {
        "journeys": len(report.done),
        "to do": len([each for each in found if _key(each) not in set(report.done)]),
        "left out": len(report.left_out),
        "entries": len(wanted),
        "alternatives": len(named),
        "pairs": report.pairs,
        "unsound": len(report.unsound),
        "named by a call": sum(report.named.values()),
        "named, and an answer changes": sum(report.showing.values()),
        "share of those named": share(report),
        "effective": len([name for name in named if name in report.effective]),
        "named with why": len([name for name in named if name in UNSEEN]),
        "named with a reason that is not true": [
            name for name in UNSEEN if not chosen.ids and (name not in named or name in report.effective)
        ],
        "never effective": len(never),
    }


def share(report: Report) -> float:
    """The share of entries that a call names in a journey whose alternatives change an answer of it, in percent."""
    return round(100 * sum(report.showing.values()) / max(1, sum(report.named.values())), 1)


def _stored(file: Path) -> Report:
    return msgspec.json.decode(file.read_bytes(), type=Report)


def _cut(journey: Journey) -> Journey:
    """The beginning of a long journey: its first difference is all that counts."""
    return replace(journey, requests=journey.requests[:LONGEST])


def _flip_all(left: list[Journey], work: Any, report: Report, chosen: argparse.Namespace) -> None:
    """Flip over journeys while there is time, and keep what is found."""
    until = time.monotonic() + chosen.seconds
    for portion in _portions(left):
        if time.monotonic() > until:
            break
        with ProcessPoolExecutor(chosen.workers) as processes:
            for journey, each in zip(portion, processes.map(work, portion), strict=True):
                report.add(each)
                report.done.append(_key(journey))
        if chosen.into is not None:
            chosen.into.write_bytes(msgspec.json.encode(report))


def _portions(journeys: list[Journey]) -> Iterator[list[Journey]]:
    """The journeys, the short ones first, as lists of so many requests."""
    portion: list[Journey] = []
    for each in sorted(journeys, key=lambda journey: len(journey.requests)):
        portion.append(each)
        if sum(len(journey.requests) for journey in portion) > PORTION:
            yield portion
            portion = []
    if portion:
        yield portion


def _key(journey: Journey) -> str:
    """What tells a journey from others: a digest of all of it."""
    return hashlib.sha256(msgspec.msgpack.encode(journey)).hexdigest()[:16]


def _flip(journey: Journey, wanted: dict[str, list[Flip]], read_alone: bool) -> Report:
    """Flip over one journey; gates and routes of one operation only where everybody calls it."""
    if journey.name.startswith("everybody calls "):
        operation = journey.name.split()[2]
        own = {f"gate.{operation}", f"route.{operation}"}
        return flips.flip_journey(journey, {id: wanted[id] for id in own & wanted.keys()}, read_alone=False)
    if used := stories.entries(journey):
        return flips.flip_journey(journey, {id: wanted[id] for id in used & wanted.keys()}, read_alone=False)
    others = {id: each for id, each in wanted.items() if not id.startswith("gate.")}
    return flips.flip_journey(journey, others, read_alone=read_alone)


def collected(chosen: argparse.Namespace) -> Iterator[Journey]:
    """The journeys: those that ship, calls by everybody, walks, and the suite's."""
    yield from journeys.scenarios()
    yield from journeys.by_everybody()
    yield from journeys.by_gates()
    yield from journeys.births()
    yield from stories.stories()
    yield from (journeys.catalogue_walk(seed) for seed in range(chosen.walks))
    if chosen.suite is None and chosen.journeys is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        file = chosen.journeys or Path(folder) / "journeys"
        if chosen.suite is not None:
            record(chosen.suite or [str(TESTS)], file, chosen.workers)
        yield from journeys.distinct(journeys.stored(file))


def record(paths: list[str], file: Path, workers: int) -> None:
    """Run tests, and add what they send to the file."""
    file.unlink(missing_ok=True)
    options = ["-q", "-p", "kit.proofs.recording", "--through", "wsgi", "-n", str(workers)]
    command = [sys.executable, "-m", "pytest", *options]
    environment = {**os.environ, "PYTHONPATH": f"{TESTS.parent}:{TESTS}", "CONFSIM_JOURNEYS": str(file)}
    subprocess.run([*command, *paths], cwd=TESTS.parent, env=environment, check=False, stdout=sys.stderr)

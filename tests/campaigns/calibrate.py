"""Calibrate beside services that follow hidden profiles: nothing wrong is claimed, what can be seen is seen.

Each hidden profile has several values of its own, drawn from the alternatives of the register. A claim is wrong when a
value is learned that means something else than the service's, or a default confirmed that does. An entry is tellable
when each other value of it would change an answer to API calls alone (``kit.probes.tellable``), whether a probe is
known or not; in part when some of them would, and then it is settled as far as answers go when none of these is left.
Verify runs under the profile that is written, with ``--verified`` requests; the first ``--long`` profiles get
``--long-verified`` of them, and are calibrated a second time, which must write the same profile.
``--part 2/5`` takes the second fifth of the profiles; ``--into FILE`` adds the findings to those of other parts, which
are not made again.
"""

from __future__ import annotations

import argparse
import random
import time
import tomllib
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
from msgspec import Struct

from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER
from confsim.kernel.refusal import Misuse
from confsim.reference.probes import distinguished
from confsim.reference.raw_probes import RAW_PROBES
from confsim.service.files.profile import plain, read_profile
from confsim.testing.calibrating.alike import admit_alike
from confsim.testing.calibrating.calibrator import CalibrateReport
from confsim.testing.calibrating.evidence import AssumptionEvidence
from confsim.testing.calibrating.session import profile_text
from kit.beside import Beside
from kit.probes.tellable import tellable

BAD = (
    "wrong claims",
    "contradicted",
    "could not begin",
    "divergences under the written profile",
    "calibrated a second time with another profile",
)
#: Entries that are left at their default: what they change happens before the first call, or never in one.
_LEFT = ("route.", "time.", "mail.", "world.")


class Calibrated(Struct):
    """What became of one hidden profile: counts, wrong claims and divergences in words.

    ``verified`` counts the requests of verify; ``again`` is whether a second run wrote the same, None without one.
    """

    tellable: int = 0
    settled: int = 0
    in_part: int = 0
    in_part_settled: int = 0
    seconds: float = 0
    hidden_tellable: int = 0
    hidden_learned: int = 0
    learned: int = 0
    confirmed: int = 0
    contradicted: int = 0
    requests: int = 0
    ended_early: str = ""
    could_not_begin: str = ""
    wrong: list[str] = []
    divergences: list[str] = []
    verified: int = 0
    again: bool | None = None


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--profiles", type=int, default=20, help="hidden profiles")
    options.add_argument("--part", default="1/1", metavar="N/OF", help="one of several parts of them")
    options.add_argument("--first", type=int, default=0, metavar="SEED", help="seed of the first of them")
    options.add_argument("--values", type=int, default=5, help="values that each has of its own")
    options.add_argument("--examples", type=int, default=80, help="journeys at most")
    options.add_argument(
        "--verified", type=int, default=0, metavar="N", help="requests of verify under what was learned"
    )
    options.add_argument("--long", type=int, default=0, metavar="N", help="profiles that are verified for longer")
    options.add_argument("--long-verified", type=int, default=10_000, metavar="N", help="requests of verify for these")
    options.add_argument("--into", type=Path, metavar="FILE", help="findings of other parts, to be added to")
    options.add_argument("--seconds", type=float, default=float("inf"), help="begin no profile after so long")


def hidden(seed: int, values: int) -> dict[str, Any]:
    """A profile with so many values drawn from the alternatives."""
    chance = random.Random(seed)
    known = {id: found for id, entry in REGISTER.entries.items() if (found := entry.candidates())}
    ids = sorted(id for id in known if not id.startswith(_LEFT))
    return {id: chance.choice(known[id]) for id in chance.sample(ids, values)}


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Calibrate, print what is wrong, and return the figures."""
    part, parts = map(int, chosen.part.split("/"))
    file, until = chosen.into, time.monotonic() + chosen.seconds
    stored = msgspec.json.decode(file.read_bytes(), type=dict[int, Calibrated]) if file and file.exists() else {}
    for seed in range(chosen.first, chosen.first + chosen.profiles)[part - 1 :: parts]:
        if seed in stored or time.monotonic() > until:
            continue
        stored[seed] = _calibrated(seed, chosen, is_long=seed < chosen.first + chosen.long)
        if file:
            file.write_bytes(msgspec.json.encode(dict(sorted(stored.items()))))
    for seed, each in sorted(stored.items()):
        for line in (*each.wrong, *each.divergences):
            print(f"seed {seed}: {line}")  # noqa: T201  (this is its output)
    return _figures(list(stored.values()), chosen)


def _figures(found: list[Calibrated], chosen: argparse.Namespace) -> dict[str, Any]:
    def total(name: str) -> int:
        return sum(getattr(each, name) for each in found)

    values = {f"{id}={value}": id for id, every in tellable().items() for value in every}
    raw = {id for probe in RAW_PROBES for id in probe.tells}
    without = {id for value, id in values.items() if value not in distinguished() and id not in raw}
    shares = sorted(each.settled / each.tellable for each in found if each.tellable)
    seconds = sorted(each.seconds for each in found)
    return {
        "profiles": len(found),
        "could not begin": sum(bool(each.could_not_begin) for each in found),
        "ended early": sum(bool(each.ended_early) for each in found),
        "wrong claims": sum(len(each.wrong) for each in found),
        "values hidden": chosen.values * len(found),
        "values learned": total("learned"),
        "values hidden that are tellable": total("hidden_tellable"),
        "values hidden that are tellable, not learned": total("hidden_tellable") - total("hidden_learned"),
        "entries": len(REGISTER.entries),
        "entries of which a value is tellable by the API alone": len(tellable()),
        "of these, entries with a value that no known probe shows": len(without),
        "tellable entries, of all profiles": total("tellable"),
        "95 % of the tellable entries": ceil(0.95 * total("tellable")),
        "tellable entries, learned or confirmed": total("settled"),
        "of these, median share in percent": round(100 * median(shares), 1) if shares else 0,
        "of these, least share in percent": round(100 * shares[0], 1) if shares else 0,
        "entries that are tellable in part, of all profiles": total("in_part"),
        "entries that are tellable in part, settled as far as answers go": total("in_part_settled"),
        "confirmed": total("confirmed"),
        "contradicted": total("contradicted"),
        "requests": total("requests"),
        "three for each tellable entry": 3 * total("tellable"),
        "CPU seconds of a profile, median": round(median(seconds), 1) if seconds else 0,
        "requests of verify under the written profile": total("verified"),
        "of these profiles, with 10,000 requests or nearly": sum(each.verified > 9_900 for each in found),
        "divergences under the written profile": sum(len(each.divergences) for each in found),
        "calibrated a second time": sum(each.again is not None for each in found),
        "calibrated a second time with another profile": sum(each.again is False for each in found),
    }


def _calibrated(seed: int, chosen: argparse.Namespace, *, is_long: bool) -> Calibrated:
    """Calibrate beside a service under the hidden profile of a seed, and verify under what was written.

    With ``is_long`` verify makes more requests, and the service is calibrated a second time.
    """
    profile = hidden(seed, chosen.values)
    beside = Beside(profile)
    calibrator = beside.calibrator(journeys=chosen.examples, seed=seed)
    began = time.process_time()
    try:
        report = calibrator.run()
    except Misuse as misuse:
        return Calibrated(could_not_begin=str(misuse))
    seconds = time.process_time() - began
    own = plain(profile)
    whole = {id for id in REGISTER.entries if _is_tellable(id, profile) is True}
    in_part = {id for id in REGISTER.entries if _is_tellable(id, profile) is not False}
    found = Calibrated(
        tellable=len(whole),
        settled=len(whole & {*report.learned, *report.confirmed}),
        in_part=len(in_part),
        in_part_settled=len([id for id in in_part if not _left_open(id, report, calibrator.evidence)]),
        seconds=seconds,
        hidden_tellable=len(in_part & profile.keys()),
        hidden_learned=len(in_part & profile.keys() & report.learned.keys()),
        learned=len(report.learned),
        confirmed=len(report.confirmed),
        contradicted=len(report.contradicted),
        requests=report.requests,
        ended_early=report.interrupted,
        wrong=[
            f"{id} = {value!r}"
            for id, value in report.learned.items()
            if own.get(id) != value and not _is_alike(id, read_profile({id: value})[id], profile)
        ]
        + [
            f"{id} at its default"
            for id in report.confirmed
            if id in profile and not _is_alike(id, REGISTER.entries[id].default, profile)
        ],
    )
    text = profile_text(report.learned, report.assumed)
    most = chosen.long_verified if is_long else chosen.verified
    if most:
        verified = Beside(profile).verify(profile=read_profile(tomllib.loads(text)), examples=most, most=most)
        found.divergences = [f"verify: {each}"[:500] for each in verified.divergences]
        found.verified = verified.requests
    if is_long:
        second = beside.calibrator(journeys=chosen.examples, seed=seed, tag="cvagain").run()
        found.again = profile_text(second.learned, second.assumed) == text
    _show(seed, own, report, found)
    return found


def _show(seed: int, hidden: dict[str, Any], report: CalibrateReport, found: Calibrated) -> None:
    """Print what became of each hidden value, and what is contradicted."""
    settled = (
        f"{found.settled} of {found.tellable} tellable ones settled, {found.in_part_settled} of {found.in_part} in part"
    )
    print(f"seed {seed}: {report.requests} requests, {found.seconds:.1f} s, {settled}")  # noqa: T201
    for id, value in hidden.items():
        said = "learned" if id in report.learned else report.undetermined.get(id, "confirmed")
        print(f"seed {seed}: {id} = {value!r}: {said}")  # noqa: T201
    for each in report.contradicted:
        print(f"seed {seed}: {each.call} {each.place}: {each.got!r} for {each.expected!r}")  # noqa: T201


def _is_tellable(id: str, profile: dict[str, Any]) -> bool | None:
    """Whether an answer shows each value that an entry might have instead of its own; None when it shows some."""
    entry, shown = REGISTER.entries[id], tellable().get(id, frozenset())
    others = [value for value in entry.candidates() if value != profile.get(id) and not _is_alike(id, value, profile)]
    shows = [repr(value) in shown for value in others]
    if id in profile and not _is_alike(id, entry.default, profile):
        shows.append(repr(profile[id]) in shown)
    return bool(shows) if all(shows) else None if any(shows) else False


def _is_alike(id: str, value: Any, profile: dict[str, Any]) -> bool:
    """Whether a value means the same as the one that a profile has."""
    own = profile.get(id, REGISTER.entries[id].default)
    return id.startswith("gate.") and admit_alike(API[id.partition(".")[2]], value, own, profile)


def _left_open(id: str, report: CalibrateReport, evidence: AssumptionEvidence) -> bool:
    """Whether a value is left open that an answer would show, or that explains all answers as well."""
    others = [repr(dict(each.values)[id]) for each in evidence.others(id)]
    disputed = not others or report.undetermined.get(id, "").startswith("it cannot be distinguished")
    return id in report.undetermined and (disputed or not tellable()[id].isdisjoint(others))

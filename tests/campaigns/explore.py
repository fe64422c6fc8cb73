"""Walk, breadth first, every sequence of acts from small worlds, and hold each world and step against the invariants.

Worlds of one form are walked once. The starts are walked one after the other, each by ``--processes``; with
``--scheduler`` or ``--workers`` a Dask cluster walks several starts at once, each by one process. Violations that are
not in ``tests/data/known_violations.toml`` are printed with the shortest sequence of acts, and so are entries of that
list that no longer happen. The fold in the line of a start is a digest of the forms of all its worlds, depth by depth:
two versions of the code that print the same one for a start and a depth reach the same worlds. How many processes walk
makes no difference to it.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kit.exploration import known
from kit.exploration.explorer import Exploration, walk
from kit.exploration.invariants import INVARIANTS
from kit.exploration.invariants.invariant import FAILED
from kit.exploration.pairs import Pairs, possible
from kit.exploration.starts import BY_NAME
from kit.exploration.stories import as_pytest, as_scenario, as_story
from kit.exploration.violations import Violation, Violations

BAD = ("unknown violations", "known violations that no longer happen", "invariants that failed", "starts cut short")
FORMS = {"story": as_story, "pytest": as_pytest, "scenario": as_scenario}
#: Pairs of machines that are printed with their states that never met.
_SHOWN = 20


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--start", action="append", choices=list(BY_NAME), help="start; without it all")
    options.add_argument("--depth", type=_positive, help="acts after each start; without it as many as the start says")
    options.add_argument("--part", default="1/1", metavar="I/N", help="share of the starts")
    options.add_argument("--processes", type=_positive, default=2, help="processes that share a start")
    options.add_argument("--most", type=_positive, metavar="N", help="end a start after about so many worlds")
    options.add_argument("--scheduler", metavar="ADDRESS", help="Dask scheduler that spreads the starts")
    options.add_argument("--workers", type=_positive, help="spread the starts over so many local Dask workers")
    options.add_argument(
        "--as",
        dest="form",
        choices=list(FORMS),
        default="story",
        help="how violations are printed; a scenario runs under the profile in its summary",
    )
    options.add_argument("--known", action="store_true", help="print known violations, too")
    options.add_argument("--violations", type=Path, metavar="FILE", help="write all violations to a JSON file")
    options.add_argument(
        "--pairs",
        type=Path,
        metavar="FILE",
        help="write which pairs of states never met, and in which triggers were tried",
    )


def _positive(text: str) -> int:
    """Read a number from one up. Raises ArgumentTypeError for anything else."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 up")
    return int(text)


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Walk, print what was found, and return the figures."""
    part, parts = map(int, chosen.part.split("/"))
    asked = chosen.start or list(BY_NAME)
    names = asked[part - 1 :: parts]
    if not names:
        raise SystemExit(f"explore --part {chosen.part}: there are only {len(asked)} starts to share")
    explorations: list[Exploration] = []
    found, pairs = Violations(), Pairs("", "")
    for exploration, met in _walks(names, chosen):
        explorations.append(exploration)
        found.add(exploration.violations)
        pairs.add(met)
        print(_line(exploration), flush=True)  # noqa: T201  (this is its output)
    violations = found.sorted()
    unknown = known.unknown(violations)
    for violation in violations if chosen.known else unknown:
        print(f"\n{violation}")  # noqa: T201
        print(FORMS[chosen.form](BY_NAME[violation.start], violation.story))  # noqa: T201
    gone = [line for entry in known.entries() for line in _gone(entry, names)]
    for line in gone:
        print(f"no longer happens: {line}")  # noqa: T201
    never = sorted(sorted(pair) for pair in possible() if pair not in pairs.reached)
    for line in _never_met(pairs):
        print(f"never met: {line}")  # noqa: T201
    if chosen.violations:
        chosen.violations.write_text(json.dumps([_plain(each) for each in violations], indent=1) + "\n")
    if chosen.pairs:
        tried = sorted([*trigger, *state] for trigger, state in pairs.tried)
        chosen.pairs.write_text(json.dumps({"never met": never, "tried": tried}, indent=1) + "\n")
    return {
        "starts": len(explorations),
        "invariants": len(INVARIANTS),
        "acts": len({act.sentence for name in names for act in BY_NAME[name].acts}),
        "distinct worlds": sum(each.worlds for each in explorations),
        "steps": sum(each.steps for each in explorations),
        "refused steps": sum(each.refused for each in explorations),
        "least depth": min(len(each.by_depth) - 1 for each in explorations),
        "greatest depth": max(len(each.by_depth) - 1 for each in explorations),
        "processor seconds": round(sum(each.seconds for each in explorations)),
        "memory (MiB)": max(each.memory for each in explorations),
        "starts cut short": sum(not each.complete for each in explorations),
        "triggers tried in a state beside a state of another machine": len(pairs.tried),
        "pairs of states of two machines that met": len(pairs.reached),
        "pairs of states that never met": len(never),
        "kinds of violations": len(violations),
        "invariants that failed": sum(each.detail.startswith(FAILED) for each in violations),
        "unknown violations": len(unknown),
        "known violations that no longer happen": len(gone),
    }


def _walks(names: list[str], chosen: argparse.Namespace) -> Iterator[tuple[Exploration, Pairs]]:
    """Walk from each start, here or on a cluster."""
    if chosen.scheduler is None and chosen.workers is None:
        for name in names:
            yield walk(name, chosen.depth, chosen.processes, chosen.most)
        return
    from confsim.testing.campaigning.campaign import cluster

    with cluster(chosen.scheduler, chosen.workers) as client:
        walks = [client.submit(walk, name, chosen.depth, 1, chosen.most, pure=False) for name in names]
        for future in walks:
            yield future.result()


def _line(exploration: Exploration) -> str:
    grown = ", ".join(map(str, exploration.by_depth))
    return (
        f"{exploration.start}: {exploration.worlds} worlds ({grown}), fold {exploration.fold}, "
        f"{exploration.steps} steps, {exploration.seconds} s, {exploration.memory} MiB, "
        f"{len(exploration.violations)} kinds of violations"
    )


def _plain(violation: Violation) -> dict[str, Any]:
    return {name: getattr(violation, name) for name in violation.__struct_fields__}


def _gone(entry: known.Known, names: list[str]) -> Iterator[str]:
    """Yield the sequences of an entry that no longer show its violation, for the starts that are walked."""
    for shown in entry.shown:
        if shown.start in names and not known.happens(entry, shown):
            yield f"{entry.invariant} ({entry.detail}): {shown.start}: {' > '.join(shown.story)}"


def _never_met(pairs: Pairs) -> Iterator[str]:
    """Yield the pairs of machines of which most pairs of states never met, of states that were reached at all."""
    reached = {state for pair in pairs.reached for state in pair}
    missing: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], list[str]] = {}
    for pair in possible():
        if pair not in pairs.reached and pair <= reached:
            one, other = sorted(pair)
            missing[one[0], other[0]] += 1
            examples.setdefault((one[0], other[0]), []).append(f"{one[1]} with {other[1]}")
    for machines, count in missing.most_common(_SHOWN):
        yield f"{machines[0]} and {machines[1]}: {count} pairs, such as {examples[machines][0]}"

"""How each part of the evidence is measured: by a campaign, a benchmark, the outside judges, or by counting."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec import Struct

ROOT = Path(__file__).resolve().parents[2]
Figures = dict[str, Any]


class Part(Struct, frozen=True):
    """A part: the command that measures it in words, what runs it (for a share of it), what reads its file."""

    command: str
    measure: Callable[[str], Figures]
    read: Callable[[Any], Figures]


def now() -> str:
    """The day, in UTC."""
    return datetime.now(UTC).date().isoformat()


def campaign(name: str, *options: str) -> Part:
    """A campaign with these options; ``{share}`` in them stands for the share."""
    words = ["tests/campaigns", name, *options]

    def measure(share: str) -> Figures:
        return dict(_with_json([each.format(share=share or "1/1") for each in words]))

    return Part(f"python {' '.join(words)}", measure, dict)


def benchmark(name: str, *options: str) -> Part:
    """A benchmark with these options, apart from others."""
    return Part(
        f"python tests/benchmarks {' '.join([name, *options])}",
        lambda share: _speeds(_with_json(["tests/benchmarks"], name, *options)),
        _speeds,
    )


def _with_json(words: list[str], *after: str) -> Any:
    """What a command of this project writes with ``--json``. Its exit code may say that a figure is not as aimed at."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        command = [sys.executable, *words, "--json", str(file), *after]
        subprocess.run(command, cwd=ROOT, env=_environment(), check=False, stdout=sys.stderr)
        if not file.exists():
            raise RuntimeError(f"{' '.join(command)} wrote no figures")
        return json.loads(file.read_text())


def _environment() -> dict[str, str]:
    """That of this process, with the commands beside this Python, and without what the benchmarks do not want."""
    beside = str(Path(sys.executable).parent)
    named = {**os.environ, "PATH": f"{beside}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    named.pop("PYTHONDONTWRITEBYTECODE", None)
    return named


def _speeds(reported: dict[str, Any]) -> Figures:
    """The figures of benchmarks: texts by what they are of; of the operations the ratios and what grows too much."""
    found: Figures = {}
    for name, results in reported.items():
        if name != "operations":
            found |= {each["what"]: each["result"] for each in results}
            continue
        for mode, ratios in results["demo"].items():
            found |= {f"{mode}, {which}": round(ratio, 2) for which, ratio in ratios.items()}
        found["operations"] = results["operations"]
        found |= {f"again, operations that {each}": ratio for each, ratio in results["by_writing"].items()}
        found["growth above the bound"] = [f"{each['call']} ({each['kind']})" for each in results["grown"]]
        unexplained = [f"{each['call']} ({each['kind']})" for each in results["grown"] if not each["reason"]]
        found["growth above the bound, without a reason"] = unexplained
    return found


def growth(share: str) -> Figures:
    """What grows in worlds that are grown by each kind of thing, or by those of a share of the kinds."""
    return _growth(_with_json(["tests/benchmarks"], "operations", "--part", share or "1/1"))


def _growth(reported: dict[str, Any]) -> Figures:
    """How many calls were measured in how many worlds, and what grows too much."""
    results = reported["operations"]
    grown = [each for each in results["figures"] if each["kind"]]
    return {
        "kinds of things": len({each["kind"] for each in grown}),
        "calls in grown worlds": len(grown),
        "growth above the bound": [f"{each['call']} ({each['kind']})" for each in results["grown"]],
        "growth above the bound, without a reason": [
            f"{each['call']} ({each['kind']})" for each in results["grown"] if not each["reason"]
        ],
        "longer than 50 ms": [f"{each['call']} ({each['kind']}): {each['ms']} ms" for each in results["long"]],
        "reasons": sorted({each["reason"] for each in [*results["grown"], *results["long"]]} - {""}),
    }


def judges(_share: str) -> Figures:
    """What the outside judges of the OpenAPI documents say, line by line."""
    done = subprocess.run(
        ["bash", ".ci/judge-openapi"], cwd=ROOT, env=_environment(), capture_output=True, text=True, check=False
    )
    found = read_judges(done.stdout)
    return found if done.returncode == 0 else {**found, "failed": (done.stdout + done.stderr)[-600:]}


def read_judges(said: str) -> Figures:
    """Each verdict by its judge and what it is of; "left out" where a judge is not there."""
    found: Figures = {}
    for line in said.splitlines():
        judge, _, verdict = line.partition(": ")
        if judge.startswith("left out"):
            found |= dict.fromkeys(verdict.split(", "), "left out")
        elif verdict:
            subject = next((each for each in ("api", "control") if re.search(rf"\b{each}\b", verdict)), "")
            found[f"{judge}, {subject}" if subject else judge] = verdict
    return found


def marks(_share: str) -> Figures:
    """How many rules of the documents tests are marked with."""
    command = [sys.executable, "-m", "pytest", "--rules", "--collect-only", "-q"]
    said = subprocess.run(command, cwd=ROOT, env=_environment(), capture_output=True, text=True, check=True).stdout
    counted = re.search(r"rules proved: (\d+) of (\d+)", said)
    tests = re.search(r"(\d+) tests collected", said)
    assert counted is not None, said[-500:]
    assert tests is not None, said[-500:]
    return {"rules that tests are marked with": int(counted[1]), "rules": int(counted[2]), "tests": int(tests[1])}


def register(_share: str) -> Figures:
    """Gaps of the documents, the entries that settle them, and how their alternatives are chosen."""
    import confsim.control.catalogue  # noqa: F401 declares every entry
    from confsim.assumptions.register import REGISTER
    from confsim.reference import choices, gaps

    settled = {gap for entry in REGISTER.entries.values() for gap in entry.gaps}
    reported = [choice for found in choices().choices.values() for choice in found]
    weighty = [gap for gap in gaps().values() if gap.weight != "L"]
    return {
        "gaps": len(gaps()),
        "gaps with an entry": len(settled & gaps().keys()),
        "entries": len(REGISTER.entries),
        "gaps of high and medium weight": len(weighty),
        "of these, every alternative can be chosen or says why not": len(
            [gap for gap in weighty if len(choices().choices.get(gap.id, ())) == len(gap.alternatives)]
        ),
        "alternatives that an entry chooses": len([each for each in reported if each not in choices().reasons]),
        "alternatives with a reason why not": len([each for each in reported if each in choices().reasons]),
    }


def suite(_share: str) -> Figures:
    """The whole suite on two workers: tests that passed, and seconds."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2"]
    said = subprocess.run(command, cwd=ROOT, env=_environment(), capture_output=True, text=True, check=False).stdout
    reported = re.search(r"(?:(\d+) failed, )?(\d+) passed.* in ([\d.]+)s", said)
    assert reported is not None, said[-500:]
    return {"failed": int(reported[1] or 0), "passed": int(reported[2]), "seconds": round(float(reported[3]))}


#: Each part by its name. Those with ``{share}`` can be measured in shares; those with ``--into`` go on
#: where an earlier run stopped.
PARTS: dict[str, Part] = {
    "suite": Part("python -m pytest -q -n 2", suite, dict),
    "marks": Part("python -m pytest --rules --collect-only -q", marks, dict),
    "register": Part("python tests/evidence register", register, dict),
    "judges": Part("bash .ci/judge-openapi", judges, dict),
    "flips": campaign("flips", "--suite"),
    "rules": campaign("rules"),
    "tables": campaign("tables", "--part", "{share}"),
    "mutants": campaign("mutants"),
    "verify": campaign("verify", "--most", "40", "--reproducers", "24", "--part", "{share}"),
    "verify beside true services": campaign("verify", "--most", "0", "--true", "1000", "--part", "{share}"),
    "calibrate": campaign("calibrate", "--profiles", "1000", "--verified", "200", "--long", "20", "--part", "{share}"),
    "explore": campaign("explore"),
    "planted": campaign("planted", "--part", "{share}"),
    "exam": campaign("exam", "--styles", "abc", "--part", "{share}"),
    "fuzz, singles": campaign("fuzz", "--mode", "singles", "--part", "{share}"),
    "fuzz, pairs": campaign("fuzz", "--mode", "pairs", "--part", "{share}"),
    **{
        name: campaign(name)
        for name in (
            "cluster",
            *("connections", "determinism", "hiding", "http_cases", "linearizability", "no_trace", "non_interference"),
            *("refusals", "schemathesis", "tenant_matrix"),
        )
    },
    **{
        f"speed of {name}": benchmark(name)
        for name in (
            *("wsgi", "durable", "forks", "makings", "pages", "imports", "servers", "starts", "rates", "worlds"),
            *("grows", "pauses", "openings", "things", "inspector"),
        )
    },
    "speed of operations": benchmark("operations", "--kinds", ""),
    "growth": Part("python tests/benchmarks operations --part {share}", growth, _growth),
}

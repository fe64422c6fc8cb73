"""Mutants tried by worker processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from .operators import Mutant
from .running import Verdict
from .sample import ROOT, room


def verdicts(mutants: Sequence[Mutant], limit: float, jobs: int) -> Iterator[tuple[Mutant, Verdict]]:
    """The verdict on each mutant, by rooms; each is tried for ``limit`` seconds of the processor."""
    for name in dict.fromkeys(map(room, mutants)):
        here = [mutant for mutant in mutants if room(mutant) == name]
        _worked(name, limit, "live", [])  # measures what the tests reach
        found = dict(_shared(name, limit, "live", [mutant for mutant in here if mutant.deferred], jobs))
        anew = [mutant for mutant in here if mutant not in found or found[mutant].what == "early"]
        found |= _shared(name, limit, "imported", anew, jobs)
        yield from ((mutant, found[mutant]) for mutant in here)


def _shared(name: str, limit: float, mode: str, mutants: list[Mutant], jobs: int) -> dict[Mutant, Verdict]:
    """The verdicts of several workers."""
    shares = [mutants[start::jobs] for start in range(jobs)]
    with ThreadPoolExecutor(jobs) as pool:
        told = pool.map(lambda share: _worked(name, limit, mode, share), [share for share in shares if share])
        return {mutant: verdict for each in told for mutant, verdict in each.items()}


def _worked(name: str, limit: float, mode: str, mutants: list[Mutant]) -> dict[Mutant, Verdict]:
    """The verdicts of one worker. Raises RuntimeError when it does not tell them all."""
    reading, writing = os.pipe()
    arguments = ["-m", "kit.mutation.worker", str(ROOT), name, str(limit), mode, str(writing)]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    with subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=[writing],
        env=environment,
        text=True,
    ) as process:
        os.close(writing)
        with ThreadPoolExecutor(1) as pool, open(reading) as told:
            lines = pool.submit(told.readlines)
            said, _ = process.communicate("".join(json.dumps(mutant) + "\n" for mutant in mutants))
            found = [Verdict(*json.loads(line)) for line in lines.result()]
    if len(found) != len(mutants):
        raise RuntimeError(f"{name}, {mode}: {len(found)} verdicts on {len(mutants)} mutants\n{said[-3000:]}")
    return dict(zip(mutants, found, strict=True))

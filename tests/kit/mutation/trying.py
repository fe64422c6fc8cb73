"""Mutants tried by worker processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

from .operators import Mutant
from .running import Verdict
from .sample import ROOT, unit

Tried = tuple[Mutant, Verdict]


def verdicts(mutants: Sequence[Mutant], limit: float, jobs: int, *, whole: bool) -> Iterator[Tried]:
    """The verdict on each mutant, by packages; each is tried for ``limit`` seconds of the processor.

    The tests are those of its package, or of the ``whole`` room.
    """
    units: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        units.setdefault(unit(mutant, whole=whole), []).append(mutant)
    for name, here in units.items():
        if jobs > 1:
            list(_worked(name, limit, "live", []))  # measures what the tests reach
        anew = [mutant for mutant in here if not mutant.deferred]
        for mutant, verdict in _shared(name, limit, "live", [each for each in here if each.deferred], jobs):
            if verdict.what == "early":
                anew.append(mutant)
            else:
                yield mutant, verdict
        yield from _shared(name, limit, "imported", anew, jobs)


def _shared(name: str, limit: float, mode: str, mutants: list[Mutant], jobs: int) -> Iterator[Tried]:
    """The verdicts of several workers, as they come."""
    found: SimpleQueue[Tried | None] = SimpleQueue()

    def work(share: list[Mutant]) -> None:
        try:
            for each in _worked(name, limit, mode, share):
                found.put(each)
        finally:
            found.put(None)

    shares = [share for start in range(jobs) if (share := mutants[start::jobs])]
    with ThreadPoolExecutor(jobs) as pool:
        works = [pool.submit(work, share) for share in shares]
        for _ in shares:
            while (each := found.get()) is not None:
                yield each
        for each in works:
            each.result()


def _worked(name: str, limit: float, mode: str, mutants: list[Mutant]) -> Iterator[Tried]:
    """The verdicts of one worker. Raises RuntimeError when some are missing."""
    reading, writing = os.pipe()
    arguments = ["-m", "mutation.worker", str(ROOT), name, str(limit), mode, str(writing)]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests' / 'kit'}"}
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
        asked = "".join(json.dumps(mutant) + "\n" for mutant in mutants)
        with ThreadPoolExecutor(1) as pool, open(reading) as reported:
            said = pool.submit(process.communicate, asked)
            count = 0
            for mutant, line in zip(mutants, reported, strict=False):
                count += 1
                yield mutant, Verdict(*json.loads(line))
            text, _ = said.result()
    if count != len(mutants):
        raise RuntimeError(f"{name}, {mode}: {count} verdicts on {len(mutants)} mutants\n{text[-3000:]}")

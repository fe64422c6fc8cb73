"""A campaign: its jobs handed to a Dask cluster, and what they came to kept in a directory."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from msgspec import Struct

from confsim.kernel.refusal import Misuse

from .jobs import Failure, Job, Outcome, perform

#: How many jobs are handed over for each worker at a time.
_AHEAD = 4
#: How often a job is done again whose worker died.
_RETRIES = 5
#: The share of the assumptions that are chosen at a time.
_HALF = 0.5
#: A scheduler's HTTP server takes a free port: two on one machine do not meet at its default.
ANY_PORT = {"dashboard_address": "127.0.0.1:0"}


class CampaignReport(Struct):
    """What a campaign came to: jobs, those that were done before, failures by the name of their files, problems."""

    jobs: int
    before: int = 0
    done: int = 0
    seconds: float = 0.0
    failures: dict[str, str] = {}
    problems: dict[str, str] = {}


class Results:
    """The results of a campaign in a directory: a line for each job, and each failure once."""

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)
        self._file = self.directory / "jobs.jsonl"
        try:
            (self.directory / "failures").mkdir(parents=True, exist_ok=True)
            lines = self._file.read_bytes().splitlines() if self._file.exists() else []
        except OSError as error:
            raise Misuse(f"{str(directory)!r} cannot be used: {error.strerror or error}") from None
        #: Keys of the jobs that are done.
        self.done: set[str] = set()
        for line in lines:
            try:
                self.done.add(msgspec.json.decode(line)["key"])
            except (msgspec.DecodeError, KeyError):
                continue  # the last line of a run that was ended while it wrote

    def add(self, outcome: Outcome) -> dict[str, str]:
        """Keep what a job came to; returns its failures by the name of their files."""
        found = {self._keep(each): each.title for each in outcome.failures}
        line = {"key": outcome.key, "failures": list(found), "seconds": outcome.seconds, "problem": outcome.problem}
        if not outcome.problem:
            with self._file.open("ab") as file:
                file.write(msgspec.json.encode(line) + b"\n")
            self.done.add(outcome.key)
        return found

    def _keep(self, failure: Failure) -> str:
        name = hashlib.sha256(failure.signature.encode()).hexdigest()[:12]
        for ending, text in failure.files.items():
            file = self.directory / "failures" / f"{name}.{ending}"
            if not file.exists() or len(file.read_text(encoding="utf-8")) > len(text):  # the shortest that was found
                file.write_text(text, encoding="utf-8")
        return name

    def failures(self) -> dict[str, str]:
        """The first line of each failure that is kept, by the name of its files."""
        found = sorted((self.directory / "failures").glob("*.txt"))
        return {each.stem: each.read_text(encoding="utf-8").partition("\n")[0] for each in found}


def _distributed() -> Any:
    """Dask, whose functions have no types."""
    try:
        return import_module("distributed")
    except ImportError:
        raise Misuse("a campaign needs Dask: install confsim[campaign]") from None


@contextmanager
def cluster(scheduler: str | None, workers: int | None) -> Iterator[Any]:
    """A client of a Dask scheduler, or of a cluster of processes of this machine. Misuse when there is none."""
    dask = _distributed()
    if scheduler is not None:
        try:
            client = dask.Client(scheduler, timeout=20)
        except (OSError, ValueError) as error:
            raise Misuse(f"the scheduler {scheduler!r} cannot be reached: {error}") from None
        with client:
            yield client
        return
    count = workers or os.cpu_count() or 1
    with (
        dask.LocalCluster(
            n_workers=count, threads_per_worker=1, dashboard_address=None, scheduler_kwargs=ANY_PORT, silence_logs=40
        ) as local,
        dask.Client(local) as client,
    ):
        yield client


def run(jobs: Iterable[Job], results: Results, client: Any, say: Callable[[str], object]) -> CampaignReport:
    """Do the jobs that are not done yet, and keep what they come to. A job whose worker dies is done again."""
    every = list(jobs)
    left = [each for each in every if each.key not in results.done]
    report = CampaignReport(len(every), before=len(every) - len(left))
    began = time.monotonic()
    waiting = iter(left)
    ahead = _AHEAD * max(1, len(client.scheduler_info()["workers"]))

    def handed(job: Job) -> Any:
        return client.submit(perform, job, key=f"confsim {job.key}", retries=_RETRIES, pure=False)

    first = [handed(job) for _, job in zip(range(ahead), waiting, strict=False)]
    running = _distributed().as_completed(first)
    for future in running:
        try:
            outcome: Outcome = future.result()
        except Exception as error:  # what Dask gives up on, and what a job did not expect
            outcome = Outcome(future.key.removeprefix("confsim "), [], 0.0, f"{type(error).__name__}: {error}")
        following = next(waiting, None)
        if following is not None:
            running.add(handed(following))
        report.done += 1
        if outcome.problem:
            report.problems[outcome.key] = outcome.problem
        for name, title in results.add(outcome).items():
            say(f"seed {outcome.key}: {title} ({name})")
        report.seconds = round(time.monotonic() - began, 1)
        rate = report.done / max(0.001, report.seconds)
        say(f"{report.before + report.done} of {report.jobs} seeds, {rate:.1f} a second")
    report.failures = results.failures()
    return report


def pair_choices(seed: int) -> dict[str, Any]:
    """Choices for about half of the assumptions that have alternatives, drawn by a seed.

    Two assumptions with two other values each meet in all pairs after some fifty seeds.
    """
    random = Random(seed)
    return {id: random.choice(values) for id, values in choosable().items() if random.random() < _HALF}


def choosable() -> dict[str, tuple[Any, ...]]:
    """The assumptions that have alternatives, with these; without those of routes, gates and refusals."""
    import confsim.control.catalogue  # noqa: F401 declares every entry
    from confsim.assumptions.register import REGISTER
    from confsim.assumptions.register.candidates import candidates

    left_out = ("route.", "code.", "status.", "gate.", "world.", "auth.")
    every = {id: candidates(entry) for id, entry in REGISTER.entries.items() if not id.startswith(left_out)}
    return {id: found for id, found in every.items() if found}

"""A campaign: sends its jobs to a Dask cluster, and stores their results in a directory."""

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
from confsim.service.files.writing import replace_file
from confsim.version import __version__

from .jobs import Failure, Job, JobOutcome, JourneyMachine, Verify, perform

#: Jobs that are sent for each worker at a time.
_AHEAD = 4
#: Most repetitions of a job whose worker died.
_RETRIES = 5
#: Share of the assumptions for which one seed chooses an alternative.
_HALF = 0.5
#: The scheduler's HTTP server takes a free port, so that two on one machine do not collide.
ANY_PORT = {"dashboard_address": "127.0.0.1:0"}


class CampaignReport(Struct):
    """The results of a campaign: number of jobs, of jobs done earlier, failures by file name, problems."""

    jobs: int
    before: int = 0
    done: int = 0
    seconds: float = 0.0
    failures: dict[str, str] = {}
    problems: dict[str, str] = {}


def _is_foreign(manifest: Path) -> bool:
    """Return whether a file of the name of a manifest is none of a campaign."""
    try:
        return manifest.exists() and "confsim" not in msgspec.json.decode(manifest.read_bytes(), type=dict[str, Any])
    except (ValueError, RecursionError):
        return True


class Results:
    """The stored results of a campaign: what it is, one line for each job, and each failure once.

    ``work`` and ``profiles``, the way to choose other values, say which campaign it is. Raises Misuse, and changes
    nothing, when the directory has results of another one, and when it cannot be used.
    """

    def __init__(self, directory: str | Path, work: JourneyMachine | Verify, profiles: str | None = None) -> None:
        self.directory = Path(directory)
        self._file = self.directory / "jobs.jsonl"
        manifest = self.directory / "campaign.json"
        asked = {**work.identity(), **({"profiles": profiles} if profiles else {}), "confsim": __version__}
        try:
            lines = self._file.read_bytes().splitlines() if self._file.exists() else []
            if lines or any((self.directory / "failures").glob("*")) or _is_foreign(manifest):
                self._check(manifest.read_bytes() if manifest.exists() else b"", asked)
            (self.directory / "failures").mkdir(parents=True, exist_ok=True)
            if not lines:
                content = msgspec.json.format(msgspec.json.encode(asked), indent=2)
                replace_file(manifest, "campaign", [content, b"\n"])
        except OSError as error:
            raise Misuse(f"{str(directory)!r} cannot be used: {error.strerror or error}") from None
        #: Keys of the finished jobs.
        self.done: set[str] = set()
        for line in lines:
            try:
                self.done.add(msgspec.json.decode(line)["key"])
            except (ValueError, RecursionError, KeyError, TypeError):
                continue  # a run that was killed may leave an incomplete last line

    def _check(self, manifest: bytes, asked: dict[str, Any]) -> None:
        """Raise Misuse that names the differences unless a manifest is that of the campaign that was asked for."""
        try:
            held = msgspec.json.decode(manifest, type=dict[str, Any])
        except (ValueError, RecursionError):
            held = {}
        if held == asked:
            return
        if "target" not in held:
            what = f"a campaign that it does not name, not of {asked['target']}"
        elif held["target"] != asked["target"]:
            what = f"{held['target']}, not of {asked['target']}"
        else:
            names = [name for name in {**held, **asked} if held.get(name, ...) != asked.get(name, ...)]
            differing = (
                "another source of its file"
                if name == "source"
                else f"{name} {_shown(held, name)} instead of {_shown(asked, name)}"
                for name in names
            )
            what = f"{held['target']} with {', '.join(differing)}"
        raise Misuse(f"{str(self.directory)!r} holds results of {what}: name another one with --into, or remove it")

    def add(self, outcome: JobOutcome) -> dict[str, str]:
        """Store the outcome of a job; return its failures by file name."""
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
            if not file.exists() or len(file.read_text(encoding="utf-8")) > len(text):  # keep the shortest reproducer
                replace_file(file, "failure", [text.encode()])
        return name

    def failures(self) -> dict[str, str]:
        """Return the first line of each stored failure, by file name."""
        found = sorted((self.directory / "failures").glob("*.txt"))
        return {each.stem: each.read_text(encoding="utf-8").partition("\n")[0] for each in found}

    def reproducers(self, name: str) -> dict[Path, str]:
        """Return the texts of a stored failure as a test and, where there is one, as a script of curl, by path."""
        files = [self.directory / "failures" / f"{name}.{ending}" for ending in ("py", "sh")]
        return {each: each.read_text(encoding="utf-8") for each in files if each.exists()}


def _shown(manifest: dict[str, Any], name: str) -> str:
    return msgspec.json.encode(manifest[name]).decode() if name in manifest else "unset"


def _distributed() -> Any:
    """Return the module of Dask's scheduler, untyped."""
    try:
        return import_module("distributed")
    except ImportError:
        raise Misuse("a campaign needs Dask: install confsim[campaign]") from None


@contextmanager
def cluster(scheduler: str | None, workers: int | None) -> Iterator[Any]:
    """The client of a Dask scheduler, or of a cluster of local processes. Raises Misuse when it cannot be reached."""
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
    """Do the jobs that are not done yet and store their outcomes. A job whose worker dies is repeated."""
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
            outcome: JobOutcome = future.result()
        except Exception as error:  # Dask gave the job up, or it raised something unexpected
            outcome = JobOutcome(future.key.removeprefix("confsim "), [], 0.0, f"{type(error).__name__}: {error}")
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
    """Return alternatives, drawn by a seed, for about half of the assumptions that have any.

    After about fifty seeds, any two assumptions with two alternatives each have met in all pairs.
    """
    random = Random(seed)
    return {id: random.choice(values) for id, values in choosable().items() if random.random() < _HALF}


def choosable() -> dict[str, tuple[Any, ...]]:
    """Return the assumptions that have alternatives, with these; those of routes, gates and refusals are left out."""
    import confsim.control.catalogue  # noqa: F401 declares every entry
    from confsim.assumptions.register import REGISTER

    left_out = ("route.", "code.", "status.", "gate.", "world.", "auth.")
    every = {id: entry.candidates() for id, entry in REGISTER.entries.items() if not id.startswith(left_out)}
    return {id: found for id, found in every.items() if found}

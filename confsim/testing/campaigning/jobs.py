"""The job of one seed, for any process: its arguments and results are plain values."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from confsim.kernel.refusal import Misuse
from confsim.service.files.profile import plain
from confsim.testing.fuzz import smallest
from confsim.transport.in_process import overriding

#: Numbers and ids in the text of an error; they differ between occurrences of the same failure.
_VARIES = re.compile(r"0x[0-9a-f]+|[0-9a-f]{8}-[0-9a-f-]{27}|\d+|'[^']*'|\"[^\"]*\"")


class JourneyMachine(Struct, frozen=True, tag="machine"):
    """Journeys of a Hypothesis state machine: its file name, source, class name, and the steps of a journey.

    ``examples`` is the number of journeys of one seed, ``database`` the folder of Hypothesis' examples, "" for none,
    ``folder`` that of the file, relative to the folder where failures are stored.
    """

    file: str
    text: str
    name: str
    steps: int
    examples: int
    database: str = ""
    folder: str = "."

    def identity(self) -> dict[str, Any]:
        """Return what the results of a seed depend on, as plain values; the source by its digest."""
        return {
            "target": f"{Path(self.file).name}::{self.name}",
            "source": hashlib.sha256(self.text.encode()).hexdigest(),
            "steps": self.steps,
            "examples": self.examples,
        }


class Verify(Struct, frozen=True, tag="verify"):
    """Verify runs: base URL, client, tokens by role, the profile, and the number of journeys of one seed."""

    base_url: str
    client: str
    tokens: dict[str, str]
    profile: dict[str, Any]
    examples: int
    allow_phone_calls: bool = False

    def identity(self) -> dict[str, Any]:
        """Return what the results of a seed depend on, as plain values; of the tokens only their roles."""
        return {
            "target": "verify",
            "base-url": self.base_url,
            "client": self.client,
            "roles": sorted(self.tokens),
            **{f"profile {id}": value for id, value in plain(self.profile).items()},
            "examples": self.examples,
            "phones": self.allow_phone_calls,
        }


class Job(Struct, frozen=True):
    """One seed of a campaign, under choices for assumptions."""

    work: JourneyMachine | Verify
    seed: int
    choices: dict[str, Any] = {}

    @property
    def key(self) -> str:
        """Return the key that identifies the job in its campaign."""
        return str(self.seed)


class Failure(Struct, frozen=True):
    """One way to fail, shrunk. ``signature`` is the same for each occurrence; ``files`` maps file endings to texts."""

    signature: str
    title: str
    files: dict[str, str]


class JobOutcome(Struct, frozen=True):
    """The outcome of a job: its failures, its seconds, and why it could not be done ("" when it could)."""

    key: str
    failures: list[Failure]
    seconds: float
    problem: str = ""


def perform(job: Job) -> JobOutcome:
    """Do a job."""
    began = time.monotonic()
    try:
        failures = _verified(job, job.work) if isinstance(job.work, Verify) else _driven(job, job.work)
    except Misuse as misuse:
        return JobOutcome(job.key, [], time.monotonic() - began, str(misuse))
    return JobOutcome(job.key, failures, round(time.monotonic() - began, 2))


def _verified(job: Job, work: Verify) -> list[Failure]:
    from confsim.testing.learning.accounts import Accounts
    from confsim.testing.verifying.session import verify

    accounts, profile = Accounts(work.client, dict(work.tokens)), {**work.profile, **job.choices}
    allowed = work.allow_phone_calls
    report = verify(work.base_url, accounts, profile, seed=job.seed, examples=work.examples, allow_phone_calls=allowed)
    if report.interrupted:
        raise Misuse(report.interrupted)
    found = []
    for each in report.divergences:
        place = re.sub(r"/\d+", "/*", each.place)
        title = f"{each.operation} at {place}"
        files = {
            "sh": each.curl + "\n",
            "py": each.test,
            "txt": "\n".join([title, *each.steps, *each.questions]) + "\n",
        }
        found.append(Failure(f"{title} {each.expected!r} {each.got!r}" if place == "status" else title, title, files))
    return found


def _driven(job: Job, work: JourneyMachine) -> list[Failure]:
    def fails(choices: Mapping[str, Any]) -> bool:
        return _run(job, work, choices, shrunk=False) is not None

    if job.choices and not fails(job.choices):
        return []
    plain = _run(job, work, {})
    if plain is not None or not job.choices:  # choices play no part in it
        return [] if plain is None else [plain]
    least = smallest(job.choices, fails)
    found = _run(job, work, least)
    if found is None:
        raise Misuse(f"{work.file}::{work.name}: seed {job.seed} fails under {least}, and then does not")
    chosen = ", ".join(f"{id} = {value!r}" for id, value in least.items())
    title = f"{found.title}, under {chosen}"
    return [Failure(f"{found.signature} {chosen}", title, {**found.files, "txt": f"{title}\n{found.files['txt']}"})]


def _run(job: Job, work: JourneyMachine, choices: Mapping[str, Any], *, shrunk: bool = True) -> Failure | None:
    """Return the failure of the journeys of a seed under some choices, None for none."""
    import hypothesis
    from hypothesis import Phase
    from hypothesis.database import DirectoryBasedExampleDatabase
    from hypothesis.errors import HypothesisException
    from hypothesis.stateful import run_state_machine_as_test

    settings = hypothesis.settings(
        max_examples=work.examples,
        stateful_step_count=work.steps,
        deadline=None,
        database=DirectoryBasedExampleDatabase(work.database) if work.database and not choices else None,
        suppress_health_check=list(hypothesis.HealthCheck),
        print_blob=False,
        phases=[*Phase] if shrunk else [Phase.generate],
        report_multiple_bugs=shrunk,
    )
    try:
        with hypothesis.reporting.with_reporter(lambda line: None), overriding(choices):
            machine = machine_of(work)
            run_state_machine_as_test(hypothesis.seed(job.seed)(machine), settings=settings)
    except HypothesisException as problem:
        raise Misuse(f"{work.file}::{work.name}: {problem}") from None
    except (Exception, SystemExit) as error:
        return _failure(work, error, plain(choices))
    return None


def _failure(work: JourneyMachine, error: BaseException, choices: Mapping[str, Any]) -> Failure:
    """Return the failure of a journey under some choices, with a test that reproduces it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    message = str(error).splitlines()[0] if str(error) else ""
    title = (
        f"{type(error).__name__}: {message}"
        if message
        else f"{type(error).__name__} in {last.name}, line {last.lineno}"
    )
    signature = f"{type(error).__name__} {Path(last.filename).name} {last.name} {_VARIES.sub('*', message)}"
    notes = getattr(error, "__notes__", [])
    steps = [line for note in notes for line in note.splitlines() if line.startswith(("state", "v", "    state"))]
    body = [f"    {line.strip()}" for line in steps] or [f"    {work.name}.TestCase().runTest()"]
    needed = [f"from {Path(work.file).stem} import {work.name}"]
    if choices:
        needed = ["from confsim.testing import overriding", *needed]
        body = [f"    with overriding({choices!r}):", *(f"    {line}" for line in body)]
    found = f"sys.path.insert(0, str(Path(__file__).parent / {work.folder!r}))"
    head = ["import sys", "from pathlib import Path", "", found, "", *needed]
    test = [*head, "", "", f"def test_{_word(title)}() -> None:", *body]
    return Failure(signature, title, {"py": "\n".join(test) + "\n", "txt": "\n".join([title, "", *notes]) + "\n"})


def _word(text: str) -> str:
    return "_".join(re.findall(r"[a-z0-9]+", text.lower())[:8])


def machine_of(work: JourneyMachine) -> Any:
    """Return the state machine in a source text, which is executed here: its strategies may follow a profile.

    Raises Misuse when it cannot be executed, or has no such class.
    """
    from hypothesis.stateful import RuleBasedStateMachine

    name = f"campaign_{hashlib.sha256(work.text.encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_loader(name, None, origin=work.file)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    module.__file__ = work.file
    sys.modules[name] = module
    try:
        exec(compile(work.text, work.file, "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        raise Misuse(f"{work.file} cannot be run: {type(error).__name__}: {error}") from error
    found = getattr(module, work.name, None)
    if found is None:
        raise Misuse(f"{work.file} has no {work.name!r}")
    if not (isinstance(found, type) and issubclass(found, RuleBasedStateMachine)):
        raise Misuse(f"{work.name} of {work.file} is no state machine: a Journey, or a RuleBasedStateMachine")
    return found

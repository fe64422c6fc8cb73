"""Tests run until one of them fails, each in a fork of the process that has collected them."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, settings

#: Options of pytest for every run.
OPTIONS = ["-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
#: Bytes of memory that a mutant may take.
_MEMORY = 6 << 30
#: Seconds that a fork may take beyond its processor time.
_PATIENCE = 60

# The examples of the suite, without a search for the smallest that fails.
settings.register_profile(
    "mutation",
    deadline=None,
    derandomize=True,
    max_examples=30,
    stateful_step_count=40,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


class Verdict(NamedTuple):
    """What became of a mutant: ``killed``, ``survived``, ``undecided`` at the limit, or ``unreached`` by tests.

    ``by`` is the test that failed, or how the process ended; ``seconds`` those of the processor.
    """

    what: str
    by: str
    seconds: float


class Failures:
    """A pytest plugin that notes the first failure."""

    def __init__(self) -> None:
        self.first = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failure."""
        if report.failed and not self.first:
            self.first = report.nodeid


def until_failure(items: Sequence[pytest.Item], limit: float, expected: dict[str, float]) -> Verdict:
    """Run tests until one fails, or until they have taken ``limit`` seconds of the processor.

    A test that takes ten times the seconds that are expected of it, and ten more, ends the process.
    """
    failures = Failures()
    begun = time.process_time()
    for item, following in zip(items, [*items[1:], None], strict=True):
        if item is items[0]:
            item.config.pluginmanager.register(failures)
        signal.setitimer(signal.ITIMER_PROF, 10 + 10 * expected.get(item.nodeid, 1.0))
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        signal.setitimer(signal.ITIMER_PROF, 0)
        taken = time.process_time() - begun
        if failures.first:
            return Verdict("killed", failures.first, taken)
        if taken > limit:
            return Verdict("undecided", "", taken)
    return Verdict("survived", "", time.process_time() - begun)


def forked(act: Callable[[], Any], limit: float) -> Any:
    """What ``act`` returns in a fork, as JSON; the Verdict of a process that is ended, or does not end.

    Raises RuntimeError when ``act`` raises.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        silence = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(silence, stream)
        try:
            try:
                reported = json.dumps(act()).encode()
            except BaseException:
                reported = json.dumps({"error": traceback.format_exc()}).encode()
            with open(writing, "wb") as pipe:
                pipe.write(reported)
        finally:  # also where nobody reads: the child must not go on as its parent
            os._exit(0)
    os.close(writing)
    reported, ended = _read(reading, time.monotonic() + 2 * limit + _PATIENCE)
    if not ended:
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not ended or not reported:
        code = os.waitstatus_to_exitcode(status)
        return Verdict("killed", "no end" if not ended or code == -signal.SIGPROF else f"exit {code}", limit)
    found = json.loads(reported)
    if isinstance(found, dict) and found.keys() == {"error"}:
        raise RuntimeError(found["error"])
    return found


def _read(descriptor: int, until: float) -> tuple[bytes, bool]:
    """What is written to a pipe, and whether it was closed before the instant."""
    reported = b""
    while (left := until - time.monotonic()) > 0:
        if select.select([descriptor], [], [], left)[0]:
            piece = os.read(descriptor, 1 << 20)
            if not piece:
                os.close(descriptor)
                return reported, True
            reported += piece
    os.close(descriptor)
    return reported, False

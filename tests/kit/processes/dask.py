"""A Dask scheduler and its workers, as processes of their own."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[2]
#: What is added to any command: free ports, and no process that starts a killed worker again.
_SCHEDULER = ("--port", "0", "--no-dashboard", "--dashboard-address", "127.0.0.1:0")
_WORKER = ("--no-nanny", "--no-dashboard")


@contextmanager
def scheduler(options: Sequence[str] = ()) -> Iterator[str]:
    """The address of ``dask scheduler``, at a free port. Raises RuntimeError when it does not start."""
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", *options, *_SCHEDULER]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            found = (re.search(r"Scheduler at:\s+(tcp://\S+)", line) for line in process.stderr)
            address = next((each[1] for each in found if each), None)
            if address is None:
                raise RuntimeError("the scheduler did not start")
            yield address
        finally:
            process.kill()


@contextmanager
def worker(
    address: str, folder: str | Path, options: Sequence[str] = ("--nthreads", "1")
) -> Iterator[subprocess.Popen[str]]:
    """``dask worker`` for the scheduler at that address, which keeps its files in a folder."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, *options, *_WORKER]
    command += ["--local-directory", str(folder)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=_TESTS, text=True) as process:
        try:
            yield process
        finally:
            process.kill()

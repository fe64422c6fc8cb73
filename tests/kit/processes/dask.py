"""A Dask scheduler and its workers, as processes of their own."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from .commands import Command

#: What is added to any command: free ports, and no process that starts a killed worker again.
_SCHEDULER = ("--port", "0", "--no-dashboard", "--dashboard-address", "127.0.0.1:0")
_WORKER = ("--no-nanny", "--no-dashboard")


@contextmanager
def scheduler(options: Sequence[str] = ()) -> Iterator[str]:
    """The address of ``dask scheduler``, at a free port. Raises RuntimeError when it does not start."""
    with _running("scheduler", *options, *_SCHEDULER) as process:
        found = (re.search(r"Scheduler at:\s+(tcp://\S+)", line) for line in process.stderr)
        address = next((each[1] for each in found if each), None)
        if address is None:
            raise RuntimeError("the scheduler did not start")
        with _read(process):
            yield address


@contextmanager
def worker(address: str, folder: str | Path, options: Sequence[str] = ("--nthreads", "1")) -> Iterator[Command]:
    """``dask worker`` for the scheduler at that address, which keeps its files in a folder."""
    with _running("worker", address, *options, *_WORKER, "--local-directory", str(folder)) as process, _read(process):
        yield process


@contextmanager
def _running(program: str, *arguments: str) -> Iterator[Command]:
    """A program of Dask, which is killed in the end."""
    text = f"from distributed.cli.dask_{program} import main; main({[*arguments]!r})"
    with Command("python", "-c", text) as process:
        process.run_on()
        try:
            yield process
        finally:
            process.send_signal(signal.SIGKILL)


@contextmanager
def _read(process: Command) -> Iterator[None]:
    """Read what a process writes until it is killed, so that it never waits for a reader."""
    reading = Thread(target=process.communicate)
    reading.start()
    try:
        yield
    finally:
        process.send_signal(signal.SIGKILL)
        reading.join()

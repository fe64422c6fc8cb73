"""A campaign over a Dask scheduler and two workers, processes of their own, one of which is killed in the middle.

All seeds are done all the same, and the failure that they have in common is kept once.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from confsim.testing.campaigning import campaign
from confsim.testing.campaigning.jobs import Job, JourneyMachine

BAD = ("seeds that were not done",)
TESTS = Path(__file__).resolve().parents[1]
#: Journeys that fail for some seeds.
ROOMS = """
from hypothesis import strategies as st
from hypothesis.stateful import rule

from confsim import Simulator
from confsim.testing import Core, Journey


class Rooms(Journey):
    def targets(self):
        return [Core(Simulator())]

    @rule(number=st.integers(0, 400))
    def make(self, number):
        status = self.call("create_channel", "demo-owner", body={"name": f"Room {number}"}).status
        assert status == 200, f"answered with {status}"
"""


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--seeds", type=int, default=120)


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Run the campaign, kill a worker once a quarter is done, and return the figures."""
    with tempfile.TemporaryDirectory() as folder:
        scheduler, address = _scheduler()
        workers = [_worker(address, folder) for _ in range(2)]
        done = 0

        def say(line: str) -> None:
            nonlocal done
            done += " seeds, " in line
            if done == chosen.seeds // 4 and workers[0].poll() is None:
                workers[0].kill()

        try:
            work = JourneyMachine("rooms.py", ROOMS, "Rooms", steps=20, examples=5, database=f"{folder}/examples")
            results = campaign.Results(f"{folder}/found")
            with campaign.cluster(address, None) as client:
                client.wait_for_workers(2, timeout=60)
                report = campaign.run([Job(work, seed) for seed in range(chosen.seeds)], results, client, say)
        finally:
            for process in (*workers, scheduler):
                process.kill()
                process.wait()
    return {
        "seeds": report.jobs,
        "seeds that were not done": report.jobs - len(results.done),
        "workers killed": 1,
        "failures kept": len(report.failures),
        "seconds": report.seconds,
    }


def _scheduler() -> tuple[subprocess.Popen[str], str]:
    """A scheduler at a free port, and its address."""
    command = [
        sys.executable,
        "-m",
        "distributed.cli.dask_scheduler",
        "--port",
        "0",
        "--no-dashboard",
        "--dashboard-address",
        "127.0.0.1:0",
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        found = re.search(r"Scheduler at:\s+(tcp://\S+)", line)
        if found:
            return process, found[1]
    raise RuntimeError("the scheduler did not start")


def _worker(address: str, folder: str) -> subprocess.Popen[str]:
    """A worker of one thread, which nobody starts again when it is killed."""
    options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", folder]
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, *options]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=TESTS, text=True)

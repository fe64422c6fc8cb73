"""A campaign over a Dask scheduler and two workers, processes of their own, one of which is killed in the middle.

All seeds are done all the same, and the failure that they have in common is stored once.
"""

from __future__ import annotations

import argparse
import signal
import tempfile
from typing import Any

from confsim.testing.campaigning import campaign
from confsim.testing.campaigning.jobs import Job, JourneyMachine
from kit.processes import dask

BAD = ("seeds that were not done",)
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
    with (
        tempfile.TemporaryDirectory() as folder,
        dask.scheduler() as address,
        dask.worker(address, folder) as killed,
        dask.worker(address, folder),
    ):
        done = 0

        def say(line: str) -> None:
            nonlocal done
            done += " seeds, " in line
            if done == chosen.seeds // 4:
                killed.send_signal(signal.SIGKILL)

        work = JourneyMachine("rooms.py", ROOMS, "Rooms", steps=20, examples=5, database=f"{folder}/examples")
        results = campaign.Results(f"{folder}/found", work)
        with campaign.cluster(address, None) as client:
            client.wait_for_workers(2, timeout=60)
            report = campaign.run([Job(work, seed) for seed in range(chosen.seeds)], results, client, say)
    return {
        "seeds": report.jobs,
        "seeds that were not done": report.jobs - len(results.done),
        "workers killed": 1,
        "failures stored": len(report.failures),
        "seconds": report.seconds,
    }

"""The same seed and the same calls give the same bytes, whatever the order in which Python keeps its sets."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from confsim.service.address import Address
from kit import START

SCRIPT = """
import hashlib
import sys

from confsim.service.address import Address
from confsim import Simulator
from kit.catalogue_walk import walk

simulator = Simulator(seed=int(sys.argv[1]), clock="2026-02-01T00:00:00Z")
bytes_, calls = hashlib.sha256(), 0
for step in walk(simulator, "22222222-2222-4222-8222-222222222222", (
    "demo-owner", "demo-customer-admin", "demo-api-token", "demo-partner-admin"
)):
    calls += 1
    bytes_.update(repr((step.operation.name, step.caller, step.answer.status)).encode())
    bytes_.update(repr(sorted(step.answer.headers.items())).encode() + step.answer.content)
journal = hashlib.sha256()
for entry in simulator.service.journal:
    told = (entry.id, entry.at, entry.operation, entry.request, entry.response, entry.assumptions, entry.touched)
    journal.update(repr(told).encode())
print(calls, bytes_.hexdigest(), journal.hexdigest(), simulator.service.world.digest())
"""


def runs(*pairs):
    """What the script tells for each pair of a hash seed and a seed of the world, run beside each other."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(seed)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": hashes},
            stdout=subprocess.PIPE,
            text=True,
        )
        for hashes, seed in pairs
    ]
    told = [process.communicate(timeout=120)[0].split() for process in started]
    assert all(process.returncode == 0 for process in started)
    return told


def test_answers_journal_and_world_are_the_same_under_three_hash_seeds():
    """Answers to the byte, the journal with its assumptions, and the digest of the world."""
    first, *others = runs(("0", 7), ("1", 7), ("2", 7))
    assert int(first[0]) > 100
    assert others == [first, first]


def test_another_seed_gives_other_bytes():
    """The comparison sees differences: another seed of the world mints other ids."""
    one, other = runs(("0", 7), ("0", 8))
    assert one[1] != other[1]


@pytest.mark.parametrize("name", ["w1", "another-name"])
def test_the_name_of_a_world_plays_no_part(name):
    """Two worlds of one seed given the same calls answer the same, whatever their names."""
    from confsim import Simulator

    answers = []
    for mount in ("", f"/w/{name}"):
        simulator = Simulator(seed=3, clock=START)
        simulator.service.pipeline.serve_at(Address(mount))
        answers.append(simulator.call("create_api_token", "demo-customer-admin", body={}).content)
    assert answers[0] == answers[1]

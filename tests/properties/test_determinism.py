"""The same seed and the same calls give the same bytes, whatever the order in which Python keeps its sets."""

from __future__ import annotations

import os

import pytest

from confsim import Simulator
from confsim.api.call import Address
from kit import START
from kit.proofs.determinism import Way, run, runs

pytestmark = pytest.mark.own_ways


def test_the_seed_alone_decides_about_bytes():
    """Answers to the byte, the journal with its assumptions, and the digest of the world.

    They are the same here, under the hash seed of this process, and in one of another without asserts; another seed of
    the world makes other ids.
    """
    assert os.environ.get("PYTHONHASHSEED", "random") != "1"
    first, (other,) = run(), runs([Way("1", optimised=True)])
    assert int(first[0]) > 100
    assert other == first
    made = [Simulator(seed=seed).call("create_api_token", "demo-customer-admin", body={}).body for seed in (7, 7, 8)]
    assert [each == made[0] for each in made] == [True, True, False]


@pytest.mark.parametrize("name", ["w1", "another-name"])
def test_the_name_of_a_world_plays_no_part(name):
    """Two worlds of one seed given the same calls answer the same, whatever their names."""
    answers = []
    for mount in ("", f"/w/{name}"):
        simulator = Simulator(seed=3, clock=START)
        simulator.service.pipeline.serve_at(Address(mount))
        answers.append(simulator.call("create_api_token", "demo-customer-admin", body={}).content)
    assert answers[0] == answers[1]

"""A sample of the flip test: what an alternative changes was reported before; the campaign runs all of it."""

from __future__ import annotations

import random

import pytest

from confsim.arazzo import library
from confsim.assumptions.register import REGISTER
from confsim.service.messages import Request
from kit.proofs import flips, journeys, stories
from kit.proofs.flips import Flip, Journey, Start, judge, run

#: Flips of each scenario, drawn anew for each.
SAMPLE = 3


@pytest.mark.parametrize("name", library.SHIPPED)
def test_what_a_flip_changes_was_reported(name):
    """Answers, and the world with its mail and deliveries, over a whole scenario."""
    journey = journeys.scenario(name)
    draw = random.Random(name)
    read, _ = flips.read_by(journey)
    ids = draw.sample(sorted(read & REGISTER.entries.keys()), SAMPLE)
    report = flips.flip_journey(journey, {id: flips.alternatives(REGISTER.entries[id]) for id in ids})
    assert (report.unsound, report.left_out) == ([], [])
    assert report.pairs >= SAMPLE / 2


def test_what_a_world_was_born_of_is_reported_from_the_start():
    """By its file, and by the calls of a scenario after which it begins: two, drawn, with some of their entries."""
    draw = random.Random(5)
    for journey in draw.sample([*journeys.births()], 2):
        read, base = flips.read_by(journey)
        ids = draw.sample(sorted(id for id in read & REGISTER.entries.keys() if base.reported.get(id) == 0), 8)
        report = flips.flip_journey(journey, {id: flips.alternatives(REGISTER.entries[id]) for id in ids})
        assert (report.unsound, report.left_out) == ([], [])
        assert report.pairs >= len(ids)


def test_a_start_that_fails_under_a_flip_reports_its_entry(monkeypatch):
    """Where it does not, that is unsound."""
    journey = next(each for each in journeys.births() if each.start.scenario == "api-token-rotation")
    chosen = {"size.label": flips.alternatives(REGISTER.entries["size.label"])[:1]}
    assert flips.flip_journey(journey, chosen).unsound == []

    def silent(*given):
        found = run(*given)
        found.reported.pop("size.label", None)
        return found

    monkeypatch.setattr(flips, "run", silent)
    (found,) = flips.flip_journey(journey, chosen).unsound
    assert "does not begin" in found


def test_a_story_makes_the_alternatives_of_its_entries_matter():
    """Those of two stories, drawn, each reported before."""
    short = [each for each in stories.stories() if len(stories.entries(each)) <= 3]
    for journey in random.Random(2).sample(short, 2):
        chosen = {id: flips.alternatives(REGISTER.entries[id]) for id in stories.entries(journey)}
        report = flips.flip_journey(journey, chosen, read_alone=False)
        assert (report.unsound, report.left_out) == ([], [])
        assert report.effective.keys() == {str(flip) for each in chosen.values() for flip in each}


def test_a_gate_matters_to_somebody():
    """Under every other grant of it somebody is answered otherwise where the call would succeed."""
    journey = next(each for each in journeys.by_gates() if " get_session " in each.name)
    gate = {"gate.get_session": flips.alternatives(REGISTER.entries["gate.get_session"])}
    report = flips.flip_journey(journey, gate, read_alone=False)
    assert (report.unsound, len(report.effective)) == ([], 11)


def test_what_is_not_read_changes_nothing():
    """The trace of what code reads can be trusted: flips of everything else, routes aside, leave a journey alone."""
    journey = journeys.scenario("lobby")
    read, _ = flips.read_by(journey)
    rest = sorted(REGISTER.entries.keys() - read)
    chosen = [flip for id in random.Random(1).sample(rest, 60) for flip in flips.alternatives(REGISTER.entries[id])[:1]]
    base = run(journey, {})
    assert [str(each) for each in chosen if judge(base, run(journey, {each.id: each.value}), each).effective] == []


def test_the_flip_test_finds_what_is_not_reported(monkeypatch):
    """An entry that is read behind the back of the register is unsound; one that is asked is not."""
    journey = Journey(
        "one", Start(), (Request("GET", "/v1_0/users/me", headers={"authorization": "Bearer demo-user"}),)
    )
    flip = Flip("users.kinds", {**REGISTER.entries["users.kinds"].default, "registered": "Person"})
    base, flipped = run(journey, {}), run(journey, {flip.id: flip.value})
    assert judge(base, flipped, flip) == flips.Judgement(True, answered=True)
    del base.reported[flip.id]
    assert judge(base, flipped, flip).unsound == "request 1 is answered otherwise, reported never"
    base.reported[flip.id] = 2
    assert judge(base, flipped, flip).unsound == "request 1 is answered otherwise, reported by request 2"


def test_every_entry_with_alternatives_can_be_flipped():
    """Also what is described in words has a value to choose; an entry without alternatives has no other value."""
    assert [id for id, found in flips.flips().items() if REGISTER.entries[id].alternatives and not found] == []

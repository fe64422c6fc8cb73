"""How each alternative of a gap is chosen: by an entry that names the gap and takes the value; or why not."""

from __future__ import annotations

import tomllib

import pytest

import confsim.control.catalogue  # noqa: F401 declares every entry
from confsim import Simulator
from confsim.assumptions.register import REGISTER
from confsim.reference import choices, gaps
from kit import OWNER
from kit.each import each

CHOSEN = [
    (id, choice) for id, found in choices().choices.items() for choice in found if choice not in choices().reasons
]


def test_every_weighty_gap_says_how_its_alternatives_are_chosen():
    """Those of high and medium weight, each alternative of each; for the rest as many as there are."""
    for gap in gaps().values():
        found = choices().choices.get(gap.id, ())
        assert len(found) == len(gap.alternatives) or (not found and gap.weight == "L"), gap.id
    assert choices().choices.keys() <= gaps().keys()


@each("gap, choice", CHOSEN)
def test_a_choice_is_one_of_a_profile(gap, choice):
    """The entry is there, names the gap, takes the value, and has another by default."""
    id, _, text = choice.partition(" = ")
    entry = REGISTER.entries[id]
    value = entry.check(tomllib.loads(f"value = {text}")["value"])
    assert gap in entry.gaps
    assert value != entry.default


def test_every_reason_is_given():
    """And says something in a sentence."""
    given = {choice for found in choices().choices.values() for choice in found}
    assert given >= choices().reasons.keys()
    assert all(reason.endswith(".") for reason in choices().reasons.values())


@pytest.mark.parametrize(
    ("gap", "alternative", "choice"),
    [
        ("G044", "201 without Location", "status.created = 201"),
        ("G044", "201 with Location", "location"),
        ("G060", "404, as an unknown id", 'parse.path-numbers = "404"'),
        ("G158", "all that are not marked as numbers", "already"),
        ("G187", "any administrator", 'gate.set_auth_providers = ["customer-admin", "partner-admin"]'),
        ("G378", "none, to the letter", "already"),
        ("G497", "audio and video", "download-words"),
    ],
)
def test_an_alternative_is_chosen_by_what_does_it(gap, alternative, choice):
    """By nothing that does another thing; what is done by default is not chosen."""
    assert choices().choices[gap][gaps()[gap].alternatives.index(alternative)] == choice


def test_what_is_made_is_not_located():
    """Under the status by which it says that something was made."""
    answer = Simulator(profile={"status.created": 201}).call("create_channel", OWNER, body={"name": "New"})
    assert (answer.status, "Location" in answer.headers) == (201, False)

"""Profiles: lists of operations and of fields name those that there are."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.register import REGISTER
from confsim.kernel.refusal import Misuse
from confsim.service.files.profile import SHIPPED, plain, read_profile
from confsim.service.files.state import world_of


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"terms.open-calls": ["get_me", "get_it"]}, "profile: 'terms.open-calls': there is no operation 'get_it'"),
        ({"service.open-while-disabled": ["get_it", "x"]},
         "profile: 'service.open-while-disabled': there is no operation 'get_it', 'x'"),
        ({"encode.absent": ["description", "moon"]}, "profile: 'encode.absent': there is no option 'moon'"),
    ],
)  # fmt: skip
def test_a_name_of_nothing_is_reported(chosen, said):
    """With the entry whose list has it."""
    with pytest.raises(Misuse) as caught:
        read_profile(chosen)
    assert str(caught.value) == said


def test_lists_of_known_names_are_taken():
    """They are plain JSON again when they are shown."""
    chosen = {"terms.open-calls": ["get_me"], "encode.absent": ["description"], "service.open-while-disabled": []}
    assert plain(read_profile(chosen)) == chosen


@pytest.mark.parametrize("values", [None, [], "text", 7])
def test_a_state_is_an_object(values):
    """Anything else is refused as no profile."""
    with pytest.raises(Misuse, match="the document is no JSON object"):
        world_of(values)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_profile_brings_other_answers_back(name, tmp_path):
    """Each of its lines chooses what is no longer the default; it is found by its name, from any folder."""
    chosen = read_profile(name)
    assert chosen
    assert chosen == read_profile(tmp_path / name)
    assert {id for id, value in chosen.items() if REGISTER.entries[id].default == value} == set()
    assert Simulator(profile=name).service.profile == chosen


def test_a_file_with_the_name_of_a_shipped_profile_is_read(tmp_path):
    """It is there, so it is meant."""
    (tmp_path / "as-of-0.1").write_text("clients.depth = 'descendants'")
    assert read_profile(tmp_path / "as-of-0.1") == {"clients.depth": "descendants"}

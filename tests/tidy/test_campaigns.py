"""Every campaign takes its options, and those of which a part is small enough run it; mypy judges the rest in CI."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from campaigns.__main__ import NAMES, main
from confsim.api.catalogue import API
from kit.mutation.operators import mutants
from kit.mutation.sample import LISTS, ROOT, judged, lists_of

TESTS = Path(__file__).resolve().parents[1]
#: The smallest part of a campaign that takes less than a second.
SMALLEST = {
    "calibrate": "--profiles 1 --values 0 --examples 1",
    "exam": "--seconds 0",
    "explore": "--start handles --depth 1 --processes 1",
    "flips": "--walks 1 --workers 1 --sample 0",
    "linearizability": "--scheduled 1 --sockets 1 --threads 2 --calls 2 --races 1",
    "no_trace": "--only get_me",
    "non_interference": "--seeds 1 --length 3 --tenants 0",
    "planted": "--only validators --depth 1 --near",
    "schemathesis": "--only all --seconds 0",
    "tables": "--only nothing-is-called-so",
    "tenant_matrix": "--only get_me",
    "verify": "--requests 30 --most 1",
}


@pytest.mark.parametrize("name", NAMES)
def test_it_takes_its_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Its module is imported, and its options are listed."""
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert "--json FILE" in capsys.readouterr().out


@pytest.mark.parametrize("part", ["0/2", "3/2", "x", "1", "1/0", "-1/2", "1/2/3"])
def test_a_part_that_is_none_is_refused(part: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It would walk other starts than were meant, or none."""
    with pytest.raises(SystemExit) as ended:
        main(["explore", f"--part={part}", "--depth", "1"])
    assert ended.value.code == 2
    assert f"argument --part: '{part}' is not I/N" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", ["--depth -1", "--processes 0", "--most x", "--part 999/999"])
def test_an_exploration_of_nothing_is_refused(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It would walk nothing and end well."""
    with pytest.raises(SystemExit) as ended:
        main(["explore", *wrong.split()])
    told = capsys.readouterr().err if ended.value.code == 2 else str(ended.value.code)
    assert wrong.split()[1] in told


@pytest.mark.parametrize("name", SMALLEST)
def test_its_smallest_part_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It gives its figures, among them those that must be 0. A walk through the catalogue is one through two calls."""
    monkeypatch.setattr("kit.catalogue_walk.API", [API["get_me"], API["create_channel"]])
    monkeypatch.setenv("HYPOTHESIS_PROFILE", "quick")  # some choose another
    figures = tmp_path / "figures.json"
    assert main([name, *SMALLEST[name].split(), "--json", str(figures)]) in (0, 1)
    assert set(json.loads(figures.read_text()))
    assert capsys.readouterr().out


@pytest.mark.parametrize("room", LISTS)
def test_a_mutant_is_held_against_the_lists_of_its_room(room: str) -> None:
    """Whether it is tried on the tests of its package or of the whole room."""
    assert lists_of(f"{room}/channels") == lists_of(f"{room}*") == [TESTS / path for path in LISTS[room]]


def test_what_is_judged_to_change_nothing_is_a_mutant() -> None:
    """Of the source as it is now."""
    paths = {key.partition(":")[0] for key in judged()}
    there = {mutant.key for path in paths for mutant in mutants(path, (ROOT / path).read_text())}
    assert judged().keys() <= there

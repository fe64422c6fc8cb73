"""Public names stay: each version lists its own, and a name that goes was warned of in the version before."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from confsim import __version__, guides
from kit.public_names import LISTS, PRESENT, Names, public_names, read

pytestmark = pytest.mark.own_ways

COMMAND = "PYTHONPATH=tests python -m kit.public_names"


class Retired(NamedTuple):
    """A name that is gone, or will be. ``part`` is empty for a whole thing; ``warned`` is the version that said so."""

    name: str
    part: str
    warned: str
    instead: str


@cache
def present() -> Names:
    """The names of the code as it is now."""
    return public_names()


def version(text: str) -> tuple[int, ...]:
    """A version as numbers, which compare as versions do."""
    return tuple(int(part) for part in text.split("."))


def lost(before: Names, now: Names) -> set[tuple[str, str]]:
    """What an earlier version had and this one has not: whole things with an empty part, or parts of things."""
    gone = {(thing, "") for thing in before.keys() - now.keys()}
    return gone | {(thing, part) for thing in before.keys() & now.keys() for part in before[thing] - now[thing]}


def forgiven(retired: list[Retired], since: str, changelog: str) -> set[tuple[str, str]]:
    """What users of the version ``since`` were warned of, by a version before the present one and by the changelog."""
    versions = (version(since), version(__version__))
    warned = [entry for entry in retired if versions[0] <= version(entry.warned) < versions[1]]
    return {(entry.name, entry.part) for entry in warned if f"{entry.name} {entry.part}".strip() in changelog}


def _retired() -> list[Retired]:
    found = tomllib.loads((LISTS / "retired.toml").read_text(encoding="utf-8")).get("retired", [])
    return [Retired(each["name"], each.get("part", ""), each["warned"], each["instead"]) for each in found]


def test_the_list_of_this_version_is_that_of_the_code():
    """A name that joins, goes or changes is seen by whoever changes it."""
    listed = read(PRESENT)
    changes = {"gone": sorted(lost(listed, present())), "new": sorted(lost(present(), listed))}
    assert changes == {"gone": [], "new": []}, f"read these as a user of them, then run: {COMMAND}"


@pytest.mark.parametrize("file", sorted(LISTS.glob("*.txt")), ids=lambda file: file.stem)
def test_no_name_of_an_earlier_version_is_lost_without_a_warning(file: Path):
    """A name that has to go warns in one version, with its entry in retired.toml, and goes in a later one."""
    assert version(file.stem) <= version(__version__)
    assert lost(read(file), present()) - forgiven(_retired(), file.stem, guides.get("changelog").text) == set()


def test_what_is_lost_is_told_by_thing_and_part():
    """A thing that is gone is told once, without its parts; what joined is no loss."""
    before = {"confsim.Answer": {"json", "text"}, "confsim.Answer.json": {"strict"}, "guides": {"mail"}}
    now = {"confsim.Answer": {"json", "body"}, "guides": {"mail", "sso"}, "worlds": {"demo"}}
    assert lost(before, now) == {("confsim.Answer", "text"), ("confsim.Answer.json", "")}


@pytest.mark.parametrize(
    ("warned", "changelog", "may_go"),
    [
        ("0.1.0", "`confsim.Simulator call` is gone", True),
        ("0.1.0", "nothing of it", False),
        (__version__, "`confsim.Simulator call` will go", False),
    ],
)
def test_a_name_goes_only_after_the_version_that_warned(warned: str, changelog: str, may_go: bool):
    """The version that warned is before the present one, and the changelog names what went."""
    entry = Retired("confsim.Simulator", "call", warned, "nothing")
    assert (("confsim.Simulator", "call") in forgiven([entry], "0.1.0", changelog)) is may_go

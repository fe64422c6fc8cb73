"""State files: whole or not there, refused with their place."""

from __future__ import annotations

import os

import msgspec
import pytest

from confsim import Misuse, Simulator
from confsim.service.files import state
from confsim.service.files.writing import check_place
from kit import CUSTOMER, ROOM


def test_a_world_is_saved_and_loaded_as_it_is(sim, tmp_path):
    """And it is the start that a reset brings back."""
    sim.call("reserve_handle", "demo-user", body={"handle": "Held"})
    sim.save(tmp_path / "state.json")
    other = Simulator("empty", clock=sim.clock.now)
    other.load(tmp_path / "state.json")
    assert other.service.world.digest() == sim.service.world.digest()
    other.call("update_terms_url", "demo-api-token", body={"url": "https://terms.example/7"})
    other.reset()
    assert other.service.world.digest() == sim.service.world.digest()


def test_a_file_is_the_document_of_the_control_plane(sim, tmp_path):
    """To the byte."""
    sim.save(tmp_path / "state.json")
    assert (tmp_path / "state.json").read_bytes() == sim.client().get("/_confsim/state").data


@pytest.mark.parametrize("name", ["replace", "fsync"])
def test_a_file_that_cannot_be_finished_leaves_the_old_one(sim, tmp_path, monkeypatch, name):
    """What was there stays whole, and nothing lies beside it."""
    file = tmp_path / "state.json"
    file.write_text("old")

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, name, full)
    with pytest.raises(Misuse, match="No space left on device"):
        state.write(file, sim.service.world)
    assert [each.name for each in tmp_path.iterdir()] == ["state.json"]
    assert file.read_text() == "old"


@pytest.mark.parametrize(
    ("place", "value", "problem"),
    [
        (("minted",), -1, "minted"),
        (("minted",), 2**70, "minted"),
        (("sequences", "user"), -1, "sequences"),
        (("timers",), [[-1, "handle reservation", CUSTOMER, "x"]], "timers"),
        (("tables", "users", CUSTOMER, 0, "colour"), "red", r"colour is no field"),
        (("tables", "users", CUSTOMER, 0, "handle"), 7, r"tables\.users.*\[0\]: Expected `str`"),
        (("tables", "users", CUSTOMER, 1, "client"), "other", r"\[1\]\.client is not the client it stands under"),
        (("tables", "users", CUSTOMER, 1, "id"), 1001, r"\[1\] has the key of an earlier record"),
        (("tables", "clients", "", 1, "parent"), "nowhere", "has the parent 'nowhere', which is not there"),
        (("tables", "clients", "", 0, "parent"), CUSTOMER, "is above itself"),
        (("tables", "clients", "", 1, "parent"), CUSTOMER, "is above itself"),
        (("tables", "channels", CUSTOMER, 0, "parent"), "nowhere", "has the parent 'nowhere'"),
        (("tables", "hosts", CUSTOMER, 0, "channel"), "nowhere", "has the channel 'nowhere'"),
        (("tables", "hosts", CUSTOMER, 0, "name"), "Other", "has another number or name than its channel"),
        (("tables", "users", CUSTOMER, 0, "hosting"), "owner", "1001 of tables.users.* is 'owner', against"),
        (("tables", "presences", CUSTOMER, 0, "user"), 7, "has the user 7, which is not there"),
    ],
)
def test_what_no_world_can_be_is_refused(sim, tmp_path, place, value, problem):
    """Counts below nothing, and records that name what is not there: calls would fail on them, or never end.

    The same is said of a file, which is read another way.
    """
    sim.presence.join(ROOM, "demo-owner")
    document = part = sim.state
    for name in place[:-1]:
        part = part[name]
    part[place[-1]] = value
    before = sim.service.world
    with pytest.raises(Misuse, match=problem) as of_values:
        sim.state = document
    file = tmp_path / "state.json"
    file.write_bytes(msgspec.json.encode(document))
    with pytest.raises(Misuse) as of_file:
        sim.load(file)
    assert str(of_file.value) == f"state file {str(file)!r}: {of_values.value}"
    assert sim.service.world is before


def test_a_file_that_is_refused_leaves_the_world(sim, tmp_path):
    """The message names the file, and the world goes on."""
    before = sim.service.world
    (tmp_path / "bad.json").write_text('{"version": 1, "seed": 0}')
    with pytest.raises(Misuse, match=r"bad\.json.*missing"):
        sim.load(tmp_path / "bad.json")
    assert sim.service.world is before


@pytest.mark.parametrize("document", [None, [], "text", 5, [{"version": 3}]])
def test_a_document_that_is_no_object_is_refused(document):
    """Before anything of it is read."""
    with pytest.raises(Misuse, match="the document is no JSON object"):
        state.world_of(document)


def test_a_place_is_checked_before_anything_is_written(tmp_path):
    """A directory in the place of the file, and a file where there is no directory."""
    check_place(tmp_path / "state.json", state.FILE)
    (tmp_path / "state.json").write_text("old")
    check_place(str(tmp_path / "state.json"), state.FILE)
    with pytest.raises(Misuse, match="it is a directory"):
        check_place(tmp_path, state.FILE)
    with pytest.raises(Misuse, match=r"there is no directory '.*/none'"):
        check_place(tmp_path / "none" / "state.json", state.FILE)
    assert [each.name for each in tmp_path.iterdir()] == ["state.json"]

"""What a directory of durable state is refused for."""

from __future__ import annotations

import shutil
import sqlite3

import msgspec
import pytest

from confsim import Misuse, Simulator
from confsim.kernel.tables.table import Table
from confsim.service.durable import recovery, sqlite
from confsim.service.files.profile import read_profile
from confsim.service.service import Service
from kit.durable import busy, killed, reported
from kit.processes.commands import Command

# What a directory is refused for


@pytest.fixture
def lived(place, begin):
    """A directory with a base and a log, left as kill -9 leaves it, and what it holds."""
    sim = begin(place)
    sim.snapshot("a")
    busy(sim)
    sim.worlds.add("w")
    sim.durable.checkpoint()
    killed(sim)
    sim = begin(place)
    sim.reset()
    busy(sim)
    killed(sim)
    return reported(sim)


def test_a_second_process_is_refused(place, begin):
    """While one has the directory, no other gets it; afterwards it does."""
    sim = begin(place)
    with pytest.raises(Misuse, match="in use by another process"):
        Simulator().keep_in(place)
    script = f"from confsim import Simulator; Simulator().keep_in({str(place)!r})"
    with Command("python", "-c", script) as other:
        assert "in use by another process" in other.communicate()[1]
    killed(sim)
    begin(place)


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"seed": 5}, "seed 0 (now 5)"),
        ({"world": "empty"}, "world 'demo' (now 'empty')"),
        ({"profile": {"size.page-default": 7}}, "profile choice size.page-default = 'the default' (now 7)"),
        ({"scenario": "other"}, "scenario None (now 'other')"),
    ],
)
def test_a_directory_is_for_what_it_was_begun_with(place, lived, chosen, words, begin):
    """Another world, seed, profile or scenario is refused by name, and the directory stays as it is."""
    with pytest.raises(Misuse) as refused:
        begin(place, **chosen)
    assert words in str(refused.value)
    assert reported(begin(place)) == lived


def test_a_world_file_that_changed_is_refused(tmp_path, place, begin):
    """The same name, other content."""
    file = tmp_path / "mine.json"
    file.write_text('{"version": 1, "at": "2026-01-01T00:00:00Z", "clients": [{"name": "One"}]}')
    killed(begin(place, world=str(file)))
    file.write_text('{"version": 1, "at": "2026-01-01T00:00:00Z", "clients": [{"name": "Two"}]}')
    with pytest.raises(Misuse, match="which has changed"):
        begin(place, world=str(file))


def edit(place, *statements):
    """Change the file behind confsim's back."""
    with sqlite3.connect(place / "confsim.sqlite") as store:
        for statement in statements:
            store.execute(statement)
    store.close()


LAST = "(SELECT max(number) FROM log)"


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (f"UPDATE log SET body = '{{}}' WHERE number = {LAST}", "is altered"),
        (f"UPDATE log SET body = CAST('{{}}' AS BLOB) WHERE number = {LAST} - 2", "is altered"),
        (f"UPDATE log SET at = at + 1 WHERE number = {LAST} - 2", "is altered"),
        (f"UPDATE log SET world = 'w' WHERE number = {LAST} - 1", "is altered"),
        (f"DELETE FROM log WHERE number = {LAST} - 2", "is gone"),
        (f"DELETE FROM log WHERE number = {LAST}", "head records record"),
        ("DELETE FROM log", "head records record"),
        ("DELETE FROM worlds WHERE name = 'w'", "the base is altered"),
        ("UPDATE worlds SET body = CAST('{}' AS BLOB)", "the base is altered"),
        ("UPDATE base SET version = '0.0.9'", "the base is altered"),
        ("DELETE FROM base", "it has 0 bases"),
        ("DELETE FROM documents", "is gone"),
        ("UPDATE documents SET body = CAST('{}' AS BLOB)", "is altered"),
        ("DROP TABLE log", "is damaged"),
        ("PRAGMA user_version = 99", "it is of format 99; confsim"),
        ("PRAGMA application_id = 5", "is no state of confsim"),
    ],
)
def test_what_was_edited_is_reported(place, lived, begin, statement, words):
    """Every record hangs on the one before, the base on its digest, a document on its name."""
    edit(place, statement)
    with pytest.raises(Misuse) as refused:
        begin(place)
    assert words in str(refused.value)
    assert str(place) in str(refused.value)


def test_a_directory_without_its_head_is_reported(place, lived, begin):
    """And it says how to go on with what there is."""
    (place / "head").unlink()
    with pytest.raises(Misuse, match="To go on with what there is, write") as refused:
        begin(place)
    (place / "head").write_text(str(refused.value).split("write '")[1].split("'")[0] + "\n")
    assert reported(begin(place)) == lived


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0 and then nothing", b"something else altogether"])
def test_a_file_that_is_no_store_is_reported(place, lived, begin, content):
    """Emptied, cut, or another file altogether."""
    for each in place.glob("confsim.sqlite-*"):
        each.unlink()
    (place / "confsim.sqlite").write_bytes(content)
    with pytest.raises(Misuse, match=r"records are gone|damaged"):
        begin(place)


@pytest.mark.parametrize("name", ["confsim.sqlite", "confsim.sqlite-wal", "head"])
def test_a_torn_or_altered_file_never_loads_in_silence(place, lived, tmp_path, name, begin):
    """Cut at any length, or with any byte inverted: it is reported, or it holds exactly what was acknowledged."""
    if name == "confsim.sqlite":
        begin(place).durable.close()
    whole = (place / name).read_bytes()
    step = max(1, len(whole) // 30)
    damaged = [whole[:length] for length in range(0, len(whole), step)]
    for spot in range(7, len(whole), step):
        damaged.append(whole[:spot] + bytes([whole[spot] ^ 0x41]) + whole[spot + 1 :])
    refused = 0
    for number, content in enumerate(damaged):
        copy = tmp_path / str(number)
        shutil.copytree(place, copy)
        (copy / name).write_bytes(content)
        try:
            other = begin(copy)
        except Misuse:
            refused += 1
        else:
            assert reported(other) == lived
            killed(other)
        shutil.rmtree(copy)
    assert refused > len(damaged) // 3


def test_a_record_between_log_and_head_is_stored(place, lived, begin):
    """The process may die after the record and before the head: the call was not acknowledged, and has happened."""
    sim = begin(place)
    before = (place / "head").read_bytes()
    sim.call("update_terms_url", "demo-api-token", body={"url": "https://terms.example/last"})
    killed(sim)
    assert before != (place / "head").read_bytes()
    (place / "head").write_bytes(before)
    assert reported(begin(place)) == reported(sim) != lived


def test_an_entry_of_another_version_is_refused_by_name(place, lived, begin, monkeypatch):
    """A table this confsim does not know: the message names the version that wrote it, and the table."""
    monkeypatch.delitem(Table.declared, "api tokens")
    with pytest.raises(Misuse, match=r"written by confsim \d.*api tokens"):
        begin(place)


def test_a_directory_of_another_version_that_can_be_read_is_taken_over(place, begin, monkeypatch):
    """It loads, and has a base of this version at once."""
    monkeypatch.setattr(sqlite, "__version__", "0.0.1")
    killed(begin(place))
    monkeypatch.undo()
    sim = begin(place)
    assert not sim.durable.store.outdated


def test_a_place_that_is_no_directory_is_reported(tmp_path):
    """A file stands there."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(Misuse, match="state directory"):
        Simulator().keep_in(tmp_path / "file")


def test_a_snapshot_that_does_not_say_how_its_clock_goes():
    """It runs with the machine's time, as all did when logs did not say."""
    recorded = msgspec.json.decode(b'{"now": 5, "world": "d"}', type=recovery.RecordedSnapshot)
    assert recorded == recovery.RecordedSnapshot(5, "d", frozen=False, rate=1)


def test_profiles_of_worlds_come_back(begin, place):
    """Worlds added to a server go on under the profile that they had."""
    sim = begin(place)
    chosen = read_profile({"errors": {"body": "flat"}})
    world = sim.service.world
    sim._all().add("flat", Service(world, sim.service.clock.copy(), chosen))
    killed(sim)
    assert begin(place).worlds["flat"].service.profile == chosen


@pytest.mark.parametrize("code", ["READONLY", "READONLY_DBMOVED", "IOERR", "IOERR_WRITE", "CANTOPEN", "PERM", "FULL"])
def test_a_directory_that_may_not_be_written_is_not_called_damaged(place, lived, begin, monkeypatch, code):
    """It is whole, and opens once it may: nobody is to throw it away for what the message says."""

    def refuse(_self):
        error = sqlite3.OperationalError("the system says no")
        error.sqlite_errorcode = getattr(sqlite3, f"SQLITE_{code}")
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(sqlite.SqliteStore, "_connect", refuse)
        with pytest.raises(Misuse, match=r"the system says no.*Nothing says that it is damaged") as refused:
            begin(place)
    assert "is damaged, or is none" not in str(refused.value)
    assert reported(begin(place)) == lived

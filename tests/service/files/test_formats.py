"""Worlds that were written in an older format: a state document, and a state directory whose process was killed."""

from __future__ import annotations

import json
import shutil
from hashlib import blake2b
from pathlib import Path

import msgspec
import pytest

from confsim import Misuse, Simulator
from confsim.domain.channels.channels import CHANNELS
from confsim.domain.members import roles
from confsim.domain.runtime.sessions import ATTENDANCES, Attendance
from confsim.domain.users.users import USERS
from confsim.kernel.difference import StateDifference, follow
from confsim.kernel.document import restored
from confsim.kernel.tables.table import Table
from confsim.kernel.world import World
from confsim.service.files import format_2, formats, state
from confsim.service.files.formats import FORMAT, STEPS, FormatStep
from kit import CUSTOMER, ROOM, START, START_MS
from kit.each import each

#: Worlds as older formats wrote them, and what calls of them were answered: with records of every table, and
#: with hosts who were appointed, promoted, demoted and removed, channels renamed and deleted, and favourites.
OLD = {format: Path(__file__).resolve().parents[2] / "data" / f"format-{format}" for format in (1, 2)}
#: The instant at which each was written (epoch milliseconds), and the snapshots and faults of its directory.
WRITTEN = {1: 1_769_904_020_000, 2: START_MS + 1000}
SNAPSHOTS = {1: {"full": START_MS}, 2: {}}
FAULTS = {1: [("get_me", 2)], 2: []}
LONG = 600


def check_answers(sim, format):
    """Calls of the world are answered as they were before it was written."""
    for name, caller, arguments, status, body in json.loads((OLD[format] / "answers.json").read_bytes()):
        answer = sim.call(name, caller, **arguments)
        content = answer.content
        reported = content.decode("latin-1") if len(content) < LONG else blake2b(content).hexdigest()[:32]
        assert (name, answer.status, reported) == (name, status, body)


@pytest.fixture(params=OLD)
def format(request):
    """The number of an older format."""
    return request.param


@pytest.fixture
def directory(tmp_path, format):
    """A copy of the old state directory, with a log that no process has closed."""
    return shutil.copytree(OLD[format] / "store", tmp_path / "store")


def test_a_state_document_of_an_older_format_loads(format):
    """Every call is answered as it was; what is written of it has the present format and loads too."""
    sim = Simulator(clock=WRITTEN[format])
    sim.load(OLD[format] / "state.json")
    check_answers(sim, format)
    document = sim.state
    assert document["version"] == FORMAT
    again = Simulator(clock=START)
    again.state = document
    assert again.service.world.digest() == sim.service.world.digest()


def test_a_state_directory_of_an_older_format_loads(directory, format):
    """Base, log, snapshot and faults; and it is in the present format from then on."""
    sim = Simulator(clock=START)
    with sim.keep_in(directory):
        assert [(each.operation, each.on) for each in sim.faults] == FAULTS[format]
        sim.faults.clear()
        check_answers(sim, format)
        assert sim.snapshots == SNAPSHOTS[format]
        digest = sim.service.world.digest()
    again = Simulator(clock=START)
    with again.keep_in(directory) as stored:
        assert again.service.world.digest() == digest
        assert not stored.store.outdated


def test_both_hold_the_same_world(directory, format):
    """The document was written when the directory was: a log is translated as the document is."""
    one, other = Simulator(clock=START), Simulator(clock=START)
    one.load(OLD[format] / "state.json")
    with other.keep_in(directory):
        assert without_numbers(one.state) == without_numbers(other.state)


def without_numbers(document):
    """A state document without the numbers of channels: only the log of format 2 knows of those that were deleted."""
    tables = document["tables"]
    for host in (*tables["channels"][CUSTOMER], *tables["hosts"][CUSTOMER]):
        del host["number"]
    tables["hosts"][CUSTOMER].sort(key=lambda host: (host["channel"], host["user"]))
    del document["sequences"]["channel"]
    return document


def test_hosts_of_an_older_format_are_those_of_their_channels(directory):
    """Names and numbers of their roles are those of the channels, and users know the highest of theirs."""
    sim = Simulator(clock=START)
    with sim.keep_in(directory):
        change = sim.service.change()
    hosts = roles.HOSTS.of(change, CUSTOMER).all
    assert {(host.number, host.name) for host in hosts} <= {
        (channel.number, channel.name) for channel in CHANNELS.of(change, CUSTOMER).all
    }
    assert hosts
    for user in USERS.of(change, CUSTOMER).all:
        assert user.hosting is roles.highest(change, user)


#: A world of format 1 in which a session has been empty for ten seconds of its minute, and what its log had of it.
LINGERING = OLD[1] / "lingering.json"
MINUTE_OF_GRACE = {"duration.session-grace": 60_000}


def timers_of_records(world):
    """The timers that the records of a world ask for by their own fields."""
    found = set()
    for (client, name), _ in world.tables():
        table = Table.declared[name]
        for alarm in table.alarms:
            for record in table.seen(world, client).all:
                due = alarm.at.due(record) if alarm.machine.read(record) in alarm.states else None
                if due is not None:
                    subject = getattr(record, alarm.at.subject or table.key_name)
                    found.add((due, alarm.at.timer, alarm.machine.client(record), str(subject)))
    return found


@pytest.mark.parametrize("file", [OLD[1] / "state.json", LINGERING])
def test_the_timers_of_a_world_of_format_1_are_those_of_its_records(file):
    """A record that did not know of its timer could never cancel it."""
    world = state.read(file)
    there = {(timer.due, timer.kind, timer.client, timer.subject) for timer in world.timers}
    assert there
    assert there == timers_of_records(world)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("back", [False, True])
def test_an_empty_session_of_format_1_ends_unless_somebody_comes_back(tmp_path, back, log):
    """Read from a document, and from a log whose last record says that the timer was set."""
    sim = Simulator(clock=START_MS + 10_000, profile=MINUTE_OF_GRACE)
    if log:
        values = json.loads(LINGERING.read_bytes())
        del values["version"]
        (timer,) = values["timers"]
        values["timers"] = []
        world = restored(formats.current_document(values, 1))
        world = follow(world, formats.current_difference(StateDifference(timers=[tuple(timer)]), 1, world))
        sim.service.begin_with(formats.current_world(world, 1), "")
    else:
        sim.load(LINGERING)
    if back:
        sim.presence.join(ROOM, "demo-owner")
    sim.clock.advance("2m")
    session = sim.call("list_sessions", "demo-owner").body["results"][0]
    assert ("ended" in session) is not back


def test_newer_formats_are_refused_by_number(directory, format, monkeypatch):
    """The message says what is read, and what to do."""
    with pytest.raises(Misuse, match=rf"of version 99; this confsim, \S+, reads versions 1 to {FORMAT}. Load it with"):
        state.world_of({"version": 99})
    monkeypatch.setattr(formats, "STEPS", {})
    with pytest.raises(Misuse, match=rf"of format {format}; confsim \S+ reads formats up to {FORMAT}. Start with"):
        Simulator(clock=START).keep_in(directory)
    with pytest.raises(Misuse, match=f"of version {format};"):
        state.read(OLD[format] / "state.json")


@each("version", [None, True, 0, -1, 1.0, "1"])
def test_what_is_no_format_is_refused(version):
    """Whatever else stands in the document."""
    with pytest.raises(Misuse, match=f"has no 'version', as it is empty; |is of version {version!r}; "):
        state.world_of({"version": version})


def test_a_document_without_a_version_says_what_it_has_instead():
    """And where one that can be read comes from."""
    with pytest.raises(
        Misuse, match=rf"has no 'version', but 'format'; this confsim, \S+, reads versions 1 to {FORMAT}"
    ):
        Simulator().state = {"format": 9}


@pytest.mark.parametrize("content", [{}, {"tables": 1}, {"tables": {"x": 1}, "timers": [], "sequences": {}}])
def test_a_broken_document_of_an_older_format_is_refused_by_its_place(content):
    """Translation never hides what is wrong."""
    with pytest.raises(Misuse, match=r"^state: "):
        state.world_of({"version": 1, **content})


STEP = FormatStep(
    tables={"old": "new"},
    fields={"old": {"a": "b"}},
    timers={"end of old": "end of new"},
    sequences={"count": "number"},
    records={"old": lambda values: {**values, "c": values["b"] + 1}},
)


def test_a_step_translates_documents():
    """Tables, fields, timers and sequences; what has no new name stays."""
    document = {
        "seed": 1,
        "tables": {"old": {"x": [{"a": 1, "z": 2}]}, "other": {"": [{"a": 1}]}},
        "timers": [[5, "end of old", "x", "y"], [6, "t", "", ""]],
        "sequences": {"count": 1, "count of x": 2, "counter": 3},
    }
    assert STEP.document(document) == {
        "seed": 1,
        "tables": {"new": {"x": [{"b": 1, "z": 2, "c": 2}]}, "other": {"": [{"a": 1}]}},
        "timers": [[5, "end of new", "x", "y"], [6, "t", "", ""]],
        "sequences": {"number": 1, "number of x": 2, "counter": 3},
    }


def test_a_step_translates_differences(monkeypatch):
    """Each step in its turn, from the format that was read to the present one."""
    row = {"a": 1}
    found = StateDifference(
        [("old", "x", row)],
        [("t", "", row)],
        [("end of old", "x", "y")],
        [(5, "end of old", "x", "y")],
        7,
        {"count": 1},
    )
    expected = StateDifference(
        [("new", "x", {"b": 1, "c": 2})],
        [("t", "", row)],
        [("end of new", "x", "y")],
        [(5, "end of new", "x", "y")],
        7,
        {"number": 1},
    )
    monkeypatch.setattr(formats, "STEPS", {**STEPS, FORMAT - 2: STEP, FORMAT - 1: FormatStep()})
    assert formats.current_difference(found, FORMAT - 2, World()) == expected
    assert msgspec.json.encode(formats.current_difference(expected, FORMAT, World())) == msgspec.json.encode(expected)


def test_the_latest_attendance_of_a_user_in_a_channel_is_marked():
    """Format 2 did not say which it is: that of the last join, for each user in each channel."""
    change = Simulator(clock=START).service.change()
    rows = ATTENDANCES.of(change, CUSTOMER)
    for session, channel, user, joins in (
        ("a", "x", 1, (1, 9)),
        ("b", "x", 1, (4,)),
        ("b", "x", 2, (5,)),
        ("c", "y", 1, (6,)),
    ):
        rows.put(Attendance(session=session, channel=channel, user=user, handle="h", joins=joins))
    world = format_2.world(change.commit())
    assert [each.key for each in ATTENDANCES.seen(world, CUSTOMER).all if each.latest] == ["a/1", "b/2", "c/1"]

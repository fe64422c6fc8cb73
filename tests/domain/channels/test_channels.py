"""Channels in a world: their tables, their life, and what is taken apart with them."""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import partial

import pytest
from hypothesis import given, strategies as st

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.channels import channels
from confsim.domain.channels.channels import CHANNELS, EXISTING, ROOMS, DeletionStep
from confsim.domain.clients import clients
from confsim.kernel.influence import Cascade
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World
from kit import refused
from kit.things.channels import create_room


@pytest.fixture
def change():
    """A change of an empty world."""
    return World(seed=3).change(1_000)


@pytest.fixture
def client(change):
    """A client in it."""
    return clients.create(change, "Client", None)


def make(change, client, name="Room", **fields):
    """A channel without owner."""
    made = channels.create(change, client, name, fields.pop("description", None), None)
    return channels.update(change, made, **fields) if fields else made


@pytest.mark.rule("R276")
@given(st.lists(st.tuples(st.sampled_from(["create", "rename", "delete"]), st.sampled_from("abc")), max_size=30))
def test_names_stay_unique_whatever_happens(steps):
    """However channels are made, renamed and deleted, no two have one name, and a free name is never refused."""
    change = World(seed=1).change(0)
    client = clients.create(change, "Client", None)
    for event, name in steps:
        existing = CHANNELS.of(change, client.id).all
        names = [channel.name for channel in existing]
        if event == "delete" and existing:
            channels.delete(change, existing[0])
        elif event == "create" or not existing:
            with taken(name in names):
                channels.create(change, client, name, None, None)
        elif event == "rename":
            with taken(name in names[1:]):
                channels.rename(change, existing[0], name)
    left = [channel.name for channel in CHANNELS.of(change, client.id).all]
    assert len(left) == len(set(left))


@contextmanager
def taken(expected):
    """Whether the name is refused as taken must be as expected."""
    if not expected:
        yield
        return
    with pytest.raises(Refusal) as refused:
        yield
    assert refused.value.reason is Reason.CHANNEL_NAME_TAKEN


def test_rooms_are_kept_apart(change, client):
    """A channel with a parent is found like any other, and is not among the base channels."""
    base = make(change, client)
    room = create_room(change, base, "Room")
    assert channels.get(change, client.id, room.id) == room
    assert list(channels.list_rooms(change, base)) == [room]
    assert (len(CHANNELS.of(change, client.id)), len(ROOMS.of(change, client.id))) == (1, 1)
    assert channels.base_channel(change, room) == base
    assert channels.get_by_meeting_id(change, client, room.meeting_id) == room
    assert channels.rename(change, room, "Room").name == "Room"


def test_a_deletion_takes_its_steps_in_order(change, client, monkeypatch):
    """First what runs stops, then rooms go, then things are released and removed."""
    taken = []

    def note(step, change, channel):
        taken.append((channel.name, step))

    base = make(change, client)
    delete = partial(channels.delete, change)
    room = create_room(change, base, "Below")
    monkeypatch.setattr(EXISTING, "cascades", ())
    for step in DeletionStep:
        Cascade(EXISTING, step, None, partial(note, step), source="test")
        if step is DeletionStep.ROOMS:
            Cascade(
                EXISTING, step, None, lambda change, channel: channel == base and delete(room) and None, source="test"
            )
    channels.delete(change, base)
    assert taken == [
        ("Room", DeletionStep.STOP),
        ("Room", DeletionStep.ROOMS),
        *(("Below", step) for step in DeletionStep),
        ("Room", DeletionStep.RELEASE),
        ("Room", DeletionStep.REMOVE),
    ]


def test_the_rows_of_a_deletion_stand_in_the_order_of_the_steps():
    """So that reading the table from the top shows what happens."""
    steps = [cascade.step for cascade in EXISTING.cascades]
    assert steps == sorted(steps, key=list(DeletionStep).index)
    assert set(steps) == set(DeletionStep)


def test_what_is_taken_along_may_change_the_channel(change, client, monkeypatch):
    """What a cascade writes does not bring the channel back."""
    base = make(change, client)
    monkeypatch.setattr(EXISTING, "cascades", ())
    Cascade(
        *(EXISTING, DeletionStep.STOP, None),
        lambda change, channel: channels.update(change, channel, open=True) and None,
        source="test",
    )
    channels.delete(change, base)
    assert channels.find(change, client.id, base.id) is None


@pytest.mark.rule("R276", "R316")
def test_a_client_has_its_own_names_and_flags(change, client):
    """The same name in another client is another channel, made with that client's flags."""
    other = clients.create(change, "Other", None)
    other = clients.update(change, other, dial_in=True)
    assert [make(change, each).dial_in for each in (client, other)] == [False, True]


@pytest.mark.rule("R262")
def test_meeting_ids_differ_over_the_whole_service(change, client):
    """Nine digits each, none twice, whatever the client."""
    other = clients.create(change, "Other", None)
    found = {make(change, each, str(number)).meeting_id for number in range(200) for each in (client, other)}
    assert len(found) == 400
    assert all(len(meeting) == 9 and meeting.isdigit() for meeting in found)


@pytest.mark.rule("R376")
@given(st.text(max_size=260))
def test_a_description_is_taken_whole_or_refused(text):
    """Up to 200 code points it is stored as it is, beyond it is refused."""
    change = World(seed=1).change(0)
    if len(text) <= channels.DESCRIPTION:
        assert channels.described(change, text) == text
    else:
        with pytest.raises(Refusal) as refused:
            channels.described(change, text)
        assert refused.value.reason is Reason.DESCRIPTION_TOO_LONG


@pytest.mark.rule("R376")
@given(st.text(max_size=260))
def test_a_cut_description_is_the_beginning_of_what_was_given(text):
    """With UTF-16 units and cutting no half character is left (G304)."""
    profile = {"channels.description-count": "utf-16", "channels.description-too-long": "cut"}
    cut = channels.described(World().change(0, ProfileContext(profile)), text)
    assert text.startswith(cut)
    assert len(cut.encode("utf-16-le")) <= 400


@pytest.mark.rule("R276")
@pytest.mark.parametrize(
    ("choice", "same", "elsewhere"),
    [
        ("refuse", None, "Room"),
        ("allow", "Room", "Room"),
        ("number", "Room (2)", "Room"),
        ("refuse-everywhere", None, None),
    ],
)
def test_what_becomes_of_a_name_that_is_taken(choice, same, elsewhere):
    """It is refused, allowed or gets a number; the name of another client counts by choice alone (G300)."""
    change = World(seed=1).change(0, ProfileContext({"channels.unique-names": choice}))
    one, other = (clients.create(change, name, None) for name in ("One", "Other"))
    make(change, one)
    other_name = make(change, one, "Other").id
    for client, expected in ((one, same), (other, elsewhere)):
        if expected is None:
            assert refused(make, change, client) is Reason.CHANNEL_NAME_TAKEN
        else:
            assert make(change, client).name == expected
    if choice == "number":
        assert make(change, one).name == "Room (3)"
        assert channels.rename(change, channels.get(change, one.id, other_name), "Room").name == "Room (4)"


def test_a_number_fits_into_the_longest_name():
    """The name is cut for it (G300)."""
    change = World(seed=1).change(0, ProfileContext({"channels.unique-names": "number", "size.name": 8}))
    client = clients.create(change, "Client", None)
    assert [make(change, client, "Assembly").name for _ in range(3)] == ["Assembly", "Asse (2)", "Asse (3)"]


def test_the_url_name_is_a_short_text_of_its_own(change, client):
    """Twelve characters that need no escaping in a URL, of each channel others, and none from its name (G134)."""
    made = [make(change, client, name) for name in ("Room", "Räum / 2", "3")]
    found = [each.url_name for each in made]
    assert len(set(found)) == len(found)
    assert all(re.fullmatch("[A-Za-z0-9_-]{12}", each) for each in found)
    assert channels.rename(change, made[0], "Renamed").url_name == found[0]

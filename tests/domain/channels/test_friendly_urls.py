"""Friendly URLs against a plain model."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.channels import channels, friendly_urls
from confsim.domain.clients import clients
from confsim.domain.conventions import turn
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World
from kit import refused

STEPS = st.lists(
    st.tuples(st.sampled_from(["give", "take", "delete"]), st.integers(0, 2), st.sampled_from(["a", "A", "b", "c"])),
    max_size=25,
)


@pytest.mark.rule("R226", "R227", "R228", "R551")
@given(STEPS)
def test_each_url_leads_to_at_most_one_channel(steps):
    """Set, removed and freed by deletion as the model says, letters matched without case."""
    change = World(seed=6).change(0)
    client = clients.create(change, "Client", None)
    rooms = {number: channels.create(change, client, str(number), None, None).id for number in range(3)}
    model = {}
    for event, number, url in steps:
        if number not in rooms:
            continue
        channel = channels.get(change, client.id, rooms[number])
        holder = next((each for each, held in model.items() if held.casefold() == url.casefold()), None)
        if event == "give" and holder not in (None, number):
            with pytest.raises(Refusal) as refused:
                friendly_urls.set_url(change, client, channel, url)
            assert refused.value.reason is Reason.FRIENDLY_URL_TAKEN
        elif event == "give":
            friendly_urls.set_url(change, client, channel, url)
            model[number] = url
        elif event == "take":
            friendly_urls.remove(change, channel)
            model.pop(number, None)
        else:
            channels.delete(change, channel)
            model.pop(number, None)
            del rooms[number]
        for each in ("a", "b", "c"):
            found = friendly_urls.find(change, client, each)
            expected = next((rooms[one] for one, held in model.items() if held.casefold() == each), None)
            assert (found and found.id) == expected


@pytest.mark.rule("R222")
@given(st.text(max_size=70))
def test_only_words_of_a_path_can_be_friendly_urls(url):
    """ASCII letters, digits, hyphen and underscore, one to 64 of them (G289)."""
    fits = 1 <= len(url) <= 64 and all(char.isascii() and (char.isalnum() or char in "-_") for char in url)
    change = World().change(0)
    try:
        friendly_urls.check(change, url)
    except Refusal:
        assert not fits
    else:
        assert fits


@pytest.mark.rule("R225")
@pytest.mark.parametrize("choice", ["keep", "remove", "nothing"])
def test_friendly_urls_are_switched_for_a_client(choice):
    """While they are off none is found or set; they stay, or are removed; or it changes nothing here (G285)."""
    change = World(seed=6).change(0, ProfileContext({"friendly-urls.off": choice}))
    client = clients.create(change, "Client", None)
    room = channels.create(change, client, "Room", None, None)
    friendly_urls.set_url(change, client, room, "room")
    off = turn(change, friendly_urls.SWITCH.off, client)
    assert off.friendly_urls is False
    assert clients.get(change, client.id) == off
    room = channels.get(change, client.id, room.id)
    assert room.friendly_url == (None if choice == "remove" else "room")
    if choice == "nothing":
        assert friendly_urls.get(change, off, "room") == room
        friendly_urls.set_url(change, off, room, "other")
    else:
        assert refused(friendly_urls.get, change, off, "room") is Reason.FRIENDLY_URL_UNKNOWN
        assert refused(friendly_urls.set_url, change, off, room, "other") is Reason.FRIENDLY_URLS_OFF
    on = turn(change, friendly_urls.SWITCH.on, off)
    assert on.friendly_urls is True
    if choice == "keep":
        assert friendly_urls.get(change, on, "ROOM") == room


def test_a_switch_that_stands_so_is_refused_by_choice():
    """By the word that was given (G537); otherwise nothing changes."""
    change = World(seed=6).change(0)
    client = clients.create(change, "Client", None)
    assert turn(change, friendly_urls.SWITCH.on, client) == client
    change.carried = ProfileContext({"states.repeated": "refuse"})
    assert refused(turn, change, friendly_urls.SWITCH.on, client) is Reason.STATE_HOLDS

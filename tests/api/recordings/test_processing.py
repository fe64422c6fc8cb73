"""How long the processing of recordings takes, and which reads poll it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from confsim.domain.recordings import recordings
from kit import CUSTOMER, OWNER, ROOM, START_MS
from kit.things.recordings import listed, read, record, simulator, start, stop


@pytest.mark.parametrize(("word", "ready"), [("immediate", START_MS + 10_000), ("time(60)", START_MS + 70_000)])
def test_how_long_processing_takes_is_a_choice(word, ready):
    """At once, or after its time."""
    sim = simulator(duration__recording_processing=word)
    record(sim)
    sim.clock.advance("2m")
    assert listed(sim)[0]["readyTime"] == ready


def test_processing_is_done_after_so_many_looks_by_choice():
    """Each reading is a look; refused downloads are looks too."""
    sim = simulator(duration__recording_processing="manual(3)")
    start(sim)
    stop(sim)
    assert "readyTime" not in listed(sim)[0]
    id = listed(sim)[0]["id"]
    assert read(sim, "get_recording_download", id, OWNER).status == 409
    assert read(sim, "get_recording", id).body["readyTime"] == START_MS


def record_unseen(sim):
    """Record for a second and read nothing."""
    assert start(sim).ok
    sim.clock.advance("1s")
    assert stop(sim).ok


@pytest.mark.rule("R503")
def test_a_list_polls_what_its_page_shows():
    """An empty page polls nothing, and a page of one nothing but that one."""
    sim = simulator(duration__recording_processing="manual(1)")
    for _ in range(2):
        record_unseen(sim)
    for _ in range(4):
        assert sim.call("list_recordings", OWNER, channelId=ROOM, limit=0).body == {"total": 2, "results": []}
    for _ in range(2):
        first = sim.call("list_recordings", OWNER, channelId=ROOM, limit=1).body["results"]
    assert "readyTime" in first[0]
    assert ["readyTime" in each for each in listed(sim)] == [True, False]


def test_a_recording_that_its_poll_removes_is_not_listed():
    """The next one moves up into the page, and the total is that of the recordings that are left."""
    sim = simulator(
        duration__recording_processing="manual(0)", recordings__processing="fails", recordings__failed="removed"
    )
    for _ in range(3):
        record_unseen(sim)
    change = sim.service.change()
    rows = recordings.RECORDINGS.of(change, CUSTOMER)
    ready = rows.all[0]
    rows.put(replace(ready, state=recordings.RecordingState.READY, ready=START_MS))
    sim.service.commit(change)
    page = sim.call("list_recordings", OWNER, channelId=ROOM, limit=1).body
    assert (page["total"], [each["id"] for each in page["results"]]) == (1, [ready.id])

"""The lists of recordings, and what a token for downloads opens, at the domain's own functions."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.channels import channels
from confsim.domain.recordings import assets, recording_list
from confsim.domain.recordings.assets import AssetContent, RecordingAsset
from confsim.domain.recordings.downloads import DownloadGrant
from confsim.domain.recordings.recording_list import RecordingSort
from confsim.domain.recordings.recordings import RECORDINGS, Recording, RecordingState
from kit import CUSTOMER, ROOM, refused


def stored(change, id, **fields):
    """A recording of the demo room that is ready, or as the fields say."""
    defaults = {"state": RecordingState.READY, "started": 0, "ended": 1, "ready": 2}
    recording = Recording(id=id, client=CUSTOMER, channel=ROOM, session="s", by="1", **{**defaults, **fields})
    RECORDINGS.of(change, CUSTOMER).put(recording)
    return recording


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(
    ("choice", "sort", "up", "down"),
    [
        ("latest", RecordingSort.STARTED, "acb", "bca"),
        ("last", RecordingSort.STARTED, "acb", "bca"),
        ("latest", RecordingSort.ENDED, "bac", "cab"),
        ("last", RecordingSort.ENDED, "bac", "abc"),
    ],
)
def test_recordings_are_sorted_by_start_or_end(choice, sort, up, down, descending):
    """The one in progress ends the latest, or stands after the others in either order (G088)."""
    change = Simulator(clock=0, profile={"recordings.not-ended": choice}).service.change()
    stored(change, "a", started=0, ended=9)
    stored(change, "b", started=2, ended=5)
    stored(change, "c", started=1, ended=None, ready=None, state=RecordingState.IN_PROGRESS)
    room = channels.get(change, CUSTOMER, ROOM)
    found = recording_list.list_recordings(change, room, None, sort, descending=descending)
    assert [each.id for each in found] == list(down if descending else up)


def test_what_a_poll_removes_makes_room_on_the_page():
    """The next one moves up, as often as it takes, and none beyond the page is polled (G489)."""
    profile = {"recordings.processing": "fails", "recordings.failed": "removed"}
    change = Simulator(clock=0, profile=profile).service.change()
    for id in "abcdefg":
        failing = {"ready": None, "state": RecordingState.PROCESSING, "polls_left": 0}
        stored(change, id, **({} if id in "cf" else failing))
    room = channels.get(change, CUSTOMER, ROOM)

    def read():
        return recording_list.list_recordings(change, room, None, RecordingSort.STARTED, descending=False)

    found = recording_list.poll_shown(change, read, lambda total: slice(0, 2))
    assert [each.id for each in found] == ["c", "f", "g"]


@pytest.mark.parametrize(("choice", "opened"), [("recording", ["a"]), ("channel", ["a", "b"])])
def test_a_token_opens_its_recording_or_those_of_the_channel(choice, opened):
    """As the profile says (G502), as long as its recording is there; none that is not ready."""
    change = Simulator(clock=0, profile={"recordings.token-scope": choice}).service.change()
    for id in "abc":
        stored(change, id, **({"ready": None, "state": RecordingState.PROCESSING} if id == "c" else {}))
        asset = RecordingAsset(
            id=id, client=CUSTOMER, channel=ROOM, recording=id, content=AssetContent.COMBINED, label="L", started=0
        )
        assets.CREATE(change, asset)
    grant = DownloadGrant(client=CUSTOMER, channel=ROOM, recording="a", expires=10)
    assert [each.recording for each in recording_list.downloadable(change, grant)] == opened
    RECORDINGS.of(change, CUSTOMER).remove("a")
    assert refused(recording_list.downloadable, change, grant) is Reason.NOT_FOUND

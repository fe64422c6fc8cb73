"""Assets of recordings: what there is, who sees it, what becomes of it."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.kernel.refusal import Misuse
from kit import (
    ADMIN,
    API_TOKEN,
    NOTHING,
    OPERATOR,
    OTHER_ADMIN,
    OWNER,
    ROOM,
    START_MS,
    USER,
    code,
)
from kit.each import each
from kit.things.recordings import assets, fetch, listed, read, record, recorded, simulator, start, stop, user_id

# Assets


@pytest.mark.rule("R294", "R295", "R296", "R298", "R299", "R300", "R302", "R303", "R304")
def test_the_assets_of_a_ready_recording(sim):
    """A combined video and an archive, with all their fields."""
    id = recorded(sim)
    video, archive = assets(sim, id)
    assert video == {
        "id": video["id"],
        "recordingId": id,
        "format": "MP4",
        "kind": "video",
        "state": "Uploaded",
        "label": "Combined video",
        "startTime": START_MS,
        "endTime": START_MS + 10_000,
        "size": len(fetch(sim, video["url"], OPERATOR).data),
        "url": f"http://confsim.test/files/channels/{ROOM}/recordings/{id}/{video['id']}",
        "relativePath": "combined.mp4",
        "isIndividual": False,
    }
    assert (archive["format"], archive["kind"], archive["relativePath"]) == ("CMS", "other", "archive.zip")
    assert set(archive) == set(video)


@pytest.mark.rule("R024", "R362", "R299", "R300", "R301")
def test_assets_are_made_by_processing(sim):
    """None while it is in progress; then pending, uploading, uploaded, the end and size with the last."""
    start(sim)
    id = listed(sim)[0]["id"]
    assert assets(sim, id) == []
    stop(sim)
    seen = []
    for _ in range(3):
        seen.append({(each["state"], "endTime" in each, "size" in each, "url" in each) for each in assets(sim, id)})
        sim.clock.advance("1s")
    assert seen == [
        {("Pending", False, False, False)},
        {("Uploading", False, False, False)},
        {("Uploaded", True, True, True)},
    ]


@pytest.mark.rule("R505")
def test_one_asset_is_read_by_its_id(sim):
    """It is the same as in the list; an unknown one is not there."""
    id = recorded(sim)
    for asset in assets(sim, id):
        assert read(sim, "get_recording_asset", id, assetId=asset["id"]).body == asset
    assert code(read(sim, "get_recording_asset", id, assetId=NOTHING)) == (404, "not_found")


@pytest.mark.rule("R298", "R305")
def test_captions_are_made_where_speech_becomes_text(sim):
    """In WebVTT, with their language."""
    assert sim.call("set_speech2text_state", ADMIN, uuid=ROOM, state="enable").ok
    id = recorded(sim)
    captions = assets(sim, id)[2]
    assert (captions["format"], captions["kind"], captions["label"]) == ("VTT", "other", "Captions")
    token = read(sim, "get_recording_credentials", id).body["jwt"]
    item = sim.call("list_downloadable_assets", jwtToken=token).body[2]
    assert (item["kind"], item["language"], item["id"]) == ("captions", "en", captions["id"])
    assert fetch(sim, captions["url"], OWNER).data.startswith(b"WEBVTT\n\n00:00:00.000 --> ")


@pytest.mark.rule("R297", "R304")
def test_individual_streams_of_those_who_were_present_by_choice():
    """Of users who were inside or came while it was recorded, not of those who came later or had gone."""
    sim = simulator(recordings__individual_streams="each-participant")
    sim.presence.join(ROOM, ADMIN)
    sim.presence.leave(ROOM, user_id(sim, ADMIN))
    start(sim)
    sim.presence.join(ROOM, OWNER)
    sim.presence.leave(ROOM, user_id(sim, OWNER))
    stop(sim)
    sim.presence.join(ROOM, OPERATOR)
    sim.clock.advance("2s")
    found = [each for each in assets(sim, listed(sim)[0]["id"]) if each["isIndividual"]]
    assert [each["streamUserId"] for each in found] == [user_id(sim, USER), user_id(sim, OWNER)]
    assert {(each["kind"], each["format"]) for each in found} == {("audio", "M4A")}
    assert len({each["group"] for each in found}) == 2
    assert all(each["relativePath"] == f"streams/{each['group']}.m4a" for each in found)
    assert [each["label"] for each in found] == ["Uma User", "Olaf Owner"]


@pytest.mark.rule("R303")
def test_the_receiver_of_the_files_is_the_starter_by_choice():
    """An API token is nobody."""
    sim = simulator(recordings__receiver="starter")
    assert {each.get("userId") for each in assets(sim, recorded(sim))} == {user_id(sim, OPERATOR)}
    assert {each.get("userId") for each in assets(sim, recorded(sim, by=API_TOKEN))} == {None}


def test_what_assets_tell_is_a_choice():
    """Words of states and kinds, formats, addresses, paths, instants."""
    sim = simulator(
        recordings__asset_states={"pending": 0, "uploading": 1, "uploaded": 2, "failed": 3},
        recordings__asset_kinds={"archive": "other", "combined": "other", "captions": "other", "individual": "audio"},
        recordings__formats={"archive": "ZIP", "combined": "mp4", "captions": "", "individual": ""},
        recordings__assets="combined-video",
        recordings__asset_url="absent",
        recordings__relative_path="absent",
        recordings__asset_times="relative",
    )
    (asset,) = assets(sim, recorded(sim))
    assert (asset["state"], asset["kind"], asset["format"]) == (2, "other", "mp4")
    assert (asset["startTime"], asset["endTime"]) == (0, 10_000)
    assert not {"url", "relativePath"} & set(asset)


def test_instants_are_in_seconds_by_choice():
    """Those of recordings and of assets."""
    sim = simulator(units__recording="epoch-s")
    id = recorded(sim)
    found = read(sim, "get_recording", id).body
    assert [found[name] - START_MS // 1000 for name in ("startTime", "endTime", "readyTime")] == [0, 10, 12]
    assert [assets(sim, id)[0][name] - START_MS // 1000 for name in ("startTime", "endTime")] == [0, 10]


@pytest.mark.parametrize(
    ("profile", "states"),
    [
        ({"recordings__assets_before_ready": "hidden"}, [set(), set(), {"Uploaded"}]),
        ({"recordings__uploading": "never"}, [{"Pending"}, {"Pending"}, {"Uploaded"}]),
    ],
)
def test_what_is_seen_of_the_upload_is_a_choice(profile, states):
    """Assets may be hidden until they are there, and may never be seen on their way."""
    sim = simulator(**profile)
    id = record(sim)
    for expected in states:
        assert {each["state"] for each in assets(sim, id)} == expected
        sim.clock.advance("1s")


@each(
    "entry, value",
    [
        ("recordings.asset-states", {"pending": "x"}),
        ("recordings.asset-states", {"pending": 1.5, "uploading": "", "uploaded": "", "failed": ""}),
        ("recordings.asset-kinds", {"archive": "x", "combined": "video", "captions": "other", "individual": "audio"}),
        ("recordings.download-kinds", {"archive": "archive"}),
        ("recordings.formats", {"archive": 1, "combined": "", "captions": "", "individual": ""}),
    ],
)
def test_tables_that_make_no_sense_are_refused(entry, value):
    """The profile says what is wrong."""
    with pytest.raises(Misuse, match=entry):
        Simulator(profile={entry: value})


@pytest.mark.rule("R024", "R294", "R416", "R557")
def test_the_recordings_of_a_session_are_its_assets(sim):
    """A bare array of the assets of every recording of the session, and of no other session."""
    ids = [recorded(sim), recorded(sim)]
    session = listed(sim)[0]["session"]
    sim.call("end_active_session", OPERATOR, uuid=ROOM)
    sim.presence.join(ROOM, USER)
    recorded(sim)
    found = sim.call("list_session_recordings", OPERATOR, sessionId=session).body
    assert found == [*assets(sim, ids[0]), *assets(sim, ids[1])]


@pytest.mark.parametrize(
    ("caller", "status"), [(OWNER, 200), (ADMIN, 200), (API_TOKEN, 200), (USER, 403), (OTHER_ADMIN, 404)]
)
def test_who_reads_the_recordings_of_a_session(sim, caller, status):
    """Hosts of its channel, administrators, API tokens."""
    recorded(sim)
    session = listed(sim)[0]["session"]
    assert sim.call("list_session_recordings", caller, sessionId=session).status == status

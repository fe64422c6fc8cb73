"""The journal also has calls of files beside the API: every reader of a call's operation can do with them."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.control.bundle.document import read
from confsim.control.bundle.replay import replay
from confsim.control.coverage.collector import Collector
from confsim.control.explaining import is_known
from confsim.service.document import FILES
from confsim.service.messages import Request
from confsim.service.waiting import wait_for
from kit import OWNER, ROOM, START, ok


@pytest.fixture
def collector():
    """A collector that counts every world of this process."""
    collector = Collector()
    collector.attach()
    yield collector
    collector.detach()


@pytest.fixture
def sim(collector):
    """A world in which each file beside the API was asked for, found and not found."""
    sim = Simulator(clock=START)
    sim.presence.join(ROOM, 1004)
    ok(sim, "start_recording", OWNER, uuid=ROOM)
    sim.clock.advance("5m")
    ok(sim, "stop_recording", OWNER, uuid=ROOM)
    sim.clock.advance("1h")
    recording = ok(sim, "list_recordings", OWNER, channelId=ROOM)["results"][0]["id"]
    place = {"channelId": ROOM, "recordingId": recording}
    asset = ok(sim, "list_recording_assets", OWNER, **place)[0]
    link = ok(sim, "get_recording_download", OWNER, **place)["url"]
    client = sim.client(OWNER)
    assert client.get(link).status_code == 200
    assert client.get("/openapi.json").status_code == 200
    for path in (
        "/files/recordings/nothing",
        f"/files/channels/{ROOM}/recordings/{recording}/{asset.get('id', 'x')}",
        "/files/22222222-2222-4222-8222-222222222222/media/nothing",
        "/files/22222222-2222-4222-8222-222222222222/images/nothing",
    ):
        client.get(path)
    assert {each.operation for each in sim.requests} >= {*FILES.operations}
    return sim


def test_coverage_is_that_of_the_api(sim):
    """A file beside the API belongs to no area; the calls of the API are counted."""
    found = sim.control("get_coverage")
    assert found.areas["recordings"].operations.met["get_recording_download"] == 1
    shown = {name for area in found.areas.values() for name in area.operations.met}
    assert shown
    assert not shown & set(FILES.operations)
    assert not {name for area in found.areas.values() for name in area.refusals.met} & set(FILES.operations)


@pytest.mark.parametrize("name", sorted(FILES.operations))
def test_a_file_can_be_asked_for_by_name(sim, name):
    """In the list of calls, in assertions, in an explanation and on a page of the inspector."""
    (first, *_) = sim.control("list_requests", operation=name)
    assert first.operation == name
    assert sim.control("get_request", first.id).operation == name
    assert sim.control("count_requests", operation=name).count > 0
    sim.requests.assert_called(name)
    assert is_known(name)
    assert name in sim.control("get_explanation", name).name
    assert name not in API.operations
    page = Request("GET", f"/_confsim/inspector/operations/{name}", "", {"accept": "text/html", "host": "localhost"})
    assert wait_for(sim.app(page)).status == 200


@pytest.mark.parametrize("form", ["har", "curl", "pytest", "scenario"])
def test_every_export_has_the_calls_of_files(sim, form):
    """Each as the request that it is."""
    text = sim.control("export_requests", as_=form).data.decode()
    assert "/files/recordings/" in text


def test_a_bundle_of_them_is_replayed(sim, tmp_path):
    """To the same bytes."""
    file = tmp_path / "bundle.json"
    file.write_bytes(sim.control("get_bundle").data)
    replayed = replay(read(file))
    assert replayed.parting is None
    assert replayed.calls >= len(sim.requests)


def test_what_if_replays_them(sim):
    """Each is a call that is replayed, and a refused one differs under another form of errors."""
    found = sim.control("ask_what_if", assumptions={"errors.body": "problem"})
    assert found.calls == len(sim.requests)
    refused = {each.operation for each in found.differ if each.was.status >= 400}
    assert refused <= {*FILES.operations}
    assert "get_recording_file" in refused

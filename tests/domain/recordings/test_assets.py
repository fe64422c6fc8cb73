from __future__ import annotations

import pytest
from msgspec.structs import replace

from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.recordings import assets
from confsim.domain.recordings.assets import MACHINE, AssetContent, RecordingAsset, Upload
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World
from kit.tables import fire


def draft(content=AssetContent.COMBINED, **fields):
    """An asset that is not there yet."""
    common = {"client": "c", "channel": "ch", "recording": "r", "label": "L", "started": 1000}
    return RecordingAsset(id=f"a-{content}", content=content, **common, **fields)


def stream():
    """The individual stream of a user."""
    return draft(AssetContent.INDIVIDUAL, user=7, group="g")


EVERY = [draft(AssetContent.COMBINED), draft(AssetContent.ARCHIVE), draft(AssetContent.CAPTIONS), stream()]


@pytest.fixture
def change():
    """A change of an empty world."""
    return World().change(5000)


@pytest.mark.rule("R299", "R300", "R362")
def test_an_asset_is_uploaded_step_by_step(change):
    """Its end and its size are there once it is uploaded, and not before."""
    asset = assets.CREATE(change, draft())
    assert (asset.state, asset.ended, asset.size) == (Upload.PENDING, None, None)
    asset = assets._BEGIN_UPLOAD(change, asset)
    assert (asset.state, asset.ended, asset.size) == (Upload.UPLOADING, None, None)
    asset = assets.finish_upload(change, asset, 2000)
    assert (asset.state, asset.ended, asset.size) == (Upload.UPLOADED, 2000, len(assets.data(asset)))
    assert list(assets.list_of_recording(change, "c", "r")) == [asset]


#: The triggers that move an asset, with their facts.
MOVES = {"begin upload": {}, "finish upload": {"ended": 2000}, "fail": {}}


@pytest.mark.parametrize("trigger", MOVES)
@pytest.mark.parametrize("last", ["finish upload", "fail"])
def test_what_is_uploaded_or_has_failed_stays_so(change, trigger, last):
    """Nothing moves it any more."""
    asset = fire(MACHINE, last, change, assets.CREATE(change, draft()), **MOVES[last])
    with pytest.raises(Refusal) as refused:
        fire(MACHINE, trigger, change, asset, **MOVES[trigger])
    assert refused.value.reason is Reason.RECORDING_NOT_READY


@pytest.mark.rule("R296")
@pytest.mark.parametrize("asset", EVERY, ids=lambda asset: asset.content.value)
def test_the_size_is_the_number_of_the_bytes(change, asset):
    """Of every content; the bytes are the same whatever the upload does."""
    done = assets.finish_upload(change, assets.CREATE(change, asset), 2000)
    assert done.size == len(assets.data(done)) > 0
    assert assets.data(asset) == assets.data(done)


@pytest.mark.rule("R302")
@pytest.mark.parametrize(
    ("asset", "path", "media_type"),
    [
        (EVERY[0], "combined.mp4", "video/mp4"),
        (EVERY[1], "archive.zip", "application/zip"),
        (EVERY[2], "captions.vtt", "text/vtt; charset=utf-8"),
        (EVERY[3], "streams/g.m4a", "audio/mp4"),
    ],
)
def test_each_content_has_a_path_and_a_media_type(asset, path, media_type):
    """The path is relative to the recording root."""
    assert (assets.path(asset), assets.MEDIA_TYPES[asset.content]) == (path, media_type)


def test_assets_of_another_recording_are_not_there(change):
    """Neither by their id nor in the list."""
    one = assets.CREATE(change, draft())
    other = assets.CREATE(change, replace(draft(AssetContent.ARCHIVE), recording="s"))
    assert assets.get(change, "c", "s", other.id) == other
    with pytest.raises(Refusal):
        assets.get(change, "c", "s", one.id)
    assert list(assets.list_of_recording(change, "c", "s")) == [other]

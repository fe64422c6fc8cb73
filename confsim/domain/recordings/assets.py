"""Assets of recordings: the files that the processing of a recording makes, and their upload."""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from confsim.assumptions import Reason, ask, not_found, recordings as assumed
from confsim.kernel import ABSENT, Change, Index, Machine, Record, Row, Table, View, replace

from . import sample_files


class AssetContent(StrEnum):
    """The content of an asset."""

    COMBINED = "combined"
    ARCHIVE = "archive"
    CAPTIONS = "captions"
    INDIVIDUAL = "individual"


class Upload(StrEnum):
    """The state of the upload of an asset (P2 L87, G492)."""

    PENDING = "pending"
    UPLOADING = "uploading"
    UPLOADED = "uploaded"
    FAILED = "failed"


class RecordingAsset(Record, kw_only=True):
    """One file of a recording. Instants in epoch milliseconds.

    ``user`` is the id of the user of an individual stream, ``group`` the id of that stream, ``receiver`` the id of the
    user who received the file. ``upload_begins`` is the start of the upload, None when the upload is never shown as
    under way. ``size`` (bytes) and ``ended`` are None until the asset is uploaded.
    """

    id: str
    client: str
    channel: str
    recording: str
    content: AssetContent
    state: Upload = Upload.PENDING
    label: str
    started: int
    upload_begins: int | None = None
    ended: int | None = None
    size: int | None = None
    user: int | None = None
    group: str | None = None
    receiver: int | None = None


BY_RECORDING: Index[RecordingAsset] = Index("recording", "recording")
ASSETS: Table[str, RecordingAsset] = Table("recording assets", RecordingAsset, "id", BY_RECORDING)


_UNDER_WAY = (Upload.PENDING, Upload.UPLOADING)

MACHINE: Machine[Upload, RecordingAsset] = Machine(
    "recording asset",
    "The upload of one file of a recording (R299, R362).",
    ASSETS,
    Upload,
    state="state",
    refused={ABSENT: Reason.NOT_FOUND, None: Reason.RECORDING_NOT_READY},
)
CREATE = MACHINE.draft("create")
_BEGIN_UPLOAD = MACHINE.trigger("begin upload")
FAIL = MACHINE.trigger("fail")
REMOVE = MACHINE.trigger("remove")


@MACHINE.effect("finish upload")
def finish_upload(change: Change, asset: RecordingAsset, ended: int) -> RecordingAsset:
    """The file is uploaded, and its size is stored."""
    return replace(asset, ended=ended, size=len(data(asset)))


#: Not announced: waiting for the next timer means waiting for the end of the processing.
_BEGINS = MACHINE.deadline("recording upload", lambda asset: asset.upload_begins, announced=False)

MACHINE.declare(
    Row(CREATE, ABSENT, Upload.PENDING, source="P2 States L170, R362, G491"),
    Row(_BEGIN_UPLOAD, Upload.PENDING, Upload.UPLOADING, at=_BEGINS, source="P2 L87, R299, G492"),
    Row(finish_upload, _UNDER_WAY, Upload.UPLOADED, source="P2 L87, R296, R299, G492"),
    Row(FAIL, _UNDER_WAY, Upload.FAILED, source="P2 L170, R364, G489"),
    Row(REMOVE, tuple(Upload), ABSENT, source="G309, G489"),
)

#: The labels of the assets of a whole recording.
LABELS = {AssetContent.COMBINED: "Combined video", AssetContent.ARCHIVE: "Archive", AssetContent.CAPTIONS: "Captions"}
_NAMES = {
    AssetContent.COMBINED: "combined.mp4",
    AssetContent.ARCHIVE: "archive.zip",
    AssetContent.CAPTIONS: "captions.vtt",
}
#: The media types of the files.
MEDIA_TYPES = {
    AssetContent.COMBINED: "video/mp4",
    AssetContent.ARCHIVE: "application/zip",
    AssetContent.CAPTIONS: "text/vtt; charset=utf-8",
    AssetContent.INDIVIDUAL: "audio/mp4",
}


def path(asset: RecordingAsset) -> str:
    """The name of the file, relative to the recording root (R302)."""
    return f"streams/{asset.group}.m4a" if asset.content is AssetContent.INDIVIDUAL else _NAMES[asset.content]


def data(asset: RecordingAsset) -> bytes:
    """The bytes of the file, generated on every call and equal every time."""
    if asset.content is AssetContent.COMBINED:
        return sample_files.movie()
    if asset.content is AssetContent.INDIVIDUAL:
        return sample_files.sound()
    if asset.content is AssetContent.CAPTIONS:
        return sample_files.captions(f"Recording {asset.recording}")
    manifest = {"recording": asset.recording, "channel": asset.channel, "startTime": asset.started}
    members = (("manifest.json", msgspec.json.encode(manifest)), (_NAMES[AssetContent.COMBINED], sample_files.movie()))
    return sample_files.archive(members)


def list_of_recording(change: Change, client: str, recording: str) -> View[RecordingAsset]:
    """The assets of a recording, in order of creation."""
    return ASSETS.where(change, BY_RECORDING, recording, client)


def list_assets(change: Change, client: str, recording: str) -> Sequence[RecordingAsset]:
    """The assets of a recording that the API shows; those not uploaded yet only where that is assumed (G491)."""
    found = list_of_recording(change, client, recording)
    if ask(change, assumed.BEFORE_READY) == "hidden":
        return [asset for asset in found if asset.state not in _UNDER_WAY]
    return found


def get(change: Change, client: str, recording: str, id: str) -> RecordingAsset:
    """The asset of this id of the recording. Refusal NOT_FOUND."""
    assets = (asset for asset in list_assets(change, client, recording) if asset.id == id)
    return next(assets, None) or not_found("recording asset", id)

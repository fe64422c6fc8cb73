"""The bodies and answers of the operations on recordings (P2 Recording, Recording asset)."""

from collections.abc import Mapping
from enum import StrEnum
from functools import partial
from typing import Annotated, Any

from confsim.api.forms import AssetId, AssetToken, ChannelId, RecordingId, SessionId, UserId
from confsim.assumptions import Assumption, in_force, recordings as assumed
from confsim.assumptions.protocol import units
from confsim.contract import Inside, InUnit, Link, Long, OwnText, Pattern, Wire


def _state_words(profile: Mapping[str, Any]) -> dict[str, Any]:
    words = list(in_force(profile, assumed.ASSET_STATES).values())
    return {"type": "string" if isinstance(words[0], str) else "integer", "enum": words}


def _words(entry: Assumption[Mapping[str, str]], profile: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words of a table that a profile chooses; those of the documents are the enumeration's."""
    table = in_force(profile, entry)
    return {} if table == entry.default else {"enum": sorted({*table.values()})}


class Possible(Wire):
    """Whether a recording can be started."""

    possible: Annotated[bool, "Whether a recording can be started."]


class Recording(Wire, kw_only=True):
    """A recording (P2 Recording). Instants in epoch milliseconds by default (G119)."""

    id: Annotated[RecordingId, "The id of the recording."]
    channel: Annotated[ChannelId, "The channel that was recorded."]
    session: Annotated[SessionId, "The session that was recorded."]
    startTime: Annotated[Long, "The instant of its start.", InUnit(units.RECORDING)]
    endTime: Annotated[
        Long | None, "The instant of its end; absent while it is in progress.", InUnit(units.RECORDING)
    ] = None
    readyTime: Annotated[
        Long | None,
        "The instant from which it can be downloaded; absent while it is processed.",
        InUnit(units.RECORDING),
    ] = None


class AssetKind(StrEnum):
    """The kind of file of an asset (P2 Recording asset): audio is an individual stream."""

    AUDIO = "audio"
    VIDEO = "video"
    OTHER = "other"


class DownloadKind(StrEnum):
    """The file of a recording that is downloaded (P2 L99)."""

    ARCHIVE = "archive"
    COMBINED_VIDEO = "combined_video"
    CAPTIONS = "captions"
    OTHER = "other"


class RecordingAsset(Wire, kw_only=True):
    """A file of a recording (P2 Recording asset). ``size`` in bytes; instants as those of recordings."""

    id: Annotated[AssetId, "The id of the asset."]
    recordingId: Annotated[RecordingId, "The recording that it belongs to."]
    format: Annotated[str, "The format of the file, such as MP4."]
    kind: Annotated[AssetKind, Pattern(partial(_words, assumed.KINDS)), "The kind of file."]
    state: Annotated[str | int, Pattern(_state_words), "The state of the upload."]
    label: Annotated[str, "The name of the asset."]
    startTime: Annotated[Long, "The instant at which it begins.", InUnit(units.RECORDING)]
    endTime: Annotated[Long | None, "The instant at which it ends.", InUnit(units.RECORDING)] = None
    size: Annotated[Long | None, "Its size in bytes."] = None
    url: Annotated[Link | None, "The URL of the bytes, for callers who may read the asset."] = None
    relativePath: Annotated[OwnText | None, "Its path below the root of the recording at a storage provider."] = None
    isIndividual: Annotated[bool, "Whether it is the stream of one user."]
    streamUserId: Annotated[UserId | None, "The user whose stream it is."] = None
    userId: Annotated[UserId | None, "The user who received the uploaded file."] = None
    group: Annotated[OwnText | None, "Its group, usually the id of a stream."] = None


class DownloadableAsset(Wire, kw_only=True):
    """A file that a token opens (P2 L99). ``size`` in bytes."""

    id: Annotated[AssetId, "The id of the asset."]
    format: Annotated[str, "The format of the file, such as MP4."]
    label: Annotated[str, "The name of the asset."]
    size: Annotated[Long | None, "Its size in bytes."] = None
    language: Annotated[str | None, "The language of a text, such as captions."] = None
    kind: Annotated[
        DownloadKind, Pattern(partial(_words, assumed.DOWNLOAD_KINDS)), "The kind of the asset of the recording."
    ]


class RecordingDownload(Wire):
    """An address from which the bytes can be had for a time."""

    url: Annotated[Link, Inside(("assets", "instants")), "The URL of the bytes, without a token, for a time."]


class RecordingCredentials(Wire):
    """A token for downloading assets for a time."""

    jwt: Annotated[AssetToken, "The token that opens the assets of the recording for a time."]

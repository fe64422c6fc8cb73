"""Recordings of channels, their assets, and how those are downloaded (P2 Endpoints, Recordings)."""

from functools import partial
from typing import Annotated
from urllib.parse import quote

from confsim.api.call import API, Call
from confsim.api.forms import AssetId, AssetToken, SessionId
from confsim.api.values import instants
from confsim.api.views import page, page_of
from confsim.assumptions import Reason, ask, not_found, note, recordings as assumed
from confsim.assumptions.protocol import units
from confsim.contract import Chosen, Gate, Grant, Limit, Offset, Page, Raw, Shown, SortOrder, Source, Ttl, gates
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.recordings import assets, downloads, recording_list, recordings
from confsim.domain.recordings.assets import RecordingAsset as StoredAsset, Upload
from confsim.domain.recordings.downloads import Item
from confsim.domain.recordings.recording_list import RecordingSort
from confsim.domain.recordings.recordings import Recording as StoredRecording
from confsim.domain.runtime import sessions
from confsim.kernel import Refusal

from .shapes import (
    AssetKind,
    DownloadableAsset,
    DownloadKind,
    Possible,
    Recording,
    RecordingAsset,
    RecordingCredentials,
    RecordingDownload,
)

operation = API.family(line="P2 Recordings")

_READ = gates.OPERATOR_OR_ADMIN.assumed("G490")
_TOKEN = gates.PUBLIC.assumed("G027")


def _recording_view(call: Call, recording: StoredRecording) -> Recording:
    ((start, end, ready),) = instants(call, units.RECORDING, [(recording.started, recording.ended, recording.ready)])
    return Recording(
        id=recording.id,
        channel=recording.channel,
        session=recording.session,
        startTime=start,
        endTime=end,
        readyTime=ready,
    )


def asset_view(call: Call, asset: StoredAsset) -> RecordingAsset:
    """Return the view of an asset of a recording (P2 Recording asset)."""
    base = asset.started if ask(call.change, assumed.INSTANTS) == "relative" else 0
    end = None if asset.ended is None else asset.ended - base
    ((start, end),) = instants(call, units.RECORDING, [(asset.started - base, end)])
    return RecordingAsset(
        id=asset.id,
        recordingId=asset.recording,
        format=ask(call.change, assumed.FORMATS)[asset.content],
        kind=AssetKind(ask(call.change, assumed.KINDS)[asset.content]),
        state=ask(call.change, assumed.ASSET_STATES)[asset.state],
        label=asset.label,
        startTime=start,
        endTime=end,
        size=asset.size,
        url=_url(call, asset),
        relativePath=assets.path(asset) if ask(call.change, assumed.RELATIVE_PATH) == "present" else None,
        isIndividual=asset.user is not None,
        streamUserId=asset.user,
        userId=asset.receiver,
        group=asset.group,
    )


def _url(call: Call, asset: StoredAsset) -> str | None:
    """Return the URL of the bytes of an asset, for callers who may read the asset (R301, G496); if its channel is
    deleted, one that lasts as long as a download URL.
    """
    if asset.state is not Upload.UPLOADED or ask(call.change, assumed.URL) == "absent":
        return None
    if channels.find(call.change, asset.client, asset.channel) is None:
        return f"{call.root()}/files/recordings/{downloads.issue_link(call.change, asset)}"
    return f"{call.root()}/files/channels/{asset.channel}/recordings/{asset.recording}/{asset.id}"


def saved(asset: StoredAsset) -> Raw:
    """Return the response with the bytes of an asset, as a download under its name."""
    name = quote(assets.path(asset).rpartition("/")[2])
    header = ("Content-Disposition", f'attachment; filename="{name}"')
    return Raw(assets.MEDIA_TYPES[asset.content], assets.data(asset), (header,))


@operation(
    "GET /channels/{uuid}/record/possible", gate=gates.ACCESS.assumed("G481"), rules="R159 R499 R500 R501", gaps="G480"
)
def check_record_possible(
    call: Call, channel: Channel
) -> Annotated[Possible | bool, Chosen(assumed.POSSIBLE, {"object": Possible, "bare": bool})]:
    """Check whether the caller could start a recording of the channel as far as addresses go.

    True when an owner of the channel has a verified address; always true for an API token.
    """
    possible = recordings.possible(call.change, channel, call.require_caller())
    if sessions.find_active(call.change, channel) is None and not ask(call.change, assumed.POSSIBLE_WITHOUT):
        possible = False
    return possible if ask(call.change, assumed.POSSIBLE) == "bare" else Possible(possible=possible)


@operation(
    "POST /channels/{uuid}/record",
    gate=Gate(Grant.OPERATOR, Grant.API_TOKEN),
    rules="R286 R359 R360 R502 R537 R554",
    gaps="G374 G482 G483 G484",
)
def start_recording(call: Call, channel: Channel) -> None:
    """Start a recording of the channel's active session, as a host or by an API token.

    409 without an active session, while a recording is in progress, and for a host when no owner of the channel has a
    verified address.
    """
    recordings.start(call.change, channel, call.require_caller())


@operation(
    "DELETE /channels/{uuid}/record",
    gate=Gate(Grant.OPERATOR, Grant.API_TOKEN).assumed("G486"),
    rules="R361 R363 R364 R554",
    gaps="G485 G487 G488 G489 G505",
)
def stop_recording(call: Call, channel: Channel) -> None:
    """Stop the recording in progress; it is processed, and then it is ready.

    When processing succeeds every owner of the channel with a verified address is mailed the link. 404 when no
    recording is in progress.
    """
    recordings.stop(call.change, channel, call.require_caller())


@operation(
    "GET /channels/{channelId}/recordings",
    gate=_READ,
    rules="R021 R027 R028 R291 R503 R557",
    gaps="G088 G119",
    identifies={"id": "recordings"},
)
def list_recordings(
    call: Call,
    channel: Channel,
    *,
    session: SessionId | None = None,
    limit: Limit | None = None,
    offset: Offset | None = None,
    sort: RecordingSort = RecordingSort.STARTED,
    order: SortOrder = SortOrder.DESC,
) -> Page[Recording]:
    """List the recordings of a channel, the latest first unless asked otherwise; ``session`` selects those of one."""
    find = partial(
        recording_list.list_recordings, call.change, channel, session, sort, descending=order is SortOrder.DESC
    )
    found = recording_list.poll_shown(call.change, find, lambda total: page_of(call, total, limit, offset))
    return page(call, found, limit, offset, lambda shown: [_recording_view(call, recording) for recording in shown])


@operation(
    "GET /channels/{channelId}/recordings/{recordingId}", gate=_READ, rules="R291 R292 R293 R504", gaps="G119 G488 G489"
)
def get_recording(call: Call, channel: Channel, recording: StoredRecording) -> Recording:
    """Get a recording: it has no end while it is in progress, and is not ready while it is processed.

    404 when the channel has no such recording.
    """
    note(call.change, assumed.DELETION)
    return _recording_view(call, recording)


_ASSET_RULES = "R294 R295 R296 R297 R298 R299 R300 R301 R302 R303 R304 R505"


@operation(
    "GET /channels/{channelId}/recordings/{recordingId}/assets",
    gate=_READ,
    rules=f"R024 R362 {_ASSET_RULES}",
    gaps="G491 G494",
    identifies={"id": "assets"},
)
def list_recording_assets(call: Call, channel: Channel, recording: StoredRecording) -> list[RecordingAsset]:
    """List the assets of a recording, which its processing makes.

    404 when the channel has no such recording.
    """
    return [asset_view(call, asset) for asset in assets.list_assets(call.change, recording.client, recording.id)]


@operation(
    "GET /channels/{channelId}/recordings/{recordingId}/assets/{assetId}",
    gate=_READ,
    rules=_ASSET_RULES,
    gaps="G491 G495 G496",
)
def get_recording_asset(call: Call, channel: Channel, recording: StoredRecording, asset: StoredAsset) -> RecordingAsset:
    """Get one asset of a recording.

    404 when the channel has no such recording, or the recording no such asset.
    """
    return asset_view(call, asset)


@operation(
    "GET /channels/{channelId}/recordings/{recordingId}/download",
    gate=gates.OWNER,
    rules="R038 R039 R040 R506 R507 R508 R509 R536 R542",
    gaps="G149 G151 G497 G498 G499",
)
def get_recording_download(
    call: Call,
    channel: Channel,
    recording: StoredRecording,
    *,
    ttl: Annotated[Ttl | None, Shown("5m"), "How long the URL is valid."] = None,
    kind: Annotated[DownloadKind | None, "Which file of the recording is downloaded."] = None,
) -> RecordingDownload:
    """Get a URL from which a file of the recording can be downloaded, for five minutes or for ``ttl``; owners only.

    ``kind`` selects the file, the combined video unless it is given. 409 before the recording is ready, 404 when the
    recording has no file of the kind. The URL needs no token and answers 403 once its time is over.
    """
    recording_list.require_ready(recording)
    asset = downloads.asset_of_kind(call.change, recording.client, recording.id, kind)
    root = call.root() if ask(call.change, assumed.HOST) == "here" else "https://downloads.example"
    return RecordingDownload(url=f"{root}/files/recordings/{downloads.issue_link(call.change, asset, ttl)}")


@operation(
    "GET /channels/{channelId}/recordings/{recordingId}/credentials",
    gate=gates.OPERATOR.assumed("G500"),
    rules="R038 R039 R040 R508 R509 R510 R542",
    gaps="G498 G502",
    identifies={"jwt": "asset_tokens"},
)
def get_recording_credentials(
    call: Call,
    channel: Channel,
    recording: StoredRecording,
    *,
    ttl: Annotated[Ttl | None, Shown("5m"), "How long the token is valid."] = None,
) -> RecordingCredentials:
    """Get a token for downloading the assets of a recording, for five minutes or for ``ttl``.

    409 before the recording is ready.
    """
    recording_list.require_ready(recording)
    token = downloads.issue_token(call.change, recording.client, recording.channel, recording.id, ttl)
    return RecordingCredentials(jwt=token)


def _items(call: Call, token: str) -> list[Item]:
    """Return the items that the token grants; a call with a caller must be of the same client (G027)."""
    how = ask(call.change, assumed.TOKEN_IN_PATH)
    if how == "refuse":
        raise Refusal(Reason.URL_TOO_LONG, limit=0)
    grant = downloads.open_token(call.change, token.partition(".")[0] if how == "cut" else token)
    if call.caller is not None and call.client.id != grant.client:
        raise Refusal(Reason.ASSET_TOKEN_INVALID, problem="it is another client's")
    return downloads.items(call.change, recording_list.downloadable(call.change, grant))


@operation("GET /channels/recording/assets/{jwtToken}", gate=_TOKEN, rules="R024 R305 R511", gaps="G493 G501 G502 G503")
def list_downloadable_assets(call: Call, jwtToken: AssetToken) -> list[DownloadableAsset]:
    """List the assets that a token for downloading opens; no other token is needed.

    401 for an invalid or expired token.
    """
    formats = ask(call.change, assumed.FORMATS)
    return [
        DownloadableAsset(
            id=item.asset.id,
            format=formats[item.asset.content],
            label=item.asset.label,
            size=item.asset.size,
            language=_language(call, item.asset),
            kind=DownloadKind(item.kind),
        )
        for item in _items(call, jwtToken)
    ]


def _language(call: Call, asset: StoredAsset) -> str | None:
    return ask(call.change, assumed.CAPTIONS_LANGUAGE) if asset.content is assets.AssetContent.CAPTIONS else None


@operation(
    "GET /channels/recording/assets/{jwtToken}/{assetId}",
    gate=_TOKEN,
    source=Source.NAME_ONLY,
    gaps="G575 G502",
    line="P2 L354",
)
def download_recording_asset(call: Call, jwtToken: AssetToken, assetId: AssetId) -> Raw:
    """Download the bytes of an asset that a token for downloading opens; no other token is needed.

    401 for an invalid or expired token; 404 for an asset that it does not open.
    """
    for item in _items(call, jwtToken):
        if item.asset.id == assetId:
            return saved(item.asset)
    return not_found("recording asset", assetId)

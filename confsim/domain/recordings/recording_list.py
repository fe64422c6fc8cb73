"""Reads of recordings; a read polls the recordings that it shows while they are being processed."""

from collections.abc import Callable, Sequence
from enum import StrEnum

from confsim.assumptions import Reason, ask, not_found, recordings as assumed
from confsim.domain.channels.channels import Channel
from confsim.domain.lists import in_order
from confsim.domain.runtime.sessions import Session
from confsim.kernel import Change, NotYet, Refusal, View

from . import assets, recordings
from .assets import RecordingAsset
from .downloads import DownloadGrant
from .recordings import RECORDINGS, Recording, RecordingState


class RecordingSort(StrEnum):
    """The columns by which recordings are listed (P2 L316)."""

    STARTED = "started"
    ENDED = "ended"


def get(change: Change, channel: Channel, id: str) -> Recording:
    """The recording of the channel with this id, polled. Refusal NOT_FOUND."""
    found = RECORDINGS.get(change, id, channel.client)
    if found is not None and found.channel == channel.id:
        found = recordings.poll(change, found)
        if found is not None:
            return found
    return not_found("recording", id)


def require_ready(recording: Recording) -> None:
    """Raise Refusal RECORDING_NOT_READY if the recording is not ready (G498)."""
    if recording.ready is None:
        waits = recording.state is RecordingState.PROCESSING
        raise (NotYet if waits else Refusal)(Reason.RECORDING_NOT_READY, id=recording.id)


def list_recordings(
    change: Change, channel: Channel, session: str | None, sort: RecordingSort, *, descending: bool
) -> Sequence[Recording]:
    """The recordings of the channel, those of one session if it is given, in order (R503).

    None is polled: ``poll_shown`` does that for a page of them.
    """
    rows = RECORDINGS.of(change, channel.client)
    if session is None:
        found = rows.where(recordings.BY_CHANNEL, channel.id)
    else:
        found = rows.where(recordings.BY_SESSION, (channel.id, session))
    if sort is RecordingSort.STARTED:
        return in_order(change, found, recordings.STARTED, descending=descending)
    if ask(change, assumed.NOT_ENDED) != "last":
        return in_order(change, found, recordings.ENDED, descending=descending)
    ended = in_order(change, found, recordings.ENDED, high=(True, 0), descending=descending)
    return [*ended, *found.between(recordings.ENDED, (True, 0), None)]


def poll_shown(
    change: Change, read: Callable[[], Sequence[Recording]], page: Callable[[int], slice]
) -> Sequence[Recording]:
    """The result of ``read`` once the recordings of a page of it are polled.

    ``page`` returns the positions of the page in a list of so many. The next one moves up where a poll removes a
    recording (G489).
    """
    found, changed = read(), False
    shown = page(len(found))
    at = shown.start
    while True:
        for recording in found[at : shown.stop]:
            polled = recordings.poll(change, recording)
            changed = changed or polled is not recording
            if polled is None:
                found = read()
                break
            at += 1
        else:
            return read() if changed else found


def list_of_session(change: Change, session: Session) -> Sequence[Recording]:
    """The recordings of a session, in order of creation, polled."""

    def read() -> View[Recording]:
        return RECORDINGS.where(change, recordings.BY_SESSION, (session.channel, session.id), session.client)

    return poll_shown(change, read, lambda total: slice(0, total))


def downloadable(change: Change, grant: DownloadGrant) -> list[RecordingAsset]:
    """The assets that a token for downloading them grants (R511, G502). Refusal NOT_FOUND when it is deleted."""
    rows = RECORDINGS.of(change, grant.client)
    if grant.recording not in rows:
        not_found("recording", grant.recording)
    ids = [grant.recording]
    if ask(change, assumed.SCOPE) == "channel":
        ids = [each.id for each in rows.where(recordings.BY_CHANNEL, grant.channel) if each.ready is not None]
    return [asset for id in ids for asset in assets.list_of_recording(change, grant.client, id)]

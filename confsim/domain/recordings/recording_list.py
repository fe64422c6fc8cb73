"""Reads of recordings; a read polls the recordings that it shows while they are being processed."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from confsim.assumptions import recordings as assumed
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain.channels.channels import Channel
from confsim.domain.lists import ordered
from confsim.domain.runtime.sessions import Session
from confsim.kernel.refusal import NotYet, Refusal
from confsim.kernel.world import Change

from . import assets, recordings
from .assets import Asset
from .downloads import Grant
from .recordings import RECORDINGS, Phase, Recording


class Sort(StrEnum):
    """The columns by which recordings are listed (P2 L316)."""

    STARTED = "started"
    ENDED = "ended"


def get(change: Change, channel: Channel, id: str) -> Recording:
    """The recording of the channel with this id, polled. Refusal NOT_FOUND."""
    found = RECORDINGS.of(change, channel.client).get(id)
    if found is not None and found.channel == channel.id:
        found = recordings.poll(change, found)
        if found is not None:
            return found
    raise Refusal(Reason.NOT_FOUND, what="recording", id=id)


def require_ready(recording: Recording) -> None:
    """Raise Refusal RECORDING_NOT_READY if the recording is not ready (G498)."""
    if recording.ready is None:
        waits = recording.state is Phase.PROCESSING
        raise (NotYet if waits else Refusal)(Reason.RECORDING_NOT_READY, id=recording.id)


def listed(change: Change, channel: Channel, session: str | None, sort: Sort, *, descending: bool) -> list[Recording]:
    """The recordings of the channel, those of one session if it is given, in order (R503).

    None is polled: ``poll_shown`` does that for a page of them.
    """
    rows = RECORDINGS.of(change, channel.client).where(recordings.BY_CHANNEL, channel.id)
    found = [each for each in rows if session is None or each.session == session]
    last: list[Recording] = []
    if sort is Sort.ENDED and ask(change, assumed.NOT_ENDED) == "last":
        last = [each for each in found if each.ended is None]
        found = [each for each in found if each.ended is not None]
    return ordered(change, found, lambda each: _column(each, sort), descending=descending) + last


def poll_shown(change: Change, found: list[Recording], shown: slice) -> None:
    """Poll the recordings of a page, in ``found``; the next one moves up where that removes a recording (G489)."""
    at = shown.start
    while at < min(shown.stop, len(found)):
        recording = recordings.poll(change, found[at])
        if recording is None:
            del found[at]
        else:
            found[at] = recording
            at += 1


def _column(recording: Recording, sort: Sort) -> Any:
    return recording.started if sort is Sort.STARTED else (recording.ended is None, recording.ended or 0)


def of_session(change: Change, session: Session) -> list[Recording]:
    """The recordings of a session, in order of creation, polled."""
    found = list(RECORDINGS.of(change, session.client).where(recordings.BY_SESSION, session.id))
    poll_shown(change, found, slice(0, len(found)))
    return found


def downloadable(change: Change, grant: Grant) -> list[Asset]:
    """The assets that a token for downloading them grants (R511, G502). Refusal NOT_FOUND when it is deleted."""
    rows = RECORDINGS.of(change, grant.client)
    if grant.recording not in rows:
        raise Refusal(Reason.NOT_FOUND, what="recording", id=grant.recording)
    ids = [grant.recording]
    if ask(change, assumed.SCOPE) == "channel":
        ids = [each.id for each in rows.where(recordings.BY_CHANNEL, grant.channel) if each.ready is not None]
    return [asset for id in ids for asset in assets.of(change, grant.client, id)]

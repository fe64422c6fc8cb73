"""What recordings need of their session, and do to their assets; what switching live streaming off does."""

from collections.abc import Iterable, Iterator

from confsim.assumptions import ask, broadcast as assumed_broadcast, recordings as assumed
from confsim.domain.broadcast import broadcasts
from confsim.domain.broadcast.broadcasts import Broadcast
from confsim.domain.channels import switches
from confsim.domain.channels.channels import Channel
from confsim.domain.identity.credentials import Caller
from confsim.domain.recordings import assets, recordings
from confsim.domain.recordings.assets import RecordingAsset
from confsim.domain.recordings.recordings import Recording, RecordingState
from confsim.domain.runtime import sessions
from confsim.domain.runtime.sessions import Session, SessionState
from confsim.kernel import Call, Cascade, Change, Coupling, Need, OnOff

# The session of a recording counts as recorded; one that has not started starts with it


def _new_session(
    change: Change, recording: Recording | None, channel: Channel, caller: Caller
) -> Iterator[Call[Session]]:
    """A session without a parent, when the channel has none that has not ended."""
    if sessions.find_open(change, channel.client, channel.id) is None:
        yield sessions.initialise.on(None, channel, None)


def _initialised(change: Change, recording: Recording | None, channel: Channel, caller: Caller) -> Iterator[Session]:
    """The session of the channel that has not started yet."""
    session = sessions.find_open(change, channel.client, channel.id)
    if session is not None and session.state is SessionState.INITIALISED:
        yield session


def _recorded(change: Change, recording: Recording | None, channel: Channel, caller: Caller) -> Iterator[Session]:
    """The active session of the channel, where it counts as recorded once a recording of it starts (G374)."""
    session = sessions.find_active(change, channel)
    if session is not None and ask(change, assumed.HAD_RECORDING) == "started":
        yield session


def _with_recording(change: Change, recording: Recording) -> Iterator[Session]:
    """The session of the recording, where it counts as recorded once a recording of it is ready (G374)."""
    if ask(change, assumed.HAD_RECORDING) == "ready":
        yield sessions.SESSIONS.of(change, recording.client)[recording.session]


_STARTED, _WITH_SESSION = RecordingState.IN_PROGRESS, recordings.START_WITH_SESSION

Need(_WITH_SESSION, _STARTED, sessions.initialise, _new_session, source="R359, G483")
Need(_WITH_SESSION, _STARTED, sessions.START, _initialised, source="R359, G483")
for by in (recordings.START, _WITH_SESSION):
    Need(by, _STARTED, sessions.BE_RECORDED, _recorded, source="R286, G374")
Need(recordings.finish, RecordingState.READY, sessions.BE_RECORDED, _with_recording, source="R286, G374")

# A recording is processed, ready, failed or removed


def _finished(change: Change, recording: Recording) -> Iterator[Call[RecordingAsset]]:
    """The assets of the recording, which end with it."""
    for asset in _assets_of(change, recording):
        assert recording.ended is not None
        yield assets.finish_upload.on(asset, recording.ended)


def _assets_of(change: Change, recording: Recording) -> Iterable[RecordingAsset]:
    """The assets of the recording."""
    return assets.list_of_recording(change, recording.client, recording.id)


def _failed_to_remove(change: Change, recording: Recording) -> Iterator[Recording]:
    """The failed recording, where failed recordings are removed (G489)."""
    if ask(change, assumed.FAILED) == "removed":
        yield recording


_READY, _FAILED = RecordingState.READY, RecordingState.FAILED
_YIELDS = "P2 L170, R362, G491"

Coupling(recordings.MACHINE, RecordingState.PROCESSING, assets.CREATE, recordings.drafts, source=_YIELDS)
Coupling(recordings.MACHINE, _READY, assets.finish_upload, _finished, source=_YIELDS)
Coupling(recordings.MACHINE, _FAILED, assets.FAIL, _assets_of, source="R364, G489")
Coupling(recordings.MACHINE, _FAILED, recordings.REMOVE, _failed_to_remove, source="G489")
Cascade(recordings.MACHINE, None, assets.REMOVE, _assets_of, source="P2 L189, R365, G309")

# Live streaming is switched off


def _disabled_broadcast(change: Change, channel: Channel) -> Iterator[Broadcast]:
    """The broadcast of a channel without the feature, where it does not continue (G526)."""
    broadcast = broadcasts.find_open(change, channel.client, channel.id)
    if broadcast is not None and ask(change, assumed_broadcast.OFF_WHILE_RUNNING) == "ends":
        yield broadcast


Coupling(switches.BROADCAST, OnOff.OFF, broadcasts.STOP, _disabled_broadcast, source="G526")

"""The couplings of users who join and leave, the lobby, and the end of a session; ``machines`` lists them."""

from __future__ import annotations

from functools import partial

from confsim.domain.breakout import breakouts
from confsim.domain.recordings import recordings
from confsim.domain.runtime import lobby, occupancy, presence, sessions, streaming
from confsim.domain.runtime.lobby import AutoClose, Door
from confsim.domain.runtime.occupancy import OccupancyState
from confsim.domain.runtime.presence import Where
from confsim.domain.runtime.sessions import SessionState
from confsim.domain.runtime.streaming import Placed
from confsim.domain.telephony import calls
from confsim.kernel.influence import Coupling
from confsim.kernel.rows import ABSENT

from . import related, related_breakout, related_telephony

_joined = partial(Coupling, presence.MACHINE, Where.IN, out_of=(ABSENT, Where.WAITING))
_left = partial(Coupling, presence.MACHINE, ABSENT, out_of=(Where.IN, Where.IN_ROOM))
_sent_to_the_lobby = partial(Coupling, presence.MACHINE, Where.WAITING, out_of=(Where.IN,))
_occupied = partial(Coupling, occupancy.MACHINE, OccupancyState.OCCUPIED)
_emptied = partial(Coupling, occupancy.MACHINE, ABSENT)
_session_ended = partial(Coupling, sessions.MACHINE, SessionState.ENDED)

COUPLINGS: tuple[Coupling, ...] = (
    # Users join
    _joined(occupancy.MACHINE, "enter", related.occupancy_of, facts=related.occupied, source="G327"),
    _joined(sessions.MACHINE, "attend", related.session_at, facts=related.attending, source="P2 Session L64, R287"),
    _occupied(streaming.MACHINE, "place", related.placement, facts=related.placed, source="G349, G359"),
    _occupied(sessions.MACHINE, "initialise", related.session_of, facts=related.new_session, source="R285, G350"),
    _occupied(sessions.MACHINE, "start", related.session_of, source="R285, G359"),
    _joined(presence.MACHINE, "route", related_breakout.latecomer, facts=related_breakout.route_facts, source="G437"),
    Coupling(
        streaming.MACHINE,
        Placed.HOSTED,
        sessions.MACHINE,
        "initialise",
        related.session_of_base,
        facts=related.new_session,
        source="P2 L69, G350",
    ),
    # Users leave
    _left(occupancy.MACHINE, "leave", related.occupancy_of, source="G327"),
    _sent_to_the_lobby(occupancy.MACHINE, "leave", related.occupancy_of, source="G331, G328"),
    _sent_to_the_lobby(presence.PRESENTER, "revoke", related.same_presence, source="G331, G328"),
    _emptied(lobby.DOOR, "become empty", related.channel, source="P2 States L158, R342"),
    _emptied(sessions.MACHINE, "become empty", related.session_of, facts=related.after_last, source="G359"),
    # The lobby
    Coupling(
        lobby.DOOR, Door.OPEN, presence.MACHINE, "admit", related.waiting, facts=related.room_left, source="R339, G329"
    ),
    Coupling(lobby.DOOR, Door.CLOSED, presence.MACHINE, "send to the lobby", related.attendees, source="G331"),
    Coupling(lobby.AUTO_CLOSE, AutoClose.ON, lobby.DOOR, "become empty", related.empty_already, source="G333"),
    Coupling(
        calls.MACHINE,
        calls.CallState.ANSWERED,
        lobby.DOOR,
        "open",
        related_telephony.door_of_organizer,
        by="dial in",
        source="R324, G466",
    ),
    # A session ends
    _session_ended(presence.MACHINE, "disconnect", related.connected, source="P2 States L164, R353"),
    _session_ended(streaming.MACHINE, "release", related.placement, source="G349"),
    _session_ended(recordings.MACHINE, "lose session", related.recording_of, source="P2 L7, R557, G487, G365"),
    _session_ended(breakouts.MACHINE, "lose the main session", related_breakout.breakout_of, source="G440, G365"),
)

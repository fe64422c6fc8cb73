"""The couplings of users who join and leave, the lobby, and the end of a session; ``machines`` lists them."""

from __future__ import annotations

from confsim.domain.breakout import breakouts
from confsim.domain.recordings import recordings
from confsim.domain.runtime import lobby, occupancy, presence, sessions, streaming
from confsim.domain.runtime.lobby import AutoClose, Door
from confsim.domain.runtime.occupancy import OccupancyState
from confsim.domain.runtime.presence import Where
from confsim.domain.runtime.sessions import Life
from confsim.domain.runtime.streaming import Placed
from confsim.domain.telephony import calls
from confsim.kernel.influence import Coupling
from confsim.kernel.rows import ABSENT

from . import related, related_breakout, related_telephony

_CAME = (ABSENT, Where.WAITING)

COUPLINGS: tuple[Coupling, ...] = (
    # Users join
    Coupling(
        presence.MACHINE,
        Where.IN,
        occupancy.MACHINE,
        "enter",
        related.occupancy_of,
        facts=related.occupied,
        out_of=_CAME,
        source="G327",
    ),
    Coupling(
        presence.MACHINE,
        Where.IN,
        sessions.MACHINE,
        "attend",
        related.session_at,
        facts=related.attending,
        out_of=_CAME,
        source="P2 Session L64, R287",
    ),
    Coupling(
        occupancy.MACHINE,
        OccupancyState.OCCUPIED,
        streaming.MACHINE,
        "place",
        related.placement,
        facts=related.placed,
        source="G349, G359",
    ),
    Coupling(
        occupancy.MACHINE,
        OccupancyState.OCCUPIED,
        sessions.MACHINE,
        "initialise",
        related.session_of,
        facts=related.new_session,
        source="R285, G350",
    ),
    Coupling(
        occupancy.MACHINE, OccupancyState.OCCUPIED, sessions.MACHINE, "start", related.session_of, source="R285, G359"
    ),
    Coupling(
        presence.MACHINE,
        Where.IN,
        presence.MACHINE,
        "route",
        related_breakout.latecomer,
        facts=related_breakout.way,
        out_of=_CAME,
        source="G437",
    ),
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
    Coupling(
        presence.MACHINE,
        ABSENT,
        occupancy.MACHINE,
        "leave",
        related.occupancy_of,
        out_of=(Where.IN, Where.IN_ROOM),
        source="G327",
    ),
    Coupling(
        presence.MACHINE,
        Where.WAITING,
        occupancy.MACHINE,
        "leave",
        related.occupancy_of,
        out_of=(Where.IN,),
        source="G331, G328",
    ),
    Coupling(
        presence.MACHINE,
        Where.WAITING,
        presence.PRESENTER,
        "revoke",
        related.same_presence,
        out_of=(Where.IN,),
        source="G331, G328",
    ),
    Coupling(occupancy.MACHINE, ABSENT, lobby.DOOR, "become empty", related.channel, source="P2 States L158, R342"),
    Coupling(
        occupancy.MACHINE,
        ABSENT,
        sessions.MACHINE,
        "become empty",
        related.session_of,
        facts=related.after_last,
        source="G359",
    ),
    # The lobby
    Coupling(
        lobby.DOOR, Door.OPEN, presence.MACHINE, "admit", related.waiting, facts=related.room_left, source="R339, G329"
    ),
    Coupling(lobby.DOOR, Door.CLOSED, presence.MACHINE, "send to the lobby", related.attendees, source="G331"),
    Coupling(lobby.AUTO_CLOSE, AutoClose.ON, lobby.DOOR, "become empty", related.empty_already, source="G333"),
    Coupling(
        calls.MACHINE,
        calls.State.ANSWERED,
        lobby.DOOR,
        "open",
        related_telephony.door_of_organizer,
        by="dial in",
        source="R324, G466",
    ),
    # A session ends
    Coupling(
        sessions.MACHINE, Life.ENDED, presence.MACHINE, "disconnect", related.connected, source="P2 States L164, R353"
    ),
    Coupling(sessions.MACHINE, Life.ENDED, streaming.MACHINE, "release", related.placement, source="G349"),
    Coupling(
        sessions.MACHINE,
        Life.ENDED,
        recordings.MACHINE,
        "lose session",
        related.recording_of,
        source="P2 L7, R557, G487, G365",
    ),
    Coupling(
        sessions.MACHINE,
        Life.ENDED,
        breakouts.MACHINE,
        "lose the main session",
        related_breakout.breakout_of,
        source="G440, G365",
    ),
)

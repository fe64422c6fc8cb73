"""The couplings: which machine moves which other one, in the order in which it happens.

One row for each: when a machine comes to a state, an event is fired on the related subjects of another machine, in the
same change, until nothing moves any more. A subject that does not admit the event stays as it is.
"""

from __future__ import annotations

from confsim.domain.breakout import assignments, breakout_rooms, breakouts
from confsim.domain.breakout.breakout_rooms import State
from confsim.domain.breakout.breakouts import Phase
from confsim.domain.broadcast import broadcasts
from confsim.domain.channels import channels, friendly_urls
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Service
from confsim.domain.config import template_choice, templates
from confsim.domain.identity import invitations, validators
from confsim.domain.recordings import assets, recordings
from confsim.domain.runtime import lobby, presence, sessions, streaming
from confsim.domain.runtime.lobby import AutoClose, Door
from confsim.domain.runtime.presence import Audience, Where
from confsim.domain.runtime.sessions import Life
from confsim.domain.runtime.streaming import Placed
from confsim.domain.telephony import calls, number_assignments, numbers
from confsim.domain.users import users
from confsim.domain.users.users import Account
from confsim.kernel.machine import Coupling
from confsim.kernel.rows import ABSENT

from . import related, related_breakout, related_identity

_CAME = (Where.AWAY, Where.WAITING)

COUPLINGS: tuple[Coupling, ...] = (
    # Users come
    Coupling(presence.MACHINE, Where.IN, presence.AUDIENCE, "enter", related.crowd, out_of=_CAME, source="G327"),
    Coupling(
        presence.MACHINE,
        Where.IN,
        sessions.MACHINE,
        "attend",
        related.run_at,
        facts=related.attending,
        out_of=_CAME,
        source="P2 Session L64, R287",
    ),
    Coupling(presence.AUDIENCE, Audience.OCCUPIED, streaming.MACHINE, "place", related.placement, source="G349, G359"),
    Coupling(presence.AUDIENCE, Audience.OCCUPIED, sessions.MACHINE, "initialise", related.run_of, source="R285, G350"),
    Coupling(presence.AUDIENCE, Audience.OCCUPIED, sessions.MACHINE, "start", related.run_of, source="R285, G359"),
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
        streaming.MACHINE, Placed.HOSTED, sessions.MACHINE, "initialise", related.run_of_base, source="P2 L69, G350"
    ),
    # Users go
    Coupling(
        presence.MACHINE,
        Where.AWAY,
        presence.AUDIENCE,
        "leave",
        related.crowd,
        out_of=(Where.IN, Where.IN_ROOM),
        source="G327",
    ),
    Coupling(
        presence.MACHINE,
        Where.WAITING,
        presence.AUDIENCE,
        "leave",
        related.crowd,
        out_of=(Where.IN,),
        source="G331, G328",
    ),
    Coupling(
        presence.AUDIENCE, Audience.EMPTY, lobby.DOOR, "become empty", related.channel, source="P2 States L158, R342"
    ),
    Coupling(
        presence.AUDIENCE,
        Audience.EMPTY,
        sessions.MACHINE,
        "become empty",
        related.run_of,
        facts=lambda change, crowd, run: sessions.ending(change),
        source="G359",
    ),
    # The lobby
    Coupling(
        lobby.DOOR, Door.OPEN, presence.MACHINE, "admit", related.waiting, facts=related.fits, source="R339, G329"
    ),
    Coupling(lobby.DOOR, Door.CLOSED, presence.MACHINE, "send to the lobby", related.attendees, source="G331"),
    Coupling(lobby.AUTO_CLOSE, AutoClose.ON, lobby.DOOR, "become empty", related.empty_already, source="G333"),
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
    # Recordings
    Coupling(
        recordings.MACHINE,
        recordings.Phase.PROCESSING,
        assets.MACHINE,
        "create",
        recordings.drafts,
        facts=related.asset_draft,
        creates=True,
        source="P2 L170, R362, G491",
    ),
    Coupling(
        recordings.MACHINE,
        recordings.Phase.READY,
        assets.MACHINE,
        "finish upload",
        related.assets_of,
        facts=related.end_of,
        source="P2 L170, R362, G491",
    ),
    Coupling(
        recordings.MACHINE, recordings.Phase.FAILED, assets.MACHINE, "fail", related.assets_of, source="R364, G489"
    ),
    Coupling(
        recordings.MACHINE,
        recordings.Phase.FAILED,
        recordings.MACHINE,
        "remove",
        related.failed_to_remove,
        source="G489",
    ),
    # Broadcasts
    Coupling(
        sessions.MACHINE,
        Life.ONGOING,
        broadcasts.MACHINE,
        "take session in",
        related.broadcast_of,
        facts=related.showing,
        source="P2 Broadcast L141",
    ),
    Coupling(
        sessions.MACHINE, Life.ENDED, broadcasts.MACHINE, "lose session", related.broadcast_of, source="P2 L72, G569"
    ),
    # Breakout sessions
    Coupling(
        breakouts.MACHINE,
        Phase.ACTIVE,
        breakout_rooms.ROOM,
        "open",
        related_breakout.rooms,
        source="P2 Breakout L108, G438",
    ),
    Coupling(
        breakouts.MACHINE,
        Phase.ACTIVE,
        assignments.MACHINE,
        "spread",
        assignments.unassigned,
        facts=related_breakout.next_room,
        source="G436",
    ),
    Coupling(
        breakouts.MACHINE,
        Phase.ACTIVE,
        presence.MACHINE,
        "route",
        related_breakout.in_event_room,
        facts=related_breakout.way,
        source="P2 States L166, R355",
    ),
    Coupling(
        sessions.MACHINE,
        Life.ONGOING,
        sessions.MACHINE,
        "belong",
        related_breakout.without_parent,
        facts=related_breakout.parent,
        source="P2 Session L67, R288, G432",
    ),
    Coupling(
        sessions.MACHINE,
        Life.ONGOING,
        breakouts.MACHINE,
        "meet the main session",
        related_breakout.without_main,
        facts=related_breakout.main,
        source="R457, G432",
    ),
    Coupling(
        presence.MACHINE,
        Where.IN_ROOM,
        breakout_rooms.ROOM,
        "resume",
        related_breakout.without_session,
        source="P2 Breakout L108, R288, R312",
    ),
    Coupling(presence.MACHINE, Where.IN_ROOM, sessions.MACHINE, "start", related.run_at, source="R288, G369"),
    Coupling(
        presence.MACHINE,
        Where.IN_ROOM,
        sessions.MACHINE,
        "attend",
        related.run_at,
        facts=related.attending,
        source="R287, R288",
    ),
    *(
        Coupling(
            presence.MACHINE, gone, lobby.DOOR, "become empty", related.left_empty, out_of=(Where.IN,), source="G334"
        )
        for gone in (Where.IN_ROOM, Where.AWAY)
    ),
    *(
        row
        for over in (Phase.COMPLETED, Phase.PREPARED)
        for row in (
            Coupling(
                breakouts.MACHINE,
                over,
                presence.MACHINE,
                "return",
                related_breakout.in_rooms,
                out_of=(Phase.ACTIVE,),
                source="P2 States L166-167, R356, R357",
            ),
            Coupling(
                breakouts.MACHINE,
                over,
                breakout_rooms.ROOM,
                "close",
                related_breakout.rooms,
                out_of=(Phase.ACTIVE,),
                source="R356, R357, G435",
            ),
        )
    ),
    Coupling(
        breakouts.MACHINE, Phase.DELETED, breakout_rooms.ROOM, "drop", related_breakout.rooms, source="P2 L275, R456"
    ),
    Coupling(breakout_rooms.ROOM, State.CLOSED, sessions.MACHINE, "end", related_breakout.run_in, source="R356, R357"),
    Coupling(breakout_rooms.ROOM, State.DELETED, presence.MACHINE, "return", related_breakout.in_room, source="G426"),
    Coupling(breakout_rooms.ROOM, State.DELETED, sessions.MACHINE, "end", related_breakout.run_in, source="G426"),
    Coupling(
        breakout_rooms.ROOM,
        State.DELETED,
        assignments.MACHINE,
        "forget",
        related_breakout.assigned,
        source="R462, G427",
    ),
    # Phones
    Coupling(presence.MACHINE, Where.AWAY, calls.MACHINE, "hang up", calls.phones, source="G452, R353"),
    Coupling(calls.MACHINE, calls.State.ENDED, presence.MACHINE, "disconnect", calls.arrived, source="G452"),
    Coupling(
        numbers.STANDING,
        numbers.Standing.DISABLED,
        number_assignments.USE,
        "release",
        number_assignments.lines_of,
        source="P2 States L172, R366",
    ),
    Coupling(
        channels.MACHINE,
        channels.Life.EXISTS,
        number_assignments.USE,
        "assign",
        number_assignments.default_lines,
        facts=number_assignments.first_facts,
        out_of=(ABSENT,),
        source="G479",
    ),
    # Friendly URLs
    Coupling(
        friendly_urls.SWITCH,
        friendly_urls.Switch.OFF,
        friendly_urls.MACHINE,
        "remove",
        friendly_urls.channels_to_clear,
        source="G285",
    ),
    # A client loses its service
    Coupling(
        clients.MACHINE,
        Service.DISABLED,
        channels.MACHINE,
        "stop",
        related.channels_below,
        source="P1 States L178, R109, R110",
    ),
    # Users are connected
    Coupling(
        invitations.MACHINE,
        invitations.State.CONSUMED,
        users.MACHINE,
        "redeem",
        related_identity.invited,
        facts=related_identity.login,
        source="P1 L81, R062, R063, G234",
    ),
    Coupling(
        users.MACHINE,
        Account.REGISTERED,
        invitations.MACHINE,
        "connect",
        related_identity.nonce,
        out_of=(Account.PREDEFINED,),
        source="P1 L81, G202",
    ),
    Coupling(
        validators.MACHINE,
        validators.Activity.ACTIVE,
        validators.MACHINE,
        "disable",
        related_identity.other_active,
        source="P1 States L180, R114",
    ),
    # Templates
    Coupling(
        templates.MACHINE,
        templates.State.OWN,
        template_choice.MACHINE,
        "remove",
        templates.withdrawn_below,
        out_of=(templates.State.INHERITABLE,),
        source="G413, G583",
    ),
    Coupling(
        templates.OFFER, templates.Offer.DISABLED, template_choice.MACHINE, "remove", templates.withdrawn, source="G413"
    ),
    # Users are removed
    Coupling(
        users.MACHINE,
        ABSENT,
        invitations.MACHINE,
        "withdraw",
        related_identity.invitation,
        source="P2 States L171, R365",
    ),
    Coupling(users.MACHINE, ABSENT, presence.MACHINE, "disconnect", related.wherever, source="R365, G542"),
    Coupling(
        users.MACHINE,
        ABSENT,
        assignments.MACHINE,
        "forget",
        related_breakout.assigned_to,
        source="R365, G542",
    ),
)

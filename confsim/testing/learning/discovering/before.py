"""Channels and sessions that were there before a run: what an answer says of them, taken over by the model."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from confsim.assumptions.protocol import units
from confsim.assumptions.register import in_force
from confsim.domain.channels import channels
from confsim.domain.channels.channels import AudioQuality, ServiceMode
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.members import roles
from confsim.domain.members.roles import Role
from confsim.domain.runtime.sessions import SESSIONS, Session, SessionState
from confsim.domain.users.users import USERS
from confsim.kernel.refusal import Refusal
from confsim.kernel.tables.table import Table
from confsim.kernel.world import Change
from confsim.testing.learning.comparing.correspondence import MILLISECONDS, Correspondence

#: Between these instants, in epoch milliseconds, sessions are: the years 2000 and 2100.
_EARLIEST, _LATEST = 946_684_800_000, 4_102_444_800_000

#: Fields of the description of a channel, with those of its record.
_CHANNEL = {
    "serviceMode": "service_mode",
    "audioQuality": "audio_quality",
    "reputation": "reputation",
    "maxUsers": "max_users",
    "friendlyURL": "friendly_url",
    "isStar": "star",
    "isEventRoom": "event_room",
    "makePrivate": "make_private",
    "isOrganization": "organization",
    "isMidi": "midi",
    "isPremium": "premium",
    "isPrivate": "private",
    "isOpen": "open",
    "offAir": "off_air",
    "isRangeEnabled": "range_enabled",
    "disableWall": "wall_disabled",
    "guestAccess": "guest_access",
}


class ChannelBefore(Struct):
    """A channel that was there: its description in an answer, and the roles of users in it.

    ``hosts`` has users by their id in the service, each with the role, None for none;
    ``lists`` the operations of which an answer lists all of a role.
    """

    description: Mapping[str, Any]
    hosts: dict[int, Role | None] = {}
    lists: frozenset[str] = frozenset()

    @property
    def is_complete(self) -> bool:
        """Return whether all hosts are known."""
        return len(self.lists) == len(Role)


class SessionBefore(Struct):
    """A session that has ended: its description in an answer."""

    description: Mapping[str, Any]


#: Things that were there, by kind and id in the service; what one is in comes before it.
Before = dict[tuple[str, Any], ChannelBefore | SessionBefore]


def copy_before(change: Change, found: Before, known: Correspondence, profile: Mapping[str, Any]) -> None:
    """Copy what the model can have, which the answers that it gives then show."""
    for each in found.values():
        with contextlib.suppress(Refusal, ValueError, KeyError):
            if isinstance(each, ChannelBefore):
                _copy_channel(change, each, known)
            else:
                _copy_session(change, each, known, in_force(profile, units.SESSION))


def _copy_channel(change: Change, found: ChannelBefore, known: Correspondence) -> None:
    seen, client_id = found.description, str(found.description["clientId"])
    fields = {field: seen[name] for name, field in _CHANNEL.items() if name in seen}
    fields["service_mode"] = ServiceMode(fields["service_mode"])
    fields["audio_quality"] = AudioQuality(fields["audio_quality"])
    id, name = str(seen["channelUuid"]), str(seen["channelName"])
    channel = channels.load(change, CLIENTS.of(change)[client_id], id, name, seen.get("description"), fields)
    for user, role in found.hosts.items():
        if role:
            roles.appoint(change, channel, USERS.of(change, client_id)[known.model("users", user)], role)
    known.pair("channels", id, id)
    known.pair("meeting_ids", channel.meeting_id, seen.get("meetingId"))


def _copy_session(change: Change, found: SessionBefore, known: Correspondence, unit: str) -> None:
    seen = found.description
    created, started, ended = (int(seen[name]) * MILLISECONDS[unit] for name in ("created", "started", "ended"))
    if not all(_EARLIEST < each < _LATEST for each in (created, started, ended)):  # it may be one in another unit
        raise ValueError(f"{seen['created']} is no instant of a session as {unit}")
    shift = known.shift or 0
    session = Session(
        id=str(seen["id"]),
        client=str(seen["clientId"]),
        channel=str(seen["channel"]),
        name=str(seen["name"]),
        service_mode=ServiceMode(seen["serviceMode"]),
        state=SessionState.ENDED,
        had_recording=bool(seen["hadRecording"]),
        participants=int(seen["participantsCount"]),
        created=created - shift,
        started=started - shift,
        ended=ended - shift,
    )
    Table.declared[SESSIONS.name].of(change, session.client).put(session)  # no trigger makes one that has ended
    known.pair("sessions", session.id, session.id)

"""Channels that were there before a run: what an answer says of them, taken over by the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from confsim.domain.channels import channels
from confsim.domain.channels.channels import AudioQuality, ServiceMode
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.members import roles
from confsim.domain.members.roles import Role
from confsim.domain.users.users import USERS
from confsim.kernel.world import Change

from .correspondence import Correspondence

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

    ``hosts`` has users by their id in the service, each with the trigger that appoints to the role, "" for none;
    ``lists`` the operations of which an answer lists all of a role.
    """

    description: Mapping[str, Any]
    hosts: dict[int, str] = {}
    lists: frozenset[str] = frozenset()

    @property
    def is_complete(self) -> bool:
        """Return whether all hosts are known."""
        return len(self.lists) == len(Role)


def copy_channel(change: Change, found: ChannelBefore, known: Correspondence) -> None:
    """Copy a channel with its hosts to the model. Raises Refusal, ValueError when the model cannot have it."""
    seen, client_id = found.description, str(found.description["clientId"])
    fields = {field: seen[name] for name, field in _CHANNEL.items() if name in seen}
    fields["service_mode"] = ServiceMode(fields["service_mode"])
    fields["audio_quality"] = AudioQuality(fields["audio_quality"])
    id, name = str(seen["channelUuid"]), str(seen["channelName"])
    channel = channels.load(change, CLIENTS.of(change)[client_id], id, name, seen.get("description"), fields)
    for user, trigger in found.hosts.items():
        if trigger:
            roles.appoint(change, channel, USERS.of(change, client_id)[known.model("users", user)], trigger)
    known.pair("channels", id, id)
    known.pair("meeting_ids", channel.meeting_id, seen.get("meetingId"))

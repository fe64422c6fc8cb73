"""The cascades of deletions, in order: of a channel (R365, R374, R551, G309), a user, a template, a link."""

from __future__ import annotations

from confsim.domain import properties
from confsim.domain.breakout import breakout_rooms, breakouts
from confsim.domain.broadcast import broadcasts, destinations
from confsim.domain.channels import channel_images, channels, friendly_urls
from confsim.domain.channels.channels import Channel, Step
from confsim.domain.config import documents, template_choice, templates
from confsim.domain.identity import credentials
from confsim.domain.media import media
from confsim.domain.members import linked_users, roles
from confsim.domain.recordings import recordings
from confsim.domain.runtime import presence, sessions, streaming
from confsim.domain.telephony import calls, number_assignments, pins
from confsim.domain.users import user_images, users
from confsim.kernel.machine import Cascade
from confsim.kernel.world import Change


def _delete_rooms(change: Change, channel: Channel) -> None:
    """Delete the rooms of the channel, before the channel itself."""
    for room in channels.rooms(change, channel):
        channels.delete(change, room)


DELETION: tuple[Cascade, ...] = (
    Cascade(channels.MACHINE, Step.STOP, breakout_rooms.stop_in_channel, source="G440"),
    Cascade(channels.MACHINE, Step.STOP, breakouts.stop_in_channel, source="G440, G309"),
    Cascade(channels.MACHINE, Step.STOP, broadcasts.stop_in_channel, source="G309"),
    Cascade(channels.MACHINE, Step.STOP, calls.stop_in_channel, source="G309"),
    Cascade(channels.MACHINE, Step.STOP, presence.stop_in_channel, source="G309"),
    Cascade(channels.MACHINE, Step.STOP, recordings.stop_in_channel, source="G309"),
    Cascade(channels.MACHINE, Step.STOP, sessions.stop_in_channel, source="G309"),
    Cascade(channels.MACHINE, Step.ROOMS, _delete_rooms, source="R374, R551"),
    Cascade(channels.MACHINE, Step.RELEASE, friendly_urls.release_of_channel, source="R228, R551"),
    Cascade(channels.MACHINE, Step.RELEASE, linked_users.release_of_channel, source="R365"),
    Cascade(channels.MACHINE, Step.RELEASE, number_assignments.release_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.RELEASE, pins.release_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.RELEASE, roles.release_of_channel, source="P2 States L171, R365, G309"),
    Cascade(channels.MACHINE, Step.REMOVE, breakouts.remove_of_channel, source="G440, G309"),
    Cascade(channels.MACHINE, Step.REMOVE, broadcasts.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, calls.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, channel_images.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, destinations.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, documents.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, media.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, properties.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, recordings.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, template_choice.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, sessions.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, streaming.remove_of_channel, source="G309"),
    Cascade(users.MACHINE, None, roles.remove_of_user, source="G542"),
    Cascade(users.MACHINE, None, credentials.revoke, source="G542"),
    Cascade(users.MACHINE, None, properties.remove_of_user, source="G542"),
    Cascade(users.MACHINE, None, user_images.remove_of_user, source="G542"),
    Cascade(templates.MACHINE, None, templates.remove_of_template, source="P2 L354, G413, G584"),
    Cascade(linked_users.MACHINE, None, linked_users.remove_made_for, source="P2 States L171, R365, G445"),
)

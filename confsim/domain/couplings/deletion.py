"""The cascades of deletions, in order: of a channel (R365, R374, R551, G309), a user, a template, a link."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from confsim.assumptions import channels as assumed
from confsim.assumptions.register import ask
from confsim.domain import properties
from confsim.domain.breakout import breakout_rooms, breakouts
from confsim.domain.broadcast import broadcasts, destinations
from confsim.domain.channels import channel_images, channels, favourites, friendly_urls
from confsim.domain.channels.channels import Channel, Step
from confsim.domain.config import documents, template_choice, templates
from confsim.domain.config.templates import Template
from confsim.domain.identity import credentials
from confsim.domain.media import media
from confsim.domain.members import linked_users, roles
from confsim.domain.recordings import assets, recordings
from confsim.domain.recordings.recordings import Recording
from confsim.domain.runtime import presence, sessions, streaming
from confsim.domain.telephony import calls, number_assignments, pins
from confsim.domain.users import user_images, users
from confsim.domain.users.users import BY_CHANNEL, USERS, Account, User
from confsim.kernel.influence import Cascade
from confsim.kernel.world import Change

R = TypeVar("R")
S = TypeVar("S")


def _users_made_for(change: Change, channel: Channel) -> list[User]:
    """The users made for a channel: linked ones (P2 States L171, R365), guests if they are removed with it (G309)."""
    guests_go = ask(change, assumed.GUESTS_AFTER_DELETION) == "go"
    rows = USERS.of(change, channel.client)
    if not guests_go:
        return list(rows.where(BY_CHANNEL, (channel.id, Account.LINKED)))
    return [user for user in rows.where(BY_CHANNEL, channel.id) if users.unregistered(user)]


def _remove_assets(change: Change, recording: Recording) -> None:
    """Remove the assets of a removed recording."""
    assets.remove_all(change, recording.client, recording.id)


def _remove_configuration(change: Change, owner: Channel | Template) -> None:
    """Remove the configuration of a removed channel or template."""
    documents.remove_all(change, owner.client, owner.id)


def _each(remove: Callable[[Change, R], None], of: Callable[[Change, S], Iterable[R]]) -> Callable[[Change, S], None]:
    """The removal of each record that ``of`` finds for the removed one."""

    def take(change: Change, record: S) -> None:
        for related in of(change, record):
            remove(change, related)

    return take


DELETION: tuple[Cascade, ...] = (
    Cascade(channels.MACHINE, Step.STOP, breakout_rooms.stop_in_channel, source="G440"),
    Cascade(channels.MACHINE, Step.STOP, breakouts.stop_in_channel, source="G440, G309"),
    Cascade(channels.MACHINE, Step.STOP, broadcasts.stop_in_channel, source="G309"),
    Cascade(channels.MACHINE, Step.STOP, calls.stop_in_channel, source="G309"),
    Cascade(channels.MACHINE, Step.STOP, presence.stop_in_channel, source="G309"),
    Cascade(channels.MACHINE, Step.STOP, recordings.stop_in_channel, source="G309"),
    Cascade(channels.MACHINE, Step.STOP, sessions.stop_in_channel, source="G309"),
    Cascade(channels.MACHINE, Step.ROOMS, _each(channels.delete, channels.rooms), source="R374, R551"),
    Cascade(channels.MACHINE, Step.RELEASE, friendly_urls.release_of_channel, source="R228, R551"),
    Cascade(channels.MACHINE, Step.RELEASE, linked_users.release_of_channel, source="R365"),
    Cascade(channels.MACHINE, Step.RELEASE, number_assignments.release_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.RELEASE, pins.release_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.RELEASE, _each(users.remove, _users_made_for), source="P2 States L171, R365, G309"),
    Cascade(channels.MACHINE, Step.REMOVE, breakouts.remove_of_channel, source="G440, G309"),
    Cascade(channels.MACHINE, Step.REMOVE, broadcasts.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, calls.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, channel_images.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, destinations.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, _remove_configuration, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, media.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, properties.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, recordings.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, template_choice.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, sessions.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, streaming.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, favourites.remove_of_channel, source="G309"),
    Cascade(channels.MACHINE, Step.REMOVE, roles.remove_of_channel, source="G309"),
    Cascade(users.MACHINE, None, roles.remove_of_user, source="G542"),
    Cascade(users.MACHINE, None, credentials.revoke, source="G542"),
    Cascade(users.MACHINE, None, properties.remove_of_user, source="G542"),
    Cascade(users.MACHINE, None, user_images.remove_of_user, source="G542"),
    Cascade(
        templates.MACHINE, None, _each(template_choice.remove, templates.selections_of_template), source="P2 L354, G413"
    ),
    Cascade(templates.MACHINE, None, templates.remove_of_template, source="P2 L354, G413, G584"),
    Cascade(templates.MACHINE, None, _remove_configuration, source="P2 L354, G584"),
    Cascade(linked_users.MACHINE, None, _each(users.remove, linked_users.made_for), source="P2 States L171, G445"),
    Cascade(recordings.MACHINE, None, _remove_assets, source="P2 L189, R365, G309"),
)

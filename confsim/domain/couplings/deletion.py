"""The cascades of deletions, in order: of a channel (R365, R374, R551, G309), a user, a template, a link, a recording.

Each fires a trigger on what is related to the record that is removed, while that is still in its table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from confsim.assumptions import channels as assumed
from confsim.assumptions.register import ask
from confsim.domain import properties
from confsim.domain.breakout import breakout_rooms, breakouts
from confsim.domain.breakout.breakout_rooms import BY_PLACE, ROOMS, Room
from confsim.domain.broadcast import broadcasts, destinations
from confsim.domain.channels import channel_images, channels, favourites, friendly_urls
from confsim.domain.channels.channels import Channel, DeletionStep
from confsim.domain.config import documents, template_choice, templates
from confsim.domain.config.template_choice import Selection
from confsim.domain.identity import credentials
from confsim.domain.media import media
from confsim.domain.members import linked_users, roles
from confsim.domain.properties import Property
from confsim.domain.recordings import assets, recordings
from confsim.domain.runtime import presence, sessions, streaming
from confsim.domain.runtime.presence import Presence
from confsim.domain.telephony import calls, number_assignments, pins
from confsim.domain.users import user_images, users
from confsim.domain.users.users import BY_CHANNEL, USERS, Account, User
from confsim.kernel.influence import Cascade, Firing
from confsim.kernel.machine import Machine
from confsim.kernel.tables.indexes import Index
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.world import Change

from . import related_breakout

R = TypeVar("R", bound=Record)


def _users_made_for(change: Change, channel: Channel) -> list[User]:
    """The users made for a channel: linked ones (P2 States L171, R365), guests if they are removed with it (G309)."""
    guests_go = ask(change, assumed.GUESTS_AFTER_DELETION) == "go"
    rows = USERS.of(change, channel.client)
    if not guests_go:
        return list(rows.where(BY_CHANNEL, (channel.id, Account.LINKED)))
    return [user for user in rows.where(BY_CHANNEL, channel.id) if users.unregistered(user)]


def _itself(change: Change, channel: Channel) -> Iterable[Channel]:
    """The channel, for another machine of it."""
    return (channel,)


def _user_with_image(change: Change, user: User) -> Iterable[User]:
    """The user, if there is an image to remove."""
    return () if user.image is None else (user,)


def _room_of(change: Change, channel: Channel) -> Iterable[Room]:
    """The breakout room whose channel it is."""
    room = ROOMS.one(change, BY_PLACE, channel.id, channel.client)
    return () if room is None else (room,)


def _selection_of(change: Change, channel: Channel) -> Iterable[Selection | None]:
    """The selection of a template for the channel, or None."""
    return (template_choice.find(change, channel),)


def _present(change: Change, channel: Channel) -> Iterable[Presence]:
    """The presences in the channel and in its lobby."""
    return presence.current(change, presence.list_present(change, channel))


def _properties_of_channel(change: Change, channel: Channel) -> Iterable[Property]:
    """The properties of the channel."""
    return properties.list_of_owner(change, properties.of_channel(channel))


def _properties_of_user(change: Change, user: User) -> Iterable[Property]:
    """The properties of the user."""
    return properties.list_of_owner(change, properties.of_user(user))


def _found_by(find: Callable[[Change, str, str], R | None]) -> Callable[[Change, Channel], Iterable[R | None]]:
    """The function that yields what ``find`` finds for the client and the id of a channel."""

    def found(change: Change, channel: Channel) -> Iterable[R | None]:
        return (find(change, channel.client, channel.id),)

    return found


def _below(table: Table[Any, R], index: Index[R]) -> Callable[[Change, Any], Iterable[R]]:
    """The function that yields the records that an index has under the id of the removed record, as each is then."""

    def below(change: Change, removed: Any) -> Iterable[R]:
        for record in table.where(change, index, removed.id, removed.client):
            current = table.get(change, table.key(record), removed.client)
            if current is not None:
                yield current

    return below


def _fires(
    when: Machine[Any, Any],
    step: DeletionStep | None,
    fires: Machine[Any, Any],
    trigger: str,
    on: Callable[[Change, Any], Iterable[Any]],
    source: str,
) -> Cascade:
    return Cascade(when, step, Firing(fires, trigger, on), source=source)


# What happens to a channel that is deleted, and to others
_stops = partial(_fires, channels.MACHINE, DeletionStep.STOP)
_deletes = partial(_fires, channels.MACHINE, DeletionStep.ROOMS)
_releases = partial(_fires, channels.MACHINE, DeletionStep.RELEASE)
_removes = partial(_fires, channels.MACHINE, DeletionStep.REMOVE)
_user = partial(_fires, users.MACHINE, None)
_template = partial(_fires, templates.MACHINE, None)

DELETION: tuple[Cascade, ...] = (
    _stops(breakout_rooms.MACHINE, "close", _room_of, "G440"),
    _stops(breakout_rooms.MACHINE, "lose channel", _room_of, "G440"),
    _stops(breakouts.MACHINE, "lose the main session", related_breakout.active_in, "G440, G309"),
    _stops(broadcasts.MACHINE, "stop", _found_by(broadcasts.find_open), "G309"),
    _stops(calls.MACHINE, "hang up", _below(calls.CALLS, calls.BY_CHANNEL), "G309"),
    _stops(presence.MACHINE, "disconnect", _present, "G309"),
    _stops(recordings.MACHINE, "stop", _found_by(recordings.find_running), "G309"),
    _stops(sessions.MACHINE, "end", _found_by(sessions.find_open), "G309"),
    _deletes(channels.MACHINE, "delete", channels.list_rooms, "R374, R551"),
    _releases(friendly_urls.MACHINE, "remove", _itself, "R228, R551"),
    _releases(linked_users.MACHINE, "unlink", _below(linked_users.LINKS, linked_users.BY_CHANNEL), "R365"),
    _releases(number_assignments.MACHINE, "cancel", number_assignments.list_of_channel, "G309"),
    _releases(pins.MACHINE, "clear", pins.list_of_channel, "G309"),
    _releases(users.MACHINE, "end", _users_made_for, "P2 States L171, R365, G309"),
    _removes(breakouts.MACHINE, "delete", breakouts.list_of_channel, "G440, G309"),
    _removes(broadcasts.MACHINE, "remove", _below(broadcasts.BROADCASTS, broadcasts.BY_CHANNEL), "G309"),
    _removes(calls.MACHINE, "remove", _below(calls.CALLS, calls.BY_CHANNEL), "G309"),
    _removes(channel_images.MACHINE, "remove", _itself, "G309"),
    _removes(destinations.MACHINE, "remove", destinations.list_destinations, "G309"),
    _removes(documents.MACHINE, "remove", _below(documents.DOCUMENTS, documents.BY_LEVEL), "G309"),
    _removes(media.MACHINE, "delete", _below(media.CHANNEL_MEDIA, media.BY_CHANNEL), "G309"),
    _removes(properties.MACHINE, "remove", _properties_of_channel, "G309"),
    _removes(recordings.MACHINE, "remove", _below(recordings.RECORDINGS, recordings.BY_CHANNEL), "G309"),
    _removes(template_choice.MACHINE, "remove", _selection_of, "G309"),
    _removes(sessions.MACHINE, "remove", _below(sessions.SESSIONS, sessions.BY_CHANNEL), "G309"),
    _removes(streaming.MACHINE, "remove", _found_by(streaming.find), "G309"),
    Cascade(channels.MACHINE, DeletionStep.REMOVE, favourites.remove_of_channel, source="G309"),
    _removes(roles.MACHINE, "leave", roles.hosts_of, "G309"),
    _user(roles.MACHINE, "leave", roles.roles_of, "G542"),
    _user(credentials.MACHINE, "revoke", credentials.list_of_user, "G542"),
    _user(properties.MACHINE, "remove", _properties_of_user, "G542"),
    _user(user_images.MACHINE, "remove", _user_with_image, "G542"),
    _template(template_choice.MACHINE, "remove", templates.selections_of_template, "P2 L354, G413"),
    _template(templates.OFFER, "remove", templates.choices_of_template, "P2 L354, G413, G584"),
    _template(documents.MACHINE, "remove", _below(documents.DOCUMENTS, documents.BY_LEVEL), "P2 L354, G584"),
    _fires(linked_users.MACHINE, None, users.MACHINE, "end", linked_users.made_for, "P2 States L171, G445"),
    _fires(
        recordings.MACHINE,
        None,
        assets.MACHINE,
        "remove",
        _below(assets.ASSETS, assets.BY_RECORDING),
        "P2 L189, R365, G309",
    ),
)

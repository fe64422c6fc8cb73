"""What channels, roles in them, their links, friendly URLs and templates do to each other and to others."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeVar

from confsim.assumptions import ask, channels as assumed, telephony as assumed_telephony
from confsim.domain import properties
from confsim.domain.breakout import breakout_rooms, breakouts
from confsim.domain.breakout.breakout_rooms import BY_PLACE, ROOMS, Room
from confsim.domain.broadcast import broadcasts, destinations
from confsim.domain.channels import channel_images, channels, favourites, friendly_urls
from confsim.domain.channels.channels import Channel, DeletionStep
from confsim.domain.config import documents, template_choice, templates
from confsim.domain.config.template_choice import Selection
from confsim.domain.config.templates import Offer, TemplateState
from confsim.domain.media import media
from confsim.domain.members import linked_users, roles
from confsim.domain.members.roles import Host, Role
from confsim.domain.properties import Property
from confsim.domain.recordings import recordings
from confsim.domain.runtime import presence, sessions, streaming
from confsim.domain.runtime.presence import Presence
from confsim.domain.telephony import calls, number_assignments, pins
from confsim.domain.telephony.number_assignments import NumberAssignment
from confsim.domain.telephony.numbers import DEFAULTS, NUMBERS
from confsim.domain.users import users
from confsim.domain.users.users import BY_CHANNEL, BY_LEVEL, USERS, Account, Level, User
from confsim.kernel import ABSENT, EXISTS, Call, Cascade, Change, Coupling, Index, OnOff, Record, Table

from .breakout import active_in

R = TypeVar("R", bound=Record)

# A channel is created, or renamed


def _first_owners(change: Change, channel: Channel) -> Iterator[Call[Host]]:
    """The users who own a new channel: its creator, and the Customer Admins where that is assumed (G298)."""
    owners = [] if channel.creator is None else [channel.creator]
    if ask(change, assumed.FIRST_OWNERS) != "creator":
        admins = USERS.where(change, BY_LEVEL, Level.CUSTOMER_ADMIN, channel.client)
        owners += [admin.id for admin in admins if admin.id != channel.creator]
    for owner in owners:
        yield roles.MAKE_OWNER.on(None, channel, owner)


def _renamed(change: Change, channel: Channel) -> Iterator[Call[Host]]:
    """The hosts of the channel, who have its name."""
    for host in roles.hosts_of(change, channel):
        yield roles.rename_channel.on(host, channel.name)


def _first_assignments(change: Change, channel: Channel) -> Iterator[Call[NumberAssignment]]:
    """The enabled numbers of the client's default list, where a new channel gets them assigned (G479)."""
    found = NUMBERS.where(change, DEFAULTS, True, channel.client)
    if found and channel.parent is None and ask(change, assumed_telephony.DEFAULTS) == "assigned":
        for number in found:
            yield number_assignments.share.on(None, number.number, channel)


_created = partial(Coupling, channels.EXISTING, EXISTS)

_created(roles.MAKE_OWNER, _first_owners, by=channels.create_channel, source="P2 L188, R545, G298")
_created(roles.rename_channel, _renamed, by=channels.set_name, source="P2 L194, R381")
_created(number_assignments.share, _first_assignments, out_of=(ABSENT,), source="G479")

# A user has another role


def _host(change: Change, host: Host) -> Iterator[User]:
    """The host whose ``User.hosting`` must be recomputed; nothing once the user is deleted."""
    user = USERS.get(change, host.user, host.client)
    if user is not None and user.hosting is not roles.highest(change, user):
        yield user


for role in (*Role, ABSENT):
    Coupling(roles.MACHINE, role, roles.HAVE_ROLES, _host, source="G090, G219")

# Friendly URLs are switched off

Coupling(*(friendly_urls.SWITCH, OnOff.OFF, friendly_urls.REMOVE, friendly_urls.channels_to_clear), source="G285")

# A template is withdrawn, or removed


def _below(table: Table[Any, R], index: Index[R]) -> Callable[[Change, Any], Iterable[R]]:
    """The finder of the records that an index has under the id of the removed record, as each is then."""

    def below(change: Change, removed: Any) -> Iterator[R]:
        for record in table.where(change, index, removed.id, removed.client):
            current = table.get(change, table.key(record), removed.client)
            if current is not None:
                yield current

    return below


_DOCUMENTS = _below(documents.DOCUMENTS, documents.BY_LEVEL)
_LOST, _REMOVED = template_choice.REMOVE, "P2 L354, G413"

Coupling(
    *(templates.MACHINE, TemplateState.OWN, _LOST, templates.withdrawn_below),
    out_of=(TemplateState.INHERITABLE,),
    source="G413, G583",
)
Coupling(templates.OFFER, Offer.DISABLED, _LOST, templates.withdrawn, source="G413")
Cascade(templates.MACHINE, None, _LOST, templates.selections_of_template, source=_REMOVED)
Cascade(templates.MACHINE, None, templates.REMOVE_CHOICE, templates.choices_of_template, source=f"{_REMOVED}, G584")
Cascade(templates.MACHINE, None, documents.REMOVE, _DOCUMENTS, source="P2 L354, G584")

# A link is removed

Cascade(linked_users.LINKED, None, users.END, linked_users.made_for, source="P2 States L171, G445")

# A channel is removed (R365, R374, R551, G309)


def _found_by(find: Callable[[Change, str, str], R | None]) -> Callable[[Change, Channel], Iterable[R | None]]:
    """The finder of what ``find`` finds for the client and the id of a channel."""

    def found(change: Change, channel: Channel) -> Iterable[R | None]:
        return (find(change, channel.client, channel.id),)

    return found


def _room_of(change: Change, channel: Channel) -> Iterable[Room | None]:
    """The breakout room whose channel it is."""
    return (ROOMS.one(change, BY_PLACE, channel.id, channel.client),)


def _present(change: Change, channel: Channel) -> Iterable[Presence]:
    """The presences in the channel and in its lobby."""
    return presence.current(change, presence.list_present(change, channel))


def _erased(find: Callable[[Change, Channel], Iterable[R]]) -> Callable[[Change, Channel], Iterable[R]]:
    """The finder of history of a channel, which finds nothing where history is kept."""

    def erased(change: Change, channel: Channel) -> Iterable[R]:
        found = tuple(find(change, channel))
        return found if found and ask(change, assumed.HISTORY) == "erased" else ()

    return erased


_stops = partial(Cascade, channels.EXISTING, DeletionStep.STOP)
_CALLS = _below(calls.CALLS, calls.BY_CHANNEL)
_RECORDINGS = _erased(_below(recordings.RECORDINGS, recordings.BY_CHANNEL))

_stops(breakout_rooms.CLOSE, _room_of, source="G440")
_stops(breakout_rooms.LOSE_CHANNEL, _room_of, source="G440")
_stops(breakouts.LOSE_MAIN, active_in, source="G440, G309")
_stops(broadcasts.STOP, _found_by(broadcasts.find_open), source="G309")
_stops(calls.hang_up, _CALLS, source="G309")
_stops(presence.DISCONNECT, _present, source="G309")
_stops(recordings.STOP, _found_by(recordings.find_running), source="G309")
_stops(sessions.END, _found_by(sessions.find_open), source="G309")
_stops(streaming.REMOVE, _found_by(streaming.find), source="P1 States L178, R111, G349")

Cascade(channels.EXISTING, DeletionStep.ROOMS, channels.delete, channels.list_rooms, source="R374, R551")


def _itself(change: Change, channel: Channel) -> Iterable[Channel]:
    """The channel, for another machine of it."""
    return (channel,)


def _users_made_for(change: Change, channel: Channel) -> list[User]:
    """The users made for a channel: linked ones (P2 States L171, R365), guests if they are removed with it (G309)."""
    guests_go = ask(change, assumed.GUESTS_AFTER_DELETION) == "go"
    rows = USERS.of(change, channel.client)
    if not guests_go:
        return list(rows.where(BY_CHANNEL, (channel.id, Account.LINKED)))
    return [user for user in rows.where(BY_CHANNEL, channel.id) if users.unregistered(user)]


_releases = partial(Cascade, channels.EXISTING, DeletionStep.RELEASE)

_releases(friendly_urls.REMOVE, _itself, source="R228, R551")
_releases(linked_users.UNLINK, _below(linked_users.LINKS, linked_users.BY_CHANNEL), source="R365")
_releases(number_assignments.cancel, number_assignments.list_of_channel, source="G309")
_releases(pins.CLEAR, pins.list_of_channel, source="G309")
_releases(recordings.LOSE_CHANNEL, _RECORDINGS, source="R364, G309")
_releases(users.END, _users_made_for, source="P2 States L171, R365, G309")


def _properties_of(change: Change, channel: Channel) -> Iterable[Property]:
    """The properties of the channel."""
    return properties.list_of_owner(change, properties.of_channel(channel))


def _selection_of(change: Change, channel: Channel) -> Iterable[Selection | None]:
    """The selection of a template for the channel, or None."""
    return (template_choice.find(change, channel),)


_removes = partial(Cascade, channels.EXISTING, DeletionStep.REMOVE)

_removes(breakouts.DELETE, breakouts.list_of_channel, source="G440, G309")
_removes(broadcasts.REMOVE, _below(broadcasts.BROADCASTS, broadcasts.BY_CHANNEL), source="G309")
_removes(calls.REMOVE, _erased(_CALLS), source="G309")
_removes(channel_images.REMOVE, _itself, source="G309")
_removes(destinations.REMOVE, destinations.list_destinations, source="G309")
_removes(documents.REMOVE, _DOCUMENTS, source="G309")
_removes(media.delete, _below(media.CHANNEL_MEDIA, media.BY_CHANNEL), source="G309")
_removes(properties.remove, _properties_of, source="G309")
_removes(recordings.REMOVE, _RECORDINGS, source="G309")
_removes(template_choice.REMOVE, _selection_of, source="G309")
_removes(sessions.REMOVE, _erased(_below(sessions.SESSIONS, sessions.BY_CHANNEL)), source="G309")
_removes(None, favourites.remove_of_channel, source="G309")
_removes(roles.LEAVE, roles.hosts_of, source="G309")

"""The users whose favourite a channel is. No documented call sets them."""

from collections.abc import Iterable

from confsim.domain.users.users import User
from confsim.kernel import Change, Index, Record, Table

from .channels import Channel


class Favourite(Record, kw_only=True):
    """A channel that is a favourite of a user."""

    client: str
    channel: str
    user: int

    @property
    def key(self) -> str:
        """The key of the record."""
        return f"{self.channel}/{self.user}"


FAVOURITES_OF: Index[Favourite] = Index("channel", "channel")
FAVOURITES: Table[str, Favourite] = Table("favourites", Favourite, "key", FAVOURITES_OF, names={"channel": "channels"})


def ids(change: Change, channel: Channel) -> list[int]:
    """The ids of the users whose favourite the channel is."""
    return [favourite.user for favourite in FAVOURITES.where(change, FAVOURITES_OF, channel.id, channel.client)]


def count(change: Change, channel: Channel) -> int:
    """The number of users whose favourite the channel is."""
    return len(FAVOURITES.where(change, FAVOURITES_OF, channel.id, channel.client))


def is_favourite(change: Change, channel: Channel, user: User | None) -> bool:
    """Whether the channel is a favourite of the user."""
    return user is not None and f"{channel.id}/{user.id}" in FAVOURITES.of(change, channel.client)


def replace(change: Change, channel: Channel, users: Iterable[int]) -> None:
    """Make the channel the favourite of these users, by id, and of nobody else."""
    remove_of_channel(change, channel)
    rows = FAVOURITES.of(change, channel.client)
    for user in users:
        rows.put(Favourite(client=channel.client, channel=channel.id, user=user))


def remove_of_channel(change: Change, channel: Channel) -> None:
    """Remove the favourites of a channel that is deleted (G309)."""
    rows = FAVOURITES.of(change, channel.client)
    for favourite in rows.where(FAVOURITES_OF, channel.id):
        rows.remove(favourite.key)

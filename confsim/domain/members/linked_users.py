"""Users linked to a channel: regular ones, and guest-like ones made for it, to be assigned to breakout rooms."""

from confsim.assumptions import Reason, ask, members as assumed
from confsim.domain.channels.channels import Channel
from confsim.domain.clients.clients import Client
from confsim.domain.identity import invitations
from confsim.domain.users import handles, users
from confsim.domain.users.users import USERS, Account, User
from confsim.kernel import ABSENT, EXISTS, Change, Collection, Guard, Index, Record, Refusal, Row, Table


class Link(Record, kw_only=True):
    """A user linked to a channel; ``made_for`` is true for one made for it, who is removed with the link."""

    client: str
    channel: str
    user: int
    made_for: bool = False

    @property
    def key(self) -> str:
        """The key of the record."""
        return f"{self.channel}/{self.user}"


BY_CHANNEL: Index[Link] = Index("channel", "channel")
LINKS: Table[str, Link] = Table("linked users", Link, "key", BY_CHANNEL)


def made_for(change: Change, link: Link) -> list[User]:
    """The user of the link if made for the channel; none for a regular one (G445)."""
    user = USERS.get(change, link.user, link.client)
    return [user] if link.made_for and user is not None and user.account is Account.LINKED else []


LINKED: Collection[Link] = Collection(
    "linked user", "A user linked to a channel (R365, R469-R473).", LINKS, refused=Reason.NOT_LINKED
)
_CREATE = LINKED.added("create", source="P2 L287, R469")
UNLINK = LINKED.removed("unlink", source="P2 States L171, R365, G445")


@LINKED.effect("link", refused=Reason.NOT_REGULAR, details=lambda change, link, channel, user: {"id": user.id})
def _link(change: Change, link: Link | None, channel: Channel, user: User) -> Link:
    """A regular user stands among the linked users of the channel; no change for one who does already."""
    return link or Link(client=channel.client, channel=channel.id, user=user.id)


_REGULAR = Guard("the user is registered", lambda change, link, channel, user: not users.unregistered(user))

LINKED.declare(
    *LINKED.rows,
    Row(_link, ABSENT, EXISTS, only_if=_REGULAR, source="P2 L288, R473, G444"),
    Row(_link, EXISTS, EXISTS, source="P2 L288, G444, G537"),
)


def _find(change: Change, channel: Channel, user: int) -> Link | None:
    return LINKS.get(change, f"{channel.id}/{user}", channel.client)


def create(change: Change, client: Client, channel: Channel, handle: str, ttl: int | None) -> User:
    """A named guest-like user linked to the channel, with an invitation for ``ttl`` milliseconds (R469-R471).

    Refusals LINKED_HANDLE_TAKEN (G447), and HANDLE_TAKEN when unregistered users may not have the handles of
    registered ones (G232).
    """
    if ask(change, assumed.LINKED_HANDLES) == "refuse" and any(
        user.handle == handle and user.account is Account.LINKED for user in list_linked(change, channel)
    ):
        raise Refusal(Reason.LINKED_HANDLE_TAKEN, handle=handle)
    handles.require_usable(change, client, handle, channel=channel.id)
    user = users.create(change, client.id, handle, Account.LINKED, channel=channel.id)
    _CREATE(change, Link(client=channel.client, channel=channel.id, user=user.id, made_for=True))
    invitations.create(change, user, ttl)
    return user


def link(change: Change, channel: Channel, user: User) -> None:
    """Link a regular user to the channel; no change when linked already. Refusal NOT_REGULAR (G444)."""
    _link(change, _find(change, channel, user.id), channel, user)


def unlink(change: Change, channel: Channel, user: User) -> None:
    """Remove the link; a user who was made for the channel is removed. Refusal NOT_LINKED."""
    found = _find(change, channel, user.id)
    if found is None:
        raise Refusal(Reason.NOT_LINKED, id=user.id)
    UNLINK(change, found)


def is_linked(change: Change, channel: Channel, user: int) -> bool:
    """Whether the user is linked to the channel."""
    return f"{channel.id}/{user}" in LINKS.of(change, channel.client)


def list_linked(change: Change, channel: Channel) -> list[User]:
    """The linked users of the channel, in the order in which they were linked (R473)."""
    people = USERS.of(change, channel.client)
    found = LINKS.where(change, BY_CHANNEL, channel.id, channel.client)
    return [user for each in found if (user := people.get(each.user)) is not None]

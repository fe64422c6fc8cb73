"""The selection of a template for a channel."""

from collections.abc import Iterable, Iterator

from confsim.assumptions import Reason
from confsim.domain.channels.channels import Channel
from confsim.domain.conventions import require_filled
from confsim.kernel import Change, Collection, Index, Record, Refusal, Table, replace


class Selection(Record):
    """The template that a channel uses."""

    channel: str
    template: str
    client: str


BY_TEMPLATE: Index[Selection] = Index("template", "template")
SELECTIONS: Table[str, Selection] = Table("template selections", Selection, "channel", BY_TEMPLATE)


SELECTED: Collection[Selection] = Collection(
    "template selection",
    "The template that a channel uses, if any (R322, R438, G586).",
    SELECTIONS,
    refused=Reason.NOT_FOUND,
)
_SELECT = SELECTED.added("select", source="P2 L250, L354, G586")
REMOVE = SELECTED.removed("remove", source="P2 L354, G586")


@SELECTED.changed("select another", source="P2 L354, G586")
def _exchange(change: Change, selection: Selection, template: str) -> Selection:
    """The channel uses this template, in place of another."""
    return replace(selection, template=template)


def find(change: Change, channel: Channel) -> Selection | None:
    """The selection of the channel, or None."""
    return SELECTIONS.get(change, channel.id, channel.client)


def select(change: Change, channel: Channel, template: str, *, enabled: bool) -> None:
    """Select the template for the channel. Refusal TEMPLATE_DISABLED when the client does not offer it."""
    if not enabled:
        raise Refusal(Reason.TEMPLATE_DISABLED, id=template)
    selection = find(change, channel)
    if selection is None:
        _SELECT(change, Selection(channel.id, template, channel.client))
    else:
        _exchange(change, selection, template)


def deselect(change: Change, channel: Channel) -> None:
    """Remove the channel's selection. Refusal NOT_FOUND when there is none and that is refused (G536)."""
    selection = find(change, channel)
    require_filled(change, "template of channel", channel.id, empty=selection is None)
    REMOVE.if_allowed(change, selection)


def find_selected(change: Change, channel: Channel) -> str | None:
    """The id of the template that the channel uses, or None."""
    selection = find(change, channel)
    return None if selection is None else selection.template


def is_used(change: Change, scope: list[str], template: str) -> bool:
    """Whether a channel of one of the clients uses the template."""
    return any(SELECTIONS.where(change, BY_TEMPLATE, template, client) for client in scope)


def selections(change: Change, scope: Iterable[str], template: str) -> Iterator[Selection]:
    """The selections of the template by channels of these clients."""
    for client in scope:
        yield from SELECTIONS.where(change, BY_TEMPLATE, template, client)

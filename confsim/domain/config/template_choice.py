"""Which template a channel uses."""

from __future__ import annotations

from enum import Enum

from confsim.assumptions.refusals import Reason
from confsim.domain import repeats
from confsim.domain.channels.channels import Channel
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.world import Change


class Use(Enum):
    """Whether a channel uses a template."""

    NONE = "none"
    SELECTED = "selected"


class Selection(Record):
    """The template that a channel uses."""

    channel: str
    template: str


BY_TEMPLATE: Index[Selection] = Index("template", lambda selection: (selection.template,))
SELECTIONS: Table[str, Selection] = Table("template selections", Selection, "channel", BY_TEMPLATE)


class Place(Record):
    """A channel of a client and the id of the template that it uses: what the machine of its selection moves."""

    client: str
    channel: str
    template: str | None


def _select(change: Change, place: Place, facts: Facts) -> Place:
    """The channel uses this template, in the place of another."""
    SELECTIONS.of(change, place.client).put(Selection(place.channel, facts["id"]))
    return Place(place.client, place.channel, facts["id"])


def _deselect(change: Change, place: Place, facts: Facts) -> Place:
    """The channel uses no template."""
    SELECTIONS.of(change, place.client).remove(place.channel)
    return Place(place.client, place.channel, None)


_IS_OFFERED = Guard("the client offers it", lambda place, facts: facts["enabled"])

MACHINE: Machine[Use, Place] = Machine(
    "template selection",
    "The template that a channel uses, if any (R322, R438, G586).",
    Use,
    (
        Row(
            "select",
            (Use.NONE, Use.SELECTED),
            Use.SELECTED,
            only_if=_IS_OFFERED,
            effect=_select,
            source="P2 L250, L354, G586",
        ),
        Row("remove", Use.SELECTED, Use.NONE, effect=_deselect, source="P2 L354, G586"),
        Row("remove", Use.NONE, Use.NONE, source="G536"),
    ),
    read=lambda place, facts: Use.NONE if place.template is None else Use.SELECTED,
    refusals={"select": Reason.TEMPLATE_DISABLED, None: Reason.NOT_FOUND},
    initial=Use.NONE,
)


def select(change: Change, channel: Channel, template: str, *, enabled: bool) -> None:
    """Let the channel use the template. Refusal TEMPLATE_DISABLED when the client does not offer it."""
    MACHINE.fire(change, _place(change, channel), "select", id=template, enabled=enabled)


def deselect(change: Change, channel: Channel) -> None:
    """Let the channel use no template. Refusal NOT_FOUND where an empty slot is refused (G536)."""
    place = _place(change, channel)
    repeats.allow_empty(change, "template of channel", channel.id, empty=place.template is None)
    MACHINE.fire(change, place, "remove")


def selected(change: Change, channel: Channel) -> str | None:
    """The id of the template that the channel uses, or None."""
    return _place(change, channel).template


def used(change: Change, scope: list[str], template: str) -> bool:
    """Whether a channel of one of the clients uses the template."""
    return any(SELECTIONS.of(change, client).find(BY_TEMPLATE, template) for client in scope)


def drop(change: Change, scope: list[str], template: str) -> None:
    """Take the template from every channel of the clients that uses it."""
    for client in scope:
        for selection in SELECTIONS.of(change, client).find(BY_TEMPLATE, template):
            MACHINE.fire(change, Place(client, selection.channel, template), "remove")


def _place(change: Change, channel: Channel) -> Place:
    selection = SELECTIONS.of(change, channel.client).get(channel.id)
    return Place(channel.client, channel.id, None if selection is None else selection.template)


def remove_of_channel(change: Change, channel: Channel) -> None:
    """The choice of a template goes with the channel (G309)."""
    MACHINE.fire(change, _place(change, channel), "remove")

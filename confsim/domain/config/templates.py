"""Settings templates: visibility, changes, inheritance by sub-clients, and offers to channels."""

from collections.abc import Iterator, Sequence
from enum import Enum, StrEnum
from itertools import chain

from msgspec import Struct

from confsim.assumptions import Reason, ask, config as assumed, not_found, note
from confsim.assumptions.protocol.conventions import TEXT_ORDER
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.conventions import fresh_id, require_change
from confsim.domain.lists import FilteredSequence, MappedSequence
from confsim.kernel import (
    ABSENT,
    CREATED,
    Change,
    Guard,
    Index,
    Machine,
    Order,
    Record,
    Refusal,
    Row,
    Table,
    Toggle,
    View,
    merged,
    replace,
)

from . import template_choice
from .template_choice import Selection


class TemplateState(Enum):
    """Whether sub-clients may enable a template."""

    INHERITABLE = "inheritable"
    OWN = "own"


class Offer(StrEnum):
    """Whether a client offers a template to its channels; each client decides for itself (G411)."""

    DISABLED = "disabled"
    ENABLED = "enabled"


class Template(Record, kw_only=True):
    """One template of the client that made it."""

    id: str
    client: str
    name: str
    inheritable: bool = False


class Choice(Record):
    """The decision of a client on offering one template, its own or an inherited one."""

    template: str
    offer: Offer
    client: str


NAME: Order[Template] = Order("name", "name", key=str.casefold)
#: The inheritable templates, under True.
INHERITABLE: Index[Template] = Index(
    "inheritable", "inheritable", of=lambda inheritable: (True,) if inheritable else (), orders=(CREATED, NAME)
)
TEMPLATES: Table[str, Template] = Table("templates", Template, "id", INHERITABLE, orders=(CREATED, NAME))
OFFERED: Index[Choice] = Index("offer", "offer")
CHOICES: Table[str, Choice] = Table("template choices", Choice, "template", OFFERED)


class VisibleTemplate(Struct, frozen=True):
    """A template as one client sees it, with that client's own offer."""

    client: str
    template: Template
    offer: Offer

    @property
    def id(self) -> str:
        """The id of the template."""
        return self.template.id

    @property
    def enabled(self) -> bool:
        """Whether the client offers the template to its channels."""
        return self.offer is Offer.ENABLED

    @property
    def inherited(self) -> bool:
        """Whether the template belongs to a client above."""
        return self.template.client != self.client


def _below(change: Change, client: str) -> list[str]:
    """The ids of every client below this one."""
    return [each.id for each in clients.descendants(change, clients.get(change, client)) if each.id != client]


def _scope(change: Change, template: Template) -> list[str]:
    """The ids of the clients whose channels may use the template: its own, and every client below."""
    return [template.client, *_below(change, template.client)]


def _is_held(change: Change, template: Template, scope: list[str]) -> bool:
    """Whether use by channels of these clients prevents a withdrawal of the template (G413)."""
    return template_choice.is_used(change, scope, template.id) and ask(change, assumed.IN_USE) == "refuse"


def _note_use(change: Change, template: Template, scope: list[str]) -> None:
    """Note that channels of these clients use the template, whichever way it is turned: a withdrawal depends on it."""
    if template_choice.is_used(change, scope, template.id):
        note(change, assumed.IN_USE)


_FREE = "no use by a channel prevents it"


def _about(change: Change, template: Template) -> dict[str, str]:
    return {"name": template.name}


_FREE_BELOW = Guard(_FREE, lambda change, template: not _is_held(change, template, _below(change, template.client)))
_FREE_EVERYWHERE = Guard(_FREE, lambda change, template: not _is_held(change, template, _scope(change, template)))
MACHINE = Toggle(
    "settings template",
    "A template of the client that made it, for its own channels or for sub-clients too (R320, R440, G583, G584).",
    TEMPLATES,
    "inheritable",
    TemplateState,
    words=("allow", "disallow"),
    only_if=(None, _FREE_BELOW),
    refused={ABSENT: Reason.NOT_FOUND, None: Reason.TEMPLATE_IN_USE},
    details=_about,
    sources=("P2 L120, L250, R440, G583", "P2 L354, G413, G583"),
)
_CREATE = MACHINE.added("create", into=TemplateState.OWN, source="P2 L354, G584")
_REMOVE = MACHINE.removed("remove", only_if=_FREE_EVERYWHERE, details=_about, source="P2 L354, G413, G584")

_DISABLED, _ENABLED = Offer

OFFER: Machine[Offer, Choice] = Machine(
    "template offer",
    "Whether a client offers a template, its own or an inherited one, to its channels (R320, R440, G411, G585).",
    CHOICES,
    Offer,
    state="offer",
    refused=Reason.NOT_FOUND,
)
REMOVE_CHOICE = OFFER.trigger("remove")


def _about_offered(change: Change, choice: Choice | None, template: Template, client: str) -> dict[str, str]:
    return {"name": template.name}


@OFFER.effect("enable", details=_about_offered)
def _enable(change: Change, choice: Choice | None, template: Template, client: str) -> Choice:
    """The client offers the template, regardless of what it inherits."""
    return Choice(template.id, _ENABLED, client)


@OFFER.effect("disable", refused=Reason.TEMPLATE_IN_USE, details=_about_offered)
def _disable(change: Change, choice: Choice | None, template: Template, client: str) -> Choice:
    """The client does not offer the template, regardless of what it inherits."""
    return Choice(template.id, _DISABLED, client)


_FREE_HERE = Guard(_FREE, lambda change, choice, template, client: not _is_held(change, template, [client]))

OFFER.declare(
    Row(_enable, ABSENT, _ENABLED, source="P2 L120, L354, G411"),
    Row(_enable, tuple(Offer), _ENABLED, effect=None, source="P2 L120, L354, G411, G537"),
    Row(_disable, ABSENT, _DISABLED, only_if=_FREE_HERE, source="P2 L354, G413"),
    Row(_disable, tuple(Offer), _DISABLED, only_if=_FREE_HERE, effect=None, source="P2 L354, G413, G537"),
    Row(REMOVE_CHOICE, tuple(Offer), ABSENT, source="G413"),
)


def create(change: Change, client: Client, name: str) -> VisibleTemplate:
    """A new template of the client, enabled and inheritable according to G584."""
    template = _CREATE(change, Template(id=fresh_id(change), client=client.id, name=name))
    if ask(change, assumed.NEW_INHERITABLE):
        template = MACHINE.on(change, template)
    visible = VisibleTemplate(client.id, template, Offer.DISABLED)
    if ask(change, assumed.NEW_ENABLED):
        _enable(change, None, template, client.id)
        visible = replace(visible, offer=Offer.ENABLED)
    return visible


def rename(change: Change, visible: VisibleTemplate, name: str) -> None:
    """Rename the template. Refusal TEMPLATE_INHERITED for one of a client above (G411)."""
    template = require_own(visible)
    TEMPLATES.of(change, template.client).update(template, name=name)


def remove(change: Change, visible: VisibleTemplate) -> None:
    """Remove the template from everywhere. Refusals TEMPLATE_INHERITED, TEMPLATE_IN_USE (G411, G413)."""
    _REMOVE(change, require_own(visible))


def share(change: Change, visible: VisibleTemplate, trigger: str) -> None:
    """Allow or disallow sub-clients to use the template. Refusals TEMPLATE_INHERITED, TEMPLATE_IN_USE."""
    template = require_own(visible)
    switch = MACHINE.to(trigger)
    require_change(change, trigger, holds=switch.holds(template))
    _note_use(change, template, _below(change, template.client))
    switch(change, template)


def offer(change: Change, visible: VisibleTemplate, trigger: str) -> None:
    """Enable or disable the template for the channels of this client alone. Refusal TEMPLATE_IN_USE (G413)."""
    require_change(change, trigger, holds=visible.enabled is (trigger == "enable"))
    _note_use(change, visible.template, [visible.client])
    choice = CHOICES.get(change, visible.id, visible.client)
    (_enable if trigger == "enable" else _disable)(change, choice, visible.template, visible.client)


def require_own(visible: VisibleTemplate) -> Template:
    """The template, when it is the client's own. Refusal TEMPLATE_INHERITED when it is not (G411)."""
    if visible.inherited:
        raise Refusal(Reason.TEMPLATE_INHERITED, id=visible.id)
    return visible.template


def get(change: Change, client: Client, id: str) -> VisibleTemplate:
    """A template that the client may see: its own, or an inheritable one from above. Refusal NOT_FOUND (G408)."""
    for each in _sources(change, client):
        rows = TEMPLATES.of(change, each.id)
        template = rows.get(id) or rows.get(id.lower())
        if template is not None and (each.id == client.id or template.inheritable):
            return _as_seen_by(change, client, template)
    return not_found("template", id)


def list_templates(
    change: Change, client: Client, *, shown: bool = False, inheritable: bool = False, offered: bool = False
) -> Sequence[VisibleTemplate]:
    """Every template that the client may see, by name or in order of creation (G414).

    Where they are ``shown`` in the list of templates, inherited ones may be left out (G411); ``inheritable`` leaves out
    those that clients below do not see, ``offered`` those that the client does not offer to its channels.
    """
    views = [_visible_in(change, client, each, inheritable=inheritable) for each in _sources(change, client)]
    if shown and any(views[1:]) and not ask(change, assumed.INHERITED_LISTED):
        views = views[:1]
    if ask(change, assumed.ORDER) != "name":
        found: Sequence[Template] = [*chain.from_iterable(views)]
    elif any(views) and ask(change, TEXT_ORDER) != "caseless":
        found = sorted(chain.from_iterable(views), key=lambda template: template.name)
    else:
        found = merged((view.by(NAME) for view in views), one_table=False)
    if offered:
        others = len(found) - _number_offered(change, client, views, inheritable=inheritable)
        if others:
            found = FilteredSequence(found, lambda template: not _offers(change, client, template), others)
    return MappedSequence(found, lambda template: _as_seen_by(change, client, template))


def list_inherited(change: Change, client: Client) -> list[VisibleTemplate]:
    """The templates that the client inherits: those from furthest above first, each client's in order of creation."""
    above = [_visible_in(change, client, each) for each in _sources(change, client) if each.id != client.id]
    return [_as_seen_by(change, client, template) for view in reversed(above) for template in view]


def list_for_channel(change: Change, client: Client, channel: Channel) -> Sequence[VisibleTemplate]:
    """The templates to choose from for a channel (G410)."""
    how = ask(change, assumed.LISTED)
    if how == "selected":
        used = find_selected(change, client, channel)
        return [] if used is None else [used]
    return list_templates(change, client, offered=how != "all")


def find_selected(change: Change, client: Client, channel: Channel) -> VisibleTemplate | None:
    """The template that the channel uses, for a breakout room that of its event room if it has no other (G438).

    It may be one that is no longer offered (G413).
    """
    id = template_choice.find_selected(change, channel)
    if id is None:
        id = template_choice.find_selected(change, channels.governing(change, channel))
    if id is None:
        return None
    found = (TEMPLATES.get(change, id, each.id) for each in clients.ancestors(change, client))
    return next((_as_seen_by(change, client, template) for template in found if template is not None), None)


def _sources(change: Change, client: Client) -> Iterator[Client]:
    """The client and those above whose templates it may inherit, the nearest first (G411)."""
    for distance, each in enumerate(clients.ancestors(change, client)):
        if distance > 1 and ask(change, assumed.INHERITED_FROM) == "parent":
            return
        yield each


def _visible_in(change: Change, client: Client, giver: Client, *, inheritable: bool = False) -> View[Template]:
    """The templates of one of its ``_sources`` that the client may see: its own, or inheritable ones alone."""
    rows = TEMPLATES.of(change, giver.id)
    return rows.all if giver.id == client.id and not inheritable else rows.where(INHERITABLE, True)


def _as_seen_by(change: Change, client: Client, template: Template) -> VisibleTemplate:
    return VisibleTemplate(client.id, template, Offer.ENABLED if _offers(change, client, template) else Offer.DISABLED)


def _offers(change: Change, client: Client, template: Template) -> bool:
    """Whether the client offers a template that it sees to its channels: as it chose, or inherits it (G411)."""
    choice = CHOICES.get(change, template.id, client.id)
    if choice is not None:
        return choice.offer is Offer.ENABLED
    return template.client != client.id and ask(change, assumed.INHERITED_ENABLED)


def _number_offered(change: Change, client: Client, views: Sequence[View[Template]], *, inheritable: bool) -> int:
    """The number of templates of its ``views`` that the client offers.

    Unless they are ``inheritable``, its own are counted by the choices that are stored: those of the client, minus its
    choices of templates from above, some of which it may no longer see.
    """
    own, *above = views
    number = sum(_offers(change, client, template) for view in above for template in view)
    if inheritable:
        return number + sum(_offers(change, client, template) for template in own)
    givers = [each.id for each in clients.ancestors(change, client) if each.id != client.id]
    elsewhere = (template for giver in givers for template in TEMPLATES.of(change, giver).all)
    choices = (CHOICES.get(change, template.id, client.id) for template in elsewhere)
    inherited = len([choice for choice in choices if choice is not None and choice.offer is Offer.ENABLED])
    return number + len(CHOICES.where(change, OFFERED, Offer.ENABLED, client.id)) - inherited


def withdrawn_below(change: Change, template: Template) -> Iterator[Selection]:
    """The selections by channels of clients below, which lose a template that they no longer inherit (G413)."""
    return _selections_to_remove(change, template.id, _below(change, template.client))


def withdrawn(change: Change, choice: Choice) -> Iterator[Selection]:
    """The selections by channels of the client, which lose a template that it no longer offers (G413)."""
    return _selections_to_remove(change, choice.template, [choice.client])


def _selections_to_remove(change: Change, template: str, scope: list[str]) -> Iterator[Selection]:
    if template_choice.is_used(change, scope, template) and ask(change, assumed.IN_USE) == "lose":
        yield from template_choice.selections(change, scope, template)


def choices_of_template(change: Change, template: Template) -> list[Choice]:
    """The clients' decisions on the template."""
    found = (CHOICES.get(change, template.id, client) for client in _scope(change, template))
    return [choice for choice in found if choice is not None]


def selections_of_template(change: Change, template: Template) -> list[Selection]:
    """The selections of the template by channels of its client and of those below."""
    return list(template_choice.selections(change, _scope(change, template), template.id))

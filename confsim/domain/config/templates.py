"""Settings templates: who may see them, who may change them, and which are enabled."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from msgspec.structs import replace

from confsim.assumptions import config as assumed
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain import repeats
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.lists import text_key
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Record, Table
from confsim.kernel.world import Change

from . import documents, template_choice


class State(Enum):
    """Whether a template is there, and whether sub-clients may enable it."""

    ABSENT = "absent"
    OWN = "own"
    INHERITABLE = "inheritable"


class Offer(Enum):
    """Whether a client offers a template to its channels; each client says so for itself (G411)."""

    DISABLED = "disabled"
    ENABLED = "enabled"


class Template(Record, kw_only=True):
    """One template of the client that made it."""

    id: str
    client: str
    name: str
    inheritable: bool = False


class Choice(Record):
    """What a client has said about one template, its own or an inherited one."""

    template: str
    offer: Offer


TEMPLATES: Table[str, Template] = Table("templates", Template, "id")
CHOICES: Table[str, Choice] = Table("template choices", Choice, "template")


class Offered(Record):
    """A template as one client sees it; whether it is enabled each client says for itself."""

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


class Slot(Record):
    """The place of one template of a client, taken or not: what the machine of its life moves."""

    client: str
    template: Template | None


def _make(change: Change, slot: Slot, facts: Facts) -> Slot:
    """A template with a fresh id; sub-clients do not see it."""
    return _keep(change, Template(id=change.uuid(), client=slot.client, name=facts["name"]))


def _share(change: Change, slot: Slot, facts: Facts) -> Slot:
    """Sub-clients see the template and may enable it."""
    assert slot.template is not None
    return _keep(change, replace(slot.template, inheritable=True))


def _withdraw(change: Change, slot: Slot, facts: Facts) -> Slot:
    """Sub-clients no longer see the template; their channels keep it or lose it (G413)."""
    assert slot.template is not None
    if facts["lose"]:
        template_choice.drop(change, _below(change, slot.client), slot.template.id)
    return _keep(change, replace(slot.template, inheritable=False))


def _remove(change: Change, slot: Slot, facts: Facts) -> Slot:
    """The template goes from every channel, with its configuration and with what clients said about it."""
    assert slot.template is not None
    id = slot.template.id
    everyone = [slot.client, *_below(change, slot.client)]
    template_choice.drop(change, everyone, id)
    for client in everyone:
        if id in CHOICES.of(change, client):
            CHOICES.of(change, client).remove(id)
    documents.forget(change, slot.client, id)
    TEMPLATES.of(change, slot.client).remove(id)
    return Slot(slot.client, None)


def _offer(change: Change, seen: Offered, facts: Facts) -> Offered:
    """The client offers the template to its channels."""
    return _say(change, seen, Offer.ENABLED)


def _hide(change: Change, seen: Offered, facts: Facts) -> Offered:
    """The client no longer offers the template; its channels keep it or lose it (G413)."""
    if facts["lose"]:
        template_choice.drop(change, [seen.client], seen.id)
    return _say(change, seen, Offer.DISABLED)


def _keep(change: Change, template: Template) -> Slot:
    return Slot(template.client, TEMPLATES.of(change, template.client).put(template))


def _say(change: Change, seen: Offered, offer: Offer) -> Offered:
    CHOICES.of(change, seen.client).put(Choice(seen.id, offer))
    return replace(seen, offer=offer)


def _state(slot: Slot, facts: Facts) -> State:
    if slot.template is None:
        return State.ABSENT
    return State.INHERITABLE if slot.template.inheritable else State.OWN


_FREE = Guard("no channel holds it", lambda subject, facts: not facts["held"])
_THERE = (State.OWN, State.INHERITABLE)

MACHINE: Machine[State, Slot] = Machine(
    "settings template",
    "A template of the client that made it, for its own channels or for sub-clients too (R320, R440, G583, G584).",
    State,
    (
        Row("create", State.ABSENT, State.OWN, effect=_make, source="P2 L354, G584"),
        Row("allow", _THERE, State.INHERITABLE, effect=_share, source="P2 L120, L250, R440, G583"),
        Row("disallow", _THERE, State.OWN, only_if=_FREE, effect=_withdraw, source="P2 L354, G413, G583"),
        Row("remove", _THERE, State.ABSENT, only_if=_FREE, effect=_remove, source="P2 L354, G413, G584"),
    ),
    read=_state,
    refusals={None: Reason.TEMPLATE_IN_USE},
    initial=State.ABSENT,
)

OFFER: Machine[Offer, Offered] = Machine(
    "template offer",
    "Whether a client offers a template, its own or an inherited one, to its channels (R320, R440, G411, G585).",
    Offer,
    (
        Row(
            "enable", (Offer.DISABLED, Offer.ENABLED), Offer.ENABLED, effect=_offer, source="P2 L120, L354, G411, G537"
        ),
        Row(
            "disable",
            (Offer.DISABLED, Offer.ENABLED),
            Offer.DISABLED,
            only_if=_FREE,
            effect=_hide,
            source="P2 L354, G413, G537",
        ),
    ),
    read=lambda seen, facts: seen.offer,
    refusals={None: Reason.TEMPLATE_IN_USE},
    initial=Offer.DISABLED,
)


def create(change: Change, client: Client, name: str) -> Offered:
    """A new template of the client, enabled and inheritable or not as G584 says."""
    slot = MACHINE.fire(change, Slot(client.id, None), "create", name=name)
    if ask(change, assumed.NEW_INHERITABLE):
        slot = MACHINE.fire(change, slot, "allow")
    assert slot.template is not None
    seen = Offered(client.id, slot.template, Offer.DISABLED)
    return OFFER.fire(change, seen, "enable") if ask(change, assumed.NEW_ENABLED) else seen


def rename(change: Change, seen: Offered, name: str) -> None:
    """Give the template another name. Refusal TEMPLATE_INHERITED for one from above (G411)."""
    template = owned(seen)
    TEMPLATES.of(change, template.client).put(replace(template, name=name))


def remove(change: Change, seen: Offered) -> None:
    """Remove the template from everywhere. Refusals TEMPLATE_INHERITED, TEMPLATE_IN_USE (G411, G413)."""
    template = owned(seen)
    scope = [template.client, *_below(change, template.client)]
    MACHINE.fire(change, Slot(template.client, template), "remove", **_in_use(change, template, scope))


def share(change: Change, seen: Offered, event: str) -> None:
    """Allow or disallow sub-clients to use the template. Refusals TEMPLATE_INHERITED, TEMPLATE_IN_USE."""
    template = owned(seen)
    repeats.allow(change, event, holds=template.inheritable is (event == "allow"))
    facts = _in_use(change, template, _below(change, template.client))
    MACHINE.fire(change, Slot(template.client, template), event, **facts)


def offer(change: Change, seen: Offered, event: str) -> None:
    """Enable or disable the template for the channels of this client alone. Refusal TEMPLATE_IN_USE (G413)."""
    repeats.allow(change, event, holds=seen.enabled is (event == "enable"))
    OFFER.fire(change, seen, event, **_in_use(change, seen.template, [seen.client]))


def owned(seen: Offered) -> Template:
    """The template, when it is the client's own. Refusal TEMPLATE_INHERITED when it is not (G411)."""
    if seen.inherited:
        raise Refusal(Reason.TEMPLATE_INHERITED, id=seen.id)
    return seen.template


def get(change: Change, client: Client, id: str) -> Offered:
    """A template that the client may see: its own, or an inheritable one from above. Refusal NOT_FOUND (G408)."""
    for each in _givers(change, client):
        rows = TEMPLATES.of(change, each.id)
        template = rows.get(id) or rows.get(id.lower())
        if template is not None and _given(template, client):
            return _seen(change, client, template)
    raise Refusal(Reason.NOT_FOUND, what="template", id=id)


def listed(change: Change, client: Client) -> list[Offered]:
    """Every template that the client may see, by name or as they were made (G414)."""
    found = [_seen(change, client, template) for template in _visible(change, client)]
    if ask(change, assumed.ORDER) == "name":
        found.sort(key=lambda seen: text_key(change, seen.template.name))
    return found


def inherited(change: Change, client: Client) -> list[Offered]:
    """The templates that the client inherits: those from furthest above first, each client's in order of creation."""
    near = [each.id for each in clients.ancestors(change, client)]
    found = [template for template in _visible(change, client) if template.client != client.id]
    found.sort(key=lambda template: near.index(template.client), reverse=True)
    return [_seen(change, client, template) for template in found]


def for_channel(change: Change, client: Client, channel: Channel) -> list[Offered]:
    """The templates to choose from for a channel (G410)."""
    how = ask(change, assumed.LISTED)
    if how == "selected":
        used = selected(change, client, channel)
        return [] if used is None else [used]
    return [seen for seen in listed(change, client) if how == "all" or seen.enabled]


def selected(change: Change, client: Client, channel: Channel) -> Offered | None:
    """The template that the channel uses, also when it is no longer offered (G413)."""
    id = template_choice.selected(change, channel)
    if id is None:
        return None
    found = (TEMPLATES.of(change, each.id).get(id) for each in clients.ancestors(change, client))
    return next((_seen(change, client, template) for template in found if template is not None), None)


def _visible(change: Change, client: Client) -> Iterator[Template]:
    """The client's own templates and the inheritable ones from above, the nearest first, each in order of creation."""
    for each in _givers(change, client):
        yield from (template for template in TEMPLATES.of(change, each.id).oldest() if _given(template, client))


def _givers(change: Change, client: Client) -> Iterator[Client]:
    """The client and those above whose templates it may inherit, the nearest first (G411)."""
    for distance, each in enumerate(clients.ancestors(change, client)):
        if distance > 1 and ask(change, assumed.INHERITED_FROM) == "parent":
            return
        yield each


def _given(template: Template, client: Client) -> bool:
    """Whether the client may see the template of one who gives to it: its own, or an inheritable one."""
    return template.client == client.id or template.inheritable


def _seen(change: Change, client: Client, template: Template) -> Offered:
    choice = CHOICES.of(change, client.id).get(template.id)
    if choice is not None:
        return Offered(client.id, template, choice.offer)
    inherited = template.client != client.id
    enabled = inherited and ask(change, assumed.INHERITED_ENABLED)
    return Offered(client.id, template, Offer.ENABLED if enabled else Offer.DISABLED)


def _below(change: Change, client: str) -> list[str]:
    """The ids of every client below this one."""
    return [each.id for each in clients.descendants(change, clients.get(change, client)) if each.id != client]


def _in_use(change: Change, template: Template, scope: list[str]) -> dict[str, object]:
    """What a machine must know of a template that channels of these clients may use (G413)."""
    if not template_choice.used(change, scope, template.id):
        return {"held": False, "lose": False}
    how = ask(change, assumed.IN_USE)
    return {"held": how == "refuse", "lose": how == "lose", "name": template.name}

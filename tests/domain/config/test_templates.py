"""Templates in a family of clients: who sees, offers, uses and changes them."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.config import documents, template_choice, templates
from confsim.domain.config.documents import DOCUMENTS
from confsim.domain.config.template_choice import SELECTIONS
from confsim.domain.config.templates import CHOICES, TEMPLATES
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World
from kit import refused


class Family:
    """A grandparent, a parent and a child, each with a channel, and a stranger."""

    def __init__(self, profile=None):
        self.change = World(seed=1).change(0, ProfileContext(profile or {}))
        self.clients = []
        for name in ("grandparent", "parent", "child"):
            parent = self.clients[-1].id if self.clients else None
            self.clients.append(clients.create(self.change, name, parent))
        self.stranger = clients.create(self.change, "stranger", None)
        self.rooms = [channels.create(self.change, client, "Room", None, None) for client in self.clients]

    def sees(self, client, id):
        """Whether the client sees the template."""
        return any(seen.id == id for seen in templates.list_templates(self.change, client))

    def everything(self):
        """What is stored about templates in any client."""
        tables = (TEMPLATES, CHOICES, SELECTIONS, DOCUMENTS)
        return [row for table in tables for client in self.clients for row in table.of(self.change, client.id).all]


@pytest.mark.rule("R440", "R321")
@pytest.mark.parametrize("owner", [0, 1, 2])
@pytest.mark.parametrize("inheritable", [True, False])
@pytest.mark.parametrize(("profile", "depth"), [({}, 2), ({"templates.inherited-from": "parent"}, 1)])
def test_a_template_is_seen_by_its_client_and_when_inheritable_below(owner, inheritable, profile, depth):
    """Clients above and beside never see it; those below see it as inherited, and not enabled."""
    family = Family(profile)
    made = templates.create(family.change, family.clients[owner], "T")
    if inheritable:
        templates.share(family.change, made, "allow")
    for place, client in enumerate(family.clients):
        below = 0 < place - owner <= depth
        assert family.sees(client, made.id) is (place == owner or (inheritable and below))
        if below and inheritable:
            seen = templates.get(family.change, client, made.id)
            assert (seen.inherited, seen.enabled) == (True, False)
    assert not family.sees(family.stranger, made.id)


@pytest.mark.rule("R439")
def test_removing_a_template_leaves_nothing_of_it():
    """Choices, selections and documents go with it, in the clients below too."""
    family = Family()
    made = templates.create(family.change, family.clients[0], "T")
    templates.share(family.change, made, "allow")
    documents.update(family.change, made.client, made.id, {"a": 1})
    for client, room in zip(family.clients, family.rooms, strict=True):
        seen = templates.get(family.change, client, made.id)
        templates.offer(family.change, seen, "enable")
        template_choice.select(family.change, room, made.id, enabled=True)
    assert len(family.everything()) == 1 + 3 + 3 + 1
    templates.remove(family.change, templates.get(family.change, family.clients[0], made.id))
    assert family.everything() == []


def test_a_withdrawn_template_stays_where_it_is_used():
    """A channel below goes on using a template that is no longer inheritable, and says that it is inherited."""
    family = Family()
    made = templates.create(family.change, family.clients[0], "T")
    templates.share(family.change, made, "allow")
    template_choice.select(family.change, family.rooms[2], made.id, enabled=True)
    templates.share(family.change, templates.get(family.change, family.clients[0], made.id), "disallow")
    used = templates.find_selected(family.change, family.clients[2], family.rooms[2])
    assert used is not None
    assert (used.id, used.inherited) == (made.id, True)


@pytest.mark.parametrize(
    "act", [templates.remove, lambda c, s: templates.rename(c, s, "X"), lambda c, s: templates.share(c, s, "disallow")]
)
def test_only_its_own_client_changes_a_template(act):
    """Removing, renaming and withdrawing an inherited template are refused."""
    family = Family()
    made = templates.create(family.change, family.clients[0], "T")
    templates.share(family.change, made, "allow")
    with pytest.raises(Refusal) as refused:
        act(family.change, templates.get(family.change, family.clients[1], made.id))
    assert refused.value.reason is Reason.TEMPLATE_INHERITED


STEPS = st.lists(
    st.tuples(st.sampled_from(["enable", "disable", "select", "drop", "allow", "disallow"]), st.integers(0, 2)),
    max_size=12,
)


@pytest.mark.rule("R440")
@given(STEPS)
def test_any_journey_agrees_with_three_sets(steps):
    """Enabled clients, using channels and inheritance follow a model of three plain values."""
    family = Family()
    made = templates.create(family.change, family.clients[0], "T")
    enabled, using, inheritable = {0}, set(), False
    for trigger, place in steps:
        client, room = family.clients[place], family.rooms[place]
        visible = place == 0 or inheritable
        if trigger in ("allow", "disallow"):
            templates.share(family.change, templates.get(family.change, family.clients[0], made.id), trigger)
            inheritable = trigger == "allow"
        elif trigger == "drop":
            template_choice.deselect(family.change, room)
            using.discard(place)
        elif visible:
            seen = templates.get(family.change, client, made.id)
            if trigger == "select":
                if place in enabled:
                    template_choice.select(family.change, room, seen.id, enabled=seen.enabled)
                    using.add(place)
            else:
                templates.offer(family.change, seen, trigger)
                (enabled.add if trigger == "enable" else enabled.discard)(place)
        selected = [template_choice.find_selected(family.change, room) for room in family.rooms]
        reported = {place for place, template in enumerate(selected) if template}
        assert reported == using
        assert {place for place, client in enumerate(family.clients) if family.sees(client, made.id)} == (
            {0, 1, 2} if inheritable else {0}
        )


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["enable", "disable", "allow", "disallow", "remove"]),
            st.integers(0, 5),
            st.integers(0, 2),
        ),
        max_size=20,
    ),
    st.sampled_from(
        [
            {},
            {"templates.inherited-enabled": True},
            {"templates.inherited-from": "parent"},
            {"templates.order": "created"},
        ]
    ),
)
def test_what_is_offered_is_counted_without_a_look_at_each(steps, profile):
    """Each client's offers, its own and inherited ones, also after a template from above is seen no longer."""
    family = Family()
    made = [templates.create(family.change, client, f"T{n}") for n in range(2) for client in family.clients]
    for trigger, number, place in steps:
        client = family.clients[place]
        if not family.sees(client, made[number].id):
            continue
        seen = templates.get(family.change, client, made[number].id)
        if trigger in ("enable", "disable"):
            templates.offer(family.change, seen, trigger)
        elif not seen.inherited and trigger == "remove":
            templates.remove(family.change, seen)
        elif not seen.inherited:
            templates.share(family.change, seen, trigger)
    family.change.carried = ProfileContext(profile)
    for client in family.clients:
        for inheritable in (False, True):
            every = templates.list_templates(family.change, client, inheritable=inheritable)
            offered = templates.list_templates(family.change, client, inheritable=inheritable, offered=True)
            assert [*offered] == [seen for seen in every if seen.enabled]
            assert len(offered) == len([*offered])
            assert offered[1:3] == [*offered][1:3]


def test_offering_what_is_offered_is_refused_by_choice():
    """As is withdrawing what is not offered (G537)."""
    family = Family({"states.repeated": "refuse"})
    client = family.clients[0]
    made = templates.create(family.change, client, "T")
    for _ in range(2):
        seen = templates.get(family.change, client, made.id)
        holds, other = ("enable", "disable") if seen.enabled else ("disable", "enable")
        assert refused(templates.offer, family.change, seen, holds) is Reason.STATE_HOLDS
        templates.offer(family.change, seen, other)


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ({}, ["a", "b", "C"]),
        ({"templates.order": "creation"}, ["b", "C", "a"]),
        ({"lists.text-order": "binary"}, ["C", "a", "b"]),
    ],
)
def test_templates_are_listed_by_name_or_age(profile, expected):
    """By name without regard to case, by code points, or as they were made (G414)."""
    family = Family(profile)
    for name in ("b", "C", "a"):
        templates.create(family.change, family.clients[0], name)
    listed = templates.list_templates(family.change, family.clients[0])
    assert [seen.template.name for seen in listed] == expected


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("above", [{0: "far"}, {1: "near"}, {0: "far", 1: "near"}])
def test_how_inherited_templates_begin(listed, enabled, above):
    """Enabled or not, and shown in the list of the client below or not; its own always are (G411)."""
    family = Family({"templates.inherited-enabled": enabled, "templates.inherited-listed": listed})
    for place, name in above.items():
        templates.share(family.change, templates.create(family.change, family.clients[place], name), "allow")
    templates.create(family.change, family.clients[2], "own")
    child = family.clients[2]
    shown = {seen.template.name: seen.enabled for seen in templates.list_templates(family.change, child, shown=True)}
    assert shown == {"own": True} | (dict.fromkeys(above.values(), enabled) if listed else {})
    offered = [seen.template.name for seen in templates.list_templates(family.change, child, offered=True)]
    assert offered == ([*above.values(), "own"] if enabled else ["own"])
    assert [seen.template.name for seen in templates.list_inherited(family.change, child)] == [*above.values()]


def test_a_clients_own_template_is_enabled_by_its_own_word_alone():
    """Where what is inherited is enabled from the start, a new template of its own need not be (G584)."""
    family = Family({"templates.inherited-enabled": True, "templates.new-enabled": False})
    made = templates.create(family.change, family.clients[0], "T")
    templates.share(family.change, made, "allow")
    seen = [templates.get(family.change, client, made.id) for client in family.clients]
    assert [(each.inherited, each.enabled) for each in seen] == [(False, False), (True, True), (True, True)]

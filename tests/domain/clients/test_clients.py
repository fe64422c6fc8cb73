"""Clients in a world: their hierarchy and their service."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.clients import clients
from confsim.domain.clients.clients import ServiceState
from confsim.kernel.world import World
from kit import refused

#: Parents of clients by number: each is None or an earlier one.
FOREST = st.lists(st.integers(-1, 6), min_size=1, max_size=7).map(
    lambda raw: [parent if parent < place else place - 1 for place, parent in enumerate(raw)]
)


def forest(parents):
    """A change with clients of these parents (-1 for none), and the clients."""
    change = World(seed=2).change(0)
    made = []
    for place, parent in enumerate(parents):
        made.append(clients.create(change, str(place), made[parent].id if parent >= 0 else None))
    return change, made


def ancestors(parents, place):
    """The numbers of the client and of all above it."""
    found = []
    while place >= 0:
        found.append(place)
        place = parents[place]
    return found


@pytest.mark.rule("R086", "R109", "R112")
@given(FOREST, st.lists(st.tuples(st.integers(0, 6), st.sampled_from(["enable", "disable"])), max_size=12))
def test_service_is_ones_own_flag_and_that_of_all_above(parents, switches):
    """Whatever is switched in whatever order, a client is served when neither it nor an ancestor is disabled."""
    change, made = forest(parents)
    off = set()
    for place, trigger in switches:
        place %= len(made)
        clients.switch_service(change, clients.get(change, made[place].id), trigger)
        (off.add if trigger == "disable" else off.discard)(place)
    for place, client in enumerate(made):
        now = clients.get(change, client.id)
        assert (now.service is ServiceState.DISABLED) is (place in off)
        assert clients.is_served(change, now) is not bool(off & set(ancestors(parents, place)))


@given(FOREST, st.booleans())
def test_what_is_below_is_what_has_it_as_ancestor(parents, deep):
    """Direct children, or all below, as the depth of children is chosen (G154)."""
    change, made = forest(parents)
    change.carried = ProfileContext({"clients.depth": "descendants"} if deep else {})
    for top, above in enumerate(made):
        for place, client in enumerate(made):
            expected = place != top and (top in ancestors(parents, place) if deep else parents[place] == top)
            assert clients.is_below(change, client, above) is expected
            assert (client in clients.list_below(change, above)) is expected


@pytest.mark.rule("R110")
def test_only_the_parent_switches():
    """The client itself, a grandparent and a stranger are refused; the service operator is not."""
    change, (top, middle, low, stranger) = forest([-1, 0, 1, -1])
    for by in (low, top, stranger):
        assert refused(clients.switch_service, change, low, "disable", by) is Reason.NOT_PARENT
    disabled = clients.switch_service(change, low, "disable", middle)
    assert disabled.service is ServiceState.DISABLED
    for by in (low, top, stranger):
        assert refused(clients.switch_service, change, disabled, "enable", by) is Reason.NOT_PARENT
    assert clients.switch_service(change, disabled, "enable", None).service is ServiceState.ENABLED


@pytest.mark.rule("R549")
def test_switching_moves_nothing_but_the_flag():
    """Off and on again leaves the client as it was."""
    change, (top, child) = forest([-1, 0])
    off = clients.switch_service(change, child, "disable", top)
    assert clients.switch_service(change, off, "enable", top) == child


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["Acme Ltd.", "ACME ltd", "acme-ltd"], ["acme-ltd", "acme-ltd-2", "acme-ltd-3"]),
        (["!!", "?"], ["client", "client-2"]),
        (["-a  b-", "c"], ["a-b", "c"]),
    ],
)
def test_ids_made_of_names(names, expected):
    """Letters and digits in lower case, a hyphen for anything else, and a number where the id is taken (G131)."""
    change = World(seed=1).change(0, ProfileContext({"ids.client": "name"}))
    assert [clients.create(change, name, None).id for name in names] == expected
    short = World(seed=1).change(0, ProfileContext({"ids.client": "short"}))
    made = [clients.create(short, "A", None).id for _ in range(2)]
    assert [len(id) for id in made] == [10, 10]
    assert len({*made, *(id.lower() for id in made)}) == 2


@pytest.mark.parametrize("choice", ["allow", "refuse"])
def test_a_name_that_another_client_has(choice):
    """It is allowed, or refused (G293); one that nobody has is free either way."""
    change = World(seed=2).change(0, ProfileContext({"clients.names": choice}))
    clients.create(change, "Acme", None)
    clients.require_name(change, "Acme Ltd")
    if choice == "allow":
        clients.require_name(change, "Acme")
    else:
        assert refused(clients.require_name, change, "Acme") is Reason.CLIENT_NAME_TAKEN


@pytest.mark.rule("R085")
@pytest.mark.parametrize(("choice", "of_all"), [("own", False), ("effective", True)])
def test_what_is_shown_as_disabled(choice, of_all):
    """The client's own flag, or one that is set on it or on an ancestor (G165)."""
    change, (top, middle, low) = forest([-1, 0, 1])
    change.carried = ProfileContext({"clients.disabled-field": choice})
    clients.switch_service(change, middle, "disable")
    shown = [clients.shown_disabled(change, clients.get(change, client.id)) for client in (top, middle, low)]
    assert shown == [False, True, of_all]


@pytest.mark.rule("R235")
def test_what_needs_the_reseller_interface():
    """A client that has it may do everything, another one what is not named (G167)."""
    change = World(seed=2).change(0, ProfileContext({"clients.reseller-calls": ("create_client",)}))
    plain = clients.create(change, "Plain", None)
    for call in ("create_client", "list_clients"):
        clients.require_reseller(change, clients.create(change, "Reseller", None, reseller=True), call)
    clients.require_reseller(change, plain, "list_clients")
    assert refused(clients.require_reseller, change, plain, "create_client") is Reason.RESELLER_DISABLED
    change.carried = ProfileContext({})
    assert refused(clients.require_reseller, change, plain, "list_clients") is Reason.RESELLER_DISABLED


@pytest.mark.rule("R234")
def test_a_client_with_a_parent_is_a_child():
    """One without is a root; what a root is made by does not make a child."""
    _, (top, child) = forest([-1, 0])
    assert [clients.HIERARCHY.state(each) for each in (top, child)] == [
        clients.ClientRank.ROOT,
        clients.ClientRank.CHILD,
    ]

"""Clients: the reseller's view, and the switching of service."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.identity.credentials import CREDENTIALS, Credential
from confsim.domain.runtime import presence
from confsim.domain.users import users
from confsim.domain.users.users import Account, Level
from kit import CUSTOMER, OTHER, PARTNER, ROOM, START, code


def make(sim, name="New", who="demo-partner-admin"):
    """The id of a new child of the caller's client."""
    return sim.call("create_client", who, body={"name": name}).body["id"]


def grandchild(sim, parent=CUSTOMER):
    """A client below a child, as the service operator makes one; its administrator's token is 'below'."""
    change = sim.service.change()
    made = clients.create(change, "Below", parent)
    admin(change, made.id, "below", Level.CUSTOMER_ADMIN)
    sim.service.commit(change)
    return made.id


def admin(change, client, token, *levels):
    """A user with levels, who has accepted the terms, and a token."""
    user = users.create(change, client, token, Account.REGISTERED, levels=levels, accepted=1)
    CREDENTIALS.of(change).put(Credential(token, client, user=user.id))


def someone(sim, client, token, *levels):
    """The same, at once."""
    change = sim.service.change()
    admin(change, client, token, *levels)
    sim.service.commit(change)
    return token


def reseller(sim, client, on):
    """Let the service operator enable the reseller interface, or disable it."""
    change = sim.service.change()
    clients.update(change, clients.get(change, client), reseller=on)
    sim.service.commit(change)


def switch(sim, state, client=CUSTOMER, who="demo-partner-admin"):
    """Switch the service of the client."""
    return sim.call("set_client_service_state", who, clientId=client, state=state)


def read(sim, client, who="demo-partner-admin"):
    """The client as its reader sees it."""
    return sim.call("get_client", who, clientId=client).body


@pytest.mark.rule("R013", "R084", "R232", "R234")
def test_a_new_client_is_a_child_of_the_callers(sim):
    """The name comes in a JSON body, the id as a text; the caller's client is the parent."""
    answer = sim.call("create_client", "demo-partner-admin", body={"name": "New"})
    assert (answer.status, set(answer.body)) == (200, {"id"})
    assert read(sim, answer.body["id"]) == {
        "name": "New",
        "clientId": answer.body["id"],
        "disabled": False,
        "parentId": PARTNER,
    }


@pytest.mark.rule("R083", "R237")
def test_a_client_has_the_fields_of_the_record(sim):
    """Name and clientId always; parentId where there is a parent; details are not shown anywhere (G295)."""
    assert read(sim, PARTNER) == {"name": "Demo Partner", "clientId": PARTNER, "disabled": False}
    assert read(sim, CUSTOMER)["parentId"] == PARTNER


@pytest.mark.rule("R233")
@pytest.mark.parametrize(
    "who", ["demo-customer-admin", "demo-owner", "demo-guest", "demo-api-token", "demo-other-admin"]
)
def test_only_a_partner_admin_makes_and_lists_clients(sim, who):
    """No other role is enough, an API token neither (G152)."""
    for operation, body in (("create_client", {"name": "New"}), ("list_clients", None)):
        answer = sim.call(operation, who, body=body)
        assert code(answer) == (403, "role_missing")


@pytest.mark.parametrize("body", [{}, {"name": ""}, {"name": "  "}, {"name": 1}, {"name": "x" * 256}, {"name": "a\nb"}])
def test_bad_names_are_refused(sim, body):
    """A client has a name of some letters (G293)."""
    assert sim.call("create_client", "demo-partner-admin", body=body).status == 400


def test_two_clients_may_have_the_same_name(sim):
    """Uniqueness is not stated for clients (G293)."""
    assert make(sim, "Same") != make(sim, "Same")


@pytest.mark.rule("R235")
def test_without_the_reseller_interface_nothing_of_it_works(sim):
    """Creating, switching, reading and listing clients are refused, and for_client with them (G167)."""
    reseller(sim, PARTNER, False)
    calls = [
        ("create_client", {"body": {"name": "New"}}),
        ("set_client_service_state", {"clientId": CUSTOMER, "state": "disable"}),
        ("get_client", {"clientId": CUSTOMER}),
        ("list_clients", {}),
        ("list_users", {"for_client": CUSTOMER}),
    ]
    for operation, arguments in calls:
        answer = sim.call(operation, "demo-partner-admin", **arguments)
        assert code(answer) == (403, "reseller_disabled"), operation


@pytest.mark.rule("R235")
def test_a_new_client_is_no_reseller(sim):
    """A Partner Admin of a client made by the API cannot make clients below it (G296)."""
    token = someone(sim, make(sim), "sub", Level.PARTNER_ADMIN)
    assert sim.call("create_client", token, body={"name": "X"}).body["code"] == "reseller_disabled"


@pytest.mark.rule("R237")
@pytest.mark.parametrize(
    ("who", "client", "status"),
    [
        ("demo-partner-admin", PARTNER, 200),
        ("demo-partner-admin", CUSTOMER, 200),
        ("demo-partner-admin", OTHER, 404),
        ("demo-partner-admin", "nobody", 404),
        ("demo-customer-admin", CUSTOMER, 200),
        ("demo-api-token", CUSTOMER, 200),
        ("demo-customer-admin", PARTNER, 404),
        ("demo-owner", CUSTOMER, 403),
        ("demo-guest", CUSTOMER, 403),
    ],
)
def test_who_reads_a_client(sim, who, client, status):
    """Partner Admins the own and children, administrators and API tokens the own (G157, G294)."""
    assert sim.call("get_client", who, clientId=client).status == status


def test_a_partner_admin_reads_clients_without_being_customer_admin():
    """Managing the child clients is the role itself, wherever it includes another (P1 L7, G139, G294)."""
    sim = Simulator(clock=START, profile={"roles.partner-admin-includes": []})
    assert [sim.call("get_client", "demo-partner-admin", clientId=id).status for id in (PARTNER, CUSTOMER)] == [200] * 2


@pytest.mark.rule("R085", "R109")
def test_the_parents_partner_admin_disables_a_client(sim):
    """The record shows it, and the client's changes are refused."""
    assert switch(sim, "disable").status == 200
    assert read(sim, CUSTOMER)["disabled"] is True
    answer = sim.call("create_channel", "demo-owner", body={"name": "X"})
    assert code(answer) == (403, "service_disabled")


@pytest.mark.rule("R112", "R549")
def test_enabling_brings_everything_back(sim):
    """Service is restored, and nothing was lost meanwhile."""
    before = sim.service.world.digest()
    switch(sim, "disable")
    assert sim.call("delete_channel", "demo-owner", uuid=ROOM).status == 403
    assert switch(sim, "enable").status == 200
    assert sim.service.world.digest() == before
    assert sim.call("create_channel", "demo-owner", body={"name": "X"}).status == 200


@pytest.mark.rule("R110")
@pytest.mark.parametrize("state", ["enable", "disable"])
@pytest.mark.parametrize("who", ["demo-customer-admin", "demo-api-token", "demo-owner", "demo-guest"])
def test_nobody_of_the_client_itself_switches_it(sim, who, state):
    """Its own administrators and API tokens lack the role."""
    answer = switch(sim, state, who=who)
    assert code(answer) == (403, "role_missing")
    assert read(sim, CUSTOMER)["disabled"] is False


@pytest.mark.rule("R110")
def test_who_else_does_not_switch(sim):
    """The own client is refused, as is the parent's Customer Admin; unrelated clients, grandchildren are not found."""
    own = switch(sim, "disable", PARTNER)
    assert code(own) == (403, "not_parent")
    assert switch(sim, "disable", CUSTOMER, someone(sim, PARTNER, "clerk", Level.CUSTOMER_ADMIN)).status == 403
    assert switch(sim, "disable", OTHER).status == 404
    assert switch(sim, "disable", grandchild(sim)).status == 404
    assert switch(sim, "disable", CUSTOMER, someone(sim, OTHER, "stranger", Level.PARTNER_ADMIN)).status == 404


@pytest.mark.rule("R236")
@pytest.mark.parametrize("state", ["disabled", "DISABLE", "off", "stop"])
def test_the_state_is_enable_or_disable(sim, state):
    """No other word is taken."""
    answer = switch(sim, state)
    assert code(answer) == (400, "invalid_state")


@pytest.mark.parametrize("state", ["enable", "disable"])
def test_setting_the_state_that_holds_succeeds(sim, state):
    """State words describe the wanted state (G537), unless a profile refuses."""
    assert [switch(sim, state).status for _ in range(2)] == [200, 200]
    strict = Simulator(clock=START, profile={"states.repeated": "refuse"})
    switch(strict, state)
    assert switch(strict, state).body["code"] == "state_holds"


@pytest.mark.rule("R086")
def test_a_disabled_client_takes_the_service_from_all_below(sim):
    """Children and grandchildren lose it, keep their own flag, and have it back when the ancestor is enabled (G165)."""
    below = grandchild(sim)
    body = {"url": "https://terms.example/x"}
    assert sim.call("update_terms_url", "below", body=body).status == 200
    switch(sim, "disable")
    assert sim.call("update_terms_url", "below", body=body).body["code"] == "service_disabled"
    assert read(sim, below, "below")["disabled"] is False
    switch(sim, "enable")
    assert sim.call("update_terms_url", "below", body=body).status == 200


@pytest.mark.rule("R086")
def test_enabling_a_child_of_a_disabled_client_does_not_bring_it_back(sim):
    """The child's flag is set, but it stays without service while an ancestor is disabled."""
    below = grandchild(sim)
    change = sim.service.change()
    for client in (below, CUSTOMER):
        clients.switch_service(change, clients.get(change, client), "disable")
    child = clients.switch_service(change, clients.get(change, below), "enable")
    assert child.service is clients.ServiceState.ENABLED
    assert not clients.is_served(change, child)


@pytest.mark.rule("R087", "R089", "R090")
def test_the_client_list_shows_children(sim):
    """Every field of the list item, for child clients only."""
    grandchild(sim)
    answer = sim.call("list_clients", "demo-partner-admin")
    assert answer.body == {
        "total": 1,
        "results": [
            {
                "id": CUSTOMER,
                "name": "Demo Customer",
                "parent": PARTNER,
                "uniqueUsersHandle": True,
                "speech2text": False,
                "dialOut": False,
                "dialIn": False,
                "midi": False,
                "friendlyURLs": True,
                "validator": "demo-validator",
                "disabled": False,
                "events": answer.body["results"][0]["events"],
            }
        ],
    }
    assert isinstance(answer.body["results"][0]["events"], bool)


@pytest.mark.rule("R087", "R089")
def test_validator_is_there_when_one_is_active(sim):
    """It names the active validator of the child, and is left out when none is."""
    sim.call("enable_validator", "demo-customer-admin", validatorId="demo-validator-2")
    assert sim.call("list_clients", "demo-partner-admin").body["results"][0]["validator"] == "demo-validator-2"
    sim.call("disable_validator", "demo-customer-admin", validatorId="demo-validator-2")
    assert "validator" not in sim.call("list_clients", "demo-partner-admin").body["results"][0]


@pytest.mark.rule("R021", "R022", "R023", "R090")
def test_the_client_list_is_searched_and_paged(sim):
    """Total counts what matches the query, whatever page is shown; the order is that of creation."""
    for number in range(5):
        make(sim, f"Acme {number}")
    page = sim.call("list_clients", "demo-partner-admin", query="aCME", offset=1, limit=2).body
    assert (page["total"], [client["name"] for client in page["results"]]) == (5, ["Acme 1", "Acme 2"])
    assert sim.call("list_clients", "demo-partner-admin").body["total"] == 6
    assert sim.call("list_clients", "demo-partner-admin", query="zzz").body == {"total": 0, "results": []}
    assert sim.call("list_clients", "demo-partner-admin", limit=-1).status == 400


@pytest.mark.rule("R088")
@pytest.mark.parametrize("flag", ["speech2text", "dial_in", "dial_out", "midi"])
def test_feature_flags_are_the_defaults_of_new_channels(sim, flag):
    """A flag set for the client shows in the list and is set for channels made from then on, not for earlier ones."""
    wire = {"dial_in": "dialIn", "dial_out": "dialOut"}.get(flag, flag)
    change = sim.service.change()
    clients.update(change, clients.get(change, CUSTOMER), **{flag: True})
    sim.service.commit(change)
    assert sim.call("list_clients", "demo-partner-admin").body["results"][0][wire] is True
    made = sim.call("create_channel", "demo-owner", body={"name": "X"}).body["channelUuid"]
    change = sim.service.change()
    assert getattr(channels.get(change, CUSTOMER, made), flag) is True
    assert getattr(channels.get(change, CUSTOMER, ROOM), flag) is False


def test_a_new_client_is_brought_to_life_through_for_client(sim):
    """Its Partner Admin creates an API token for it, or makes its first administrator (G138)."""
    client = make(sim)
    token = sim.call("create_api_token", "demo-partner-admin", body={}, for_client=client).body["token"]
    assert sim.call("create_channel", token, body={"name": "First"}).status == 200
    user = sim.call("create_predefined_user", "demo-partner-admin", body={"name": "Ada"}, for_client=client).body["id"]
    given = sim.call("add_access_level", "demo-partner-admin", userId=user, level=10, for_client=client)
    assert given.status == 200


def test_alternatives_for_new_clients(sim):
    """With a first administrator (G138), or the reseller interface (G296)."""
    sim = Simulator(clock=START, profile={"clients.first-admin": True, "initial.reseller": True})
    client = make(sim)
    people = sim.call("list_users", "demo-partner-admin", for_client=client).body["results"]
    assert [[level["name"] for level in user["levels"]] for user in people] == [["Customer Admin"]]
    assert make(sim, "Deeper", someone(sim, client, "sub", Level.PARTNER_ADMIN))


def test_alternative_that_descendants_are_children():
    """for_client, the list and the switch then reach grandchildren (G154)."""
    sim = Simulator(clock=START, profile={"clients.depth": "descendants"})
    below = grandchild(sim)
    assert sim.call("list_clients", "demo-partner-admin").body["total"] == 2
    assert sim.call("list_users", "demo-partner-admin", for_client=below).status == 200
    assert switch(sim, "disable", below).status == 200
    assert sim.call("list_users", "demo-partner-admin", for_client=OTHER).status == 403


def test_alternative_that_disabled_is_the_effective_state():
    """A child of a disabled client then counts as disabled too (G165)."""
    sim = Simulator(clock=START, profile={"clients.disabled-field": "effective"})
    below = grandchild(sim)
    switch(sim, "disable")
    assert read(sim, below, "below")["disabled"] is True


def test_alternative_that_the_own_service_may_be_switched():
    """Off by the own Partner Admin, and on again where the call is open while disabled (G166)."""
    opened = ["accept_terms", "set_client_service_state"]
    sim = Simulator(clock=START, profile={"clients.own-service": True, "service.open-while-disabled": opened})
    assert switch(sim, "disable", PARTNER).status == 200
    assert sim.call("create_client", "demo-partner-admin", body={"name": "X"}).status == 403
    assert switch(sim, "enable", PARTNER).status == 200


def test_alternatives_for_what_the_reseller_interface_covers():
    """A profile may leave for_client or reading out of it (G167)."""
    sim = Simulator(clock=START, profile={"clients.reseller-calls": ["create_client"]})
    reseller(sim, PARTNER, False)
    assert sim.call("list_users", "demo-partner-admin", for_client=CUSTOMER).status == 200
    assert sim.call("create_client", "demo-partner-admin", body={"name": "X"}).status == 403


def test_alternative_that_a_resellers_api_token_manages_children():
    """It may then make clients and name them in for_client (G152)."""
    sim = Simulator(clock=START, profile={"roles.api-token-for-client": True})
    token = sim.call("create_api_token", "demo-partner-admin", body={}).body["token"]
    client = make(sim, "By token", token)
    assert sim.call("list_users", token, for_client=client).status == 200
    assert sim.call("create_client", "demo-api-token", body={"name": "X"}).status == 403


@pytest.mark.rule("R111")
@pytest.mark.parametrize(("choice", "left"), [("nothing", [True]), ("sessions", [])])
def test_what_runs_goes_on_or_ends_when_service_is_disabled(people, choice, left):
    """By default the sessions end at once; by the alternative nobody is thrown out (G163)."""
    sim = Simulator(clock=START, profile={"clients.disable-ends": choice})
    change = sim.service.change()
    owner = users.get(change, CUSTOMER, people["demo-owner"])
    presence.join(change, clients.get(change, CUSTOMER), channels.get(change, CUSTOMER, ROOM), owner, host=True)
    sim.service.commit(change)
    switch(sim, "disable")
    change = sim.service.change()
    assert [each.user == owner.id for each in presence.inside(change, channels.get(change, CUSTOMER, ROOM))] == left

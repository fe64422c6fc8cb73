from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.domain.clients import clients
from confsim.domain.identity import api_tokens
from kit import ADMIN, CUSTOMER, EVENT_ROOM, PARTNER_ADMIN, ROOM, code
from kit.each import each

CALLERS = ("demo-customer-admin", "demo-owner", "demo-operator", "demo-user", "demo-guest", "demo-api-token")


def make(sim, name="Lecture", caller=ADMIN):
    """Make a template and answer its id."""
    return sim.call("create_template", caller, body={"name": name}).body["id"]


def shared(sim, name="Shared"):
    """Make an inheritable template of the partner, the parent of the customer."""
    id = make(sim, name, PARTNER_ADMIN)
    assert sim.call("set_template_inheritance", PARTNER_ADMIN, templateId=id, state="allow").ok
    return id


def use(sim, id, uuid=ROOM):
    """Let a channel use the template and answer the status."""
    return sim.call("select_channel_template", "demo-owner", uuid=uuid, templateId=id).status


def names(sim, caller=ADMIN, **query):
    """The names of the templates listed for the caller."""
    return [each["name"] for each in sim.call("list_templates", caller, **query).body["results"]]


# The record and the list


@pytest.mark.rule("R320", "R448")
def test_a_template_is_what_the_documents_say(sim):
    """A new template has its name, is enabled, and neither inheritable nor inherited."""
    id = make(sim)
    expected = {"id": id, "name": "Lecture", "enabled": True, "inheritable": False, "inherited": False}
    assert sim.call("get_template", "demo-user", templateId=id).body == expected
    assert sim.call("get_template", "demo-user", templateId=id.upper()).body == expected
    assert sim.call("list_templates", "demo-user").body == {"total": 1, "results": [expected]}
    assert sim.call("list_channel_templates", "demo-user", uuid=ROOM).body == {"total": 1, "results": [expected]}


@pytest.mark.parametrize(
    ("profile", "field", "value"),
    [({"templates.new-enabled": False}, "enabled", False), ({"templates.new-inheritable": True}, "inheritable", True)],
)
def test_what_a_new_template_starts_with_is_assumed(profile, field, value):
    """The register decides whether a new template is enabled and inheritable."""
    sim = Simulator(profile=profile)
    assert sim.call("get_template", ADMIN, templateId=make(sim)).body[field] is value


@pytest.mark.rule("R320")
def test_a_template_is_renamed_and_removed(sim):
    """The new name shows; a removed template is gone."""
    id = make(sim)
    assert sim.call("update_template", "demo-api-token", templateId=id, body={"name": "Talk"}).content == b""
    assert sim.call("get_template", ADMIN, templateId=id).body["name"] == "Talk"
    assert sim.call("remove_template", ADMIN, templateId=id).ok
    assert sim.call("get_template", ADMIN, templateId=id).status == 404
    assert names(sim) == []


@pytest.mark.parametrize("body", [{}, {"name": " "}, {"name": 5}, {"name": "x" * 256}])
@pytest.mark.parametrize("operation", ["create_template", "update_template"])
def test_a_template_needs_a_name(sim, operation, body):
    """A missing, blank, wrong or overlong name is a 400."""
    path = {"templateId": make(sim)} if operation == "update_template" else {}
    assert sim.call(operation, ADMIN, body=body, **path).status == 400


@pytest.mark.rule("R021", "R449")
def test_the_list_is_paged_and_ordered_by_name(sim):
    """Pages follow limit and offset without regard to case, and total counts all."""
    for name in ("b", "C", "a"):
        make(sim, name)
    assert names(sim) == ["a", "b", "C"]
    page = sim.call("list_templates", ADMIN, limit=1, offset=1).body
    assert (page["total"], [each["name"] for each in page["results"]]) == (3, ["b"])
    assert sim.call("list_templates", ADMIN, limit="x").status == 400


@pytest.mark.parametrize(
    ("profile", "expected"),
    [({"templates.order": "creation"}, ["b", "C", "a"]), ({"lists.text-order": "binary"}, ["C", "a", "b"])],
)
def test_other_orders_of_templates(profile, expected):
    """Templates may stand in order of creation or of code points."""
    sim = Simulator(profile=profile)
    for name in ("b", "C", "a"):
        make(sim, name)
    assert names(sim) == expected


@pytest.mark.rule("R023", "R449")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, ["on", "off", "shared"]),
        ({"onlyEnabled": True}, ["on", "shared"]),
        ({"onlyInheritable": True}, ["shared"]),
        ({"onlyEnabled": True, "onlyInheritable": "1"}, ["shared"]),
        ({"onlyEnabled": False, "onlyInheritable": "0"}, ["on", "off", "shared"]),
    ],
)
def test_the_list_is_filtered(sim, query, expected):
    """Both onlyEnabled and onlyInheritable narrow the list when true, and total counts what is left."""
    ids = {name: make(sim, name) for name in ("on", "off", "shared")}
    sim.call("set_template_state", ADMIN, templateId=ids["off"], state="disable")
    sim.call("set_template_inheritance", ADMIN, templateId=ids["shared"], state="allow")
    assert sorted(names(sim, **query)) == sorted(expected)
    assert sim.call("list_templates", ADMIN, limit=0, **query).body == {"total": len(expected), "results": []}


def test_a_filter_may_ask_for_the_others():
    """Where false asks for the others, onlyEnabled=false lists the disabled ones."""
    sim = Simulator(profile={"templates.only-false": "others"})
    make(sim, "on")
    sim.call("set_template_state", ADMIN, templateId=make(sim, "off"), state="disable")
    assert (names(sim, onlyEnabled=False), names(sim, onlyInheritable=False)) == (["off"], ["off", "on"])


def test_a_filter_takes_documented_booleans_only(sim):
    """Python's True is no boolean of the query."""
    assert sim.call("list_templates", ADMIN, onlyEnabled="True").status == 400


# Inheritance


@pytest.mark.rule("R321", "R440")
def test_an_inheritable_template_shows_in_sub_clients(sim):
    """The child sees it as inherited and not yet enabled; the parent sees it as its own."""
    id = shared(sim)
    seen = sim.call("get_template", "demo-user", templateId=id).body
    assert seen == {"id": id, "name": "Shared", "enabled": False, "inheritable": True, "inherited": True}
    assert sim.call("list_templates", ADMIN).body["results"] == [seen]
    assert sim.call("get_template", PARTNER_ADMIN, templateId=id).body["inherited"] is False


@pytest.mark.rule("R440")
def test_a_sub_client_enables_an_inherited_template_and_uses_it(sim):
    """Once the child has enabled it, it is listed for its channels, selected, and counts in their configuration."""
    id = shared(sim)
    sim.call("set_template_config", PARTNER_ADMIN, templateId=id, body={"a": 1})
    assert use(sim, id) == 409
    assert sim.call("set_template_state", ADMIN, templateId=id, state="enable").ok
    assert [each["id"] for each in sim.call("list_channel_templates", ADMIN, uuid=ROOM).body["results"]] == [id]
    assert use(sim, id) == 200
    assert sim.call("get_channel_template", ADMIN, uuid=ROOM).body == {"id": id, "name": "Shared", "inherited": True}
    assert sim.call("get_channel_config", ADMIN, uuid=ROOM).body == {"a": 1}


@pytest.mark.rule("R440")
def test_each_client_enables_for_itself(sim):
    """The parent's own switch and the child's do not move each other."""
    id = shared(sim)
    sim.call("set_template_state", ADMIN, templateId=id, state="enable")
    sim.call("set_template_state", PARTNER_ADMIN, templateId=id, state="disable")
    assert sim.call("get_template", ADMIN, templateId=id).body["enabled"] is True
    assert sim.call("get_template", PARTNER_ADMIN, templateId=id).body["enabled"] is False


@pytest.mark.rule("R440")
def test_a_template_that_is_not_inheritable_is_not_there_for_sub_clients(sim):
    """Before it is allowed and after it is disallowed the child gets a 404; an unrelated client always does."""
    id = make(sim, "Own", PARTNER_ADMIN)
    assert sim.call("get_template", ADMIN, templateId=id).status == 404
    sim.call("set_template_inheritance", PARTNER_ADMIN, templateId=id, state="allow")
    assert sim.call("get_template", ADMIN, templateId=id).ok
    assert sim.call("get_template", "demo-other-admin", templateId=id).status == 404
    sim.call("set_template_inheritance", PARTNER_ADMIN, templateId=id, state="disallow")
    assert sim.call("get_template", ADMIN, templateId=id).status == 404
    assert use(sim, id) == 404


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("update_template", {"body": {"name": "Mine"}}),
        ("remove_template", {}),
        ("set_template_inheritance", {"state": "disallow"}),
    ],
)
def test_an_inherited_template_is_not_changed_from_below(sim, operation, arguments):
    """Name, life and inheritance belong to the client that made it."""
    answer = sim.call(operation, ADMIN, templateId=shared(sim), **arguments)
    assert code(answer) == (403, "template_inherited")


@pytest.mark.parametrize(("profile", "status"), [({}, 200), ({"templates.inherited-from": "parent"}, 404)])
def test_how_far_templates_are_inherited(profile, status):
    """A grandchild sees the templates of every client above it, or of its parent alone."""
    sim = Simulator(profile=profile)
    id = shared(sim)
    change = sim.service.change()
    grandchild = clients.create(change, "Grandchild", CUSTOMER).id
    api_tokens.add(change, clients.get(change, grandchild), "grand-token", None)
    sim.service.commit(change)
    assert sim.call("get_template", "grand-token", templateId=id).status == status


def test_inherited_templates_may_be_enabled_from_the_start_or_unlisted():
    """The register decides whether they are enabled before anybody says so, and whether they are in the list."""
    sim = Simulator(profile={"templates.inherited-enabled": True, "templates.inherited-listed": False})
    id = shared(sim)
    assert sim.call("get_template", ADMIN, templateId=id).body["enabled"] is True
    assert names(sim) == []
    assert use(sim, id) == 200


# Selection


@pytest.mark.rule("R322", "R450")
def test_the_template_in_use_is_reported_by_three_fields(sim):
    """Selecting another one replaces it; without one the answer is a 404."""
    assert sim.call("get_channel_template", "demo-guest", uuid=ROOM).body["code"] == "no_template"
    first, second = make(sim, "First"), make(sim, "Second")
    assert (use(sim, first), use(sim, second)) == (200, 200)
    expected = {"id": second, "name": "Second", "inherited": False}
    assert sim.call("get_channel_template", "demo-guest", uuid=ROOM).body == expected
    assert sim.call("remove_channel_template", "demo-operator", uuid=ROOM).content == b""
    assert sim.call("get_channel_template", "demo-guest", uuid=ROOM).status == 404


def test_no_template_may_be_told_by_no_content():
    """Where no template is no error, the answer is a 204 without a body."""
    answer = Simulator(profile={"templates.none": "204"}).call("get_channel_template", ADMIN, uuid=ROOM)
    assert (answer.status, answer.content) == (204, b"")


@pytest.mark.rule("R438")
def test_a_removed_selection_takes_its_configuration_along(sim):
    """The channel's effective configuration has the template's keys only while it is selected."""
    id = make(sim)
    sim.call("set_template_config", ADMIN, templateId=id, body={"a": 1})
    use(sim, id)
    assert sim.call("get_channel_config", ADMIN, uuid=ROOM).body == {"a": 1}
    sim.call("remove_channel_template", "demo-owner", uuid=ROOM)
    assert sim.call("get_channel_config", ADMIN, uuid=ROOM).body == {}


@pytest.mark.parametrize(("profile", "status"), [({}, 200), ({"delete.empty-slot": "refuse"}, 404)])
def test_removing_no_template(profile, status):
    """Clearing an empty slot succeeds unless that is refused."""
    assert Simulator(profile=profile).call("remove_channel_template", "demo-owner", uuid=ROOM).status == status


def test_a_disabled_template_is_not_selected(sim):
    """Selecting it is a 409, and the channel goes on without."""
    id = make(sim)
    sim.call("set_template_state", ADMIN, templateId=id, state="disable")
    answer = sim.call("select_channel_template", "demo-owner", uuid=ROOM, templateId=id)
    assert code(answer) == (409, "template_disabled")
    assert sim.call("get_channel_template", ADMIN, uuid=ROOM).status == 404


@pytest.mark.rule("R021", "R451")
@pytest.mark.parametrize(
    ("how", "expected"), [("enabled", ["a", "b"]), ("all", ["a", "b", "off"]), ("selected", ["b"])]
)
def test_the_templates_of_a_channel(how, expected):
    """The page holds the enabled templates; or all of them; or the one that is selected."""
    sim = Simulator(profile={"templates.listed-for-channel": how})
    ids = {name: make(sim, name) for name in ("b", "a", "off")}
    sim.call("set_template_state", ADMIN, templateId=ids["off"], state="disable")
    use(sim, ids["b"])
    page = sim.call("list_channel_templates", "demo-user", uuid=ROOM, limit=1).body
    assert page["total"] == len(expected)
    assert [each["name"] for each in page["results"]] == expected[:1]
    assert sim.call("list_channel_templates", "demo-user", uuid=EVENT_ROOM).ok


# Templates in use


def in_use(how):
    """A world in which the demo room uses an inherited template, with its id."""
    sim = Simulator(profile={"templates.in-use": how})
    id = shared(sim)
    sim.call("set_template_state", ADMIN, templateId=id, state="enable")
    use(sim, id)
    return sim, id


STEPS = {
    "disabled": ("set_template_state", ADMIN, {"state": "disable"}),
    "withdrawn": ("set_template_inheritance", PARTNER_ADMIN, {"state": "disallow"}),
    "removed": ("remove_template", PARTNER_ADMIN, {}),
}


@each(
    "how, step, status, stored",
    [
        ("keep", "disabled", 200, True),
        ("keep", "withdrawn", 200, True),
        ("keep", "removed", 200, False),
        ("lose", "disabled", 200, False),
        ("lose", "withdrawn", 200, False),
        ("lose", "removed", 200, False),
        ("refuse", "disabled", 409, True),
        ("refuse", "withdrawn", 409, True),
        ("refuse", "removed", 409, True),
    ],
)
def test_what_becomes_of_a_template_in_use(how, step, status, stored):
    """A channel keeps a template that is only no longer offered, and loses one that is removed; unless assumed else."""
    sim, id = in_use(how)
    operation, caller, arguments = STEPS[step]
    assert sim.call(operation, caller, templateId=id, **arguments).status == status
    assert sim.call("get_channel_template", ADMIN, uuid=ROOM).ok is stored


def test_a_parent_that_disables_its_template_does_not_touch_its_children():
    """Even where channels lose what is disabled, the parent's switch is the parent's alone."""
    sim, id = in_use("lose")
    assert sim.call("set_template_state", PARTNER_ADMIN, templateId=id, state="disable").ok
    assert sim.call("get_channel_template", ADMIN, uuid=ROOM).ok


def test_a_channel_that_goes_no_longer_holds_its_template():
    """After the channel is deleted its template is free."""
    sim, id = in_use("refuse")
    assert sim.call("delete_channel", "demo-owner", uuid=ROOM).ok
    assert sim.call("remove_template", PARTNER_ADMIN, templateId=id).ok


# Words and callers


@pytest.mark.parametrize(
    ("operation", "words"),
    [("set_template_state", ("enable", "disable")), ("set_template_inheritance", ("allow", "disallow"))],
)
def test_the_state_words(sim, operation, words):
    """Other words are a 400; setting what holds already succeeds."""
    id = make(sim)
    for word in (*words, words[0], words[0]):
        assert sim.call(operation, ADMIN, templateId=id, state=word).ok
    answer = sim.call(operation, ADMIN, templateId=id, state="on")
    assert code(answer) == (400, "invalid_state")


@pytest.mark.parametrize(
    ("operation", "state"), [("set_template_state", "enable"), ("set_template_inheritance", "disallow")]
)
def test_a_repeated_state_may_be_refused(operation, state):
    """Where repeating is refused, setting what holds is a 409."""
    sim = Simulator(profile={"states.repeated": "refuse"})
    assert sim.call(operation, ADMIN, templateId=make(sim), state=state).body["code"] == "state_holds"


ARGUMENTS = {
    "get_template": {"templateId": True},
    "list_templates": {},
    "get_channel_template": {"uuid": ROOM},
    "list_channel_templates": {"uuid": ROOM},
    "create_template": {"body": {"name": "New"}},
    "update_template": {"templateId": True, "body": {"name": "New"}},
    "remove_template": {"templateId": True},
    "set_template_state": {"templateId": True, "state": "disable"},
    "set_template_inheritance": {"templateId": True, "state": "allow"},
    "select_channel_template": {"uuid": ROOM, "templateId": True},
    "remove_channel_template": {"uuid": ROOM},
}
HOSTS = {"demo-owner", "demo-operator", "demo-api-token"}
ADMINS = {"demo-customer-admin", "demo-api-token"}


@pytest.mark.parametrize("operation", ARGUMENTS)
@pytest.mark.parametrize("caller", CALLERS)
def test_who_may_call(sim, operation, caller):
    """Everybody reads, administrators manage, hosts select."""
    id = make(sim)
    use(sim, id)
    arguments = {name: id if value is True else value for name, value in ARGUMENTS[operation].items()}
    reads = operation.startswith(("get", "list"))
    admitted = reads or caller in (HOSTS if "channel" in operation else ADMINS)
    assert sim.call(operation, caller, **arguments).status == (200 if admitted else 403)


@pytest.mark.rule("R448")
@pytest.mark.parametrize("operation", [name for name in ARGUMENTS if "templateId" in ARGUMENTS[name]])
def test_a_template_that_is_not_there(sim, operation):
    """An unknown id and a template of another client are both a 404."""
    foreign = make(sim, "Foreign", "demo-other-admin")
    make(sim)
    for id in (ROOM, "nonsense", foreign):
        arguments = {name: id if value is True else value for name, value in ARGUMENTS[operation].items()}
        assert sim.call(operation, "demo-api-token", **arguments).status == 404


@pytest.mark.parametrize("operation", [name for name in ARGUMENTS if "channel" in name])
def test_a_channel_that_is_not_there(sim, operation):
    """A channel of another client is a 404."""
    arguments = {name: make(sim) if value is True else value for name, value in ARGUMENTS[operation].items()}
    assert sim.call(operation, "demo-other-admin", **arguments).status == 404

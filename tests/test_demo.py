"""The names of the demo world, of operations, and what can be imported from confsim."""

from __future__ import annotations

import ast
import copy
import inspect
import json
import typing
from pathlib import Path

import pytest

import confsim
from confsim import IgnoredInputWarning, Misuse, OperationName, Simulator, StatusError, demo
from confsim.api.catalogue import API
from confsim.transport.wsgi import WsgiTransport
from kit.source import ROOT

DEMO = json.loads((ROOT.parent / "fixtures" / "demo.json").read_text())
USERS = {user["token"]: user["handle"] for client in DEMO["clients"] for user in client["users"]}


def test_all_public_names_are_there():
    """For programs as for type checkers, which read another list."""
    for name in confsim.__all__:
        assert getattr(confsim, name) is not None
    tree = ast.parse(Path(inspect.getfile(confsim)).read_text())
    imported = {
        alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level for alias in node.names
    }
    assert imported == set(confsim.__all__)
    assert set(dir(confsim)) >= set(confsim.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        confsim.__getattr__("nope")


def test_the_type_of_operation_names_is_the_catalogue():
    """In its order."""
    assert list(typing.get_args(OperationName)) == list(API.operations)


def test_names_of_the_demo_world_are_those_of_its_file():
    """Every constant stands in the file, and every token, id and number of the file is a constant."""
    constants = {value for name, value in vars(demo).items() if name.isupper()}
    clients = DEMO["clients"]
    things = {each["id"] for client in clients for kind in ("channels", "validators") for each in client.get(kind, ())}
    keys = {each["key"] for client in clients for each in client.get("validators", ())}
    numbers = {each["number"] for client in clients for each in client.get("numbers", ())}
    tokens = {each["token"] for client in clients for each in client.get("apiTokens", ())}
    assert constants == {*USERS, *tokens, *(each["id"] for each in clients), *things, *keys, *numbers}


def test_the_demo_users_have_their_ids():
    """Those of this world, whatever its seed."""
    sim = Simulator(seed=5)
    names = [name for name, value in vars(demo.Demo).items() if isinstance(value, property)]
    users = [getattr(sim.demo, name) for name in names]
    assert {each.token for each in users} == set(USERS)
    for each in users:
        if each.token != demo.GUEST:
            me = sim.call("get_me", each.token, expect=200).body
            assert (me["id"], me["clientId"], me["handle"]) == (each.id, each.client, USERS[each.token])


@pytest.mark.parametrize("name", ["customer_admin", "owner", "operator", "user"])
def test_demo_users_log_in_with_an_identity_token(name):
    """Those of the customer, who has a validator, have origin ids: the token is that of the user."""
    sim = Simulator()
    user = getattr(sim.demo, name)
    assert sim.call("get_user_origin_id", demo.API_TOKEN, userId=user).body == {"originId": user.origin_id}
    body = {"idToken": sim.identity_token(user)}
    token = sim.call("exchange_identity_token", clientId=demo.CLIENT, body=body, expect=200).body["token"]
    assert sim.call("get_me", token, expect=200).body["id"] == user
    assert sim.demo.other_admin.origin_id is None


def test_a_demo_user_stands_where_an_id_is_taken():
    """And as the caller of a call, wherever a token is; so does a user whom make_user has made."""
    sim = Simulator()
    made = sim.make_user(demo.CLIENT, "Nina New")
    for user in (sim.demo.user, made):
        assert sim.presence.join(demo.ROOM, user).state == "in"
        assert sim.presence.present(demo.ROOM, user)
        assert sim.presence(demo.ROOM)[0].userId == user.id
        assert sim.presence.leave(demo.ROOM, user) == "away"
        assert sim.change_record("user", user, reputation=3)["id"] == user.id
        assert sim.call("get_me", sim.token(user)).body["id"] == user.id
        assert sim.call("get_me", user).body["id"] == user.id
        assert sim.client(user).get("/users/me").json["id"] == user.id
        assert sim.session(user).get(f"{sim.base_url}/users/me", timeout=30).json()["id"] == user.id
    user = sim.demo.user
    assert sim.control("join_channel", channel=demo.ROOM, userId=user).state == "in"
    assert sim.call("get_user", demo.API_TOKEN, userId=user, expect=200).body["id"] == user.id
    copied = copy.deepcopy(user)
    assert (copied, copied.token, copied.client, copied.origin_id) == (user.id, demo.USER, demo.CLIENT, "uma-user")
    assert (f"{user}", repr(user)) == (
        "1004",
        f"DemoUser(1004, token='demo-user', client={demo.CLIENT!r}, origin_id='uma-user')",
    )


def test_another_world_has_no_demo_users():
    """The message names the token."""
    with pytest.raises(Misuse, match="no user of this world has the token 'demo-owner'"):
        repr(Simulator("empty").demo.owner)
    assert repr(Simulator("empty").demo) == "<demo users >"


def test_a_simulator_says_what_it_is():
    """What it was made from, how much happened, and its instant."""
    sim = Simulator(clock="2026-02-01T00:00:00Z")
    sim.call("get_me", demo.OWNER)
    assert repr(sim) == "<Simulator of demo, 1 call, at 2026-02-01T00:00:00+00:00>"


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (lambda sim: sim.call("get_channel", demo.OWNER, uid=demo.ROOM), "has no 'uid'; did you mean 'uuid'?"),
        (
            lambda sim: sim.call("get_me", "demo-ownr", expect=200),
            "the token is 'demo-ownr'; did you mean 'demo-owner'?",
        ),
        (lambda sim: sim.presence.join(demo.ROOM, "demo-usr"), "or no longer; did you mean 'demo-user'?"),
        (lambda sim: sim.demo.gest, "there is no demo user 'gest'; did you mean 'guest'?"),
        (lambda sim: demo.OWNR, "module 'confsim.demo' has no attribute 'OWNR'; did you mean 'OWNER'?"),
        (lambda sim: confsim.Simulatr, "module 'confsim' has no attribute 'Simulatr'; did you mean 'Simulator'?"),
        (lambda sim: Simulator(scenario="invitatons"), "did you mean 'invitations'?"),
        (lambda sim: sim.wait(reqest={}), "body for: Object contains unknown field `reqest`; did you mean 'request'?"),
        (lambda sim: sim.wait(mail={"too": "a"}), "unknown field `too`; did you mean 'to'?"),
        (lambda sim: sim.restore("frst"), "there is no snapshot 'frst'; did you mean 'first'?"),
        (lambda sim: sim.worlds["frst"], "there is no world 'frst'; did you mean 'first'?"),
        (lambda sim: sim.change_record("usr", 1004), "there is no kind of record 'usr'; did you mean 'user'?"),
        (lambda sim: sim.change_record("user", 1004, folow=[]), "unknown field `folow`; did you mean 'follow'?"),
        (lambda sim: sim.control("get_record", "usrs", "1004"), "kind of record 'usrs'; did you mean 'users'?"),
        (lambda sim: sim.control("list_presence", chanel="x"), "query chanel: no such parameter; did you mean"),
        (lambda sim: setattr(sim, "state", {"format": 9}), "the document has no 'version', but 'format'; this confsim"),
        (
            lambda sim: sim.call("create_channel", demo.OWNER, body={"nme": "x"}, expect=200),
            "\nbody nme: no such field; did you mean 'name'?",
        ),
        (
            lambda sim: sim.call("create_channel", demo.OWNER, name="x", expect=200),
            "\nquery name: no such parameter; it is a field of the body",
        ),
        (lambda sim: sim.worlds.add("w", "dmo"), "'dmo' is neither a world nor a scenario; did you mean 'demo'?"),
        (lambda sim: sim.worlds.drop("frst"), "there is no world named 'frst'; did you mean 'first'?"),
    ],
)
def test_what_was_meant(wrong, error):
    """Names that are near, wherever one is given."""
    sim = Simulator()
    sim.snapshot("first")
    sim.worlds.add("first")
    with pytest.raises((Misuse, StatusError, AttributeError, KeyError)) as raised:
        wrong(sim)
    assert error in str(raised.value)


@pytest.mark.parametrize(
    ("operation", "arguments", "warning"),
    [
        ("create_api_token", {"body": {"lable": "x"}}, "body lable: no such field; did you mean 'label'?"),
        (
            "create_api_token",
            {"body": {"for_client": "x"}},
            "body for_client: no such field; it is a parameter of the query",
        ),
        ("list_channels", {"limt": 3}, "query limt: no such parameter; did you mean 'limit'?"),
        ("get_me", {"calller": "x"}, "query calller: no such parameter; did you mean 'caller'?"),
        ("get_me", {"expct": 200}, "query expct: no such parameter; did you mean 'expect'?"),
        ("create_api_token", {"label": "x"}, "query label: no such parameter; it is a field of the body"),
        ("list_users", {"body": {"limit": 3}}, None),
        ("create_api_token", {"body": b'{"lable": "x"}'}, None),
        ("create_api_token", {"body": {"label": "x"}}, None),
        ("list_channels", {"_confsim": "now=0"}, None),
    ],
)
@pytest.mark.parametrize("through", ["core", "wsgi"])
def test_what_the_api_ignores_is_warned_of(operation, arguments, warning, through, recwarn):
    """At the line that called; the answer is that of the API. What a profile refuses is in the answer instead."""
    sim = Simulator(transport=None if through == "core" else lambda sim: WsgiTransport(sim.wsgi))
    sim.call(operation, demo.CUSTOMER_ADMIN, **arguments)
    found = [each for each in recwarn if each.category is IgnoredInputWarning]
    if warning is None:
        assert not found
    else:
        (only,) = found
        assert str(only.message) == f"{operation} ignores what it does not know: {warning}"
        assert only.filename == __file__
    recwarn.clear()
    strict = Simulator(profile={"parse.unknown-fields": "refuse", "parse.unknown-query": "refuse"})
    answer = strict.call(operation, demo.CUSTOMER_ADMIN, **arguments)
    assert not recwarn.list
    assert warning is None or answer.status == 400


def test_a_token_that_is_far_from_all_is_named_by_none():
    """The message says what was answered."""
    with pytest.raises(StatusError) as raised:
        Simulator().call("get_me", "xyz", expect=200)
    assert "did you mean" not in str(raised.value)


def test_public_objects_say_what_they_are(tmp_path):
    """Every class that can be imported from confsim, and whatever a simulator hands out."""
    for name in confsim.__all__:
        found = getattr(confsim, name)
        if isinstance(found, type) and not getattr(found, "_is_protocol", False):
            assert found.__repr__ is not object.__repr__, name
    sim = Simulator()
    handed = [getattr(sim, name) for name in dir(type(sim)) if isinstance(getattr(type(sim), name), property)]
    with sim.serve() as server, sim.keep_in(tmp_path / "state") as stored:
        shown = [repr(each) for each in (*handed, sim.transport(), sim.client(), server, stored, confsim.Clock(0))]
        assert repr(server) == f"<Serving at {server.base_url}>"
    assert repr(server) == "<Serving, stopped>"
    assert [each for each in shown if " object at 0x" in each] == []
    sim.worlds.add("w1")
    assert repr(sim.worlds) == "<worlds: the root, w1>"
    sim.call("get_me", demo.OWNER)
    sim.faults.add("get_me", do={"status": 503})
    assert (repr(sim.requests), repr(sim.faults)) == ("<1 request>", "<1 fault>")

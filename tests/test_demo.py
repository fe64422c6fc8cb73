"""The names of the demo world, of operations, and what can be imported from confsim."""

from __future__ import annotations

import ast
import inspect
import json
import typing
from pathlib import Path

import pytest

import confsim
from confsim import Misuse, OperationName, Simulator, StatusError, demo
from confsim.api.catalogue import API
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


def test_a_token_that_is_far_from_all_is_named_by_none():
    """The message says what was answered."""
    with pytest.raises(StatusError) as raised:
        Simulator().call("get_me", "xyz", expect=200)
    assert "did you mean" not in str(raised.value)

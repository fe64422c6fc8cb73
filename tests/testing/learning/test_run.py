"""A run: model and service are asked the same, at instants that mean the same on both sides."""

from __future__ import annotations

from msgspec.structs import replace

from confsim.testing.learning.calls import ModelCall
from kit.beside import Beside


def test_an_administrator_who_is_none_is_noted():
    """The tokens of two roles were taken for each other; a file that is right gives no note."""
    beside = Beside()
    assert beside.verifier()._make().notes == []
    tokens = {**beside.accounts.tokens}
    tokens["customer-admin"], tokens["user"] = tokens["user"], tokens["customer-admin"]
    beside.accounts = replace(beside.accounts, tokens=tokens)
    (note,) = beside.verifier()._make().notes
    id = beside.simulator.call("get_me", tokens["customer-admin"]).body["id"]
    assert note == f"the token of the customer-admin is that of user {id}, who has not this access level"


def test_a_secret_that_is_made_of_a_second_is_read_in_another_one():
    """The seconds of two clocks begin at other instants: reads close together may be in one of them or in two."""
    beside = Beside()
    run = beside.verifier()._make()
    owner = run.accounts.tokens["owner"]
    made = run.take(ModelCall("create_channel", owner, body={"name": "cvtest one"}, content_type="application/json"))
    read = ModelCall("get_turn_credentials", owner, {"uuid": made.predicted.reply.body["channelUuid"]})
    for _ in range(60):
        assert run.take(read).difference is None
        beside.pass_time(37)
    assert run.waited > 60

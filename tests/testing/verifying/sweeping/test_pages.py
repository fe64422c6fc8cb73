"""Pages and orders of lists: what decides which elements are shown, and in as few reads as that takes."""

from __future__ import annotations

from collections import Counter

import pytest

from confsim.api.catalogue import API
from confsim.testing.learning.calls import ModelCall
from confsim.testing.verifying.planning import Planner
from confsim.testing.verifying.sweeping.pages import CUTTING, cuts, decided
from confsim.testing.verifying.sweeping.surroundings import Surroundings
from kit.beside import Beside

JSON = "application/json"


@pytest.fixture(scope="module")
def run():
    """A run that has made three channels, on the model's side alone; their names are not in the order of making."""
    made = Beside().verifier()._make()
    for name in ("cvtest b", "cvtest c", "cvtest a"):
        call = ModelCall("create_channel", made.accounts.tokens["owner"], body={"name": name}, content_type=JSON)
        made.ledger.note(call, made.model.call(call).reply)
    return made


def _list(run, **query):
    return ModelCall("list_channels", run.accounts.tokens["owner"], query={"search": "cvtest", **query})


def _decided(run, **query):
    call = _list(run, **query)
    return list(decided(run.model.imagine, call, run.model.imagine(call), CUTTING))


def _around(run):
    planner = Planner(run.model, run.things, run.scope, run.names, 0, run.numbers)
    return Surroundings(planner.candidates, Counter(), planner.wrongs)


def test_what_decides_a_page_is_told_from_what_does_not(run):
    """Without the parameter, and with a page more, the answer is another."""
    assert _decided(run, limit="1", offset="1") == ["limit", "offset"]
    assert _decided(run, limit="3") == []
    assert _decided(run, offset="5") == []
    assert _decided(run, sort="name", order="asc", limit="1", offset="0") == ["limit", "sort", "order"]
    assert _decided(run, sort="name", order="asc", limit="1", offset="1") == ["limit", "offset", "sort"]


def test_a_list_is_asked_for_in_each_order_and_page(run):
    """The first that are asked for have most parameters; none has none."""
    asked = [each.query.keys() & set(CUTTING) for each in cuts(_list(run, sort="name"))]
    assert asked[0] == set(CUTTING)
    assert {frozenset(each) for each in asked} >= {frozenset({each}) for each in CUTTING}
    assert all(asked)


def test_what_decides_a_list_is_read_once(run):
    """A list of three is read whole, then as few times as show what each parameter decides, and not again."""
    around = _around(run)
    call = _list(run)

    def reads():
        for each in around.pages.of(call, run.model.imagine(call), last=True):
            yield each
            role = around.candidates.role(each)
            around.seen.update(around.tried.goals(each, run.model.imagine(each), role))

    made = list(reads())
    assert made[0] == call
    assert len(made) <= 1 + len(CUTTING)
    assert all(around.seen[call.operation, "decided by", each] for each in CUTTING)
    assert list(reads()) == []


def test_a_call_is_made_by_those_whose_grant_was_not_shown(run):
    """What its answer is does not change; made again at once, it is made by the same caller."""
    around = _around(run)
    (channel,) = run.things.list_kind("channels")[:1]
    read = ModelCall("list_operators", run.accounts.tokens["owner"], {"uuid": channel.name})
    roles = []
    for _ in range(3):
        varied = around.varied(ModelCall(read.operation, read.caller, read.path))
        assert around.varied.__self__._varied[1] is varied
        assert run.model.imagine(varied).reply.body == run.model.imagine(read).reply.body
        roles.append(around.candidates.role(varied))
        around.seen.update(around.tried.goals(varied, run.model.imagine(varied), roles[-1]))
    assert len(set(roles)) > 1
    refused = ModelCall("delete_channel", run.accounts.tokens["operator"], {"uuid": channel.name})
    assert around.varied(refused) is refused


def test_where_no_read_shows_it_a_refused_change_does(run):
    """What is off is seen by what it does not admit; a read is chosen where one shows it."""
    around = _around(run)
    (channel,) = run.things.list_kind("channels")[:1]
    call = ModelCall("set_broadcast_state", run.accounts.tokens["owner"], {"uuid": channel.name, "state": "disable"})
    found = around.finder.look([call], lambda each, predicted: float(predicted.reply.status >= 400))
    assert found is not None
    assert found.declared.changes
    assert run.model.imagine(found).reply.status >= 400
    read = around.finder.look([call], lambda each, predicted: 1.0)
    assert read is not None
    assert not read.declared.changes


def test_what_others_are_kept_from_is_possible(run):
    """A refusal to another tenant shows that it is kept out only where the client's own callers are answered."""
    around = _around(run)
    (channel,) = run.things.list_kind("channels")[:1]
    for operation, possible in (("get_channel", True), ("end_active_session", False)):
        call = ModelCall(operation, run.accounts.tokens["other-admin"], {"uuid": channel.name})
        role = around.candidates.role(call)
        found = list(around.tried.goals(call, run.model.imagine(call), role))
        assert ((operation, "hidden from others") in found) is possible
        assert (operation, "refused to", role) in found


def test_who_made_a_change_reads_it(run, monkeypatch):
    """Where nobody else who is tried may read it."""
    around = _around(run)
    (channel,) = run.things.list_kind("channels")[:1]
    token = run.accounts.tokens["owner"]
    call = ModelCall("add_dial_pin", token, {"uuid": channel.name}, {}, {"pin": "1234"}, JSON)
    user = run.things.caller(run.accounts.tokens["user"])
    monkeypatch.setattr(around.candidates, "likely", lambda operation: user)
    found = around.finder.look([call], lambda each, predicted: float(each.operation == "list_dial_pins"))
    assert found is not None
    assert found.caller == token


def _made(run, operation, role="owner", body=None, **path):
    call = ModelCall(operation, run.accounts.tokens[role], path, {}, body, None if body is None else JSON)
    reply = run.model.call(call).reply
    assert reply.status < 400, reply
    run.ledger.note(call, reply)
    return reply.body


def _roles_of(around, run, read):
    roles = set()
    for each in around.read(read, run.model.imagine(read)):
        predicted, role = run.model.imagine(each), around.candidates.role(each)
        around.seen.update(around.tried.goals(each, predicted, role))
        if predicted.reply.status < 400:
            roles.add(role)
    return roles


def test_what_a_service_makes_by_itself_is_read_by_all_who_may(run):
    """A session is there as long as it lasts; a channel can be made again for those who are to read it."""
    around = _around(run)
    channel = run.things.list_kind("channels")[0].name
    _made(run, "set_dial_out_state", "customer-admin", uuid=channel, state="enable")
    _made(run, "dial_unregistered_user", body={"number": "+12025550199", "name": "cvtest"}, uuid=channel)
    session = _made(run, "list_sessions", channelId=channel)["results"][0]["id"]
    owner = run.accounts.tokens["owner"]
    read = ModelCall("get_session", owner, {"sessionId": session})
    assert _roles_of(around, run, read) == {"owner", "customer-admin"}
    assert _roles_of(around, run, ModelCall("get_channel", owner, {"uuid": channel})) == {"owner"}


def test_what_decides_nothing_is_refused_in_another_word(run):
    """A channel makes one recording at a time, so that all sorts are one order; a service that ignores them answers."""
    around = _around(run)
    around.seen.update(("list_recordings", "decided by", each) for each in ("limit", "offset", "order"))
    (call,) = around.pages.refused(API["list_recordings"])
    assert call.query.keys() & set(CUTTING) == {"sort"}
    assert run.model.imagine(call).reply.status == 400
    around.seen["list_recordings", "decided by", "sort"] += 1
    assert list(around.pages.refused(API["list_recordings"])) == []

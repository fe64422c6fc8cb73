"""Assertions about calls, mails and deliveries, and what they say when they fail."""

from __future__ import annotations

import pytest

from confsim import MailInfo, Misuse, demo
from confsim.control.facade.assertions import Mails, require
from kit import ok
from kit.things.webhooks import happen, listening


def failing(assertion, **wanted):
    """The lines of the message of an assertion that fails."""
    with pytest.raises(AssertionError) as caught:
        assertion(**wanted)
    return str(caught.value).splitlines()


@pytest.fixture
def called(sim):
    """A simulator after three calls."""
    sim.call("get_me", demo.OWNER)
    sim.call("create_channel", demo.OWNER, body={"name": "Planning", "description": "all"})
    sim.call("list_channels", demo.OWNER, search="Plan", limit=5)
    return sim


def test_calls_that_were_made_are_returned(called):
    """By every field; a text matches as a pattern, an object by its fields."""
    requests = called.requests
    (made,) = requests.assert_called("create_channel", body={"name": "Planning"}, status=200)
    assert made.operation == "create_channel"
    assert requests.assert_called("create_channel", body={"name": "Pl*g"}, method="post", times=1) == [made]
    assert len(requests.assert_called(path="*/channels*")) == 2
    assert len(requests.assert_called("list_channels", query={"search": "Plan"})) == 1
    assert requests.assert_called("get_channel", times=0) == []
    assert len(requests.assert_called(times=3)) == 3


def test_a_call_that_was_not_made_shows_how_the_nearest_differ(called):
    """Calls of the operation come first."""
    lines = failing(called.requests.assert_called, operation="create_channel", body={"name": "Play", "size": 3})
    assert lines == [
        "0 of 3 calls with operation='create_channel', body={'name': 'Play', 'size': 3}, not at least one",
        "  nearest: r2 POST /v1_0/channels/create [create_channel] -> 200:",
        "    body.name: 'Planning', not 'Play'",
        "    body.size: missing, not 3",
        "  r3 GET /v1_0/channels [list_channels] -> 200:",
        "    operation: 'list_channels', not 'create_channel'",
        "    body: None, not {'name': 'Play', 'size': 3}",
        "  r1 GET /v1_0/users/me [get_me] -> 200:",
        "    operation: 'get_me', not 'create_channel'",
        "    body: None, not {'name': 'Play', 'size': 3}",
    ]


def test_the_nearest_of_many_calls_is_shown_with_its_refusal(sim):
    """A misspelt name is nearer than other names, even if the call was refused; why it was refused stands below."""
    for number in range(20):
        sim.call("create_channel", demo.OWNER, body={"name": f"Room {number}"})
    sim.call("create_channel", demo.GUEST, body={"name": "Planing"})
    sim.call("create_channel", demo.OWNER, body={"name": "Other"})
    wanted = {"operation": "create_channel", "body": {"name": "Planning"}, "status": 200}
    lines = failing(sim.requests.assert_called, **wanted)
    assert lines[1:5] == [
        "  nearest: r21 POST /v1_0/channels/create [create_channel] -> 403:",
        "    body.name: 'Planing', not 'Planning'",
        "    status: 403, not 200",
        "    why: Guest Gwen is a guest; only registered users and API tokens may call create_channel",
    ]


def test_calls_too_many_are_listed(called):
    """All that match."""
    assert failing(called.requests.assert_called, operation="get_me", times=0) == [
        "1 of 3 calls with operation='get_me', not 0",
        "  r1 GET /v1_0/users/me [get_me] -> 200",
    ]


def test_no_more_than_three_are_compared(sim):
    """The others are counted."""
    for _ in range(5):
        sim.call("get_me", demo.OWNER)
    assert failing(sim.requests.assert_called, operation="get_me", status=404)[-1] == "  and 2 other calls"
    assert failing(sim.requests.assert_called, operation="get_me", status=404, times=2)[0].endswith("not 2")


def test_an_unknown_operation_is_misuse(sim):
    """A misspelt name would hold for times=0 for ever."""
    with pytest.raises(Misuse, match="did you mean 'get_me'"):
        sim.requests.assert_called("get_mee", times=0)


@pytest.mark.parametrize(
    ("wanted", "given", "difference"),
    [
        (1, 1, None),
        (1, True, "body: True, not 1"),
        (True, 1, "body: 1, not True"),
        ({"a": [1, {"b": "x*"}]}, {"a": [1, {"b": "xyz", "c": 0}], "d": 0}, None),
        ({"a": [1, 2]}, {"a": [1, 3]}, "body.a[1]: 3, not 2"),
        ({"a": [1, 2]}, {"a": [1]}, "body.a: [1], not [1, 2]"),
        ({"a": {"b": 1}}, {"a": 3}, "body.a: 3, not {'b': 1}"),
        ({"a": {"b": 1}}, {"a": {}}, "body.a.b: missing, not 1"),
        ("a[b]", "a[b]", None),
    ],
)
def test_values_are_compared_by_their_parts(called, wanted, given, difference):
    """Objects by the fields that are wanted, lists item by item, true is not one."""
    called.requests.clear()
    called.call("create_channel", demo.OWNER, body=given)
    if difference is None:
        called.requests.assert_called(body=wanted)
    else:
        assert difference in [line.strip() for line in failing(called.requests.assert_called, body=wanted)]


def test_mails_that_were_sent():
    """By address, subject, text and kind."""
    first, second = (
        MailInfo(to=to, subject="Your code", text="It is 7", at=0, kind="code", code="7", link=None, clientId="c")
        for to in ("a@x.example", "b@x.example")
    )
    mails = Mails([first, second])
    assert mails.assert_sent("b@x.example") == [second]
    assert mails.assert_sent(text="*7", kind="code", times=2) == [first, second]
    assert failing(mails.assert_sent, to="c@x.example", subject="Your*") == [
        "0 of 2 mails with to='c@x.example', subject='Your*', not at least one",
        "  nearest: to b@x.example: 'Your code':",
        "    to: 'b@x.example', not 'c@x.example'",
        "  to a@x.example: 'Your code':",
        "    to: 'a@x.example', not 'c@x.example'",
    ]
    assert failing(Mails().assert_sent) == ["0 of 0 mails with anything, not at least one"]


def test_the_mails_of_a_world_can_be_asserted(sim):
    """A simulator's mails are such a list."""
    ok(sim, "set_user_email", demo.USER, userId="me", body={"email": "u@x.example"})
    sim.mail.assert_sent("u@x.example", times=1)


def test_webhooks_that_were_delivered():
    """By kind and a part of the payload; those that did not arrive only when asked for."""
    sim = listening()
    happen(sim, "one", "two")
    kind = sim.webhooks[0].kind
    assert len(sim.webhooks.assert_delivered(kind, times=2)) == 2
    (second,) = sim.webhooks.assert_delivered(payload={"data": {"name": "two"}})
    assert second == sim.webhooks[1]
    lines = failing(sim.webhooks.assert_delivered, payload={"data": {"name": "three"}})
    assert lines[0] == ("0 of 2 deliveries with payload={'data': {'name': 'three'}}, delivered=True, not at least one")
    assert "    payload.data.name: 'one', not 'three'" in lines
    assert sim.webhooks.assert_delivered(delivered=False, times=0) == []


def test_require_needs_no_match_for_none():
    """Nothing wanted, nothing found, none expected."""
    assert require([], "call", {}, 0) == []


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (lambda sim: sim.webhooks.assert_delivered("session.startd", times=0), "did you mean 'session.started'?"),
        (lambda sim: sim.webhooks.assert_delivered("sesion.*", times=0), "kind: there is no 'sesion.*'"),
        (lambda sim: sim.webhooks.find(kind="nope"), "kind: there is no 'nope'"),
        (lambda sim: sim.mail.assert_sent(kind="record", times=0), "kind: there is no 'record'; did you mean"),
        (lambda sim: sim.requests.assert_called(method="GTE", times=0), "did you mean 'GET'?"),
        (lambda sim: sim.requests.assert_called("get_mee", times=0), "did you mean 'get_me'?"),
        (lambda sim: sim.requests.assert_called(times=-1), "times is a whole number from 0, not -1"),
        (lambda sim: sim.mail.assert_sent(times="1"), "times is a whole number from 0, not '1'"),
    ],
)
def test_what_can_never_be_is_refused(sim, wrong, error):
    """An assertion that it did not happen would pass."""
    with pytest.raises(Misuse) as raised:
        wrong(sim)
    assert error in str(raised.value)


def test_what_can_be_and_did_not_happen(sim):
    """Patterns of kinds, too."""
    assert sim.webhooks.assert_delivered("session.*", times=0) == []
    assert sim.mail.assert_sent(kind="email-*", times=0) == []


def test_things_say_what_they_are(sim):
    """In a line each."""
    sim.call("get_me", "demo-user", expect=200)
    sim.client().get("/nowhere")
    assert [repr(each) for each in sim.requests] == [
        "<r1 GET /v1_0/users/me [get_me] 200>",
        "<r2 GET /v1_0/nowhere [no operation] 404>",
    ]
    sim.call("set_user_email", "demo-user", userId=sim.demo.user.id, body={"email": "u@new.example"}, expect=200)
    assert repr(sim.mail) == "[<mail to u@new.example: 'Verify your address' (email-verification)>]"


def test_no_number_is_established_by_a_part_of_the_calls(called):
    """Where the journal has dropped calls, an exact number fails and says so; that there is one at least holds."""
    called.requests.most = 2
    assert len(called.requests.assert_called("create_channel")) == 1
    dropped = "  the journal has dropped the 1 oldest call; it can keep more"
    for wanted, times in (("get_me", 0), ("create_channel", 1)):
        first, second, *rest = failing(called.requests.assert_called, operation=wanted, times=times)
        assert first == f"{times} of 2 calls with operation='{wanted}', which may not be all"
        assert (second, rest) == (dropped, [])
    assert dropped in failing(called.requests.assert_called, operation="get_me")
    assert dropped in failing(called.requests.assert_called, operation="create_channel", times=2)
    called.requests.clear()
    assert called.requests.assert_called("get_me", times=0) == []

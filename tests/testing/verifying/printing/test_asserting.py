"""The last lines of a printed test, by what differs."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import Reply
from confsim.testing.verifying.printing.asserting import assertion
from confsim.testing.verifying.printing.symbols import PrintedSymbols
from kit import CUSTOMER, OWNER, PARTNER, START
from kit.beside import Beside

JSON = "application/json"


@pytest.fixture
def run():
    """A run that has made a channel."""
    made = Beside().verifier()._make()
    made.take(ModelCall("create_channel", OWNER, body={"name": "cvtest one"}, content_type=JSON))
    return made


def last_line(run, operation, expected, got, **path):
    """The last line about two answers to a call, after the call that made a channel."""
    made = run.history[0]
    predicted = replace(made.predicted, reply=Reply(200, JSON, expected))
    step = replace(made, call=ModelCall(operation, OWNER, path), predicted=predicted, reply=Reply(200, JSON, got))
    step.difference = run.comparison.difference(step.call.declared, predicted.reply, step.reply)
    return assertion(run, PrintedSymbols(run, [made, step]), step)[-1]


@pytest.mark.parametrize(
    ("operation", "expected", "got", "line"),
    [
        ("get_data_channel", {"url": "ws://a"}, {"url": "a"}, "assert '://' in str(answer.body['url'])"),
        ("get_me", {"id": 1002}, {"id": "1002"}, "assert isinstance(answer.body['id'], int)"),
        ("get_me", {"clientId": CUSTOMER}, {"clientId": PARTNER}, f"assert answer.body['clientId'] == '{CUSTOMER}'"),
        ("get_me", {}, {"handle": "a"}, "assert 'handle' not in answer.body"),
        ("get_me", {"handle": "a"}, {"handle": {}}, "assert answer.body['handle'] == 'a'"),
        ("get_me", {"languages": {}}, {"languages": 1}, "assert isinstance(answer.body['languages'], dict)"),
        ("get_session", {"started": 3000}, {"started": 9000}, "assert abs(int(answer.body['started']) * 1 - 3000)"),
    ],
)  # fmt: skip
def test_a_value_that_differs(run, operation, expected, got, line):
    """By the kind of the value, and by what is known of it."""
    assert last_line(run, operation, expected, got).startswith(line)


def test_an_instant_that_differs(run):
    """By the time of the answer, whatever the unit."""
    body = {"created": START}
    line = last_line(run, "get_broadcast", body, {"created": "2027-01-01T00:00:00Z"})
    assert line.startswith("assert abs(datetime.fromisoformat(answer.body['created']).timestamp() * 1000 - now - ")


def test_another_thing_in_the_place_of_one_that_is_new(run):
    """It is not to be the one that was made before."""
    there = run.history[0].reply.body["channelUuid"]
    line = last_line(run, "get_channel", {"channelUuid": "a new one"}, {"channelUuid": there})
    assert line == "assert answer.body['channelUuid'] != channel_1"


def test_a_field_that_is_named_by_an_id(run):
    """The id is that of the thing, whatever it is this time."""
    one, there = (each.body["channelUuid"] for each in (run.history[0].predicted.reply, run.history[0].reply))
    line = last_line(run, "get_populations", {one: 1}, {there: 2}, channels=one)
    assert line == "assert answer.body[channel_1] == 1"

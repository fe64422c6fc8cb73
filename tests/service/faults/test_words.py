"""The words of a fault of calls: each is carried out."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.service.faults.words import WORDS
from confsim.service.messages import Request, Response
from confsim.service.worker import Worker
from kit import OWNER, START_MS

#: For each word, an effect without it and the value that it adds.
EXAMPLES = {
    "reason": ({}, "not_found"),
    "facts": ({"reason": "channel_full"}, {"limit": 7}),
    "status": ({}, 503),
    "body": ({"status": 503}, {"a": 1}),
    "headers": ({}, {"X-A": "b"}),
    "retryAfter": ({"status": 503}, 7),
    "clock": ({}, "5s"),
    "real": ({}, "5ms"),
    "drop": ({}, "after"),
    "truncate": ({}, 3),
    "hold": ({}, "before"),
    "holdAtMost": ({"hold": "before"}, "1h"),
}


def outcome(do):
    """What a call with this effect gives: its response, the clock after it, and for how long it is held."""
    sim = Simulator(clock=START_MS)
    if do:
        sim.faults.add("get_me", do=do)
    headers = {"authorization": f"Bearer {OWNER}"}
    response = sim.app(Request("GET", "/v1_0/users/me", headers=headers, worker=Worker()))
    seconds = [held.info.remaining // 10_000 for held in sim.faults.held]
    if not isinstance(response, Response):
        response.cancel()
        sim.service.shut_down()  # no thread waits for an hour
        return sim.clock.now, seconds
    lines = [line for line in response.headers if line[0] != "Date"]
    return response.status, lines, response.body, response.cut, sim.clock.now, seconds


@pytest.mark.parametrize("word", WORDS)
def test_every_word_makes_a_difference(word):
    """A call with the word ends otherwise than one without it."""
    others, value = EXAMPLES[word]
    assert outcome({**others, word: value}) != outcome(others)

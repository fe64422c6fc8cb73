"""Pages beside other calls: a thread of the server makes them, without the lock of the world."""

from __future__ import annotations

import threading
from concurrent.futures import Future

import pytest

from confsim import Simulator
from confsim.service.messages import Request
from confsim.service.waiting import wait_for
from confsim.service.worker import Worker
from kit import OWNER, START

PAGES = (
    "inspector/records?search=Room+7",
    "inspector/search?q=room+7",
    "inspector/requests",
    "inspector/what-if?id=channels.unique-names&value=refuse",
    "inspector/presence",
    "inspector/reference/state-documents",
    "inspector/operations/create_channel",
    "inspector/records/channels/nowhere",
    "",
)


@pytest.fixture(scope="module")
def sim():
    """A world with some rooms, all of one name twice."""
    sim = Simulator(clock=START)
    for number in range(30):
        sim.call("create_channel", OWNER, body={"name": f"Room {number // 2}"})
    return sim


def ask(sim, path, worker=None, accept="text/html"):
    """The response to a browser, or to a program, or its future."""
    target, _, query = f"/_confsim/{path}".partition("?")
    return sim.app(Request("GET", target, query, {"accept": accept, "host": "localhost"}, worker=worker))


@pytest.mark.parametrize("path", PAGES)
def test_a_page_that_a_thread_makes_is_the_same_page(sim, path):
    """Nobody waits for it: it comes later, when the thread has done what it was to do before."""
    whole, worker, go_on = ask(sim, path), Worker(), threading.Event()
    worker.do(go_on.wait)
    outcome = ask(sim, path, worker)
    assert isinstance(outcome, Future)
    assert not outcome.done()
    go_on.set()
    found = wait_for(outcome)
    assert (found.status, found.body) == (whole.status, whole.body)


def test_a_program_gets_the_whole_index(sim):
    """As one that waits for it."""
    assert wait_for(ask(sim, "", Worker(), "*/*")).body == ask(sim, "", accept="*/*").body

"""Results that come later, and who waits for them."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future

import pytest

from confsim.service.messages import Response
from confsim.service.waiting import Waiters, after, delayed, delivered, wait_for


def test_what_is_there_is_returned_at_once():
    """Nothing is waited for, and no thread begins."""
    threads = {*threading.enumerate()}
    assert Waiters().until(lambda: 7) == 7
    assert wait_for(7) == 7
    assert {*threading.enumerate()} <= threads


def test_a_result_is_asked_for_until_it_is_there():
    """By a thread, however many are waited for; each gets its own."""
    ready, waiters = {}, Waiters()
    futures = [waiters.until(lambda number=number: ready.get(number)) for number in range(3)]
    ready[1] = "one"
    assert futures[1].result(10) == "one"
    assert [each.done() for each in futures] == [False, True, False]
    ready |= {0: "zero", 2: "two"}
    assert [each.result(10) for each in futures] == ["zero", "one", "two"]


def test_an_error_ends_the_waiting():
    """It is raised where the result is waited for."""
    fails = []

    def ready():
        if fails:
            raise ValueError("no")

    future = Waiters().until(ready)
    fails.append(1)
    with pytest.raises(ValueError, match="no"):
        wait_for(future)


def test_nobody_asks_for_what_nobody_waits_for():
    """A future that is cancelled is forgotten."""
    asked, others = [], set(threading.enumerate())
    future = Waiters().until(lambda: asked.append(1))
    assert future.cancel()
    while set(threading.enumerate()) - others:
        time.sleep(0.001)
    assert len(asked) < 100


def test_what_follows_a_future_follows_its_result():
    """Also where it comes later itself; what it raises is raised, and who cancels it cancels what is waited for."""
    first, second = Future(), Future()
    outcome = after(first, lambda done: second if done.result() == 1 else None)
    first.set_result(1)
    assert not outcome.done()
    second.set_result(2)
    assert outcome.result(10) == 2
    fails = after(first, lambda done: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        fails.result(10)
    waiting = Future()
    assert after(waiting, lambda done: done.result()).cancel()
    assert waiting.cancelled()


def test_a_delayed_response_comes_in_its_time():
    """Not before."""
    begun = time.monotonic()
    response = Response(200, [], b"x", delay=0.05)
    assert isinstance(delayed(Waiters(), response), Future)
    assert delivered(Waiters(), response).body == b"x"
    assert time.monotonic() - begun >= 0.05
    with pytest.raises(ConnectionResetError):
        delivered(Waiters(), Response(200, [], cut=1))

"""A thread that does what takes long, one piece of work after another."""

from __future__ import annotations

import gc
import sys
import threading
import time
import weakref
from concurrent.futures import Future

import pytest

from confsim.service import worker as module
from confsim.service.worker import Worker, complete, follow, nobody_else


def test_work_is_done_in_order_by_another_thread():
    """Each result is that of its work, and what it raises is raised by its future."""
    worker, done = Worker(), []

    def work(number):
        done.append((number, threading.get_ident()))
        if number == 2:
            raise ValueError("no")
        return number

    futures = [worker.do(lambda number=number: work(number)) for number in range(4)]
    assert [futures[number].result(10) for number in (0, 1, 3)] == [0, 1, 3]
    with pytest.raises(ValueError, match="no"):
        futures[2].result(10)
    assert [number for number, _ in done] == [0, 1, 2, 3]
    assert threading.get_ident() not in {thread for _, thread in done}


def test_its_thread_ends_with_the_work_and_the_interval_is_restored():
    """While there is work, threads take turns sooner than before and after; several workers agree about it."""
    before, first, second = sys.getswitchinterval(), Worker(), Worker()
    others = set(threading.enumerate())
    go_on = threading.Event()
    outcomes = [first.do(go_on.wait), second.do(sys.getswitchinterval)]
    assert outcomes[1].result(10) == pytest.approx(module.SWITCH_INTERVAL)
    go_on.set()
    outcomes[0].result(10)
    while set(threading.enumerate()) - others:
        time.sleep(0.001)
    assert not first.queue
    assert not second.queue
    assert sys.getswitchinterval() == before


def test_what_nobody_waits_for_is_not_begun():
    """A future that is cancelled before its turn."""
    worker, go_on, done = Worker(), threading.Event(), []
    first, second = worker.do(go_on.wait), worker.do(lambda: done.append(2))
    assert second.cancel()
    go_on.set()
    first.result(10)
    worker.do(lambda: done.append(3)).result(10)
    assert done == [3]


def test_a_future_as_a_result_is_followed():
    """The worker goes on meanwhile."""
    worker, later = Worker(), Future()
    outcome = worker.do(lambda: later)
    assert worker.do(lambda: 1).result(10) == 1
    assert not outcome.done()
    later.set_result("late")
    assert outcome.result(10) == "late"


def test_who_leaves_cancels_what_the_work_waits_for():
    """A future is cancelled with the one that its work has returned, before or after it did."""
    worker, go_on, later = Worker(), threading.Event(), [Future(), Future()]
    early = worker.do(lambda: go_on.wait() and later[0])
    assert early.cancel()
    late = worker.do(lambda: later[1])
    go_on.set()
    worker.do(lambda: None).result(10)
    assert late.cancel()
    assert [each.cancelled() for each in later] == [True, True]


class _Failure(Exception):
    """An error that can be referred to weakly."""


def test_futures_leave_no_cyclic_garbage():
    """Neither does an error refer to the future that has it, nor a future to the one that it has completed."""
    gc.disable()
    try:
        future = Future()
        complete(future, _fail)
        gone = [weakref.ref(future), weakref.ref(future.exception(10))]
        del future
        future, later = Future(), Future()
        gone += [weakref.ref(future), weakref.ref(later)]
        follow(later, future, Future.result)
        future.set_result(1)
        assert later.result(10) == 1
        del future, later
        assert [each() for each in gone] == [None] * 4
    finally:
        gc.enable()


def _fail() -> None:
    raise _Failure


def test_our_threads_are_nobody(monkeypatch):
    """A thread of the program is somebody."""
    threads = [threading.current_thread(), module.Thread(lambda: None)]
    monkeypatch.setattr(threading, "enumerate", lambda: threads)
    assert nobody_else()
    threads.append(threading.Thread())
    assert not nobody_else()

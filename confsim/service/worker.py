"""A thread for work that takes long, beside which a server goes on to answer others."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar
from weakref import ref

T = TypeVar("T")

#: Seconds for which a thread keeps the interpreter from the others while a worker is at work (``sys``).
SWITCH_INTERVAL = 0.0005


class Thread(threading.Thread):
    """A thread of confsim, which keeps no process alive."""

    def __init__(self, target: Callable[..., object], *arguments: object) -> None:
        super().__init__(target=target, args=arguments, daemon=True, name=f"confsim {target.__qualname__}")


class _Present(threading.local):
    """Whether the present thread serves others."""

    serves = False


_PRESENT = _Present()


def serves_others() -> bool:
    """Return whether others wait for the present thread, which must not wait for code of users."""
    return _PRESENT.serves


@contextmanager
def serving() -> Iterator[None]:
    """In the block, the present thread serves others."""
    before, _PRESENT.serves = _PRESENT.serves, True
    try:
        yield
    finally:
        _PRESENT.serves = before


def nobody_else() -> bool:
    """Return whether the present thread is the only one, those of confsim aside."""
    present = threading.current_thread()
    return all(each is present or isinstance(each, Thread) for each in threading.enumerate())


def complete(future: Future[Any], work: Callable[[], Any]) -> None:
    """Complete a future with what the work returns or raises, unless nobody waits for it any more.

    Where the work returns a future, this one is completed with that one.
    """
    if future.cancelled():
        return
    try:
        result = work()
    except BaseException as error:
        if _is_awaited(future):
            future.set_exception(error)
        del future  # the error refers to this frame: a reference cycle
    else:
        if isinstance(result, Future):
            follow(future, result, Future.result)
        elif _is_awaited(future):
            future.set_result(result)


def _is_awaited(future: Future[Any]) -> bool:
    """Return whether anybody waits for a future, which cannot be cancelled any more then."""
    return future.running() or future.set_running_or_notify_cancel()


def follow(later: Future[Any], future: Future[T], act: Callable[[Future[T]], Any]) -> None:
    """Complete a future with what ``act`` makes of another one that is done. Who cancels it, cancels that one."""
    future.add_done_callback(lambda done: complete(later, partial(act, done)))
    awaited = ref(future)  # no reference cycle

    def cancel(later: Future[Any]) -> None:
        if later.cancelled() and (future := awaited()) is not None:
            future.cancel()

    later.add_done_callback(cancel)


def in_thread(work: Callable[[], T | Future[T]]) -> Future[T]:
    """Return the future of what the work returns, which a thread of its own does: it may wait for others."""
    future: Future[T] = Future()
    Thread(complete, future, work).start()
    return future


class Worker:
    """Does one piece of work after another in a thread, which lives while there is any in the ``queue``."""

    __slots__ = ("_lock", "queue")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.queue: list[tuple[Future[Any], Callable[[], Any]]] = []

    def do(self, work: Callable[[], T | Future[T]]) -> Future[T]:
        """Return the future of what the work returns; work that is not begun can be cancelled."""
        future: Future[T] = Future()
        with self._lock:
            self.queue.append((future, work))
            if len(self.queue) == 1:
                Thread(self._run).start()
        return future

    def _run(self) -> None:
        with serving(), _switching_soon():
            while True:
                complete(*self.queue[0])
                with self._lock:
                    self.queue.pop(0)
                    if not self.queue:
                        return


@contextmanager
def _switching_soon() -> Iterator[None]:
    """Let threads take turns sooner in the block.

    A thread that answers others gives up the interpreter at each read and write, and gets it back after so long.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, SWITCH_INTERVAL))
    try:
        yield
    finally:
        if before > SWITCH_INTERVAL:  # otherwise another worker had set it, and resets it
            sys.setswitchinterval(before)

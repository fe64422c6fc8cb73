"""The control plane for pages: long work is done in slices, between which the server serves others.

A page is a function that asks for answers. When one is pending, the function is left by ``Pending`` and called again
once the answer is there; answers to earlier questions are stored meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

from confsim.contract.operation import Operation
from confsim.control.catalogue import CONTROL
from confsim.control.context import ControlContext
from confsim.control.invoke import ControlPlane, invoke
from confsim.control.problems import misuse_of
from confsim.kernel.refusal import Refusal
from confsim.service.deferred import Pending, in_slices, in_steps

T = TypeVar("T")
_Key = tuple[object, ...]


def beside(work: Callable[[], T]) -> Generator[bool, None, T]:
    """Return the result of work that a thread of its own does, after steps as of ``in_steps``; raise what it raises."""
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    while not done.done():
        yield True
    return done.result()


class SteppedControl(ControlPlane):
    """The control operations for one page; raises Pending when an answer is not there yet."""

    __slots__ = ("_done", "_pending")

    def __init__(self, context: ControlContext) -> None:
        super().__init__(CONTROL, context)
        self._done: dict[_Key, Any] = {}
        self._pending: tuple[_Key, Callable[[], Any]] | None = None

    def send(self, operation: Operation, path: Sequence[str], query: dict[str, str], body: bytes) -> Any:
        """Invoke an operation and return its result; the result of an equal earlier call is reused. Raises Pending."""
        key = (operation.name, *path, *query.items(), body)
        return self._once(key, lambda: invoke(self.context, operation, path, query, body))

    def made(self, key: _Key, work: Callable[[], Generator[Any, None, T]]) -> T:
        """Return the result of work in steps, which this page stores under a key. Raises Pending."""
        found: T = self._once(key, lambda: in_steps(work()))
        return found

    def beside(self, key: _Key, work: Callable[[], T]) -> T:
        """Return the result of work that another thread does, which this page stores under a key. Raises Pending."""
        return self.made(key, lambda: beside(work))

    def chosen(self, name: str, items: Iterable[Any], matches: Callable[[Any], bool]) -> list[Any]:
        """Return the items that match, as a list that this page stores under a name. Raises Pending."""
        found: list[Any] = self._once((name,), lambda: in_slices((x if matches(x) else None for x in items), list))
        return found

    def _once(self, key: _Key, make: Callable[[], Any]) -> Any:
        if key in self._done:
            return self._done[key]
        try:
            self._done[key] = found = make()
        except Pending as pending:
            self._pending = key, pending.again
            raise
        except Refusal as refusal:
            raise misuse_of(refusal) from None
        return found

    def step(self) -> bool:
        """Do a slice of the pending work; return whether there was any. Raises Misuse."""
        if self._pending is None:
            return False
        key, again = self._pending
        try:
            self._done[key] = again()
        except Pending as pending:
            self._pending = key, pending.again
            return True
        except Refusal as refusal:
            raise misuse_of(refusal) from None
        self._pending = None
        return True

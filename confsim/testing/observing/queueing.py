"""Exchanges in a queue: their observer gets them in order, in a thread of its own, so that no client waits."""

from __future__ import annotations

import contextlib
import threading
import traceback
from collections.abc import Callable, Iterator

#: Seconds for which the end waits for exchanges that are under way.
_GRACE = 2.0
Put = Callable[[Callable[[], object]], None]


class Queued:
    """Calls each function that is put, in order, in a thread of its own; the traceback of one that fails is printed."""

    def __init__(self) -> None:
        self._waiting: list[Callable[[], object]] = []
        self._open = True
        self._passing = self._under_way = 0
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @contextlib.contextmanager
    def exchange(self) -> Iterator[Put]:
        """Mark an exchange as under way until the end of the block, which gets the function that puts."""
        with self._changed:
            self._passing += 1
        try:
            yield self._put
        finally:
            with self._changed:
                self._passing -= 1
                self._changed.notify_all()

    def _put(self, function: Callable[[], object]) -> None:
        with self._changed:
            if self._open:
                self._under_way += 1
                self._waiting.append(function)
                self._changed.notify_all()

    def drain(self) -> None:
        """Wait until no exchange is under way and each function has been called."""
        with self._changed:
            self._changed.wait_for(lambda: not self._passing and not self._under_way)

    def close(self) -> int:
        """End the thread once it has every exchange; return how many were still under way after a while."""
        with self._changed:
            self._changed.wait_for(lambda: not self._passing, _GRACE)
            self._open = False
            self._changed.notify_all()
        self._thread.join()
        return self._passing

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or not self._open)
                if not self._waiting:
                    return
                function = self._waiting.pop(0)
            try:
                function()
            except Exception:
                traceback.print_exc()
            finally:
                with self._changed:
                    self._under_way -= 1
                    self._changed.notify_all()

"""The schedule of Python's garbage collector in a server: never during API calls.

An API call leaves no cyclic garbage, which a test holds for every operation. Looking for some takes a fifth of the time
of calls that create things, and pauses of tens of milliseconds once a world is large. So the objects that API calls
make are put aside unexamined (``gc.freeze``, which costs the same at any size); those of other requests are examined
right after each.
"""

from __future__ import annotations

import gc
from concurrent.futures import Future

from confsim.service.messages import Handler, Outcome, Request
from confsim.service.worlds import ServerObserver, Worlds

#: A part of the path that no API request has.
_CONTROL = "/_confsim"
#: Young objects that are examined within milliseconds; more are put aside.
_FEW = 20_000


def _collect_young(_: object = None) -> None:
    if gc.get_count()[0] < _FEW:
        gc.collect(0)


class Collecting(ServerObserver):
    """Collects garbage when there may be some. Python's own schedule must be disabled.

    The objects of a dropped or replaced world are collected at the next beat without requests since the one before.
    """

    def __init__(self, worlds: Worlds) -> None:
        self._worlds, self._default = worlds, worlds.default
        self._asked = self._dropped = False

    def around(self, handler: Handler) -> Handler:
        """Return a handler of requests that calls another and collects after it."""

        def handle(request: Request) -> Outcome:
            self._asked = True
            if _CONTROL not in request.target:
                return handler(request)
            gc.freeze()
            outcome = handler(request)
            if isinstance(outcome, Future):
                outcome.add_done_callback(_collect_young)
            else:
                _collect_young()
            return outcome

        return handle

    def beat(self) -> None:
        """Put aside the objects made since the last beat; examine everything after a world was dropped."""
        replaced = self._worlds.default is not self._default
        if (self._dropped or replaced) and not self._asked:
            self._dropped, self._default = False, self._worlds.default
            gc.unfreeze()
            gc.collect()
        self._asked = False
        gc.freeze()

    def before_drop(self, name: str) -> None:  # noqa: ARG002 - whichever it is
        """Note that a world is about to be dropped."""
        self._dropped = True

"""When the garbage collector of Python runs in a server: never amid calls of the API.

Such a call leaves no garbage that only the collector finds, which a test holds for every operation. To look for some
takes a fifth of the time of calls that make things, and pauses of tens of milliseconds once a world is large. So what
they make is put aside unexamined (``gc.freeze``, which costs the same at any size); what other requests make is looked
through right after each.
"""

from __future__ import annotations

import gc

from confsim.http.live.connection import Handler
from confsim.service.messages import Request, Response
from confsim.service.service import Service
from confsim.service.worlds import Worlds

#: The part of a path that no request of the API has.
_CONTROL = "/_confsim"
#: Young objects that are looked through in some milliseconds; more are put aside.
_FEW = 20_000


class Collecting:
    """Collects garbage where there may be some. The collector itself must be disabled.

    What is left of a world that was dropped or replaced is collected once nobody has asked for anything from one beat
    to the next.
    """

    def __init__(self, worlds: Worlds) -> None:
        self._worlds, self._default = worlds, worlds.default
        self._asked = self._dropped = False

    def around(self, handler: Handler) -> Handler:
        """A handler of requests that hands them on."""

        def handle(request: Request) -> Response:
            self._asked = True
            if _CONTROL not in request.target:
                return handler(request)
            gc.freeze()
            try:
                return handler(request)
            finally:
                if gc.get_count()[0] < _FEW:
                    gc.collect(0)

        return handle

    def beat(self) -> None:
        """Put aside what was made since the last beat; look through everything where a world was dropped."""
        replaced = self._worlds.default is not self._default
        if (self._dropped or replaced) and not self._asked:
            self._dropped, self._default = False, self._worlds.default
            gc.unfreeze()
            gc.collect()
        self._asked = False
        gc.freeze()

    def before_add(self, name: str, service: Service) -> None:
        """A world is about to be added: nothing is left of it yet."""

    def before_drop(self, name: str) -> None:  # noqa: ARG002 - whichever it is
        """A world is about to be dropped."""
        self._dropped = True

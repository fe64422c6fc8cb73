"""Objects that belong to a running process: worlds, and everything that calls or serves them."""

from __future__ import annotations

from typing import NoReturn

from .refusal import Misuse


class OfOneProcess:
    """An object with locks, connections and observers. ``copy`` and ``pickle`` raise Misuse that says what to do."""

    __slots__ = ()

    def __reduce_ex__(self, _protocol: object) -> NoReturn:
        raise Misuse(
            f"{type(self).__name__} cannot be copied or pickled: it is part of a running process. Simulator.fork() "
            "makes an independent copy of its world; another process loads the file that Simulator.save(path) wrote, "
            "or calls the world over HTTP, under Simulator.serve()"
        )

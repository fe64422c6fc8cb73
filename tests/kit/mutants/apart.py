"""A service that is wrong in one way, in a child of this process, whose tables alone a patch changes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection

from confsim.api.call import HOST
from confsim.service.messages import Request, Response
from confsim.transport.transport import WireTransport
from kit.beside import Beside

from .mutant import Mutant
from .plan import limited, mutated


@contextmanager
def apart(mutant: Mutant) -> Iterator[tuple[Beside, WireTransport]]:
    """Serve it until the end of the block; its clock is moved with that of the service that stands here for it."""
    beside = Beside()
    here, there = Pipe()
    child = os.fork()
    if child == 0:
        here.close()
        try:
            _serve(mutant, there)
        finally:
            os._exit(0)
    there.close()
    try:
        yield beside, _Apart(beside, here)
    finally:
        here.close()
        os.waitpid(child, 0)


def _serve(mutant: Mutant, requests: Connection) -> None:
    """Answer requests, each at an instant, until there are no more."""
    beside, transport = mutated(mutant)
    beside.latency = 0
    with suppress(EOFError):
        while True:
            at, request = requests.recv()
            beside.simulator.service.clock.move(at)
            with limited():
                response = transport.exchange(request)
            requests.send(response)


class _Apart(WireTransport):
    """The way to it, which takes time."""

    root = f"http://{HOST}"

    def __init__(self, beside: Beside, requests: Connection) -> None:
        self._beside = beside
        self._requests = requests

    def exchange(self, request: Request) -> Response:
        self._beside.pass_time(self._beside.latency)
        try:
            self._requests.send((self._beside.simulator.service.clock.now(), request))
            response: Response = self._requests.recv()
        except (EOFError, OSError):
            raise ConnectionResetError("the service has ended") from None
        self._beside.pass_time(self._beside.latency)
        return response

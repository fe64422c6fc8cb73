"""The server that all workers of a run share: a process of its own, which ends when the last worker has left.

A worker is counted by a connection that it holds, so one that is killed leaves as well.
"""

from __future__ import annotations

import json
import selectors
import socket
import sys
from collections.abc import Mapping
from typing import Any

#: What a worker that joins is answered.
WELCOME = b"+"
#: Seconds in which the first worker joins.
_PATIENCE = 60.0


def serve(profile: Mapping[str, Any]) -> None:
    """Serve a world until the workers have left, and print the URL of the server and the port at which they join."""
    from confsim.simulator import Simulator

    with Simulator(profile=profile).serve() as server, socket.create_server(("127.0.0.1", 0)) as door:
        sys.stdout.write(json.dumps({"url": server.root, "port": door.getsockname()[1]}) + "\n")
        sys.stdout.flush()
        _wait_for_the_last(door)


def _wait_for_the_last(door: socket.socket) -> None:
    """Return when all of the workers that joined have left, or when none comes."""
    with selectors.DefaultSelector() as selector:
        selector.register(door, selectors.EVENT_READ)
        workers: set[socket.socket] = set()
        while ready := selector.select(None if workers else _PATIENCE):
            for key, _ in ready:
                if key.fileobj is door:
                    worker = door.accept()[0]
                    worker.sendall(WELCOME)
                    workers.add(worker)
                    selector.register(worker, selectors.EVENT_READ)
                elif isinstance(key.fileobj, socket.socket):
                    selector.unregister(key.fileobj)
                    key.fileobj.close()
                    workers.discard(key.fileobj)
            if not workers:
                return


if __name__ == "__main__":
    serve(json.loads(sys.argv[1]))

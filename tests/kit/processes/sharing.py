"""One fork server for all processes of a run, which the first that connects starts."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

#: Tests may set another for the processes that they start.
PYTHON = sys.executable
#: The variable that names the socket of the server.
SOCKET = "_CONFSIM_TESTS_FORK_SERVER"


@contextmanager
def shared() -> Iterator[str]:
    """The path of the server's socket, which processes that are started in the block find in ``SOCKET``.

    The server is started when somebody connects, and ends with the block.
    """
    with TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        path = str(Path(folder, "socket"))
        listener.bind(path)
        listener.listen()
        ours, its = socket.socketpair()
        starting = Thread(target=_start, args=(listener, its), daemon=True)
        starting.start()
        os.environ[SOCKET] = path
        try:
            yield path
        finally:
            os.environ.pop(SOCKET, None)
            ours.close()
            starting.join()


def _start(listener: socket.socket, its: socket.socket) -> None:
    """Start the server as soon as somebody connects, and wait until it ends with the other end of a socket."""
    with its:
        if its in select.select([listener, its], [], [])[0]:
            return
        script = str(Path(__file__).with_name("fork_server.py"))
        descriptors = [each.fileno() for each in (listener, its)]
        # What it runs before it forks must not call the server of the test that happens to start it.
        ours = {name: value for name, value in os.environ.items() if not name.startswith("CONFSIM_")}
        process = subprocess.Popen([PYTHON, "-P", script, *map(str, descriptors)], pass_fds=descriptors, env=ours)
    process.wait()

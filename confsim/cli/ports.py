"""The message for a port that a server cannot have: its user, and the way out.

Own code: psutil is a compiled package, and files of Linux say it too. Elsewhere only a confsim server is recognised.
"""

from __future__ import annotations

import errno
import socket
from contextlib import suppress
from pathlib import Path

import click

#: Seconds in which a server at the port is to say what it is.
_PATIENCE = 1.0
#: The state of a listening socket in /proc/net/tcp.
_LISTENS = "0A"
#: Most characters of the command line of a process.
_SHOWN = 120


def failure(error: OSError, host: str, port: int) -> click.ClickException:
    """Return the message for a server that cannot listen: for a port in use, by whom, and what to do."""
    text = str(error.strerror or error)
    if error.errno == errno.EADDRINUSE:
        users = ", ".join(filter(None, (_confsim_at(host, port), process_at(port)))) or "another program"
        what = f"cannot listen on {host}:{port}: the port is in use by {users}"
        text = f"{what}; stop it, or choose another port (-p 0 takes a free one)"
    elif error.errno == errno.EACCES:
        text = f"{text}; ports below 1024 are reserved, so choose another one (-p 8080)"
    elif error.errno == socket.EAI_NONAME:
        text = f"{text}; -H 127.0.0.1 serves this machine only, -H 0.0.0.0 all"
    elif error.errno == errno.EADDRNOTAVAIL:
        text = f"{text}: this machine has no such address; -H 127.0.0.1 serves this machine only, -H 0.0.0.0 all"
    return click.ClickException(text)


def _confsim_at(host: str, port: int) -> str:
    """Return which world a confsim server at the port serves, "" if it is none."""
    from confsim.kernel.refusal import Misuse

    from .live.at_server import Remote

    here = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "::1": "[::1]"}.get(host, host)
    with suppress(Misuse):
        remote = Remote(f"http://{here}:{port}", _PATIENCE)
        return f"confsim {remote.info.version} with the world {remote.info.world}"
    return ""


def process_at(port: int) -> str:
    """Return the process that listens at a port, by its id and its command line; "" if that cannot be known."""
    sockets = {f"socket:[{inode}]" for inode in _listening(port)}
    for process in Path("/proc").glob("[0-9]*") if sockets else ():
        with suppress(OSError):  # it has ended, or is not ours
            if any(str(link.readlink()) in sockets for link in (process / "fd").iterdir()):
                words = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
                return f"process {process.name} ({' '.join(words).strip()[:_SHOWN]})"
    return ""


def _listening(port: int) -> list[str]:
    """Return the inodes of the sockets that listen at a port."""
    found = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with suppress(OSError):
            for line in Path(table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == _LISTENS and int(fields[1].rpartition(":")[2], 16) == port:
                    found.append(fields[9])
    return found

"""A program that a shell script finds by its name: the fork server runs it in place of this process.

Run as ``python client.py N PROGRAM ARGUMENTS…``: descriptor N is the fork server's socket. What it writes goes where
this process writes, its exit code is the one of this process. It reads nothing, and signals do not reach it.
"""

from __future__ import annotations

import json
import os
import socket
import sys

if __name__ == "__main__":
    descriptor, program, *arguments = sys.argv[1:]
    message = {"program": program, "arguments": arguments, "cwd": os.getcwd(), "environment": dict(os.environ)}
    status, theirs = os.pipe()
    with socket.socket(fileno=int(descriptor)) as control:
        socket.send_fds(control, [json.dumps(message).encode()], [theirs, 1, 2])
    os.close(theirs)
    with open(status, encoding="ascii") as written:
        _process, code = map(int, written)
    os._exit(code if code >= 0 else 128 - code)

"""A program that others find by its name: the fork server runs it in place of this process.

Run as ``python client.py SOCKET PROGRAM ARGUMENTS…`` with the path of the fork server's socket. It reads and writes
where this process does, its exit code is the one of this process. Signals do not reach it.
"""

from __future__ import annotations

import json
import os
import socket
import sys

if __name__ == "__main__":
    path, program, *arguments = sys.argv[1:]
    message = {"program": program, "arguments": arguments, "cwd": os.getcwd(), "environment": dict(os.environ)}
    status, theirs = os.pipe()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as control:
        control.connect(path)
        socket.send_fds(control, [json.dumps(message).encode()], [theirs, 0, 1, 2])
        os.close(theirs)
        for each in (0, 1):  # who waits for their end is not to wait for this process
            os.close(each)
        with open(status, encoding="ascii") as written:
            _process, code = map(int, written)
    os._exit(code if code >= 0 else 128 - code)

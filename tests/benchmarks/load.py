"""A load generator in a process of its own: keep-alive connections, one POST after the other on each.

``python load.py HOST PORT PATH TOKEN BODY CONNECTIONS SECONDS`` prints the requests answered each second. It spends few
microseconds on a request: a fast server is not to be measured by what asks it.
"""

from __future__ import annotations

import selectors
import socket
import sys
import time

_CLOSES = (b"http/1.0", b"connection: close")


class _Connection:
    """One connection, which is opened again when the server has closed it."""

    def __init__(self, where: tuple[str, int], request: bytes, ready: selectors.BaseSelector) -> None:
        self._where, self._request, self._ready = where, request, ready
        self._open()

    def _open(self) -> None:
        self._socket = socket.create_connection(self._where)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._ready.register(self._socket, selectors.EVENT_READ, self)
        self._ask()

    def _ask(self) -> None:
        self._got = b""
        self._socket.sendall(self._request)

    def read(self) -> int:
        """Read what has come; 1 when it ends an answer, and the next request is sent."""
        try:
            data = self._socket.recv(65536)
        except ConnectionError:
            data = b""
        self._got += data
        head, end, body = self._got.partition(b"\r\n\r\n")
        lines = head.lower()
        at = lines.find(b"content-length:")
        whole = bool(end) and at >= 0 and len(body) >= int(lines[at + 15 :].split(b"\r\n", 1)[0])
        if whole and b" 200 " not in head[:13]:
            raise SystemExit(f"not 200: {head[:80]!r}")
        if not data or (whole and any(each in lines for each in _CLOSES)):
            self._ready.unregister(self._socket)
            self._socket.close()
            self._open()
        elif whole:
            self._ask()
        return whole


def main() -> None:
    """Read the arguments, load the server, print requests per second."""
    host, port, path, token, body, connections, seconds = sys.argv[1:]
    raw = body.encode()
    request = (
        f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(raw)}\r\n\r\n"
    ).encode() + raw
    ready = selectors.DefaultSelector()
    for _ in range(int(connections)):
        _Connection((host, int(port)), request, ready)
    done, begin = 0, time.perf_counter()
    until = begin + float(seconds)
    while time.perf_counter() < until:
        for key, _ in ready.select(0.1):
            done += key.data.read()
    print(done / (time.perf_counter() - begin))  # noqa: T201  (this is its output)


if __name__ == "__main__":
    main()

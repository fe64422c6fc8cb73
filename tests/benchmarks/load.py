"""A load generator in a process of its own: keep-alive connections, one POST after the other on each.

``python load.py HOST PORT PATH TOKEN BODY CONNECTIONS SECONDS`` prints the requests answered each second.
"""

from __future__ import annotations

import asyncio
import sys
import time


async def _connection(host: str, port: int, request: bytes, until: float) -> int:
    done = 0
    reader = writer = None
    while time.perf_counter() < until:
        if writer is None:
            reader, writer = await asyncio.open_connection(host, port)
        assert reader is not None
        try:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            lines = head.lower().split(b"\r\n")
            length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), 0)
            await reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer = None
            continue
        if not head.startswith(b"HTTP/1.1 200") and not head.startswith(b"HTTP/1.0 200"):
            raise SystemExit(f"not 200: {head[:80]!r}")
        done += 1
        if b"connection: close" in head.lower() or head.startswith(b"HTTP/1.0"):
            writer.close()
            writer = None
    if writer is not None:
        writer.close()
    return done


async def main() -> None:
    """Read the arguments, load the server, print requests per second."""
    host, port, path, token, body, connections, seconds = sys.argv[1:]
    raw = body.encode()
    request = (
        f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(raw)}\r\n\r\n"
    ).encode() + raw
    until = time.perf_counter() + float(seconds)
    done = await asyncio.gather(*(_connection(host, int(port), request, until) for _ in range(int(connections))))
    print(sum(done) / float(seconds))  # noqa: T201  (this is its output)


if __name__ == "__main__":
    asyncio.run(main())

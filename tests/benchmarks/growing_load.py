"""A load generator in a process of its own: rooms are made on many connections while one more reads.

``python growing_load.py PORT ROOMS CONNECTIONS`` prints as JSON the rate, the 99th percentile and the longest wait of
each method in milliseconds, and the longest pause in which no connection got an answer.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time

TOKEN = "demo-owner"


class _Load:
    def __init__(self, port: int, rooms: int) -> None:
        self.port = port
        self.rooms = iter(range(rooms))
        self.left = rooms
        self.spans: dict[str, list[float]] = {"POST": [], "GET": []}
        self.pause = 0.0
        self.last = 0.0

    async def send(
        self, streams: tuple[asyncio.StreamReader, asyncio.StreamWriter], method: str, path: str, body: bytes
    ) -> None:
        """One request; notes how long its answer took, and how long none of any connection came."""
        reader, writer = streams
        start = time.perf_counter()
        writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {TOKEN}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(length)
        now = time.perf_counter()
        self.spans[method].append((now - start) * 1000)
        self.pause, self.last = max(self.pause, (now - self.last) * 1000), now

    async def make(self) -> None:
        """Make rooms until there are enough."""
        streams = await asyncio.open_connection("127.0.0.1", self.port)
        for number in self.rooms:
            await self.send(streams, "POST", "/v1_0/channels/create", b'{"name":"Room %d"}' % number)
            self.left -= 1
        streams[1].close()

    async def read(self) -> None:
        """Read pages and a user until the rooms are made."""
        streams = await asyncio.open_connection("127.0.0.1", self.port)
        while self.left > 0:
            await self.send(streams, "GET", "/v1_0/channels?sort=name", b"")
            await self.send(streams, "GET", "/v1_0/users/me", b"")
            await asyncio.sleep(0.005)
        streams[1].close()


async def main() -> None:
    """Load the server at the port that is given, and print what was measured as JSON."""
    gc.disable()
    load = _Load(int(sys.argv[1]), int(sys.argv[2]))
    start = load.last = time.perf_counter()
    await asyncio.gather(load.read(), *(load.make() for _ in range(int(sys.argv[3]))))
    took = time.perf_counter() - start
    reported = {name: (sorted(spans)[int(len(spans) * 0.99)], max(spans)) for name, spans in load.spans.items()}
    print(json.dumps({**reported, "rate": int(sys.argv[2]) / took, "pause": load.pause}))  # noqa: T201  (its output)


if __name__ == "__main__":
    asyncio.run(main())

"""How long the pages of the inspector take in a world of 100,000 rooms with a full journal, and what the API feels.

The time of a page is that of the processor in the process of the server; the longest that a browser waited stands
beside it, in which others have their part.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from http.client import HTTPConnection
from multiprocessing import get_context
from typing import Any

from in_process import populated

from confsim import Simulator, demo
from confsim.http.live.serving import Serving
from confsim.inspector.manual import REFERENCE
from confsim.inspector.pages import NAMES

ROOMS, CALLS = 100_000, 1000
#: Times that a page is asked for after the first.
AGAIN = 5
#: Seconds between two calls of the API beside the pages.
PAUSE = 0.005
_SERVED: list[Any] = []


def inspector() -> Iterator[tuple[str, str]]:
    """Every page of the inspector, each for the first time and again, while another client calls the API."""
    with ProcessPoolExecutor(1, get_context("spawn")) as server:
        port = server.submit(_serve).result()
        firsts: dict[str, float] = {}
        for path in _paths():
            before = server.submit(time.process_time).result()
            taken(port, path, 1)
            between = server.submit(time.process_time).result()
            longest, size = taken(port, path, AGAIN)
            after = server.submit(time.process_time).result()
            firsts[path] = (between - before) * 1000
            again = (after - between) * 1000 / AGAIN
            waited = f"{longest:.0f} ms for the browser"
            yield path or "overview", f"{firsts[path]:.0f} ms, again {again:.0f} ms ({waited}), {size >> 10} KiB"
        slowest = max(firsts, key=lambda path: firsts[path])
        yield "slowest page of the inspector", f"{firsts[slowest]:.0f} ms, {slowest}"
        alone = _beside(port, lambda: time.sleep(1))
        beside = _beside(port, lambda: [taken(port, path, 1) for path in firsts])
        yield "a call of the API, by itself", "p99 {:.1f} ms, longest {:.1f} ms".format(*alone)
        yield "a call of the API, beside the pages", "p99 {:.1f} ms, longest {:.1f} ms".format(*beside)


def _paths() -> list[str]:
    """Paths below ``/_confsim/``: the pages of the menu, and of each kind one that shows a thing."""
    return [
        *(f"inspector/{name}" if name else "" for name in NAMES),
        *(f"inspector/reference/{name}" for name in REFERENCE),
        f"inspector/requests/r{CALLS}",
        f"inspector/requests?before=r{CALLS // 2}",
        "inspector/requests?status=4xx",
        "inspector/requests?text=no+such+text",
        f"inspector/time?at=r{CALLS // 2}",
        "inspector/records?kind=channels",
        "inspector/requests?status=200",
        "inspector/records?kind=channels&offset=50000",
        f"inspector/records?kind=channels&at=r{CALLS - 10}",
        "inspector/records?search=no+such+text",
        "inspector/records/channels/00000007-0000-4000-8000-000000000000",
        "inspector/records/channels/00000007-0000-4000-8000-000000000000?timeline=true",
        "inspector/search?q=no+such+text",
        "inspector/search?q=room",
        "inspector/search?q=e",
        "inspector/guides/faults",
        "inspector/explain/R094",
        "inspector/operations/create_channel",
        "inspector/machines/lobby%20door",
        "inspector/what-if?id=channels.unique-names&value=refuse",
    ]


def _serve() -> int:
    """Serve the world in this process; returns the port."""
    return served()[1].port


def served() -> tuple[Simulator, Serving]:
    """The world and its server, which this process keeps."""
    sim = grown()
    server = sim.serve()
    server.start()
    _SERVED.append(server)
    return sim, server


def grown() -> Simulator:
    """A world of many rooms, whose journal holds as many calls as it keeps, and as much between them."""
    sim = populated(1000, ROOMS)
    for place in range(CALLS // 4):
        sim.call("list_channels", demo.OWNER)
        sim.call("create_channel", demo.OWNER, body={"name": f"Planning {place}"}, expect=200)
        sim.call("reserve_handle", demo.USER, body={"handle": f"soon {place}"}, expect=200)
        sim.call("create_channel", demo.OWNER, body={"nam": "misspelt"})
        sim.clock.advance("15m")
        sim.control("take_snapshot", name=f"s{place % 5}")
    return sim


def taken(port: int, path: str, times: int) -> tuple[float, int]:
    """The milliseconds that a browser waited for a page at most, asked for so often, and the bytes of the page."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    spans = []
    for _ in range(times):
        begin = time.perf_counter()
        connection.request("GET", f"/_confsim/{path}", headers={"Accept": "text/html"})
        answer = connection.getresponse()
        size = len(answer.read())
        spans.append((time.perf_counter() - begin) * 1000)
        if answer.status not in (200, 410):  # calls beside it have pushed an entry out of the journal
            raise AssertionError(f"{path}: {answer.status}")
    connection.close()
    return max(spans), size


def _beside(port: int, work: Callable[[], object]) -> tuple[float, float]:
    """The 99th percentile and the longest of calls of the API beside the work, in milliseconds."""
    over = threading.Event()
    spans: list[float] = []

    def call() -> None:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        while not over.wait(PAUSE):
            begin = time.perf_counter()
            connection.request("GET", "/v1_0/users/me", headers={"Authorization": f"Bearer {demo.OWNER}"})
            connection.getresponse().read()
            spans.append((time.perf_counter() - begin) * 1000)
        connection.close()

    caller = threading.Thread(target=call)
    caller.start()
    work()
    over.set()
    caller.join()
    return sorted(spans)[int(len(spans) * 0.99)], max(spans)

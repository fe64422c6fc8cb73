"""How long calls of the control plane hold others up in a large world."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from http.client import HTTPConnection
from multiprocessing import get_context

import inspector_pages

from confsim import Simulator, demo
from kit import ROOM, ok
from kit.growth import control_calls
from kit.growth.kinds import KINDS
from kit.growth.prepared import Names, prepared

SIZE = 100_000
#: What the world has so many of.
GROWN = ("rooms of a host", "users", "sessions of a room", "participants of a session", "handle reservations")
#: What is asked for at once: an export with 20 MiB, a search of 100,000 rooms, pages.
LONG = (
    "requests/export?as=har",
    "search?text=no+such+text",
    "inspector/records?search=no+such+text",
    "inspector/requests",
)
UPLOAD = bytes(range(256)) * (20 * 2**20 // 256)
#: Seconds between two calls beside these.
PAUSE = 0.005


def pauses() -> Iterator[tuple[str, str]]:
    """The longest that each call of the control plane keeps others waiting in a world of 500,000 things."""
    sim, names = _large()
    gc.collect()
    gc.freeze()
    gc.disable()  # as a server does
    spans = sorted(((_longest(call, sim, names), call.operation) for call in control_calls.HOLDING), reverse=True)
    gc.enable()
    gc.unfreeze()
    for name, (span, operation) in zip(("longest", "second longest", "third longest"), spans, strict=False):
        yield f"the {name} pause by a call of control", f"{span:.1f} ms ({operation})"
    yield from _beside_long_work()


def _beside_long_work() -> Iterator[tuple[str, str]]:
    """How long another client waits for the API, alone and while a server does long work for several."""
    context = get_context("spawn")
    with ProcessPoolExecutor(1, context) as server, ProcessPoolExecutor(len(LONG), context) as clients:
        port = server.submit(_serve).result()
        for path in LONG:  # what the process does once is no part of it
            clients.submit(inspector_pages.taken, port, path, 1).result()
        yield "a call of the API, by itself", "p99 {:.1f} ms, longest {:.1f} ms".format(*_waits(port, lambda: 2))
        begun = [clients.submit(inspector_pages.taken, port, path, 3) for path in LONG]
        spans = _waits(port, lambda: 0 if all(each.done() for each in begun) else 3600)
        yield "a call of the API, beside long work", "p99 {:.1f} ms, longest {:.1f} ms".format(*spans)
        for each in begun:
            each.result()


def _serve() -> int:
    """Serve a large world in this process, with an upload in its journal; returns the port."""
    sim, server = inspector_pages.served()
    sim.call("upload_client_media", demo.CUSTOMER_ADMIN, name="a", body=UPLOAD, expect=200)
    gc.collect()
    gc.freeze()
    gc.disable()  # as a server does
    return server.port


def _waits(port: int, seconds: Callable[[], float]) -> tuple[float, float]:
    """The 99th percentile and the longest of calls of the API, in milliseconds, for so many seconds from the start."""
    connection, spans = HTTPConnection("127.0.0.1", port, timeout=60), list[float]()
    start = time.perf_counter()
    while (begin := time.perf_counter()) - start < seconds():
        connection.request("GET", "/v1_0/users/me", headers={"Authorization": f"Bearer {demo.OWNER}"})
        connection.getresponse().read()
        spans.append((time.perf_counter() - begin) * 1000)
        time.sleep(PAUSE)
    connection.close()
    return sorted(spans)[int(len(spans) * 0.99)], max(spans)


def _large() -> tuple[Simulator, Names]:
    sim, names = prepared()
    for place, kind in enumerate(each for each in KINDS if each.name in GROWN):
        kind.add(sim, names, range(place * 1_000_000, place * 1_000_000 + SIZE))
    ok(sim, "set_dial_in_state", uuid=ROOM, state="enable")
    dialled = sim.calls.dial_in("+12025550123", meetingId=names["meeting_id"], pin="1234")
    code = ok(sim, "create_invitation", userId=names["uninvited"])["code"]
    sim.service.begin()
    return sim, {**names, "phone": dialled.userId, "invitation": code}


def _longest(call: control_calls.ControlCall, sim: Simulator, names: Names) -> float:
    """Milliseconds of the processor for a call, of the better of two."""

    def once() -> float:
        ready = sim.fork()
        call.prepare(ready, names)
        start = time.thread_time()
        call.make(ready, names)
        return (time.thread_time() - start) * 1000

    return min(once(), once())

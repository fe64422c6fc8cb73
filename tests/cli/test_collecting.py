"""When garbage is collected in a server."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from confsim import Simulator
from confsim.cli.collecting import Collecting
from confsim.service.messages import Request, Response
from confsim.service.worlds import Worlds
from kit.growth.prepared import prepared
from kit.growth.successes import with_successes

#: A body of no operation.
WRONG = [5.5, {"name": [5.5]}]


class Cycle:
    """Something that refers to itself, which the collector alone finds."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def uncollected() -> Iterator[None]:
    """The collector is off, and what there is is not looked through, now and later."""
    gc.freeze()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def worlds() -> Worlds:
    """The worlds of a simulator."""
    return Simulator().serve().worlds


@pytest.mark.parametrize(("target", "gone"), [("/_confsim/info", True), ("/w/a/_confsim/", True), ("/v1_0/me", False)])
def test_what_the_control_plane_leaves_is_collected_at_once(uncollected, worlds, target, gone):
    """Calls of the API are answered without a look at what they leave."""
    left = []

    def handler(request: Request) -> Response:
        left.append(weakref.ref(Cycle()))
        return Response(200, [])

    assert Collecting(worlds).around(handler)(Request("GET", target)).status == 200
    assert (left[0]() is None) is gone


def test_many_objects_are_put_aside(uncollected, worlds):
    """To look through them would be a pause."""
    left, alive = [], []

    def handler(request: Request) -> Response:
        left.append(weakref.ref(Cycle()))
        alive.extend([] for _ in range(50_000))
        return Response(200, [])

    Collecting(worlds).around(handler)(Request("PUT", "/_confsim/state"))
    assert left[0]() is not None


def test_what_is_left_of_a_dropped_world_is_collected_when_nobody_asks(uncollected, worlds):
    """Not before: it takes as long as there are many things."""
    collecting = Collecting(worlds)
    handle = collecting.around(lambda request: Response(200, []))
    left = weakref.ref(Cycle())
    collecting.beat()
    handle(Request("GET", "/v1_0/me"))
    collecting.before_drop("a")
    collecting.beat()
    assert left() is not None
    collecting.beat()
    assert left() is None


def test_no_call_of_the_api_leaves_garbage(uncollected):
    """Nor does one that is refused, nor a world that is dropped: a server never looks for any."""
    sim, names = prepared()

    def call_each() -> None:
        for operation, call in with_successes():
            fork = sim.fork()
            call.prepare(fork, names)
            for caller in (None, call.caller):
                fork.call(operation.name, caller, **call.filled(names))
            if operation.body is not None:
                fork.call(operation.name, call.caller, **{**call.filled(names), "body": WRONG})

    call_each()  # what the process does once is no garbage of a call
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)
    call_each()
    gc.collect()
    gc.set_debug(0)
    left = [*gc.garbage]
    gc.garbage.clear()
    assert [(type(each).__name__, repr(each)[:200]) for each in left] == []

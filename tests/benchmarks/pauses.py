"""How long calls of the control plane hold others up in a large world."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator

from confsim import Simulator
from kit import ROOM, ok
from kit.growth import control_calls
from kit.growth.control_calls import longest
from kit.growth.kinds import KINDS
from kit.growth.prepared import Names, prepared

SIZE = 100_000
#: What the world has so many of.
GROWN = ("rooms of a host", "users", "sessions of a room", "participants of a session", "handle reservations")
#: Answers of the whole state, which are put together at the end.
EXEMPT = ("get_state",)


def pauses() -> Iterator[tuple[str, str]]:
    """The longest that each call of the control plane keeps others waiting in a world of 500,000 things."""
    sim, names = _large()
    gc.collect()
    gc.freeze()
    gc.disable()  # as a server does
    spans = sorted(
        ((_longest(call, sim, names), call.operation) for call in control_calls.CALLS if call.operation not in EXEMPT),
        reverse=True,
    )
    gc.enable()
    gc.unfreeze()
    for name, (span, operation) in zip(("longest", "second longest", "third longest"), spans, strict=False):
        yield f"the {name} pause by a call of control", f"{span:.1f} ms ({operation})"


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
    """Milliseconds of the longest part of a call, of the better of two."""

    def once() -> float:
        ready = sim.fork()
        call.prepare(ready, names)
        return longest(call, ready, names, _microseconds) / 1000

    return min(once(), once())


def _microseconds(part: Callable[[], object]) -> int:
    start = time.thread_time()
    part()
    return int((time.thread_time() - start) * 1e6)

"""Five small clients, each with a bug that somebody looks for in the inspector.

``PYTHONPATH=tests python tests/kit/crowded/planted.py NAME [PORT]`` serves a world in which one of them has run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

from confsim import Simulator
from kit import ADMIN, OWNER, ROOM, START, USER, ok

#: Where the receivers of webhooks are.
RECEIVER = "http://127.0.0.1:22211/hooks/billing"
#: The web page whose browser calls.
PAGE = "http://localhost:5173"


def work(sim: Simulator, calls: int = 20) -> None:
    """Make calls that succeed, which hide the one that does not."""
    for place in range(calls // 2):
        ok(sim, "get_me", USER)
        ok(sim, "list_channels" if place % 3 else "get_me", OWNER)


def a_reservation_not_renewed(sim: Simulator) -> None:
    """A client reserves a handle, works on for longer than it is reserved, and then wants to use it."""
    (nonce,) = ok(sim, "reserve_handle", USER, body={"handle": "Trinity"}).values()
    for _ in range(8):
        work(sim)
        sim.clock.advance("2m")
    sim.call("change_handle_with_reservation", USER, nonce=nonce)
    work(sim)


def webhooks_out_of_order(sim: Simulator) -> None:
    """A receiver is told of a room later than of one that was made after it."""
    _hooks(sim, lambda *_: 200)
    ok(sim, "create_channel", OWNER, body={"name": "Before"})
    sim.faults.add(thing="webhook", match={"kind": "channel.created"}, do={"outcome": "out of order", "by": "30s"})
    for name in ("Board daily", "Design review", "Retrospective"):
        ok(sim, "create_channel", OWNER, body={"name": name})
        work(sim)
        sim.clock.advance("20s")


def a_dead_endpoint(sim: Simulator) -> None:
    """Nobody listens where webhooks go: all of them wait for the first."""
    _hooks(sim, _nobody)
    for place in range(12):
        ok(sim, "create_channel", OWNER, body={"name": f"Room {place}"})
        sim.clock.advance("10s")
    work(sim)


def a_user_in_the_lobby(sim: Simulator) -> None:
    """A host closes the door and forgets who comes later."""
    ok(sim, "set_lobby_door", OWNER, uuid=ROOM, state="close")
    sim.presence.join(ROOM, OWNER)
    work(sim)
    sim.presence.join(ROOM, USER)
    sim.clock.advance("24m")
    work(sim)


def a_browser(sim: Simulator) -> None:
    """A web page calls the service from an origin that no client allows: its browser sends the preflight alone."""
    work(sim)
    headers = {
        "Origin": PAGE,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
    }
    sim.client().options("/channels", headers=headers)
    work(sim)


#: The bugs by what somebody is told to look for.
PLANTED: Mapping[str, Callable[[Simulator], None]] = {
    each.__name__: each
    for each in (a_reservation_not_renewed, webhooks_out_of_order, a_dead_endpoint, a_user_in_the_lobby, a_browser)
}


def _hooks(sim: Simulator, receiver: Callable[..., int]) -> None:
    ok(sim, "set_events_state", ADMIN, state="enable")
    ok(sim, "add_events_endpoint", ADMIN, body={"url": RECEIVER})
    sim.webhooks.deliver_to(receiver)


def _nobody(*_: object) -> int:
    raise ConnectionRefusedError("[Errno 111] Connection refused")


if __name__ == "__main__":
    served = Simulator(clock=START)
    PLANTED[sys.argv[1]](served)
    serving = served.serve(port=int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    serving.run(lambda: None)

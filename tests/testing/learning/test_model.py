"""The model: calls and waiting are tried without a lasting effect."""

from __future__ import annotations

from confsim import Simulator
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.model import Model
from kit import OWNER, ROOM, START_MS, choices, ok


def test_waiting_in_a_world_leaves_the_clock():
    """Webhooks of a timer that fires meanwhile are sent at its instant, in that world alone."""
    simulator = Simulator(profile=choices(duration__call_answered="time(5)"), clock=START_MS)
    simulator.service.webhooks.set_listed(True)
    ok(simulator, "set_events_state", state="enable")
    ok(simulator, "add_events_endpoint", body={"url": "http://127.0.0.1:9/hook"})
    ok(simulator, "set_dial_out_state", uuid=ROOM, state="enable")
    model = Model(simulator.service)
    body = {"name": "Bob", "number": "+12025550147"}
    called = model.imagine(
        ModelCall("dial_unregistered_user", OWNER, {"uuid": ROOM}, body=body, content_type="application/json")
    )
    assert called.reply.status == 200
    after = model.waited(called.after, 60_000)
    assert after is not called.after
    assert model.clock.now() == START_MS

"""Any faults, any history: every answer is explained, and every fault hit what a plain count says."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given, strategies as st

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.fault_points import FAULT_POINTS, TIMED
from kit import EVENT_ROOM, ROOM, START

CALLERS = ("demo-owner", "demo-user", "demo-operator", "nobody")
#: Operations of the histories, with the arguments beside the channel.
CALLS = {
    "get_channel": {},
    "rename_channel": {"name": "New"},
    "set_lobby_door": {"state": "close"},
    "get_streaming_proxy": {},
    "start_recording": {},
    "stop_recording": {},
}

REASONS = [each.name.lower() for each in Reason if each is not Reason.INTERNAL_ERROR]
DO = st.one_of(
    st.fixed_dictionaries({"status": st.integers(200, 599)}),
    st.fixed_dictionaries({"reason": st.sampled_from(REASONS)}),
    st.fixed_dictionaries({"retryAfter": st.integers(0, 60)}, optional={"clock": st.sampled_from(["1s", "1d", 0])}),
    st.fixed_dictionaries({"clock": st.sampled_from(["1s", "1d", 7])}),
    st.fixed_dictionaries({"drop": st.sampled_from(["before", "after"])}),
    st.fixed_dictionaries({"truncate": st.one_of(st.just(True), st.integers(0, 50))}),
)
WHEN = {"on": st.integers(1, 4), "times": st.one_of(st.integers(1, 3), st.just("always"))}
MATCH = st.fixed_dictionaries(
    {}, optional={"uuid": st.sampled_from([ROOM, EVENT_ROOM]), "caller": st.sampled_from(CALLERS)}
)
OF_CALLS = st.fixed_dictionaries(
    {"operation": st.sampled_from(list(CALLS)), "do": DO}, optional={"match": MATCH, **WHEN}
) | st.fixed_dictionaries({"operation": st.just("*"), "do": DO}, optional=WHEN)
OUTCOMES = [
    {"thing": thing.name, "do": {"outcome": outcome.value, **({"by": "5s"} if outcome in TIMED else {})}}
    for thing in FAULT_POINTS.values()
    for outcome in thing.outcomes
]
OF_THINGS = st.builds(
    lambda fault, when: fault | when, st.sampled_from(OUTCOMES), st.fixed_dictionaries({}, optional=WHEN)
)
HISTORY = st.lists(
    st.tuples(st.sampled_from(list(CALLS)), st.sampled_from([ROOM, EVENT_ROOM]), st.sampled_from(CALLERS)), max_size=15
)


class Count:
    """The plain model of one fault."""

    def __init__(self, fault):
        self.fault = fault
        self.met = self.hits = 0

    def meet(self, operation, uuid, caller):
        """Count a call; whether it is faulty."""
        match = self.fault.get("match", {})
        wanted = self.fault["operation"] in ("*", operation)
        if not wanted or match.get("uuid", uuid) != uuid or match.get("caller", caller) != caller:
            return False
        self.met += 1
        first, times = self.fault.get("on", 1), self.fault.get("times", 1)
        faulty = self.met >= first and (times == "always" or self.met < first + times)
        self.hits += faulty
        return faulty


@given(st.lists(OF_CALLS, max_size=5), st.lists(OF_THINGS, max_size=3), HISTORY)
def test_any_faults_over_any_history(of_calls, of_things, history):
    """No bug, no 5xx without a fault that causes it, the world untouched by calls that did not run, hits as counted."""
    sim = Simulator(clock=START)
    sim.presence.join(ROOM, "demo-user")
    sim.faults.put([*of_calls, *of_things])
    counts = [Count(fault) for fault in of_calls]
    for operation, uuid, caller in history:
        faulty = [each.fault["do"] for each in counts if each.meet(operation, uuid, caller)]
        try:
            status = sim.call(operation, caller, uuid=uuid, **CALLS[operation]).status
        except ConnectionResetError:
            assert any("drop" in do or "truncate" in do for do in faulty)
            status = 0
        entry = sim.service.journal.last()
        assert status < 500 or any(do.get("status") == status for do in faulty)
        assert len([hit for hit in entry.fault if hit.when != "within"]) == len(faulty)
        if any(hit.when == "before" for hit in entry.fault):
            assert entry.before is entry.after
    assert [(each.met, each.hits) for each in sim.faults][: len(counts)] == [(each.met, each.hits) for each in counts]
    sim.clock.advance("1h")
    assert sim.service.bugs == []


@given(st.lists(OF_CALLS | OF_THINGS, max_size=6), HISTORY)
def test_the_same_faults_and_calls_give_the_same_world(faults, history):
    """Nothing is left to chance: worlds and journals of two runs are equal."""
    reported = []
    for _ in range(2):
        sim = Simulator(clock=START)
        sim.presence.join(ROOM, "demo-user")
        sim.faults.put(faults)
        for operation, uuid, caller in history:
            with suppress(ConnectionResetError):
                sim.call(operation, caller, uuid=uuid, **CALLS[operation])
        answers = [(each.response.status, each.response.body, each.fault) for each in sim.service.journal]
        reported.append((sim.service.world.digest(), answers, list(sim.faults)))
    assert reported[0] == reported[1]

"""Whatever is done to a clock in whatever order: it shows what a plain model shows, and nothing falls due off time."""

from __future__ import annotations

import time

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from confsim import Simulator
from confsim.service import clock
from kit import MINUTE, START_MS

#: A quarter of a second of machine time is a whole number of milliseconds at each of them.
RATES = st.sampled_from([1, 2, 60, 3600, 0.5])


class Machine:
    """The machine's time, which passes when the test advances it."""

    at = 1_800_000_000.0

    def time(self):
        """Seconds since the epoch."""
        return self.at


class Clocks(RuleBasedStateMachine):
    """The clock of a world beside a model: what it shows, whether it runs, how fast, and when what is due fell due."""

    def __init__(self):
        super().__init__()
        self.machine = clock.time = Machine()
        self.sim = Simulator(clock=START_MS)
        self.shown, self.runs, self.rate = START_MS, False, 1
        self.due = []
        self.saved = {}
        self.count = 0

    def teardown(self):
        """Give the machine its time back."""
        clock.time = time

    @rule(quarters=st.integers(0, 400))
    def machine_time_passes(self, quarters):
        """Which a running clock follows at its rate."""
        self.machine.at += quarters / 4
        if self.runs:
            self.shown += int(quarters * 250 * self.rate)

    @rule()
    def freeze(self):
        """It stands at what it shows."""
        self.sim.clock.freeze()
        self.runs = False

    @rule()
    def resume(self):
        """It runs at the rate that it had."""
        self.sim.clock.resume()
        self.runs = True

    @rule(rate=RATES)
    def run(self, rate):
        """It runs at another."""
        self.sim.clock.run(rate)
        self.runs, self.rate = True, rate

    @rule(minutes=st.integers(0, 40))
    def advance(self, minutes):
        """It shows so much more."""
        self.moved(self.sim.clock.advance(f"{minutes}m"), self.shown + minutes * MINUTE)

    @rule(minutes=st.integers(-60, 60))
    def set(self, minutes):
        """It shows an instant, before or after."""
        to = self.shown + minutes * MINUTE
        self.moved(self.sim.clock.set(to), to)

    @rule()
    def advance_to_the_next(self):
        """It shows the next instant at which something falls due, if there is one."""
        to = min((at for at in self.due if at > self.shown), default=self.shown)
        self.moved(self.sim.clock.advance(until="next"), to)

    @rule()
    def reserve(self):
        """Something is due in fifteen minutes."""
        self.called()
        self.count += 1
        assert self.sim.call("reserve_handle", "demo-user", body={"handle": f"Handle {self.count}"}).ok
        self.due.append(self.shown + 15 * MINUTE)

    @rule(name=st.sampled_from("ab"))
    def keep(self, name):
        """A snapshot keeps it all."""
        self.called()
        self.sim.snapshot(name)
        self.saved[name] = (self.shown, self.runs, self.rate, list(self.due))

    @rule(name=st.sampled_from("ab"))
    def restore(self, name):
        """And brings it back."""
        if name in self.saved:
            self.sim.restore(name)
            self.shown, self.runs, self.rate, due = self.saved[name]
            self.due = list(due)

    @rule()
    def reset(self):
        """The start comes back, where it stood."""
        self.sim.reset()
        self.shown, self.runs, self.rate, self.due = START_MS, False, 1, []

    def called(self):
        """At every call, what is due by then has fallen due."""
        self.due = [at for at in self.due if at > self.shown]

    def moved(self, fired, to):
        """All that was due on the way fell due, each at its own instant, in order; and nothing else."""
        assert [each.at for each in fired] == sorted(at for at in self.due if at <= to)
        self.shown = to
        self.called()

    @invariant()
    def shows_what_the_model_shows(self):
        """To the millisecond; and what is due is what the model has due."""
        seen = self.sim.clock
        assert (seen.now, seen.frozen, seen.rate) == (self.shown, not self.runs, self.rate)
        assert sorted(timer.due for timer in self.sim.service.world.timers) == sorted(self.due)


def test_a_clock_agrees_with_a_plain_model():
    """Frozen, resumed, run, set, advanced, saved, restored and reset, in any order, while machine time passes."""
    run_state_machine_as_test(Clocks)

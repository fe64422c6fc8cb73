"""Three worlds that everything is asked of: a crowded one, a fresh one, and one with a hostile text in every name.

Each is built once in a process and shared: whoever changes one builds another, with ``BUILDERS``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from confsim import Simulator
from kit import START, ok
from kit.crowded import calls, files, happenings, standing
from kit.growth.prepared import prepared

__all__ = ["BUILDERS", "SHARED", "crowded_world", "fresh_world", "hostile_world"]

#: Durations under which what is immediate by default takes a while, so that there is a timer of it, and room for all
#: deliveries.
_SLOW = {
    "webhooks__kept": 3000,
    "duration__session_grace": 60_000,
    "duration__broadcast_start": "time(5)",
    "duration__placement": "time(5)",
    "duration__call_answered": "time(5)",
    "guests__end": "removed",
}
#: Calls that the journal of the crowded world keeps, which are all.
_CALLS = 2_000


def _crowded() -> Simulator:
    sim, names = prepared(files.crowded(), **_SLOW)
    sim.control("set_journal", most=_CALLS)
    calls.succeed(sim, names)
    calls.refuse(sim, names)
    calls.fetch_files(sim, names)
    happenings.mails(sim, names)
    happenings.effects(sim)
    ok(sim, "set_events_state", state="enable")
    happenings.outcomes(sim, names)
    calls.say_hostile_things(sim, names, turns=1)
    network = happenings.deliveries(sim)
    happenings.timers(sim, names)
    sim.clock.advance("1h")
    standing.stand(sim, names)
    calls.open_websockets(sim)  # standing switches the client off in passing, which would close them
    happenings.timers(sim, names)
    happenings.beside(sim)
    happenings.open_deliveries(sim, network)
    happenings.holds(sim)
    happenings.waiting_faults(sim)
    return sim


def _hostile() -> Simulator:
    sim, names = prepared(files.hostile())
    calls.say_hostile_things(sim, names, turns=2)
    calls.open_websockets(sim)
    network = happenings.deliveries(sim)
    happenings.beside(sim)
    happenings.open_deliveries(sim, network)
    happenings.holds(sim)
    happenings.waiting_faults(sim)
    return sim


def _fresh() -> Simulator:
    return Simulator(clock=START)


#: Builds each of the worlds anew, by name.
BUILDERS: Mapping[str, Callable[[], Simulator]] = {"crowded": _crowded, "fresh": _fresh, "hostile": _hostile}


@cache
def crowded_world() -> Simulator:
    """Return the world in which everything was called and everything is there."""
    return _crowded()


@cache
def fresh_world() -> Simulator:
    """Return the demo world in which nothing has happened."""
    return _fresh()


@cache
def hostile_world() -> Simulator:
    """Return the world in which every name is a hostile text."""
    return _hostile()


#: Returns each of the shared worlds, by name.
SHARED: Mapping[str, Callable[[], Simulator]] = {
    "crowded": crowded_world,
    "fresh": fresh_world,
    "hostile": hostile_world,
}

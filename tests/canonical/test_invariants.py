"""Invariants against steps of which one record is not as it was written: each says what does not hold."""

from __future__ import annotations

from enum import Enum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from confsim.kernel.tables.table import Table
from kit import EVENT_ROOM, NOTHING
from kit.each import each
from kit.exploration.acts import every
from kit.exploration.invariants import INVARIANTS
from kit.exploration.starts import BY_NAME
from kit.exploration.step import Step
from kit.exploration.view import View


class Forged(Struct, frozen=True):
    """An invariant; the start and acts of a step; and the fields of the records of a table in the world after it, or
    before it, that are given other values (states by their words).
    """

    invariant: str
    start: str
    story: tuple[str, ...]
    table: str
    fields: dict[str, Any]
    before: bool = False

    def step(self) -> tuple[Step, Step]:
        """Return the step as it is, and the forged one."""
        stage, acts = BY_NAME[self.start].stage(), every()
        view, step = View(stage.live.world, stage.live.clock.now()), None
        for sentence in self.story:
            step = stage.step(view, acts[sentence])
            assert step is not None, sentence
            assert not step.answer.refused, step.answer
            view = step.after
        assert step is not None
        side = "before" if self.before else "after"
        return step, replace(step, **{side: self._view(getattr(step, side))})

    def _view(self, view: View) -> View:
        change = view.world.change(view.now)
        held = [(client, state) for (client, table), state in view.world.tables() if table == self.table]
        records = [(client, row[1]) for client, state in held for row in state.rows.values()]
        assert records, f"there is nothing in {self.table}"
        for client, record in records:
            values = {name: _like(getattr(record, name), value) for name, value in self.fields.items()}
            Table.declared[self.table].of(change, client).put(replace(record, **values))
        return View(change.commit(), view.now)


def _like(held: Any, value: Any) -> Any:
    return type(held)(value) if isinstance(held, Enum) else value


_RENAMED = ("the owner renames room 1",)
FORGED = (
    Forged(
        "late-comers-are-routed",
        "breakout active",
        ("the user leaves the event room", "the user joins the event room"),
        "presences",
        {"state": "in", "place": EVENT_ROOM, "room": None},
    ),
    Forged("started-or-not", "breakout active", _RENAMED, "breakout sessions", {"started": None}),
    Forged("rooms-have-places", "breakout active", _RENAMED, "breakout rooms", {"place": None}),
    Forged("assigned-to-rooms-that-are-there", "breakout prepared", _RENAMED, "assignments", {"room": NOTHING}),
    Forged("order-of-instants", "meeting", ("the operator stops recording",), "sessions", {"started": None}),
    Forged("figures-of-a-session-grow", "meeting", ("the user leaves the room",), "sessions", {"peak": 2}),
    Forged("no-way-back", "meeting", ("the owner ends the session",), "recordings", {"state": "failed"}, True),
    Forged(
        "presenters-limit",
        "room",
        ("the owner joins the room", "the user joins the room", "the host makes the user presenter"),
        "channels",
        {"presenters_limit": 0},
    ),
    Forged(
        "mailed-when-ready",
        "meeting",
        ("the operator stops recording", "time passes until the next timer"),
        "mail",
        {"to": "nobody@demo.example"},
    ),
    Forged(
        "running-broadcasts-keep-their-destinations",
        "broadcast",
        ("the operator starts the broadcast", "the owner adds a destination"),
        "broadcasts",
        {"destinations": ()},
    ),
    Forged(
        "templates-that-are-offered",
        "templates",
        ("the owner selects the first template",),
        "template choices",
        {"offer": "disabled"},
        before=True,
    ),
    Forged(
        "numbers-lead-to-their-channels",
        "numbers and PINs",
        ("a phone dials in with the routing code",),
        "number assignments",
        {"code": "000000"},
        before=True,
    ),
    Forged(
        "calls-that-are-allowed",
        "numbers and PINs",
        ("the operator calls a phone",),
        "channels",
        {"dial_out": False},
        before=True,
    ),
    Forged(
        "begins-where-it-may",
        "broadcast",
        ("the operator starts the broadcast",),
        "broadcast destinations",
        {"enabled": False},
        before=True,
    ),
    Forged("the-door-moves-by-call", "meeting", ("the owner switches guest access off",), "channels", {"open": False}),
    Forged(
        "people-stay", "meeting", ("the operator mutes attendees",), "presences", {"state": "waiting", "place": None}
    ),
)


@each("forged", FORGED, ids=lambda forged: forged.invariant)
def test_an_invariant_tells_of_a_forged_record(forged):
    """It says nothing of the step as it is, and something once the record is another."""
    invariant = next(each for each in INVARIANTS if each.name == forged.invariant)
    step, other = forged.step()
    assert invariant.of(step) == []
    assert invariant.of(other) != []

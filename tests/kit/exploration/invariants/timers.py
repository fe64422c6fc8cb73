"""Invariants about time: every timed record has its timer, and no other timer exists."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

from msgspec import Struct

from kit.exploration.step import Step
from kit.exploration.view import View, word

from .invariant import Statements

STATED = Statements()
#: A timer: its kind, client and subject.
Name = tuple[str, str, str]


class Timed(Struct, frozen=True):
    """Records with a time limit: the kind of their timer, their table, the state in which it runs, the field of the
    instant, and the field that is the subject. The state is "" where a record has a limit as long as it exists.
    """

    kind: str
    table: str
    state: tuple[str, str]
    instant: Callable[[Any], int | None]
    subject: str = "id"


def _breakout_ends(breakout: Any) -> int | None:
    return breakout.started + breakout.duration if breakout.duration and breakout.started is not None else None


TIMED: tuple[Timed, ...] = (
    Timed("guest", "users", ("account", "guest"), attrgetter("ends")),
    Timed("session grace", "sessions", ("state", "ongoing"), attrgetter("grace_ends"), "channel"),
    Timed("breakout end", "breakout sessions", ("phase", "active"), _breakout_ends),
    Timed("broadcast start", "broadcasts", ("state", "starting"), attrgetter("starting_ends"), "channel"),
    Timed("invitation", "invitations", ("state", "pending"), attrgetter("expires"), "user"),
    Timed("handle reservation", "reservations", ("", ""), attrgetter("expires"), "token"),
    Timed("recording processing", "recordings", ("state", "processing"), attrgetter("processing_ends")),
    Timed("recording upload", "recording assets", ("state", "pending"), attrgetter("upload_begins")),
    Timed("placement", "placements", ("state", "creating"), attrgetter("ready"), "channel"),
    Timed("call", "calls", ("state", "ringing"), attrgetter("answers")),
    Timed("webhook delivery", "webhook deliveries", ("state", "later"), attrgetter("due")),
)


def due(view: View) -> dict[Name, int]:
    """Return the timers that the records ask for, with their instants (epoch milliseconds)."""
    found: dict[Name, int] = {}
    for timed in TIMED:
        field, state = timed.state
        for record in view[timed.table]:
            instant = timed.instant(record) if not field or word(getattr(record, field)) == state else None
            if instant is not None:
                found[timed.kind, record.client, str(getattr(record, timed.subject))] = instant
    return found


@STATED.world(
    "timers-follow-records",
    "Every record with a time limit has its timer, at its instant, and no other timer exists.",
    "R095, R184, R356, R364, R370, G231, G441, G525, G534",
)
def _timers(view: View) -> Iterator[str]:
    asked = due(view)
    there = {(timer.kind, timer.client, timer.subject): timer.due for timer in view.world.timers}
    for name in asked.keys() | there.keys():
        if name not in there:
            yield f"{name[0]}: no timer"
        elif name not in asked:
            yield f"{name[0]}: a timer without record"
        elif asked[name] != there[name]:
            yield f"{name[0]}: {'late' if there[name] > asked[name] else 'early'}"


@STATED.world(
    "limits-are-over-in-time",
    "What has a time limit does not outlive it: reservations fifteen minutes, invitations, guests, breakouts.",
    "R095, R184, R356, G114, G231",
)
def _over(view: View) -> Iterator[str]:
    for name, at in due(view).items():
        if at < view.now:
            yield f"{name[0]}: should be over"
    for reservation in view["reservations"]:
        if reservation.expires > view.now + 15 * 60_000:
            yield "a reservation of more than fifteen minutes"


@STATED.step("only-time-passes-time", "The clock moves only when somebody moves it.", "P1 Limits L332, G441")
def _clock(step: Step) -> Iterator[str]:
    if step.after.now != step.before.now and step.act.operation != "advance_clock":
        yield "a call moved the clock"


@STATED.step("nothing-begins-in-the-past", "What begins or ends now says so.", "P2 L69-77, R292, R293")
def _begins(step: Step) -> Iterator[str]:
    if step.after.now != step.before.now:
        return
    for table, field in (("sessions", "started"), ("sessions", "ended"), ("recordings", "started"),
                         ("recordings", "ended"), ("calls", "placed"), ("breakout sessions", "started")):  # fmt: skip
        was = {record.id: getattr(record, field) for record in step.before[table]}
        for record in step.after[table]:
            instant: Any = getattr(record, field)
            if instant is not None and instant != was.get(record.id) and instant != step.after.now:
                yield f"{table}: {field}"


INVARIANTS = tuple(STATED.invariants)

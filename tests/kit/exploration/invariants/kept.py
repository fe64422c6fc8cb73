"""Invariants about what is kept: one of each where the documents say one, references, refusals, exports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from confsim.kernel.tables.table import Table as Declared
from kit.exploration.step import Step
from kit.exploration.view import View, word

from .invariant import Statements

STATED = Statements()


def _only_one(view: View, table: str, of: str, field: str, states: set[str]) -> Iterator[str]:
    found = Counter(getattr(record, of) for record in view[table] if word(getattr(record, field)) in states)
    for count in found.values():
        if count > 1:
            yield f"{count} at once"


@STATED.world("one-active-validator", "Only one validator of a client is active at a time.", "R114", "validators")
def _validators(view: View) -> Iterator[str]:
    yield from _only_one(view, "validators", "client", "state", {"active"})


@STATED.world(
    "one-active-breakout", "Only one breakout session of a channel is active at a time.", "R553", "breakout sessions"
)
def _breakouts(view: View) -> Iterator[str]:
    yield from _only_one(view, "breakout sessions", "channel", "phase", {"active"})


@STATED.world("one-running-recording", "Only one recording of a channel runs at a time.", "R554", "recordings")
def _recordings(view: View) -> Iterator[str]:
    yield from _only_one(view, "recordings", "channel", "state", {"in progress"})


@STATED.world("one-open-session", "A channel has one active session at most.", "R552", "sessions")
def _sessions(view: View) -> Iterator[str]:
    yield from _only_one(view, "sessions", "channel", "state", {"initialised", "ongoing"})


@STATED.world("one-broadcast", "A channel has one broadcast at most.", "R368, R527", "broadcasts")
def _broadcasts(view: View) -> Iterator[str]:
    yield from _only_one(view, "broadcasts", "channel", "state", {"starting", "running"})


@STATED.world("one-pending-invitation", "A user has one active invitation at most.", "R122, R548", "invitations")
def _invitations(view: View) -> Iterator[str]:
    yield from _only_one(view, "invitations", "user", "state", {"pending"})


@STATED.world(
    "must-accept-again",
    "Users who accepted former terms must accept the new ones, and no others must again.",
    "P1 States L175, L176, R101, R103, R104",
    "users", "clients",
)  # fmt: skip
def _terms(view: View) -> Iterator[str]:
    current = {client.id: client.terms.version for client in view["clients"]}
    for user in view["users"]:
        former = user.accepted is not None and user.accepted != current.get(user.client, user.accepted)
        if user.accepts_again is not former:
            yield f"accepts again {user.accepts_again}"


@STATED.world("one-call-of-a-user", "A user is on one phone call at a time.", "G452", "calls")
def _calls(view: View) -> Iterator[str]:
    yield from _only_one(view, "calls", "user", "state", {"ringing", "answered"})


@STATED.world(
    "unique-handles",
    "Where handles are unique, a handle is reserved once at most.",
    "R094, G259",
    "reservations", "clients",
)  # fmt: skip
def _handles(view: View) -> Iterator[str]:
    for client in view["clients"]:
        if not client.unique_handles:
            continue
        held = Counter(reservation.folded for reservation in view["reservations"] if reservation.client == client.id)
        for count in held.values():
            if count > 1:
                yield "two reservations of one handle"


@STATED.world(
    "names-of-channels", "No two channels of a client have the same name or friendly URL.", "R371, R226, G290, G300",
    "channels",
)  # fmt: skip
def _names(view: View) -> Iterator[str]:
    for field in ("name", "friendly_url", "meeting_id"):
        found = Counter(
            (channel.client, str(getattr(channel, field)).casefold())
            for channel in view["channels"]
            if getattr(channel, field) is not None
        )
        if any(count > 1 for count in found.values()):
            yield field


@STATED.world(
    "exclusive-numbers",
    "An exclusive number is assigned to one channel only; routing codes of a number differ.",
    "R480, G469",
    "number assignments",
)
def _numbers(view: View) -> Iterator[str]:
    by_number: dict[str, list[str | None]] = {}
    for assignment in view["number assignments"]:
        by_number.setdefault(assignment.number, []).append(assignment.code)
    for codes in by_number.values():
        if len(codes) > 1 and (None in codes or len(set(codes)) < len(codes)):
            yield "exclusive, and shared" if None in codes else "two with one code"


@STATED.world("references", "What a record names is there.", "R551, G309")
def _references(view: View) -> Iterator[str]:
    for table in Declared.declared.values():
        for record in view[table.name]:
            for field, other in table.names.items():
                value = getattr(record, field, None)
                there = {Declared.declared[other].key(each) for each in view[other]}
                if value is not None and value not in there and value not in view.channels:
                    yield f"{table.name}.{field}"
            if table.name in ("event log", "attendances", "app sessions", "mail", "webhook deliveries"):
                continue  # they tell of what may be gone
            channel = getattr(record, "channel", None)
            if channel is not None and channel not in view.channels and table.name != "users":
                yield f"{table.name}.channel"


_OF_TENANTS = (
    *("presences", "hosts", "linked users", "sessions", "assignments", "recordings", "broadcasts"),
    *("calls", "pins", "number assignments", "breakout sessions", "breakout rooms", "template selections"),
    *("credentials", "invitations", "channel media", "properties", "occupancies", "placements"),
)


@STATED.world(
    "tenants",
    "A record stands under its own client, and names nothing of another one.",
    "P1 L7, R032, R559, G271",
    *_OF_TENANTS, "users", "channels",
)  # fmt: skip
def _tenants(view: View) -> Iterator[str]:
    for table in _OF_TENANTS:
        for record in view[table]:
            channel = view.channels.get(getattr(record, "channel", ""))
            user = view.users.get(getattr(record, "user", -1))
            for other in (channel, user):
                if other is not None and other.client != record.client:
                    yield table


@STATED.step(
    "refused-changes-nothing", "A refused call changes nothing.", "not in the documents: a refused call leaves no trace"
)
def _refused(step: Step) -> Iterator[str]:
    if step.answer.refused and step.changed:
        yield f"{step.answer.status}, and the world is another one"


@STATED.step(
    "no-error",
    "The service answers every call; it has no errors of its own.",
    "not in the documents: any exception is a defect",
)
def _no_error(step: Step) -> Iterator[str]:
    if step.answer.status >= 500:
        yield f"status {step.answer.status}"
    for bug in step.bugs:
        yield f"{type(bug).__name__}: {bug}"


#: What a read may change: a poll moves a broadcast on, the way into a channel is prepared when somebody asks for it.
_BY_READS = {"credentials", "broadcasts", "event log", "events secrets"}
_BY_THE_WAY_IN = {"sessions", "placements"}


@STATED.step("reads-change-nothing", "A call that reads changes nothing.", "R550, G349, G350")
def _reads(step: Step) -> Iterator[str]:
    if step.act.operation.startswith(("get_", "list_", "check_", "find_")) and step.changed:
        records = [name for name in Declared.declared if name in step.tables]
        allowed = _BY_READS | (_BY_THE_WAY_IN if step.act.operation == "get_streaming_proxy" else set())
        if not allowed.issuperset(records):
            yield ", ".join(records)


INVARIANTS = tuple(STATED.invariants)

"""The control operation of the summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any

from confsim.assumptions.events import DELIVERY_ORDER
from confsim.assumptions.register import REGISTER, in_force
from confsim.contract.types import Count, Wire
from confsim.control.context import ControlContext
from confsim.control.declare import operation
from confsim.control.labels.label import Named, caller_label, channel_label, find, label, named
from confsim.control.labels.timer import FiredTimer, describe_timer
from confsim.control.matching import CallClasses, by_class
from confsim.control.operations.faults import FaultInfo, list_faults
from confsim.control.why.deciding import deciding_assumptions
from confsim.control.why.past import Past
from confsim.control.why.sentences import is_blocked, sentence
from confsim.domain import mail
from confsim.domain.channels.channels import CHANNELS
from confsim.domain.events.deliveries import DELIVERIES
from confsim.domain.runtime.occupancy import BY_PLACE, IN_LOBBY, PRESENCES, Presence
from confsim.kernel.refusal import Misuse
from confsim.kernel.world import Change
from confsim.service.entries import JournalEntry

from .endpoints import EndpointHealth, endpoints_health

#: Default and largest number of entries of each list.
SHOWN, MOST = 10, 100
#: People who wait that are put in order; beyond, those of some channels are left out of the list, not of the count.
_ORDERED = 5_000
#: People inside who are named beside one who waits.
_INSIDE = 3


class CallCounts(CallClasses, kw_only=True):
    """The calls in the journal by class of status. ``dropped`` older calls are not counted."""

    total: Annotated[int, "The number of calls in the journal."]
    dropped: Annotated[int, "The number of older calls that the journal has dropped."]
    blocked: Annotated[int, "Preflights after which a browser does not send the call: no client allows the origin."]
    callers: Annotated[int, "The number of different callers."]


class RefusedCalls(Wire):
    """Refused calls of one operation with one code, or blocked preflights; the newest stands for them."""

    count: Annotated[int, "How many there are."]
    status: Annotated[int, "The status of the answer."]
    code: Annotated[str, "The reason of the refusal, as explain takes it; empty where a fault or confsim answered."]
    operation: Annotated[str | None, "The operation; null where no route matched."]
    id: Annotated[str, "The id of the newest call."]
    at: Annotated[int, "The instant of the newest call, in epoch milliseconds."]
    what: Annotated[str, "The operation, or the method and path that matched no route."]
    caller: Annotated[str, "What people call the caller of the newest call; empty for none."]
    text: Annotated[str, "Why the newest call was refused, in a sentence."]


class WaitingPerson(Wire):
    """Somebody who waits in the lobby of a channel."""

    user: Annotated[Named, "Who waits."]
    channel: Annotated[Named, "Where."]
    since: Annotated[int, "The instant since which the user waits, in epoch milliseconds."]
    door: Annotated[str, "Whether the door of the channel is open or closed."]
    inside: Annotated[list[str], "What people call some of those inside."]


class DecidingAssumption(Wire):
    """An assumption that decided refusals, or holds deliveries back."""

    id: Annotated[str, "The id of the assumption."]
    statement: Annotated[str, "The assumption, as a statement."]
    value: Annotated[Any, "The value that is in force."]
    alternatives: Annotated[list[Any], "Other values."]
    decided: Annotated[int, "How many refused calls it decided, or how many deliveries it holds back."]


class Counts(Wire):
    """How many there are of what a navigation lists."""

    requests: Annotated[int, "The calls in the journal."]
    refused: Annotated[int, "The calls answered with 4xx or 5xx, and the blocked preflights."]
    deliveries: Annotated[int, "The webhook deliveries that are stored."]
    undelivered: Annotated[int, "The deliveries that have not arrived."]
    mails: Annotated[int, "The mails that are stored."]
    present: Annotated[int, "The people in channels."]
    waiting: Annotated[int, "The people in lobbies."]
    records: Annotated[int, "The records of all kinds."]
    timers: Annotated[int, "The timers."]
    faults: Annotated[int, "The active faults."]
    held: Annotated[int, "The calls that faults hold."]
    snapshots: Annotated[int, "The snapshots."]
    worlds: Annotated[int, "The worlds of the server."]
    assumptions: Annotated[int, "The assumptions that the world rests on."]


class Summary(Wire):
    """What is wrong in a world, what waits, and what comes next. Each list has its first ``limit`` entries."""

    now: Annotated[int, "The instant of the clock, in epoch milliseconds."]
    calls: Annotated[CallCounts, "The calls in the journal."]
    refused: Annotated[list[RefusedCalls], "The refused, failed and blocked calls by operation and code, newest first."]
    endpoints: Annotated[list[EndpointHealth], "The webhook endpoints, those with undelivered webhooks first."]
    waiting: Annotated[list[WaitingPerson], "Those who wait in lobbies, the longest first."]
    timers: Annotated[list[FiredTimer], "The timers that fall due next."]
    assumptions: Annotated[list[DecidingAssumption], "The assumptions that decided, the most weighty first."]
    faults: Annotated[list[FaultInfo], "The active faults."]
    counts: Annotated[Counts, "How many there are of everything."]


@operation("GET /summary", beside=True)
def get_summary(
    context: ControlContext, *, limit: Annotated[Count | None, "The most entries of each list; 10 by default."] = None
) -> Summary:
    """Get what is wrong in the world, what waits and what comes next, with the counts of everything.

    Closed deliveries are counted among the newest 10,000. Raises Misuse for a limit above 100.
    """
    shown = SHOWN if limit is None else limit
    if shown > MOST:
        raise Misuse(f"limit is a number from 0 to {MOST}")
    change = context.view()
    entries = list(context.service.journal)
    failing = [entry for entry in entries if entry.response.status >= 400 or is_blocked(entry)]
    people = list(islice(_waiting(change), _ORDERED))
    endpoints = endpoints_health(change)
    calls = _calls(context, entries)
    faults = list_faults(context)
    return Summary(
        now=change.now,
        calls=calls,
        refused=_refused(context, failing, shown),
        endpoints=endpoints[:shown],
        waiting=[_person(change, each) for each in sorted(people, key=lambda each: each.since)[:shown]],
        timers=[describe_timer(change, each) for each in change.world.timers.soonest(shown)],
        assumptions=_assumptions(context, failing, sum(each.waiting for each in endpoints))[:shown],
        faults=faults[:shown],
        counts=_counts(context, change, calls, len(failing), sum(each.undelivered for each in endpoints), len(faults)),
    )


def _calls(context: ControlContext, entries: list[JournalEntry]) -> CallCounts:
    callers = {(entry.caller.client.id, entry.caller.name) for entry in entries if entry.caller is not None}
    return CallCounts(
        total=len(entries),
        dropped=context.service.journal.dropped,
        blocked=sum(map(is_blocked, entries)),
        callers=len(callers),
        **by_class(entries),
    )


def _refused(context: ControlContext, failing: list[JournalEntry], shown: int) -> list[RefusedCalls]:
    """Return the refused calls in groups, the group with the newest call first."""
    past, groups = Past(context.service), dict[tuple[str, str, int], list[JournalEntry]]()
    for entry in reversed(failing):
        code = "" if entry.refusal is None else entry.refusal.reason.name.lower()
        groups.setdefault((entry.operation, code, entry.response.status), []).append(entry)
    found = []
    for (name, code, status), group in islice(groups.items(), shown):
        newest = group[0]
        found.append(
            RefusedCalls(
                count=len(group),
                status=status,
                code=code,
                operation=name or None,
                id=newest.id,
                at=newest.at,
                what=name or f"{newest.request.method} {newest.request.target}",
                caller=caller_label(newest.before.change(0), newest.caller),
                text=sentence(past, newest),
            )
        )
    return found


def _waiting(change: Change) -> Iterator[Presence]:
    """Yield the presences in lobbies; only lobbies with somebody in them are looked at."""
    for client, channel in _lobbies(change):
        yield from PRESENCES.where(change, IN_LOBBY, channel, client)


def _person(change: Change, presence: Presence) -> WaitingPerson:
    client, id = presence.client, presence.channel
    user, channel, place = (
        find(change, presence.user, client),
        find(change, id, client),
        CHANNELS.get(change, id, client),
    )
    inside = PRESENCES.where(change, BY_PLACE, id, client)[:_INSIDE]
    labels = [found for each in inside if (found := find(change, each.user, client)) is not None]
    gone = Named(kind="", id=id, client=client, label=channel_label(change, client, id))
    return WaitingPerson(
        user=gone if user is None else named(change, user),
        channel=gone if channel is None else named(change, channel),
        since=presence.since,
        door="open" if place is not None and place.open else "closed",
        inside=[label(change, each) for each in labels],
    )


def _assumptions(context: ControlContext, failing: list[JournalEntry], waiting: int) -> list[DecidingAssumption]:
    """Return the assumptions that decided something, the most weighty first."""
    decided: Counter[str] = Counter()
    for entry in failing:
        decided.update(deciding_assumptions(entry))
    if waiting and in_force(context.service.profile, DELIVERY_ORDER) != "free":
        decided[DELIVERY_ORDER.id] += waiting
    return [
        DecidingAssumption(
            id=id,
            statement=REGISTER.entries[id].statement,
            value=in_force(context.service.profile, REGISTER.entries[id]),
            alternatives=list(REGISTER.entries[id].alternatives),
            decided=count,
        )
        for id, count in decided.most_common()
    ]


def _counts(
    context: ControlContext, change: Change, calls: CallCounts, refused: int, undelivered: int, faults: int
) -> Counts:
    service, tables = context.service, change.world.client_tables
    presences = [
        states[PRESENCES.position]
        for client, states in tables.items()
        if client and len(states) > PRESENCES.position and states[PRESENCES.position].rows
    ]
    waiting = sum(len(PRESENCES.where(change, IN_LOBBY, id, client)) for client, id in _lobbies(change))
    return Counts(
        requests=calls.total,
        refused=refused,
        deliveries=len(DELIVERIES.of(change)),
        undelivered=undelivered,
        mails=len(mail.MAILS.of(change).all),
        present=sum(len(state.rows) for state in presences) - waiting,
        waiting=waiting,
        records=sum(len(state.rows) for states in tables.values() for state in states),
        timers=len(change.world.timers.live),
        faults=faults,
        held=len(list(service.pipeline.held)),
        snapshots=len(service.history.snapshots),
        worlds=len(context.worlds),
        assumptions=len(service.assumptions_used()),
    )


def _lobbies(change: Change) -> Iterator[tuple[str, str]]:
    """Yield the client and the channel of each lobby with somebody in it."""
    for client, states in change.world.client_tables.items():
        if client and len(states) > PRESENCES.position and states[PRESENCES.position].rows:
            for channel in states[PRESENCES.position].index(IN_LOBBY):
                yield client, channel

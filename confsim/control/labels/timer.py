"""Timers as the control plane describes them: with the thing that each concerns, and what happens, in words."""

from __future__ import annotations

from typing import Annotated

from msgspec.structs import replace

from confsim.contract.types import Wire
from confsim.domain.events.deliveries import Delivery
from confsim.domain.events.endpoints import ENDPOINTS
from confsim.kernel.timers import Timer
from confsim.kernel.world import Change
from confsim.service.entries import TimerEntry

from .label import Held, address, channel_label, held, label

#: What happens when a timer of each kind falls due; the blank is for the label of its thing.
SENTENCES = {
    "invitation": "{} ends",
    "session grace": "The session in {}, which everybody has left, ends",
    "placement": "{} is ready on a streaming server",
    "breakout end": "The breakout session {} ends",
    "call": "{} answers the phone",
    "guest": "The guest {} is removed",
    "handle reservation": "The reservation of {} ends",
    "recording upload": "The upload of {} begins",
    "recording processing": "The processing of {} is over",
    "webhook delivery": "{} is sent again",
    "broadcast start": "The broadcast of {} has started",
}
#: Timers that concern the channel of their record.
_OF_CHANNEL = ("session grace", "placement", "broadcast start")


class FiredTimer(Wire):
    """A timer that fired: the instant, its kind (``what``), and its client and thing."""

    at: Annotated[int, "The instant at which it fired, in epoch milliseconds."]
    what: Annotated[str, "The kind of the timer."]
    client: Annotated[str, "The client that it concerned."]
    subject: Annotated[str, "The thing that it concerned."]
    label: Annotated[str, "What people call the thing; empty for one that is gone."] = ""
    text: Annotated[str, "What happens, or has happened, in a sentence without a full stop."] = ""
    kind: Annotated[str, "The kind of the record that the timer follows from."] = ""
    id: Annotated[str, "The id of the record that the timer follows from."] = ""


def describe_timer(change: Change, timer: Timer) -> FiredTimer:
    """Return the description of a timer, with the labels of this world: best the one before it fired."""
    table, owner, key, kind = timer.name
    found = held(change, owner, table, key)
    called = "" if found is None else _thing(change, kind, found)
    return FiredTimer(
        at=timer.due,
        what=kind,
        client=timer.client,
        subject=timer.subject,
        label=called,
        text=sentence(kind, called),
        kind=table,
        id=str(key),
    )


def of_entry(entry: TimerEntry) -> FiredTimer:
    """Return the description of the timer of a journal entry, with the labels of the world before it."""
    change = entry.worlds[0].change(0)
    for client, table, key in entry.touched:
        timer = change.world.timers.live.get((table, client, key, entry.kind))
        if timer is not None and timer.subject == entry.subject:
            return replace(describe_timer(change, timer), at=entry.at)
    about = FiredTimer(at=entry.at, what=entry.kind, client=entry.client, subject=entry.subject)
    return replace(about, text=sentence(entry.kind, ""))


def sentence(kind: str, called: str) -> str:
    """Return what happens when a timer of this kind falls due; the kind of the timer where the label is unknown."""
    return SENTENCES[kind].format(called) if called else kind


def _thing(change: Change, kind: str, found: Held) -> str:
    """Return what people call what a timer concerns."""
    record, channel, client = found.record, getattr(found.record, "channel", None), getattr(found.record, "client", "")
    if kind in _OF_CHANNEL and isinstance(channel, str):
        return channel_label(change, client, channel)
    called = label(change, found)
    endpoint = ENDPOINTS.get(change, record.endpoint, client) if isinstance(record, Delivery) else None
    return called if endpoint is None else f"{called} to {address(endpoint.url)}"

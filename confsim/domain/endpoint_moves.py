"""What moves deliveries: their endpoints come and go, and are told what happens or not."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from confsim.assumptions import deliveries as assumed
from confsim.assumptions.register import ask
from confsim.kernel.machine import Coupling
from confsim.kernel.world import Change

from . import events
from .clients import Client
from .deliveries import DELIVERIES, LANE, MACHINE, OPEN, Delivery, turn
from .events import ENDPOINTS, Endpoint


def _of_slot(change: Change, slot: events.Slot) -> Iterable[Delivery]:
    assert slot.endpoint is not None
    return turn(change, slot.client, slot.endpoint.id)


def _of_client(change: Change, client: Client) -> Iterable[Delivery]:
    for endpoint in events.listening(change, client.id):
        yield from turn(change, client.id, endpoint.id)


def _open(change: Change, endpoint: Endpoint) -> list[Delivery]:
    rows = DELIVERIES.of(change)
    return [each for lane in ("under way", "aside", "waits") for each in rows.find(LANE, (endpoint.id, lane))]


def _gone(change: Change, slot: events.Slot) -> Iterable[Delivery]:
    there = {endpoint.id for endpoint in ENDPOINTS.of(change, slot.client)}
    return [
        each
        for each in DELIVERIES.of(change)
        if each.client == slot.client and each.endpoint not in there and each.state in OPEN
    ]


def _deaf(choice: str, change: Change, slot: events.Slot) -> Iterable[Delivery]:
    assert slot.endpoint is not None
    return _open(change, slot.endpoint) if ask(change, assumed.DEAF) == choice else ()


def _all_deaf(choice: str, change: Change, client: Client) -> Iterable[Delivery]:
    if ask(change, assumed.DEAF) != choice:
        return []
    return [each for endpoint in ENDPOINTS.of(change, client.id).oldest() for each in _open(change, endpoint)]


#: Endpoints that are told no more, or again, move what is on its way to them.
MOVES: tuple[Coupling, ...] = (
    *(
        Coupling(
            events.ENDPOINT,
            events.Life.INACTIVE,
            MACHINE,
            event,
            partial(_deaf, choice),
            out_of=(events.Life.ACTIVE,),
            source="P2 L366, R532, G534",
        )
        for event, choice in (("hold", "waits"), ("lose", "lost"))
    ),
    *(
        Coupling(
            events.MACHINE,
            events.Interface.DISABLED,
            MACHINE,
            event,
            partial(_all_deaf, choice),
            source="R531, G534, G591",
        )
        for event, choice in (("hold", "waits"), ("lose", "lost"))
    ),
    Coupling(events.ENDPOINT, events.Life.ACTIVE, MACHINE, "release", _of_slot, source="P2 L366, R532, G534"),
    Coupling(events.ENDPOINT, events.Life.ABSENT, MACHINE, "lose", _gone, source="P2 L368, G594"),
    Coupling(events.MACHINE, events.Interface.ENABLED, MACHINE, "release", _of_client, source="R531, G534, G591"),
)

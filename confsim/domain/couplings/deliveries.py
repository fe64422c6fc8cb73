"""What moves deliveries: their endpoints come and go, and are told what happens or not."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from confsim.assumptions import events
from confsim.assumptions.register import ask
from confsim.domain.clients.clients import Client
from confsim.domain.events import endpoints
from confsim.domain.events.deliveries import DELIVERIES, LANE, MACHINE, OPEN, Delivery, turn
from confsim.domain.events.endpoints import ENDPOINTS, Endpoint
from confsim.kernel.machine import Coupling
from confsim.kernel.world import Change


def _of_slot(change: Change, slot: endpoints.Slot) -> Iterable[Delivery]:
    assert slot.endpoint is not None
    return turn(change, slot.client, slot.endpoint.id)


def _of_client(change: Change, client: Client) -> Iterable[Delivery]:
    for endpoint in endpoints.listening(change, client.id):
        yield from turn(change, client.id, endpoint.id)


def _open(change: Change, endpoint: Endpoint) -> list[Delivery]:
    rows = DELIVERIES.of(change)
    return [each for lane in ("under way", "aside", "waits") for each in rows.find(LANE, (endpoint.id, lane))]


def _gone(change: Change, slot: endpoints.Slot) -> Iterable[Delivery]:
    there = {endpoint.id for endpoint in ENDPOINTS.of(change, slot.client)}
    return [
        each
        for each in DELIVERIES.of(change)
        if each.client == slot.client and each.endpoint not in there and each.state in OPEN
    ]


def _deaf(choice: str, change: Change, slot: endpoints.Slot) -> Iterable[Delivery]:
    assert slot.endpoint is not None
    return _open(change, slot.endpoint) if ask(change, events.WHILE_INACTIVE) == choice else ()


def _all_deaf(choice: str, change: Change, client: Client) -> Iterable[Delivery]:
    if ask(change, events.WHILE_INACTIVE) != choice:
        return []
    return [each for endpoint in ENDPOINTS.of(change, client.id).oldest() for each in _open(change, endpoint)]


#: Endpoints that are told no more, or again, move what is on its way to them.
MOVES: tuple[Coupling, ...] = (
    *(
        Coupling(
            endpoints.ENDPOINT,
            endpoints.Life.INACTIVE,
            MACHINE,
            event,
            partial(_deaf, choice),
            out_of=(endpoints.Life.ACTIVE,),
            source="P2 L366, R532, G534",
        )
        for event, choice in (("hold", "waits"), ("lose", "lost"))
    ),
    *(
        Coupling(
            endpoints.MACHINE,
            endpoints.Interface.DISABLED,
            MACHINE,
            event,
            partial(_all_deaf, choice),
            source="R531, G534, G591",
        )
        for event, choice in (("hold", "waits"), ("lose", "lost"))
    ),
    Coupling(endpoints.ENDPOINT, endpoints.Life.ACTIVE, MACHINE, "release", _of_slot, source="P2 L366, R532, G534"),
    Coupling(endpoints.ENDPOINT, endpoints.Life.ABSENT, MACHINE, "lose", _gone, source="P2 L368, G594"),
    Coupling(endpoints.MACHINE, endpoints.Interface.ENABLED, MACHINE, "release", _of_client, source="R531, G534, G591"),
)

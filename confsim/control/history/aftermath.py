"""What two runs of the same calls leave behind: deliveries, mails and records that differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Annotated

from confsim.canonical.meaning import BOOKKEEPING
from confsim.contract.types import Wire
from confsim.control.labels.label import Held, address, label
from confsim.control.summary.endpoints import COUNTED
from confsim.control.why.past import Past
from confsim.domain import mail
from confsim.domain.events.deliveries import DELIVERIES, Attempt, Delivery, list_deliveries
from confsim.domain.events.endpoints import ENDPOINTS
from confsim.kernel.world import Change, World
from confsim.service.entries import DeliveryNote, DeliveryStep
from confsim.service.service import Service

from .moved import in_words, written

#: Most records that are compared in words, and most deliveries and mails that are listed.
_COMPARED, _LISTED = 300, 100


class DifferentDelivery(Wire):
    """A delivery that stands otherwise; null where there is none."""

    label: Annotated[str, "What people call the event."]
    endpoint: Annotated[str, "What people call the endpoint."]
    was: Annotated[str | None, "The state of the delivery."]
    would_be: Annotated[str | None, "Its state under the other alternatives."]


class DifferentMails(Wire):
    """Mails to an address of which there are more, or fewer."""

    to: Annotated[str, "The address."]
    subject: Annotated[str, "The subject."]
    was: Annotated[int, "How many there are."]
    would_be: Annotated[int, "How many there would be under the other alternatives."]


def different_deliveries(before: World, after: World) -> list[DifferentDelivery]:
    """Return the deliveries that stand otherwise; those of one event and endpoint are matched in their order."""
    one, other = (dict(_deliveries(world.change(0))) for world in (before, after))
    found = [
        DifferentDelivery(label=key[0], endpoint=key[1], was=one.get(key), would_be=other.get(key))
        for key in dict.fromkeys((*one, *other))
        if one.get(key) != other.get(key)
    ]
    return found[:_LISTED]


def _deliveries(change: Change) -> Iterator[tuple[tuple[str, str, int], str]]:
    """Yield event, endpoint and number of each delivery, with its state, oldest first."""
    seen: Counter[tuple[str, str]] = Counter()
    newest = list(islice(list_deliveries(change).descending, COUNTED))
    for delivery in reversed(newest):
        key = label(change, Held(DELIVERIES, "", delivery)), _endpoint(change, delivery)
        seen[key] += 1
        yield (*key, seen[key]), delivery.state.value


def _endpoint(change: Change, delivery: Delivery) -> str:
    endpoint = ENDPOINTS.get(change, delivery.endpoint, delivery.client)
    return delivery.endpoint if endpoint is None else address(endpoint.url)


def different_mails(before: World, after: World) -> list[DifferentMails]:
    """Return the mails of which one world has more than another."""
    one, other = (
        Counter((each.to, each.subject) for each in mail.MAILS.of(world.change(0)).all) for world in (before, after)
    )
    found = [
        DifferentMails(to=key[0], subject=key[1], was=one[key], would_be=other[key])
        for key in dict.fromkeys((*one, *other))
        if one[key] != other[key]
    ]
    return found[:_LISTED]


def different_states(before: Service, after: Service, now: int) -> list[str]:
    """Return the difference of the records of two worlds in words, without deliveries, mails and other bookkeeping."""
    pasts = Past(before), Past(after)
    places = (each for each in written(pasts, before.world, after.world) if each[1] not in BOOKKEEPING)
    return in_words(before.world, after.world, list(islice(places, _COMPARED)), now)


def recorded_results(world: World) -> Callable[[Delivery], DeliveryNote | None]:
    """Return a function of a delivery that returns the result of its next attempt, as a world knows it.

    That of the same attempt of the same delivery, else of the latest attempt to the same endpoint that had a result.
    """
    change = world.change(0)
    same: dict[tuple[str, int], Attempt] = {}
    latest: dict[str, Attempt] = {}
    for delivery in list_deliveries(change):
        for number, attempt in enumerate(delivery.attempts):
            same[delivery.id, number] = attempt
            known = latest.get(delivery.endpoint)
            if known is None or attempt.at >= known.at:
                latest[delivery.endpoint] = attempt

    def result(delivery: Delivery) -> DeliveryNote | None:
        number = len(delivery.attempts)
        found = same.get((delivery.id, number)) or latest.get(delivery.endpoint)
        if found is None:
            return None
        told = found.status, found.problem, found.url or ""
        return DeliveryNote(0, 0, found.at, DeliveryStep.ANSWERED, delivery.id, number, found.at, *told)

    return result

"""Pages of what the simulated service sends: mails, and deliveries of webhooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confsim.domain.events.deliveries import DeliveryState
from confsim.inspector.names import names, said
from confsim.inspector.page_request import PageRequest, Shown
from confsim.kernel.refusal import Misuse

from .common import PAGE, newest, pager, show


def mail(asked: PageRequest) -> Shown:
    """Show the mails, newest first."""
    mails, paging = newest(asked, "list_mail")
    return show(asked, "mail", "Mail", mails=mails, **paging)


def webhooks(asked: PageRequest) -> Shown:
    """Show the deliveries of webhooks, newest first, by endpoint and state; one of them beside the others."""
    control, query = asked.control, asked.query
    summary = control("get_summary", limit=PAGE)
    pattern = {name: query[name] for name in ("endpoint", "kind", "state") if query.get(name)}
    mistake, status = "", 200
    try:
        deliveries, paging = newest(asked, "list_deliveries", **pattern)
    except Misuse as misuse:
        deliveries, paging, mistake, status = [], pager(0, more=False), str(misuse), misuse.status
    delivery = _one(asked, asked.path[0]) if asked.path else None
    known = names(asked, *(each.payload for each in (*deliveries, *([delivery] if delivery else []))))
    return show(
        asked,
        "webhooks",
        "Webhooks" if delivery is None else f"{delivery.kind} {delivery.id}",
        summary=summary,
        deliveries=deliveries,
        delivery=delivery,
        endpoint=next((each for each in summary.endpoints if delivery and each.id == delivery.endpoint), None),
        selected=delivery and delivery.id,
        abouts={each.id: _about(each.payload, known) for each in (*deliveries, *([delivery] if delivery else []))},
        endpoints={each.id: each.label for each in summary.endpoints},
        chosen=pattern,
        states=[each.value for each in DeliveryState],
        mistake=mistake,
        status=status,
        **paging,
    )


def _one(asked: PageRequest, id: str) -> Any:
    """Return a delivery. Raises Misuse (404) when there is none of this id."""
    found = next((each for each in asked.control("list_deliveries") if each.id == id), None)
    if found is None:
        raise Misuse(f"there is no delivery {id[:80]!r}", status=404)
    return found


def _about(payload: Any, known: Mapping[str, Any]) -> str:
    """Return the names of the user and the channel that an event is about; an empty text for others."""
    data = payload.get("data") if isinstance(payload, dict) else None
    if not isinstance(data, dict):
        return ""
    who, where = (said(data.get(field), field, known) for field in ("user", "channel"))
    return f"{who} in {where}" if who and where else who or where or ""

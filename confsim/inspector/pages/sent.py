"""Pages of what the simulated service sends: mails, and deliveries of webhooks, each as a list and one beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confsim.domain.events.deliveries import DeliveryState
from confsim.domain.mail import MailKind
from confsim.inspector.page_request import AnsweredPage, PageRequest
from confsim.kernel.refusal import Misuse

from .common import newest, pager, show


def webhooks(asked: PageRequest) -> AnsweredPage:
    """Show the deliveries of webhooks, newest first, by endpoint, state, kind and text; one of them beside the others.

    Those of one endpoint that arrived in another order than they happened are marked.
    """
    delivery = asked.control("get_delivery", asked.path[0]) if asked.path else None
    return show(
        asked,
        "webhooks",
        "Webhooks" if delivery is None else f"{delivery.kind}: {delivery.label}",
        endpoints=asked.control("list_endpoints"),
        delivery=delivery,
        states=[each.value for each in DeliveryState],
        selected=delivery and delivery.id,
        **_listed(asked, "list_deliveries", ("endpoint", "kind", "state", "text")),
    )


def mail(asked: PageRequest) -> AnsweredPage:
    """Show the mails, newest first, by kind and text; one of them beside the others."""
    letter = asked.control("get_mail", asked.path[0]) if asked.path else None
    return show(
        asked,
        "mail",
        "Mail" if letter is None else letter.subject,
        letter=letter,
        kinds=[each.value for each in MailKind],
        selected=letter and letter.id,
        **_listed(asked, "list_mail", ("to", "kind", "text")),
    )


def _listed(asked: PageRequest, listing: str, filters: tuple[str, ...]) -> dict[str, Any]:
    """Return the values of a list; a mistake in a filter is said above it, and the list is empty."""
    chosen: Mapping[str, str] = {name: asked.query[name] for name in filters if asked.query.get(name)}
    mistake, status = "", 200
    try:
        found, paging = newest(asked, listing, **chosen)
    except Misuse as misuse:
        if "offset" in str(misuse):
            raise
        found, paging, mistake, status = [], pager(0, more=False), str(misuse), misuse.status
    return {"found": found, "chosen": chosen, "mistake": mistake, "status": status, **paging}

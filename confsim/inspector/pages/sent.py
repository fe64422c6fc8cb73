"""Pages of what the simulated service sends: mails, and deliveries of webhooks."""

from __future__ import annotations

from confsim.inspector.page_request import PageRequest, Shown

from .common import newest, show


def mail(asked: PageRequest) -> Shown:
    """Show the mails, newest first."""
    mails, paging = newest(asked, "list_mail")
    return show(asked, "mail", "Mail", mails=mails, **paging)


def webhooks(asked: PageRequest) -> Shown:
    """Show the deliveries of webhooks, newest first."""
    deliveries, paging = newest(asked, "list_deliveries")
    return show(asked, "webhooks", "Webhooks", deliveries=deliveries, **paging)

"""The outbox: every mail that the simulated service has sent."""

from __future__ import annotations

from confsim.contract.types import Wire
from confsim.domain import mail

from .control import Control, operation


class Mail(Wire):
    """A mail. ``kind`` says what for; ``code`` and ``link`` are what its reader is to use, null when it has none."""

    to: str
    subject: str
    text: str
    at: int
    kind: str
    code: str | None
    link: str | None
    clientId: str


@operation("GET /mail")
def list_mail(control: Control, *, to: str | None = None, kind: str | None = None) -> list[Mail]:
    """List the mails that were sent, newest last; those to an address or of a kind, when asked so."""
    return [
        Mail(
            to=each.to,
            subject=each.subject,
            text=each.text,
            at=each.at,
            kind=each.kind,
            code=each.code,
            link=each.link,
            clientId=each.client,
        )
        for each in mail.sent(control.see())
        if (to is None or each.to == to) and (kind is None or each.kind == kind)
    ]

"""The outbox: every mail that the simulated service has sent."""

from __future__ import annotations

from confsim.contract.types import Wire
from confsim.domain import mail
from confsim.domain.mail import MOUNT

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
    """List the mails that were sent, newest last; those to an address or of a kind, when asked so.

    Links to this server begin with the address at which the caller reaches it.
    """
    return [
        _shown(control, each)
        for each in mail.sent(control.see())
        if (to is None or each.to == to) and (kind is None or each.kind == kind)
    ]


def _shown(control: Control, kept: mail.Mail) -> Mail:
    text, link = kept.text, kept.link
    if link is not None and link.startswith(MOUNT):
        link = control.root + link.removeprefix(MOUNT)
        text = text.replace(kept.link or "", link)
    return Mail(
        to=kept.to,
        subject=kept.subject,
        text=text,
        at=kept.at,
        kind=kept.kind,
        code=kept.code,
        link=link,
        clientId=kept.client,
    )

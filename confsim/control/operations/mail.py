"""The mails that the simulated service has sent."""

from __future__ import annotations

from confsim.contract.types import Wire
from confsim.control.context import ControlContext
from confsim.control.declare import operation
from confsim.domain import mail
from confsim.domain.mail import MOUNT


class MailInfo(Wire):
    """A mail. ``kind`` is its purpose; ``code`` and ``link`` are those in its text, null when it has none."""

    to: str
    subject: str
    text: str
    at: int
    kind: str
    code: str | None
    link: str | None
    clientId: str


@operation("GET /mail")
def list_mail(context: ControlContext, *, to: str | None = None, kind: str | None = None) -> list[MailInfo]:
    """List the mails that were sent, newest last; optionally those to an address or of a kind.

    Links to this server begin with the address by which the caller reaches it.
    """
    return [
        _describe(context, each)
        for each in mail.list_mails(context.view())
        if (to is None or each.to == to) and (kind is None or each.kind == kind)
    ]


def _describe(context: ControlContext, sent: mail.Mail) -> MailInfo:
    text, link = sent.text, sent.link
    if link is not None and link.startswith(MOUNT):
        link = context.root + link.removeprefix(MOUNT)
        text = text.replace(sent.link or "", link)
    return MailInfo(
        to=sent.to,
        subject=sent.subject,
        text=text,
        at=sent.at,
        kind=sent.kind,
        code=sent.code,
        link=link,
        clientId=sent.client,
    )

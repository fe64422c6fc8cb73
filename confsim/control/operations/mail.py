"""The mails that the simulated service has sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from confsim.contract.types import Count, Wire
from confsim.control.context import ControlContext, newest
from confsim.control.declare import operation
from confsim.domain import mail
from confsim.domain.mail import MOUNT


class MailInfo(Wire):
    """A mail. ``kind`` is its purpose; ``code`` and ``link`` are those in its text, null when it has none."""

    to: Annotated[str, "The address that it was sent to."]
    subject: Annotated[str, "The subject."]
    text: Annotated[str, "The text."]
    at: Annotated[int, "The instant of it, in epoch milliseconds."]
    kind: Annotated[str, "The kind of mail."]
    code: Annotated[str | None, "The code in its text; null for none."]
    link: Annotated[str | None, "The link in its text; null for none."]
    clientId: Annotated[str, "The client that it was sent for."]

    def __repr__(self) -> str:
        return f"<mail to {self.to}: {self.subject!r} ({self.kind})>"


@operation("GET /mail", beside=True)
def list_mail(
    context: ControlContext,
    *,
    to: Annotated[str | None, "Mails to this address."] = None,
    kind: Annotated[str | None, "Mails of this kind."] = None,
    limit: Count | None = None,
    offset: Annotated[Count | None, "How many of the newest are left out."] = None,
) -> list[MailInfo]:
    """List the mails that were sent, newest last; optionally those to an address or of a kind.

    With ``limit`` only the newest ones.

    Links to this server begin with the address by which the caller reaches it.
    """
    return newest(matching_mail(context, to, kind, descending=True), limit, offset)


def matching_mail(
    context: ControlContext, to: str | None, kind: str | None, *, descending: bool = False
) -> Iterator[MailInfo]:
    """Yield the mails to an address, of a kind, newest last or first."""
    mails = mail.MAILS.of(context.view()).all
    for each in mails.descending if descending else mails:
        if to in (None, each.to) and kind in (None, each.kind):
            yield _describe(context, each)


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

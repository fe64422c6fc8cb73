"""The mails that the simulated service has sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from confsim.contract.types import Count, Wire
from confsim.control.context import ControlContext, newest
from confsim.control.declare import operation
from confsim.control.fields import one_of
from confsim.control.history.mails import Fate, Mailbox, UseOfCode
from confsim.control.why.headline import headline
from confsim.control.why.past import Past
from confsim.domain import mail
from confsim.domain.mail import MOUNT
from confsim.kernel.refusal import Misuse
from confsim.values.plain import whole_number

#: What became of a mail that nobody has looked into.
_UNKNOWN = Fate(None)


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
    id: Annotated[str, "The id of the mail."] = ""
    state: Annotated[
        Annotated[str, one_of("open", "used", "void")] | None,
        "Whether its code is open, used, or void since another one replaced it; null without one, or if not known.",
    ] = None
    use: Annotated[UseOfCode | None, "The call that uses its code; null without one."] = None
    usedBy: Annotated[str | None, "The journal entry of the call that used its code; null for none."] = None
    cause: Annotated[str | None, "The journal entry that caused it; null where the journal has none."] = None
    causeText: Annotated[str, "What that entry did, in a sentence without a full stop."] = ""

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
    text: Annotated[str | None, "Mails with this text in address, subject, text or code, in any case."] = None,
) -> list[MailInfo]:
    """List the mails that were sent, newest last; optionally those to an address, of a kind or with a text.

    With ``limit`` only the newest ones, each with what became of it: the entry that caused it, and whether its code is
    used, void or open.

    Links to this server begin with the address by which the caller reaches it.
    """
    mails = newest(_found(context, to, kind, text), limit, offset)
    if limit is None:
        return [_describe(context, each) for each in mails]
    box = Mailbox(Past(context.service), context.view())
    return [_with_fate(context, box, each) for each in mails]


@operation("GET /mail/{id}", beside=True)
def get_mail(context: ControlContext, id: Annotated[str, "The id of the mail."]) -> MailInfo:
    """Get a mail with what became of it. Raises Misuse (404) for an unknown id."""
    change = context.view()
    found = mail.MAILS.of(change).get(whole_number(id) or 0)
    if found is None:
        raise Misuse(f"there is no mail {id!r}", status=404)
    return _with_fate(context, Mailbox(Past(context.service), change), found)


def matching_mail(context: ControlContext, to: str | None, kind: str | None) -> Iterator[MailInfo]:
    """Yield the mails to an address, of a kind, oldest first."""
    found = [*_found(context, to, kind, None)]
    return (_describe(context, each) for each in reversed(found))


def _found(context: ControlContext, to: str | None, kind: str | None, text: str | None) -> Iterator[mail.Mail]:
    """Yield the mails to an address, of a kind and with a text, newest first."""
    wanted = (text or "").lower()
    for each in mail.MAILS.of(context.view()).all.descending:
        said = f"{each.to} {each.subject} {each.text} {each.code or ''}".lower() if wanted else ""
        if to in (None, each.to) and kind in (None, each.kind) and wanted in said:
            yield each


def _with_fate(context: ControlContext, box: Mailbox, sent: mail.Mail) -> MailInfo:
    """Return the description of a mail with what became of it."""
    fate = box.fate(sent)
    return _describe(context, sent, fate, "" if fate.cause is None else headline(box.past, fate.cause))


def _describe(context: ControlContext, sent: mail.Mail, fate: Fate = _UNKNOWN, cause: str = "") -> MailInfo:
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
        id=str(sent.id),
        state=fate.state,
        use=fate.use,
        usedBy=None if fate.used_by is None else fate.used_by.id,
        cause=None if fate.cause is None else fate.cause.id,
        causeText=cause,
    )

"""The outbox: mails are stored in the world and not sent (G224)."""

from enum import StrEnum
from typing import assert_never

from confsim.assumptions import ask
from confsim.assumptions.users import emails as assumed
from confsim.kernel import Change, Index, Record, SecretForm, Table

from .fault_points import MAIL, FaultOutcome, fault_for

#: The beginning of a stored link into the mount of its world; a world does not know its own host name.
MOUNT = "{root}"


class MailKind(StrEnum):
    """The kind of a mail."""

    VERIFICATION = "email-verification"
    RECORDING = "recording"


class Mail(Record, kw_only=True):
    """One mail. ``kind`` is its purpose; ``code`` and ``link`` are those in the text, None without.

    A ``link`` into the mount of the world begins with ``MOUNT``, in the text too.
    """

    id: int
    client: str
    at: int
    to: str
    subject: str
    text: str
    kind: str
    code: str | None = None
    link: str | None = None


CLIENT: Index[Mail] = Index("client", "client")
MAILS: Table[int, Mail] = Table("mail", Mail, "id", CLIENT, secrets={"code": SecretForm.TEXT}, shared=True)


def send(
    change: Change,
    client: str,
    to: str,
    subject: str,
    text: str,
    *,
    kind: MailKind,
    code: str | None = None,
    link: str | None = None,
) -> Mail:
    """Send a mail on behalf of a client at this instant and return it; the oldest goes when there are too many."""
    mail = Mail(
        id=change.count("mail"),
        client=client,
        at=change.now,
        to=to,
        subject=subject,
        text=text,
        kind=str(kind),
        code=code,
        link=link,
    )
    stored, fault = ask(change, assumed.MAIL_STORED), fault_for(change, MAIL, client=client, to=to, kind=kind)
    if fault is not None:
        if fault.outcome is not FaultOutcome.LOST:
            assert_never(fault.outcome)
        return mail
    if stored:
        rows = MAILS.of(change)
        rows.put(mail)
        most = ask(change, assumed.MAIL_MOST)
        while len(rows) > most and len(rows.where(CLIENT, client)) > most:
            rows.remove(rows.where(CLIENT, client)[0].id)
    return mail

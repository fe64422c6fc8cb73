"""The mail to an address with the code that verifies it (P1 L230)."""

from __future__ import annotations

from confsim.domain import mail
from confsim.kernel.world import Change

from .users import User


def send(change: Change, user: User) -> None:
    """Mail its code to the address that was given last."""
    _send(change, user, *user.pending[-1])


def send_all(change: Change, user: User) -> None:
    """Mail its code to every address that waits for one (G220)."""
    for address, code in user.pending:
        _send(change, user, address, code)


def _send(change: Change, user: User, address: str, code: str) -> None:
    text = f"The code that verifies this address for {user.handle} is {code}."
    mail.send(change, user.client, address, "Verify your address", text, kind=mail.MailKind.VERIFICATION, code=code)

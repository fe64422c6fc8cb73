"""What became of mails: the entry that caused one, whether its code is used, void or open, and what uses it."""

from __future__ import annotations

from functools import cached_property
from itertools import takewhile
from typing import Annotated

from msgspec import Struct

from confsim.api.catalogue import API
from confsim.contract.types import Wire
from confsim.control.labels.label import held
from confsim.control.why.case import path_of
from confsim.control.why.past import Past, worlds_of
from confsim.domain.mail import MAILS, Mail
from confsim.domain.users.users import BY_EMAIL, USERS, User
from confsim.kernel.world import Change
from confsim.service.entries import JournalEntry, Noted
from confsim.transport.address import route

#: The operation that uses the code of a mail that verifies an address.
_VERIFY = "verify_user_email"
#: Users among whom the one of a mail is sought where the journal does not say who it is.
_SOUGHT = 10_000


class UseOfCode(Wire):
    """The call that uses the code of a mail."""

    operation: Annotated[str, "The operation."]
    parameters: Annotated[dict[str, str], "The parameters of its path."]
    method: Annotated[str, "Its method."]
    path: Annotated[str, "Its path below the mount of the world, with the parameters."]


class Fate(Struct, frozen=True):
    """What became of a mail: ``state`` is "open", "used" or "void", None for a mail without a code, or not known."""

    cause: Noted | None
    state: str | None = None
    used_by: Noted | None = None
    use: UseOfCode | None = None


class Mailbox:
    """Finds out what became of mails. Made once for each question."""

    def __init__(self, past: Past, change: Change) -> None:
        self.past = past
        self._change = change

    @cached_property
    def _uses(self) -> dict[str, Noted]:
        """The calls that used a code, by the code."""
        used = (each for each in self.past.entries if isinstance(each, JournalEntry) and each.operation == _VERIFY)
        return {path_of(each)[-1]: each for each in used if each.response.status < 400 and path_of(each)}

    def fate(self, mail: Mail) -> Fate:
        """Return what became of a mail."""
        cause = self.past.made(("", MAILS.name, mail.id))
        if mail.code is None:
            return Fate(cause)
        user = self._user(mail, cause)
        if user is None:
            return Fate(cause)
        used_by = self._uses.get(mail.code)
        return Fate(cause, self._state(user, mail, used_by), used_by, self._use(user, mail.code))

    def _user(self, mail: Mail, cause: Noted | None) -> User | None:
        """Return the user whose address a mail verifies, as the user is now."""
        waiting = (mail.to, mail.code)
        worlds = None if cause is None else worlds_of(cause)
        if cause is not None and worlds is not None:
            for client, table, key in cause.touched:
                then = held(worlds[1].change(0), client, table, key) if table == USERS.name else None
                if then is not None and isinstance(then.record, User) and waiting in then.record.pending:
                    return USERS.get(self._change, key, client)
        verified = USERS.where(self._change, BY_EMAIL, mail.to.casefold(), mail.client).first
        users = USERS.of(self._change, mail.client).all
        if verified is not None or len(users) > _SOUGHT:
            return verified
        return next((user for user in users if waiting in user.pending), None)

    def _use(self, user: User, code: str) -> UseOfCode:
        operation = API[_VERIFY]
        method, path = route(operation, (str(user.id), code), self.past.service.profile)
        return UseOfCode(operation=_VERIFY, parameters={"userId": str(user.id), "code": code}, method=method, path=path)

    def _state(self, user: User, mail: Mail, used_by: Noted | None) -> str:
        """Return whether the code of a mail is open, used or void."""
        if (mail.to, mail.code) in user.pending:
            return "open"
        newer = MAILS.of(self._change).all.descending
        replaced = any(each.to == mail.to for each in takewhile(lambda each: each.id != mail.id, newer))
        return "used" if used_by is not None or (user.email == mail.to and not replaced) else "void"

"""Email addresses of users, and their verification by a mailed code."""

import re
from enum import Enum

from confsim.assumptions import Reason, ask
from confsim.assumptions.users import emails as assumed
from confsim.domain import mail
from confsim.kernel import Change, Computed, Guard, Machine, Refusal, Row, replace

from .users import BY_EMAIL, USERS, User

_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+\Z")


class EmailState(Enum):
    """Whether a user has an address, verified or not (P1 Users, POST email)."""

    NONE = "none"
    PENDING = "pending"
    VERIFIED = "verified"
    RENEWING = "verified, another pending"


class OnNewAddress(Enum):
    """The effect of a new address on a verified one (G223)."""

    WHEN_VERIFIED = "when-verified"
    NEVER = "never"
    AT_ONCE = "at-once"


#: The state by (whether there is a verified address, whether one is pending): no third field repeats what both say.
_STATES = {
    (False, False): EmailState.NONE,
    (False, True): EmailState.PENDING,
    (True, False): EmailState.VERIFIED,
    (True, True): EmailState.RENEWING,
}


def _add_pending(change: Change, user: User, address: str) -> User:
    """The address waits for a code of its own."""
    others = tuple(waiting for waiting in user.pending if waiting[0] != address)
    code = change.digits(6)
    while any(code == other for _, other in others):
        code = change.digits(6)
    return replace(user, pending=(*others, (address, code)))


def _replace_with_pending(change: Change, user: User, address: str) -> User:
    """The verified address goes at once; the new one waits for its code."""
    return _add_pending(change, replace(user, email=None, pending=()), address=address)


def _accept(change: Change, user: User, code: str) -> User:
    """The address of the code is the user's; every other code of the round is void."""
    return replace(user, email=_addresses(user)[code], pending=())


def _end_round(change: Change, user: User) -> User:
    """The address verified first stays; the round is over."""
    return replace(user, pending=())


def _clear(change: Change, user: User) -> User:
    """The user has no address, and none waits."""
    return replace(user, email=None, pending=())


def _second(change: Change, user: User) -> OnNewAddress:
    return OnNewAddress(ask(change, assumed.EMAIL_SECOND))


_KNOWN = Guard("an address waits for the code", lambda change, user, code: code in _addresses(user))
_WINS = Guard(
    "an address waits for the code, and the second wins",
    lambda change, user, code: _second(change, user) is not OnNewAddress.NEVER and code in _addresses(user),
)
_LOSES = Guard(
    "an address waits for the code, and the first stays",
    lambda change, user, code: _second(change, user) is OnNewAddress.NEVER and code in _addresses(user),
)
_AT_ONCE = Guard(
    "a new address ends the old one at once", lambda change, user: _second(change, user) is OnNewAddress.AT_ONCE
)

MACHINE: Machine[EmailState, User] = Machine(
    "email",
    "The address of a user and its verification (R157-R159).",
    USERS,
    EmailState,
    state=Computed(lambda user: _STATES[user.email is not None, bool(user.pending)]),
    refused=Reason.EMAIL_TAKEN,
    initial=EmailState.NONE,
)
SET = MACHINE.effect("set")(_add_pending)
#: Accept the address that waits for the code. Refusal VERIFICATION_CODE_UNKNOWN.
verify = MACHINE.effect(
    "verify", refused=Reason.VERIFICATION_CODE_UNKNOWN, details=lambda change, user, code: {"code": code}
)(_accept)
RESEND = MACHINE.trigger("resend", refused=Reason.EMAIL_MISSING)
_CLEAR = MACHINE.trigger("clear")
_GIVE_SILENTLY = MACHINE.effect("give silently")(_add_pending)


@MACHINE.effect("trust")
def trust(change: Change, user: User, address: str) -> User:
    """Set the address as verified, without a code; every code is void."""
    return replace(user, email=address, pending=())


_NONE, _PENDING, _VERIFIED, _RENEWING = EmailState
_WITHOUT, _WITH, _ANY = (_NONE, _PENDING), (_VERIFIED, _RENEWING), tuple(EmailState)

MACHINE.declare(
    Row(SET, _WITHOUT, _PENDING, source="P1 L230, R157"),
    Row(SET, _WITH, _RENEWING, only_if=~_AT_ONCE, source="P1 L230, R157, G223"),
    Row(SET, _WITH, _PENDING, only_if=_AT_ONCE, effect=_replace_with_pending, source="G223"),
    Row(verify, _PENDING, _VERIFIED, only_if=_KNOWN, source="P1 L230, R158, G222"),
    Row(verify, _RENEWING, _VERIFIED, only_if=_WINS, source="R158, G223"),
    Row(verify, _RENEWING, _VERIFIED, only_if=_LOSES, effect=_end_round, source="G223"),
    Row(RESEND, _PENDING, _PENDING, source="G220"),
    Row(RESEND, _RENEWING, _RENEWING, source="G220"),
    Row(_CLEAR, _ANY, _NONE, effect=_clear, source="P1 L230 option, G220"),
    Row(_GIVE_SILENTLY, _WITHOUT, _PENDING, source="G212, G246"),
    Row(_GIVE_SILENTLY, _WITH, _RENEWING, source="G246"),
    Row(trust, _ANY, _VERIFIED, source="G200, G212, G246"),
)


def put(change: Change, user: User, address: str | None) -> User:
    """Set the address and mail a code to it; without one, apply G220.

    Refusals: EMAIL_MALFORMED, EMAIL_TAKEN, EMAIL_MISSING.
    """
    if not address:
        return _without(change, user)
    _check(change, user, address)
    user = SET(change, user, address)
    return verify(change, user, user.pending[-1][1]) if ask(change, assumed.EMAIL_VERIFICATION) == "immediate" else user


def require_code(user: User, code: str) -> None:
    """Raise Refusal VERIFICATION_CODE_UNKNOWN if no address of the user waits for the code."""
    if all(code != sent for _, sent in user.pending):
        raise Refusal(Reason.VERIFICATION_CODE_UNKNOWN, code=code)


def set_initial(change: Change, user: User, address: str | None, how: str) -> User:
    """Store the address of a new user; ``how`` is ``mailed`` (a code), ``silent`` (no mail) or ``verified``.

    Refusals EMAIL_MALFORMED, EMAIL_TAKEN.
    """
    if not address:
        return user
    _check(change, user, address)
    if how == "mailed":
        return put(change, user, address)
    if how == "verified":
        return trust(change, user, address)
    return _GIVE_SILENTLY(change, user, address)


def well_formed(address: str) -> bool:
    """Whether the text is one @ between two parts without spaces (G221)."""
    return _ADDRESS.match(address) is not None


def find_latest(user: User) -> str | None:
    """The verified address, else the latest pending one, or None."""
    return user.email if user.email is not None else user.pending[-1][0] if user.pending else None


def _without(change: Change, user: User) -> User:
    meant = ask(change, assumed.EMAIL_MISSING)
    if meant == "refused":
        raise Refusal(Reason.EMAIL_MISSING)
    return (RESEND if meant == "resends" else _CLEAR)(change, user)


def _check(change: Change, user: User, address: str) -> None:
    """Raise Refusal EMAIL_MALFORMED, or EMAIL_TAKEN when another user's address may not be set (G221, G225)."""
    if not well_formed(address) and ask(change, assumed.EMAIL_MALFORMED) == "refused":
        raise Refusal(Reason.EMAIL_MALFORMED, email=address)
    if ask(change, assumed.EMAIL_SHARED) == "refused":
        others = USERS.where(change, BY_EMAIL, address.casefold(), user.client)
        if any(other.id != user.id for other in others):
            raise Refusal(Reason.EMAIL_TAKEN, email=address)


def _addresses(user: User) -> dict[str, str]:
    return {code: address for address, code in user.pending}


# The mail to an address with the code that verifies it (P1 L230)


def mail_code(change: Change, user: User) -> None:
    """Mail its code to the address that was given last."""
    _mail(change, user, *user.pending[-1])


def mail_codes(change: Change, user: User) -> None:
    """Mail its code to every address that waits for one (G220)."""
    for address, code in user.pending:
        _mail(change, user, address, code)


def _mail(change: Change, user: User, address: str, code: str) -> None:
    text = f"The code that verifies this address for {user.handle} is {code}."
    mail.send(change, user.client, address, "Verify your address", text, kind=mail.MailKind.VERIFICATION, code=code)

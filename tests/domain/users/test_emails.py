from __future__ import annotations

from itertools import product

import pytest

from confsim.assumptions.register import ProfileContext
from confsim.assumptions.users import emails as assumed
from confsim.domain import mail
from confsim.domain.users import emails, users
from confsim.domain.users.emails import MACHINE, EmailState
from confsim.domain.users.users import Account, User
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change, World
from kit.each import each
from kit.tables import fire

#: A user in each state of the machine.
IN_STATE = {
    EmailState.NONE: (None, ()),
    EmailState.PENDING: (None, (("a@x", "111111"),)),
    EmailState.VERIFIED: ("v@x", ()),
    EmailState.RENEWING: ("v@x", (("a@x", "111111"),)),
}
#: Where each trigger leads by default; what is missing is refused.
MOVES = {
    **{(state, "set"): EmailState.PENDING for state in (EmailState.NONE, EmailState.PENDING)},
    **{(state, "set"): EmailState.RENEWING for state in (EmailState.VERIFIED, EmailState.RENEWING)},
    **{(state, "verify"): EmailState.VERIFIED for state in (EmailState.PENDING, EmailState.RENEWING)},
    **{(state, "resend"): state for state in (EmailState.PENDING, EmailState.RENEWING)},
    **{(state, "clear"): EmailState.NONE for state in EmailState},
    **{(state, "trust"): EmailState.VERIFIED for state in EmailState},
    **{(state, "give silently"): EmailState.PENDING for state in (EmailState.NONE, EmailState.PENDING)},
    **{(state, "give silently"): EmailState.RENEWING for state in (EmailState.VERIFIED, EmailState.RENEWING)},
}


def _ann(change: Change, **fields) -> User:
    return users.create(change, "c", "Ann", Account.REGISTERED, **fields)


def _now(profile: dict | None = None) -> Change:
    return World().change(0, ProfileContext(profile or {}))


def _codes(change: Change) -> dict[str, str]:
    return {sent.to: sent.code for sent in mail.MAILS.of(change).all}


@each("state, trigger", sorted(product(EmailState, MACHINE.triggers), key=str))
def test_the_address_moves_as_stated_and_in_no_other_way(state: EmailState, trigger: str):
    """Each trigger leads each state where the table says, and is refused everywhere else."""
    change = _now()
    email, pending = IN_STATE[state]
    ann = _ann(change, email=email, pending=pending)
    every = {"address": "b@x", "code": "111111"}
    if (state, trigger) in MOVES:
        moved = fire(MACHINE, trigger, change, ann, **every)
        assert MACHINE.state(moved) is MOVES[state, trigger]
    else:
        with pytest.raises(Refusal):
            fire(MACHINE, trigger, change, ann, **every)


@pytest.mark.rule("R157")
def test_setting_an_address_mails_a_code_and_verifies_nothing():
    """The code goes to the very address, which is not the user's before it is verified."""
    change = _now()
    ann = emails.put(change, _ann(change), "ann@example.org")
    (sent,) = mail.MAILS.of(change).all
    assert (sent.to, sent.kind) == ("ann@example.org", "email-verification")
    assert sent.code is not None
    assert sent.code in sent.text
    assert ann.email is None
    assert emails.verify(change, ann, sent.code).email == "ann@example.org"


@pytest.mark.rule("R158")
@pytest.mark.parametrize("first", ["a@x", "b@x", "c@x"])
def test_the_first_address_verified_is_accepted_and_the_others_are_void(first: str):
    """Of several addresses that wait, the first verified ends the round."""
    change = _now()
    ann = _ann(change)
    for address in ("a@x", "b@x", "c@x"):
        ann = emails.put(change, ann, address)
    codes = _codes(change)
    ann = emails.verify(change, ann, codes[first])
    assert (ann.email, ann.pending) == (first, ())
    for other in set(codes) - {first}:
        with pytest.raises(Refusal, match="verification_code_unknown"):
            emails.verify(change, ann, codes[other])


def test_setting_the_same_address_again_replaces_its_code():
    """Only the newest code of an address counts."""
    change = _now()
    ann = emails.put(change, emails.put(change, _ann(change), "a@x"), "a@x")
    old, new = (sent.code for sent in mail.MAILS.of(change).all)
    with pytest.raises(Refusal, match="verification_code_unknown"):
        emails.verify(change, ann, old)
    assert emails.verify(change, ann, new).email == "a@x"


@pytest.mark.parametrize(
    ("choice", "before", "after"),
    [("when-verified", "old@x", "new@x"), ("never", "old@x", "old@x"), ("at-once", None, "new@x")],
)
def test_a_new_address_after_a_verified_one(choice: str, before: str | None, after: str):
    """What becomes of a verified address while a new one waits, and when that is verified, is an assumption."""
    change = _now({assumed.EMAIL_SECOND.id: choice})
    ann = emails.put(change, _ann(change, email="old@x"), "new@x")
    assert ann.email == before
    ann = emails.verify(change, ann, _codes(change)["new@x"])
    assert (ann.email, ann.pending) == (after, ())


@pytest.mark.rule("R015")
@pytest.mark.parametrize("nothing", [None, ""])
def test_no_address_clears_everything(nothing: str | None):
    """Setting an address without one leaves the user without any, and mails nobody."""
    change = _now()
    ann = emails.put(change, _ann(change, email="a@x", pending=(("b@x", "1"),)), nothing)
    assert (ann.email, ann.pending, len(mail.MAILS.of(change).all)) == (None, (), 0)


def test_no_address_may_mean_to_send_the_codes_again():
    """Where a profile says so, the codes that wait are mailed once more."""
    change = _now({assumed.EMAIL_MISSING.id: "resends"})
    ann = emails.put(change, _ann(change), "a@x")
    emails.put(change, ann, None)
    assert len({sent.code for sent in mail.MAILS.of(change).all}) == 1
    assert len(mail.MAILS.of(change).all) == 2
    with pytest.raises(Refusal, match="email_missing"):
        emails.put(change, _ann(change), None)


def test_no_address_may_be_refused():
    """Where a profile says so, an address is required."""
    change = _now({assumed.EMAIL_MISSING.id: "refused"})
    with pytest.raises(Refusal, match="email_missing"):
        emails.put(change, _ann(change), None)


MALFORMED = ["ann", "@", "ann@", "@example.org", "a b@example.org", "ann@exa mple.org", "a@b@c", "ann@example.org "]


@each("address", MALFORMED)
def test_a_malformed_address_is_refused_unless_assumed_otherwise(address: str):
    """An address is one @ between two parts without spaces."""
    change = _now()
    with pytest.raises(Refusal, match="email_malformed"):
        emails.put(change, _ann(change), address)
    change = _now({assumed.EMAIL_MALFORMED.id: "taken"})
    assert emails.put(change, _ann(change), address).pending[0][0] == address


def test_an_address_may_be_verified_as_soon_as_it_is_set():
    """Where a profile says so, no code is needed."""
    change = _now({assumed.EMAIL_VERIFICATION.id: "immediate"})
    assert emails.put(change, _ann(change), "a@x").email == "a@x"


def test_an_address_is_shared_unless_assumed_otherwise():
    """Two users may have one address, or the second is refused; their own nobody is refused."""
    for choice in ("allowed", "refused"):
        change = _now({assumed.EMAIL_SHARED.id: choice})
        ann = _ann(change, email="a@x")
        assert emails.put(change, ann, "A@X").pending
        if choice == "allowed":
            assert emails.put(change, _ann(change), "A@x").pending
        else:
            with pytest.raises(Refusal, match="email_taken"):
                emails.put(change, _ann(change), "A@x")


@pytest.mark.parametrize("how", ["silent", "mailed", "verified"])
def test_an_address_given_with_a_user_is_shared_unless_assumed_otherwise(how: str):
    """However it is given: what is another user's is refused, where that is assumed (G225)."""
    for choice in ("allowed", "refused"):
        change = _now({assumed.EMAIL_SHARED.id: choice})
        _ann(change, email="a@x")
        if choice == "allowed":
            assert emails.find_latest(emails.set_initial(change, _ann(change), "A@x", how)) == "A@x"
        else:
            with pytest.raises(Refusal, match="email_taken"):
                emails.set_initial(change, _ann(change), "A@x", how)


@pytest.mark.parametrize(
    ("how", "verified", "mails"), [("silent", False, 0), ("mailed", False, 1), ("verified", True, 0)]
)
def test_an_address_given_with_a_user(how: str, verified: bool, mails: int):
    """An address that came with a new user stays without notice, mailed a code, or trusted."""
    change = _now()
    ann = emails.set_initial(change, _ann(change), "a@x", how)
    assert (emails.find_latest(ann), ann.email is not None, len(mail.MAILS.of(change).all)) == ("a@x", verified, mails)
    assert emails.set_initial(change, _ann(change), None, how).pending == ()


def test_the_latest_address_is_the_verified_one_or_the_last_pending():
    """A verified address comes before every pending one."""
    change = _now()
    ann = _ann(change)
    assert emails.find_latest(ann) is None
    for address in ("a@x", "b@x"):
        ann = emails.put(change, ann, address)
    assert emails.find_latest(ann) == "b@x"
    ann = emails.put(change, emails.trust(change, ann, "v@x"), "c@x")
    assert emails.find_latest(ann) == "v@x"


def test_a_code_that_another_address_waits_with_is_drawn_again(monkeypatch: pytest.MonkeyPatch):
    """Each address of a user waits with a code of its own."""
    change, drawn = _now(), ["1", "1", "1", "2"]
    monkeypatch.setattr(Change, "digits", lambda change, count: drawn.pop(0) * count)
    ann = _ann(change)
    for address in ("a@x", "b@x"):
        ann = emails.put(change, ann, address)
    assert ann.pending == (("a@x", "111111"), ("b@x", "222222"))


@pytest.mark.parametrize(
    ("how", "state", "sent"),
    [
        ("mailed", EmailState.PENDING, ["a@x.test"]),
        ("silent", EmailState.PENDING, []),
        ("verified", EmailState.VERIFIED, []),
    ],
)
def test_the_address_of_a_new_user(how: str, state: EmailState, sent: list[str]):
    """It waits for the code that is mailed, or that nobody was sent, or is verified (G200, G212, G246)."""
    change = _now()
    user = emails.set_initial(change, _ann(change), "a@x.test", how)
    assert MACHINE.state(user) is state
    assert list(_codes(change)) == sent

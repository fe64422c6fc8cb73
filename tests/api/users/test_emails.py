from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.users import emails as assumed
from confsim.domain import mail
from confsim.domain.mail import Mail
from kit import ADMIN, API_TOKEN, START


def _set(sim: Simulator, address: str | None, caller: str = "demo-user", user: object = "me"):
    body = {} if address is None else {"email": address}
    return sim.call("set_user_email", caller, userId=user, body=body)


def _reported(sim: Simulator, caller: str = "demo-user", user: object = "me") -> dict:
    return sim.call("get_user_email", caller, userId=user).body


def _mails(sim: Simulator) -> list[Mail]:
    return list(mail.MAILS.of(sim.service.change()).all)


def _verify(sim: Simulator, code: str, caller: str = "demo-user", user: object = "me"):
    return sim.call("verify_user_email", caller, userId=user, code=code)


@pytest.mark.rule("R157", "R159")
def test_an_address_waits_until_its_code_verifies_it(sim):
    """Setting mails a code to the address and verifies nothing; the code does."""
    assert _set(sim, "uma@example.org").content == b""
    (sent,) = _mails(sim)
    assert (sent.to, sent.at) == ("uma@example.org", sim.service.clock.now())
    assert _reported(sim) == {"email": "uma@example.org", "verified": False}
    assert _verify(sim, sent.code).content == b""
    assert _reported(sim) == {"email": "uma@example.org", "verified": True}


@pytest.mark.rule("R158")
def test_the_first_of_several_addresses_verified_is_accepted(sim):
    """The codes of the other addresses are void from then on."""
    for address in ("a@example.org", "b@example.org"):
        _set(sim, address)
    first, second = _mails(sim)
    assert _verify(sim, first.code).status == 200
    assert _verify(sim, second.code).status == 404
    assert _reported(sim) == {"email": "a@example.org", "verified": True}


def test_a_verified_address_stays_until_a_new_one_is_verified(sim):
    """The owner keeps the address while the new one waits, and then has the new one."""
    assert _reported(sim, "demo-owner") == {"email": "olaf@customer.example", "verified": True}
    _set(sim, "new@example.org", "demo-owner")
    assert _reported(sim, "demo-owner") == {"email": "olaf@customer.example", "verified": True}
    _verify(sim, _mails(sim)[0].code, "demo-owner")
    assert _reported(sim, "demo-owner") == {"email": "new@example.org", "verified": True}


@pytest.mark.rule("R015")
@pytest.mark.parametrize("body", [{}, {"email": None}, {"email": ""}, None])
def test_without_an_address_there_is_none(sim, body):
    """Leaving the address out clears it and mails nobody."""
    assert sim.call("set_user_email", "demo-owner", userId="me", body=body).status == 200
    assert _reported(sim, "demo-owner") == {"verified": False}
    assert _mails(sim) == []


def test_a_user_without_address_is_told_so(sim):
    """No address and not verified."""
    assert _reported(sim) == {"verified": False}


@pytest.mark.parametrize("body", [{"email": "uma"}, {"email": 5}, {"email": "a b@x"}, {"email": "a\u0000@x"}, [], "x"])
def test_what_is_no_address_is_refused(sim, body):
    """Nothing is mailed to what is no address."""
    assert sim.call("set_user_email", "demo-user", userId="me", body=body).status == 400
    assert _mails(sim) == []


@pytest.mark.parametrize("code", ["000000", "x", "12345678901234567890"])
def test_an_unknown_code_verifies_nothing(sim, code):
    """A code that no address of the user waits for is refused."""
    _set(sim, "uma@example.org")
    answer = _verify(sim, code)
    assert (answer.status, answer.body["code"]) == (404, "verification_code_unknown")
    assert not _reported(sim)["verified"]


def test_a_code_is_good_for_its_user_alone(sim):
    """The code mailed for one user is unknown for another."""
    _set(sim, "uma@example.org")
    assert _verify(sim, _mails(sim)[0].code, "demo-owner").status == 404


def test_administrators_set_and_guests_too(sim, people):
    """An administrator's call mails the code to the person; a guest may have an address."""
    user, guest = people["demo-user"], people["demo-guest"]
    for caller, about in ((ADMIN, user), (API_TOKEN, user), ("demo-guest", "me")):
        assert _set(sim, f"{caller}@example.org", caller, about).status == 200
    assert [sent.to for sent in _mails(sim)] == [f"{who}@example.org" for who in (ADMIN, API_TOKEN, "demo-guest")]
    assert _verify(sim, _mails(sim)[2].code, API_TOKEN, guest).status == 200
    assert _reported(sim, ADMIN, guest)["verified"]


@pytest.mark.parametrize("operation", ["get_user_email", "verify_user_email", "set_user_email"])
def test_addresses_are_nobody_elses_business(sim, people, operation):
    """Other users neither read, set nor verify an address."""
    _set(sim, "owen@example.org", "demo-owner")
    (sent,) = _mails(sim)
    more = {"get_user_email": {}, "verify_user_email": {"code": sent.code}, "set_user_email": {"body": {}}}[operation]
    for caller, status in (("demo-operator", 403), ("demo-guest", 403), ("demo-other-admin", 404), (None, 401)):
        assert sim.call(operation, caller, userId=people["demo-owner"], **more).status == status


def test_a_profile_verifies_at_once():
    """Where a profile says so, an address is verified as soon as it is set."""
    sim = Simulator(clock=START, profile={assumed.EMAIL_VERIFICATION.id: "immediate"})
    _set(sim, "uma@example.org")
    assert _reported(sim) == {"email": "uma@example.org", "verified": True}


def test_a_profile_keeps_addresses_apart():
    """Where a profile says so, the verified address of another user is refused."""
    sim = Simulator(clock=START, profile={assumed.EMAIL_SHARED.id: "refused"})
    answer = _set(sim, "olaf@customer.example")
    assert (answer.status, answer.body["code"]) == (409, "email_taken")

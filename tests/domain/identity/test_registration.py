"""Whom a reservation token registers, at the domain's own functions."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.identity import credentials, registration
from confsim.domain.identity.credentials import Caller
from confsim.domain.users import handles
from confsim.domain.users.handles import RESERVATIONS
from confsim.domain.users.users import USERS, Account
from kit import ADMIN, API_TOKEN, CUSTOMER, GUEST, USER, refused


class Desk:
    """A change of the demo world under a choice of whom a token registers."""

    def __init__(self, choice="by-caller"):
        self.change = Simulator(clock=0, profile={"users.create-registers": choice}).service.change()

    def caller(self, token) -> Caller:
        """The caller of this token."""
        return credentials.authenticate(self.change, token)

    def reserve(self, caller):
        """The reservation of a handle by the caller."""
        return handles.reserve(self.change, caller.client, "Nova", by=caller.name, user=caller.user)

    def register(self, token):
        """Who is registered by the reservation of this caller."""
        caller = self.caller(token)
        details = {"description": "New", "full_name": "Nova Star", "email": None, "image": None}
        return registration.register(self.change, caller, self.reserve(caller), **details)


@pytest.mark.rule("R096", "R180")
@pytest.mark.parametrize(
    ("choice", "token", "new"),
    [
        ("by-caller", GUEST, False),
        ("by-caller", ADMIN, True),
        ("by-caller", API_TOKEN, True),
        ("new", GUEST, True),
        ("new", USER, True),
        ("new", API_TOKEN, True),
        ("caller", GUEST, False),
    ],
)
def test_a_guest_becomes_registered_or_a_new_user_is_made(choice, token, new):
    """By the caller, or always one of the two (G244); a guest who is registered keeps the id."""
    desk = Desk(choice)
    caller, before = desk.caller(token), {user.id for user in USERS.of(desk.change, CUSTOMER).all}
    user = desk.register(token)
    assert (user.id not in before) is new
    assert new or user.id == caller.user.id
    assert (user.handle, user.account, user.full_name) == ("Nova", Account.REGISTERED, "Nova Star")
    if new and caller.user is not None:
        assert desk.caller(token).user == caller.user
    assert len(RESERVATIONS.of(desk.change, CUSTOMER)) == 0


@pytest.mark.parametrize(
    ("choice", "token", "reason"),
    [
        ("caller", API_TOKEN, Reason.NO_USER_CONTEXT),
        ("caller", ADMIN, Reason.NOT_A_GUEST),
        ("caller", USER, Reason.NOT_A_GUEST),
        ("by-caller", USER, Reason.NOT_A_GUEST),
    ],
)
def test_who_is_no_guest_is_not_registered_again(choice, token, reason):
    """Nor is an API token, which is no user, where the caller alone can be."""
    assert refused(Desk(choice).register, token) is reason

"""Access levels at the domain's own functions: who gives and takes which, and what a client keeps."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.clients import clients
from confsim.domain.identity import access_levels, credentials
from confsim.domain.users import users
from confsim.domain.users.users import Account, Level
from kit import ADMIN, API_TOKEN, CUSTOMER, GUEST, OWNER, PARTNER, PARTNER_ADMIN, refused
from kit.each import each

BOTH = (Level.CUSTOMER_ADMIN, Level.PARTNER_ADMIN)
LOWER = (Level.CUSTOMER_ADMIN,)


class Office:
    """A change of the demo world, a caller, and the client whose levels are given and taken."""

    def __init__(self, profile=None, who=ADMIN, client=CUSTOMER):
        self.change = Simulator(clock=0, profile=profile).service.change()
        self.caller = credentials.authenticate(self.change, who)
        self.client = clients.get(self.change, client)

    def person(self, account=Account.REGISTERED, **fields):
        """A new user of the client."""
        return users.create(self.change, self.client.id, f"New {account.value}", account, **fields)

    def grantable(self):
        """What the caller may give and take."""
        return access_levels.grantable(self.change, self.caller, self.client)

    def levels(self, user):
        """The levels of the user as stored."""
        return users.get(self.change, self.client.id, user.id).levels

    def add(self, user, level=Level.CUSTOMER_ADMIN):
        """Give the level."""
        return access_levels.add(self.change, self.caller, self.client, user, level)

    def remove(self, user, level=Level.CUSTOMER_ADMIN):
        """Take the level."""
        return access_levels.remove(self.change, self.caller, self.client, user, level)


@pytest.mark.rule("R209", "R211")
def test_a_level_is_given_and_taken():
    """Giving it again changes nothing; taking it again finds none (G142)."""
    office = Office()
    user = office.person()
    for _ in range(2):
        user = office.add(user)
        assert office.levels(user) == LOWER
    user = office.remove(user)
    assert office.levels(user) == ()
    assert refused(office.remove, user) is Reason.LEVEL_NOT_HELD


def test_a_level_goes_by_its_id():
    """That of the table in force; an id that names none is refused (G140, G143)."""
    office = Office()
    assert [access_levels.get(office.change, id) for id in (10, 20)] == list(BOTH)
    assert refused(access_levels.get, office.change, 99) is Reason.LEVEL_UNKNOWN
    table = {"customer-admin": {"id": 1, "name": "Boss"}, "partner-admin": {"id": 2, "name": "Partner"}}
    office = Office({"levels.table": table})
    assert [access_levels.get(office.change, id) for id in (1, 2)] == list(BOTH)
    assert refused(access_levels.get, office.change, 10) is Reason.LEVEL_UNKNOWN


@pytest.mark.rule("R213", "R214")
@each(
    "profile, who, client, found",
    [
        ({}, PARTNER_ADMIN, PARTNER, BOTH),
        ({}, PARTNER_ADMIN, CUSTOMER, LOWER),
        ({}, ADMIN, CUSTOMER, LOWER),
        ({}, API_TOKEN, CUSTOMER, LOWER),
        ({}, OWNER, CUSTOMER, ()),
        ({}, GUEST, CUSTOMER, ()),
        ({"levels.grantable": "below-own"}, PARTNER_ADMIN, PARTNER, LOWER),
        ({"levels.grantable": "below-own"}, ADMIN, CUSTOMER, ()),
        ({"levels.grantable": "all"}, ADMIN, CUSTOMER, BOTH),
        ({"roles.partner-admin-granted": "children"}, PARTNER_ADMIN, CUSTOMER, BOTH),
        ({"roles.partner-admin-granted": "nowhere"}, PARTNER_ADMIN, PARTNER, LOWER),
        ({"roles.partner-admin-granted": "nowhere"}, PARTNER_ADMIN, CUSTOMER, LOWER),
    ],
)
def test_what_may_be_given_and_taken(profile, who, client, found):
    """Up to the own level, below it, or all; Partner Admins in the own client, in children, or nowhere (G139, G141)."""
    office = Office(profile, who, client)
    assert office.grantable() == found
    user = office.person(levels=BOTH)
    for level in BOTH:
        for act in (office.remove, office.add):
            if level in found:
                user = act(user, level)
            else:
                assert refused(act, user, level) is Reason.LEVEL_NOT_ASSIGNABLE


@each("account", [Account.GUEST, Account.LINKED, Account.DIALLED])
def test_unregistered_users_hold_levels_by_choice_alone(account):
    """Guests are temporary, levels administrative (G146)."""
    office = Office()
    assert refused(office.add, office.person(account)) is Reason.LEVEL_FOR_GUEST
    office = Office({"levels.guests": True})
    assert office.levels(office.add(office.person(account))) == LOWER


@each("account", [Account.REGISTERED, Account.PREDEFINED])
@pytest.mark.rule("R060")
def test_users_of_the_client_hold_levels(account):
    """Whether guests may or not, and before any authentication is attached (G146)."""
    for guests in (False, True):
        office = Office({"levels.guests": guests})
        assert office.levels(office.add(office.person(account))) == LOWER


def test_nobody_changes_the_own_levels():
    """They are given and taken by others (G144)."""
    office = Office()
    assert refused(office.add, office.caller.user) is Reason.LEVEL_OWN
    assert refused(office.remove, office.caller.user) is Reason.LEVEL_OWN
    assert office.levels(office.caller.user) == LOWER


def test_the_own_levels_may_be_changed_freely():
    """Also when nobody is left who administers the client (G144)."""
    office = Office({"levels.own": "freely"})
    assert office.levels(office.remove(office.caller.user)) == ()


def test_the_last_administrator_may_have_to_stay():
    """The own level is taken as long as the client keeps an administrator (G144)."""
    office = Office({"levels.own": "keep-one"})
    assert refused(office.remove, office.caller.user) is Reason.LEVEL_LAST_ADMIN
    assert office.levels(office.caller.user) == LOWER
    office.add(office.person())
    assert office.levels(office.remove(office.caller.user)) == ()


def test_an_administrator_of_another_level_is_left():
    """A Customer Admin is one when the only Partner Admin goes (G144)."""
    office = Office({"levels.own": "keep-one"}, PARTNER_ADMIN, PARTNER)
    assert refused(office.remove, office.caller.user, Level.PARTNER_ADMIN) is Reason.LEVEL_LAST_ADMIN
    office.add(office.person())
    assert office.levels(office.remove(office.caller.user, Level.PARTNER_ADMIN)) == ()

"""Presence in a channel, at the domain's own functions."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import context_of
from confsim.domain import terms
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.conventions import turn
from confsim.domain.members import roles
from confsim.domain.runtime import lobby, occupancy, presence
from confsim.domain.runtime.entrance import Entrant
from confsim.domain.runtime.presence import Where
from confsim.domain.users import users
from confsim.domain.users.users import Account
from confsim.kernel.refusal import Refusal
from kit import CUSTOMER, EVENT_ROOM, ROOM


class Stage:
    """A change of the demo world with one channel in it."""

    def __init__(self, uuid=ROOM, profile=None):
        self.change = Simulator(clock=0, profile=profile).service.change()
        self.client = clients.get(self.change, CUSTOMER)
        self.uuid = uuid

    @property
    def channel(self):
        """The channel as it is now."""
        return channels.get(self.change, CUSTOMER, self.uuid)

    def set(self, **fields):
        """Set fields of the channel."""
        channels.update(self.change, self.channel, **fields)
        return self

    def user(self, handle):
        """The user of this handle."""
        return next(each for each in users.USERS.of(self.change, CUSTOMER).all if each.handle == handle)

    def join(self, handle, **how):
        """Let the user join."""
        return presence.join(self.change, self.client, self.channel, self.user(handle), **how)

    def refused(self, handle):
        """Why the user may not join."""
        with pytest.raises(Refusal) as refusal:
            self.join(handle)
        return refusal.value.reason


@pytest.fixture
def stage():
    """The demo room."""
    return Stage()


def test_administrators_come_into_a_private_channel(stage):
    """They have access to it (G310), and so may join; other users may not."""
    stage.set(private=True)
    assert stage.join("Carla Customer").state is Where.IN
    assert stage.refused("Uma User") is Reason.CHANNEL_PRIVATE


def test_joining_twice_is_joining_once(stage):
    """The second join changes nothing; two users are two."""
    assert stage.join("Uma User") == stage.join("Uma User")
    assert stage.join("Guest Gwen").state is Where.IN
    assert occupancy.occupants(stage.change, CUSTOMER, ROOM) == 2


def test_a_channel_without_guest_access_admits_no_guests(stage):
    """Others come in as before; those inside stay."""
    stage.join("Guest Gwen")
    stage.set(guest_access=False)
    assert stage.join("Uma User").state is Where.IN
    assert [each.state for each in presence.list_present(stage.change, stage.channel)] == [Where.IN, Where.IN]
    presence.leave(stage.change, stage.channel, stage.user("Guest Gwen").id)
    assert stage.refused("Guest Gwen") is Reason.GUEST_ACCESS_OFF


def test_a_guest_belongs_to_one_channel():
    """Elsewhere the guest is refused."""
    assert Stage(EVENT_ROOM).refused("Guest Gwen") is Reason.GUEST_ELSEWHERE


def test_a_private_channel_admits_hosts_and_its_own(stage):
    """Not just anybody of the client."""
    stage.set(private=True)
    assert stage.refused("Uma User") is Reason.CHANNEL_PRIVATE
    assert stage.join("Olaf Owner").state is Where.IN
    assert stage.join("Opal Operator").state is Where.IN
    assert stage.join("Guest Gwen").state is Where.IN


def test_a_disabled_service_admits_nobody(stage):
    """Everybody inside is disconnected, new joins are refused, the parent's service counts too."""
    stage.join("Uma User")
    parent = clients.get(stage.change, stage.client.parent)
    clients.switch_service(stage.change, parent, "disable")
    assert stage.refused("Olaf Owner") is Reason.SERVICE_DISABLED
    assert len(presence.inside(stage.change, stage.channel)) == 0


@pytest.mark.rule("R105")
def test_who_has_not_accepted_the_terms_does_not_join(stage):
    """Users cannot use the system until they accept; guests may skip, and who is called by phone is not asked."""
    stage.join("Opal Operator")
    stage.client = terms.promulgate(stage.change, stage.client, "https://terms.example/2")
    assert stage.refused("Uma User") is Reason.TERMS_NOT_ACCEPTED
    assert stage.join("Guest Gwen").state is Where.IN
    assert stage.join("Olaf Owner", by=Entrant.PHONE).state is Where.IN
    assert len(presence.inside(stage.change, stage.channel)) == 3
    terms.accept(stage.change, stage.client, stage.user("Uma User"), stage.client.terms.version)
    assert stage.join("Uma User").state is Where.IN


@pytest.mark.parametrize("limits", [{"max_users": 1}, {"population_limit": 1}, {"max_users": 1, "population_limit": 9}])
def test_a_full_channel_refuses(stage, limits):
    """The smaller of maxUsers and populationLimit counts; when one leaves another fits."""
    stage.set(**limits)
    stage.join("Uma User")
    assert stage.refused("Olaf Owner") is Reason.CHANNEL_FULL
    presence.leave(stage.change, stage.channel, stage.user("Uma User").id)
    assert stage.join("Olaf Owner").state is Where.IN


def test_the_lobby_of_a_full_channel_is_open(stage):
    """Users may wait; they are admitted as long as there is room, the longest wait first."""
    stage.set(open=False, population_limit=1)
    for handle in ("Uma User", "Guest Gwen"):
        assert stage.join(handle).state is Where.WAITING
    presence.admit(stage.change, stage.channel, stage.user("Uma User").id)
    with pytest.raises(Refusal) as refusal:
        presence.admit(stage.change, stage.channel, stage.user("Guest Gwen").id)
    assert refusal.value.reason is Reason.CHANNEL_FULL
    assert [each.user for each in presence.waiting(stage.change, stage.channel)] == [stage.user("Guest Gwen").id]


@pytest.mark.parametrize("what", [presence.leave, presence.admit])
def test_who_is_away_cannot_leave_nor_be_admitted(stage, what):
    """Both are refused."""
    with pytest.raises(Refusal) as refusal:
        what(stage.change, stage.channel, stage.user("Uma User").id)
    assert refusal.value.reason is Reason.NOT_PRESENT


def test_admitting_who_is_inside_changes_nothing(stage):
    """The user stays in."""
    before = stage.join("Uma User")
    assert presence.admit(stage.change, stage.channel, before.user) == before


def test_who_passes_as_a_host_passes_a_closed_door(stage):
    """As somebody with an organizer PIN does."""
    stage.set(open=False)
    assert stage.join("Uma User").state is Where.WAITING
    assert stage.join("Uma User", host=True).state is Where.IN


def test_a_guest_can_be_a_host(stage):
    """A guest who was made operator comes in through a closed door, even without guest access."""
    guest = stage.user("Guest Gwen")
    stage.set(open=False, guest_access=False)
    roles.add_operator(stage.change, stage.channel, guest)
    assert stage.join("Guest Gwen").state is Where.IN


def test_presenting_needs_presence(stage):
    """Who waits or is away is no presenter, and leaving ends the status."""
    user = stage.user("Uma User").id
    with pytest.raises(Refusal):
        presence.set_presenter(stage.change, stage.channel, user, True)
    stage.join("Uma User")
    assert presence.set_presenter(stage.change, stage.channel, user, True).presenter
    assert presence.set_presenter(stage.change, stage.channel, user, True).presenter
    presence.leave(stage.change, stage.channel, user)
    assert not stage.join("Uma User").presenter


def test_who_is_sent_to_the_lobby_is_no_presenter_any_more():
    """Also not when admitted again."""
    stage = Stage(profile={"lobby.on-close": "lobby"})
    user = stage.join("Uma User").user
    presence.set_presenter(stage.change, stage.channel, user, True)
    turn(stage.change, lobby.DOOR.off, stage.channel)
    found = presence.find(stage.change, stage.channel, user)
    assert (found.state, found.presenter) == (Where.WAITING, False)
    assert "lobby.admission" not in context_of(stage.change).used
    assert not presence.admit(stage.change, stage.channel, user).presenter
    assert "lobby.admission" in context_of(stage.change).used  # no call of the API admits (G328)


def test_a_removed_user_is_nowhere(stage):
    """Removal disconnects at once, and the session ends with the last user."""
    linked = users.create(stage.change, CUSTOMER, "Linus", Account.LINKED, channel=ROOM)
    stage.join("Linus")
    users.END(stage.change, linked)
    assert not presence.list_present(stage.change, stage.channel)


def test_presenter_status_is_granted_and_revoked(stage):
    """Each by one trigger, and once more without effect."""
    user = stage.join("Uma User").user
    for granted in (True, True, False, False, True):
        assert presence.set_presenter(stage.change, stage.channel, user, granted).presenter is granted
        assert presence.find(stage.change, stage.channel, user).presenter is granted


@pytest.mark.rule("R346")
@pytest.mark.parametrize(("choice", "spared"), [("all-but-hosts", False), ("all-but-presenters", True)])
def test_the_attendee_lock_mutes_who_is_inside_and_no_host(choice, spared):
    """Presenters are spared by choice (G336); without the lock, in the lobby and as a host nobody is muted."""
    stage = Stage(profile={"attendees.locked": choice})
    owner, plain, presenter = (stage.join(handle) for handle in ("Olaf Owner", "Uma User", "Guest Gwen"))
    presenter = presence.set_presenter(stage.change, stage.channel, presenter.user, True)

    def muted(of):
        return presence.is_muted(stage.change, stage.channel, of)

    assert [muted(each) for each in (owner, plain, presenter)] == [False, False, False]
    stage.set(attendees_muted=True)
    assert [muted(each) for each in (owner, plain, presenter)] == [False, True, not spared]
    stage.set(open=False)
    waiting = stage.join("Carla Customer")
    assert (waiting.state, muted(waiting)) == (Where.WAITING, False)

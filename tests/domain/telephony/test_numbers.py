from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain import couplings
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.conventions import turn
from confsim.domain.telephony import number_assignments, numbers
from confsim.domain.telephony.number_assignments import NumberUse
from confsim.domain.telephony.numbers import Listing, NumberState
from confsim.kernel.refusal import Misuse, Refusal
from confsim.kernel.rows import ABSENT
from confsim.kernel.world import World
from kit import refused

US, GB = "+12025550123", "+442079460123"
FOLLOWED = couplings


class Shop:
    """A client with two numbers and three channels, in a world of its own under a profile."""

    def __init__(self, **profile):
        chosen = {f"numbers.{name.replace('_', '-')}": value for name, value in profile.items()}
        self.change = World(seed=1).change(0, ProfileContext(chosen))
        self.client = clients.create(self.change, "C", None)
        for number in (US, GB):
            numbers.add(self.change, self.client, number)
        self.a, self.b, self.c = (channels.create(self.change, self.client, name, None, None) for name in "ABC")

    def assign(self, channel, number=US, *, exclusive=False):
        """Assign the number to the channel."""
        client = clients.get(self.change, channel.client)
        available = number_assignments.get_available(self.change, client, number)
        return number_assignments.assign(self.change, channel, available, exclusive=exclusive)

    def number(self, number=US):
        """The number as it is."""
        return numbers.get(self.change, self.client, number)

    def switch(self, number, trigger):
        """Enable or disable the number."""
        numbers.STANDING.to(trigger)(self.change, self.number(number))

    def cancel(self, channel, number):
        """End the assignment of the number to the channel."""
        number_assignments.cancel(self.change, number_assignments.get(self.change, channel, number))

    def use(self, number=US):
        """What the number is used for, and the channels it leads to."""
        found = number_assignments.list_of_number(self.change, self.client.id, number)
        return number_assignments.MACHINE.state(next(iter(found), None)), [each.channel for each in found]

    def available(self, country=None):
        """The numbers that can be attached."""
        return [each.number for each in number_assignments.list_available(self.change, self.client, country)]


def test_the_list_of_available_numbers_counts_what_it_has():
    """A number that is taken exclusively is not among them, nor counted; one that is shared is (R480, G469)."""
    shop = Shop()
    shop.assign(shop.a, US, exclusive=True)
    shop.assign(shop.b, GB)
    for country in (None, "GB", "US"):
        found = number_assignments.list_available(shop.change, shop.client, country)
        assert (len(found), list(found)) == ((0, []) if country == "US" else (1, [shop.number(GB)]))


# The inventory


def test_a_number_gets_its_country():
    """It is worked out from the number, or given; the number itself is canonical."""
    shop = Shop()
    made = numbers.add(shop.change, shop.client, "4930123456")
    assert (made.number, made.country, made.standing) == ("+4930123456", "DE", NumberState.ENABLED)
    assert numbers.add(shop.change, shop.client, "+999123", "de").country == "DE"


def test_what_cannot_be_an_inbound_number():
    """A number that any client has, of no country, of a country that is none, or that is none itself."""
    shop = Shop()
    other = clients.create(shop.change, "Other", None)
    with pytest.raises(Misuse, match="there is an inbound number"):
        numbers.add(shop.change, other, US)
    with pytest.raises(Misuse, match="no country"):
        numbers.add(shop.change, other, "+4930123456", "Germany")
    with pytest.raises(Misuse, match="a number of no country"):
        numbers.add(shop.change, other, "+999123")
    assert refused(numbers.add, shop.change, other, "one") is Reason.NUMBER_MALFORMED


@pytest.mark.rule("R325")
def test_numbers_join_the_default_list_and_leave_it():
    """Added and removed, as often as one likes; a number can be default from the start."""
    shop = Shop()
    for _ in range(2):
        assert turn(shop.change, numbers.LISTING.on, shop.number()).listing is Listing.DEFAULT
    for _ in range(2):
        assert numbers.remove_from_defaults(shop.change, shop.number()).listing is Listing.PLAIN
    assert numbers.add(shop.change, shop.client, "+4930123456", default=True).listing is Listing.DEFAULT
    assert refused(shop.number, "+1555") is Reason.NOT_FOUND


def test_repeating_can_be_refused():
    """By profile what holds already is refused: enabling, listing, unlisting."""
    change = World(seed=1).change(0, ProfileContext({"states.repeated": "refuse", "delete.empty-slot": "refuse"}))
    client = clients.create(change, "C", None)
    number = numbers.add(change, client, US)
    assert refused(turn, change, numbers.STANDING.on, number) is Reason.STATE_HOLDS
    assert refused(numbers.remove_from_defaults, change, number) is Reason.NOT_FOUND
    number = turn(change, numbers.LISTING.on, number)
    assert refused(turn, change, numbers.LISTING.on, number) is Reason.STATE_HOLDS


@pytest.mark.rule("R366", "R367")
def test_disabling_a_number_removes_its_assignments():
    """All of them go, those of other numbers stay; enabled again, none comes back, and it can be assigned."""
    shop = Shop()
    for channel in (shop.a, shop.b):
        shop.assign(channel)
    shop.assign(shop.a, GB, exclusive=True)
    shop.switch(US, "disable")
    assert shop.use() == (ABSENT, [])
    assert shop.use(GB) == (NumberUse.EXCLUSIVE, [shop.a.id])
    assert refused(shop.assign, shop.a) is Reason.NUMBER_UNAVAILABLE
    shop.switch(US, "enable")
    assert shop.use() == (ABSENT, [])
    shop.assign(shop.c)
    assert shop.use() == (NumberUse.SHARED, [shop.c.id])


@pytest.mark.rule("R480", "R481")
def test_what_is_listed_where():
    """Disabled numbers are in neither list; an exclusive one is inbound and not available."""
    shop = Shop()
    shop.assign(shop.a, exclusive=True)
    inbound = [each.number for each in numbers.list_inbound(shop.change, shop.client, None)]
    assert (inbound, shop.available()) == ([US, GB], [GB])
    shop.assign(shop.b, GB)
    assert shop.available() == [GB]
    shop.switch(GB, "disable")
    assert [each.number for each in numbers.list_inbound(shop.change, shop.client, None)] == [US]
    assert shop.available() == []


def test_lists_by_profile():
    """Available numbers with the exclusive ones, inbound numbers with the disabled ones."""
    shop = Shop(available="enabled", inbound="all")
    shop.assign(shop.a, exclusive=True)
    shop.switch(GB, "disable")
    assert shop.available() == [US]
    assert [each.number for each in numbers.list_inbound(shop.change, shop.client, None)] == [US, GB]


@pytest.mark.parametrize(("code", "wanted"), [("iso", ["GB", "gb"]), ("dialling", ["44", "+44"])])
def test_the_country_code_filters_without_case(code, wanted):
    """ISO alpha-2, or the dialling code by profile; another country finds nothing."""
    shop = Shop(code=code)
    for text in wanted:
        assert shop.available(text) == [GB]
    assert shop.available("XX") == []
    assert [numbers.code(shop.change, each) for each in numbers.list_inbound(shop.change, shop.client, None)] == (
        ["US", "GB"] if code == "iso" else ["1", "44"]
    )


# Assignments


@pytest.mark.rule("R326", "R482")
def test_a_shared_number_has_a_code_for_each_channel():
    """Six digits, different for each channel of the number; asked again the same."""
    shop = Shop()
    codes = [shop.assign(channel).code for channel in (shop.a, shop.b, shop.a)]
    assert codes[0] == codes[2] != codes[1]
    assert all(code is not None and len(code) == 6 and code.isdigit() for code in codes)
    assert shop.use() == (NumberUse.SHARED, [shop.a.id, shop.b.id])


@pytest.mark.rule("R484")
def test_an_exclusive_number_leads_to_one_channel_only():
    """It has no code; nobody else gets it, exclusively or not, and one that others use does not become exclusive."""
    shop = Shop()
    assert shop.assign(shop.a, exclusive=True).code is None
    assert refused(shop.assign, shop.b) is Reason.NUMBER_EXCLUSIVE
    assert refused(shop.assign, shop.b, exclusive=True) is Reason.NUMBER_EXCLUSIVE
    shop.assign(shop.b, GB)
    assert refused(shop.assign, shop.a, GB, exclusive=True) is Reason.NUMBER_SHARED
    assert (shop.use(), shop.use(GB)) == ((NumberUse.EXCLUSIVE, [shop.a.id]), (NumberUse.SHARED, [shop.b.id]))


def test_a_channel_changes_between_shared_and_exclusive():
    """As long as nobody else has the number; each way the code comes and goes."""
    shop = Shop()
    assert shop.assign(shop.a).code is not None
    assert shop.assign(shop.a, exclusive=True).code is None
    assert shop.assign(shop.a, exclusive=True).code is None
    assert shop.assign(shop.a).code is not None
    shop.assign(shop.b)
    assert refused(shop.assign, shop.a, exclusive=True) is Reason.NUMBER_SHARED


def test_assignments_by_profile():
    """Assigning again refused; exclusiveness taken from who shares; the meeting id as code."""
    shop = Shop(assigned_again="refuse")
    shop.assign(shop.a)
    assert refused(shop.assign, shop.a, exclusive=True) is Reason.NUMBER_ASSIGNED
    shop = Shop(exclusive_taken="take", routing_code="meeting-id")
    assert shop.assign(shop.a).code == shop.a.meeting_id
    shop.assign(shop.b, exclusive=True)
    assert shop.use() == (NumberUse.EXCLUSIVE, [shop.b.id])
    assert refused(shop.assign, shop.a, exclusive=True) is Reason.NUMBER_EXCLUSIVE


def test_dial_in_that_is_off_can_stop_the_preparation():
    """By profile numbers are assigned only while dial-in is on."""
    shop = Shop()
    shop.assign(shop.a)
    change = World(seed=1).change(0, ProfileContext({"dial-in.while-off": "everything"}))
    client = clients.create(change, "C", None)
    number = numbers.add(change, client, US)
    room = channels.create(change, client, "A", None, None)
    assert refused(number_assignments.assign, change, room, number) is Reason.DIAL_IN_OFF
    number_assignments.assign(change, channels.update(change, room, dial_in=True), number)


def test_unknown_and_foreign_numbers_are_not_assigned():
    """What the client has not is not there, no matter who has it."""
    shop = Shop()
    other = clients.create(shop.change, "Other", None)
    room = channels.create(shop.change, other, "Elsewhere", None, None)
    assert refused(shop.assign, room) is Reason.NUMBER_UNAVAILABLE
    assert refused(shop.assign, shop.a, "+1555") is Reason.NUMBER_UNAVAILABLE


def test_an_assignment_is_cancelled():
    """The channel loses the number, others keep it; what is not assigned cannot be cancelled."""
    shop = Shop()
    for channel in (shop.a, shop.b):
        shop.assign(channel)
    shop.assign(shop.a, GB, exclusive=True)
    shop.cancel(shop.a, US)
    shop.cancel(shop.a, GB)
    assert (shop.use(), shop.use(GB)) == ((NumberUse.SHARED, [shop.b.id]), (ABSENT, []))
    for number in (US, GB, "+1555"):
        assert refused(shop.cancel, shop.a, number) is Reason.NOT_FOUND


def test_a_deleted_channel_gives_its_numbers_back():
    """Shared and exclusive ones; those of other channels stay."""
    shop = Shop()
    for channel in (shop.a, shop.b):
        shop.assign(channel)
    shop.assign(shop.a, GB, exclusive=True)
    channels.delete(shop.change, shop.a)
    assert (shop.use(), shop.use(GB)) == ((NumberUse.SHARED, [shop.b.id]), (ABSENT, []))


@pytest.mark.parametrize(("defaults", "expected"), [("flag", []), ("assigned", [US])])
def test_new_channels_can_get_the_default_numbers(defaults, expected):
    """The default list is a flag; by profile a new channel gets the enabled numbers that are nobody's exclusively."""
    shop = Shop(defaults=defaults)
    for number in (US, GB):
        turn(shop.change, numbers.LISTING.on, shop.number(number))
    shop.assign(shop.a, GB, exclusive=True)
    made = channels.create(shop.change, shop.client, "New", None, None)
    assert [each.number for each in number_assignments.list_of_channel(shop.change, made)] == expected


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["assign", "exclusive", "cancel", "disable", "enable"]),
        st.integers(0, 2),
        st.sampled_from([US, GB]),
    ),
    max_size=12,
)


@given(EVENTS)
def test_whatever_happens_the_assignments_are_sound(triggers):
    """Codes of a number differ, an exclusive assignment is alone, a disabled number has none."""
    shop = Shop()
    rooms = (shop.a, shop.b, shop.c)
    for trigger, place, number in triggers:
        try:
            if trigger == "cancel":
                shop.cancel(rooms[place], number)
            elif trigger in {"enable", "disable"}:
                shop.switch(number, trigger)
            else:
                shop.assign(rooms[place], number, exclusive=trigger == "exclusive")
        except Refusal:
            pass
        for each in numbers.NUMBERS.of(shop.change, shop.client.id).all:
            found = number_assignments.list_of_number(shop.change, shop.client.id, each.number)
            codes = [assignment.code for assignment in found]
            assert len(set(codes)) == len(codes)
            assert None not in codes or len(codes) == 1
            assert each.standing is NumberState.ENABLED or not codes

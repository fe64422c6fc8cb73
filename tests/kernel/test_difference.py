"""What leads from one world to another: applied, it leads there, however the world was reached."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import example, given, strategies as st

from confsim.domain.mail import MAILS, Mail
from confsim.domain.properties import PROPERTIES, Property
from confsim.domain.users.handles import RESERVATIONS, Reservation
from confsim.kernel.difference import StateDifference, Touched, difference, follow
from confsim.kernel.document import restored
from confsim.kernel.refusal import Misuse
from confsim.kernel.tables.indexes import Unique
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.world import World
from kit.each import each


def mail(number, subject="x"):
    """A record of a shared table."""
    return Mail(id=number, client="", at=0, to="a@example.com", subject=subject, text="", kind="k")


def held(number, due):
    """A record with a timer: a reservation of a handle that ends at the instant."""
    return Reservation(str(number), "c", "h", "h", "user 1", due)


def sent(found):
    """The difference as it comes back from the wire."""
    return msgspec.json.decode(msgspec.json.encode(found), type=StateDifference)


NUMBERS = st.integers(1, 5)
DOINGS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), NUMBERS, st.text(max_size=2)),
        st.tuples(st.just("remove"), NUMBERS),
        st.tuples(st.just("reserve"), NUMBERS, st.integers(0, 3)),
        st.tuples(st.just("release"), NUMBERS),
        st.tuples(st.just("count"), NUMBERS),
        st.just(("draw",)),
        st.just(("commit",)),
    ),
    max_size=30,
)


def done(world, doings):
    """The world after the doings, and what the changes on the way touched."""
    touched, change = Touched(), world.change(0)
    for what, *rest in [*doings, ("commit",)]:
        mails = MAILS.of(change)
        if what == "put":
            mails.put(mail(*rest))
        elif what == "remove" and rest[0] in mails:
            mails.remove(rest[0])
        elif what == "reserve":
            RESERVATIONS.of(change, "c").put(held(*rest))
        elif what == "release" and str(rest[0]) in RESERVATIONS.of(change, "c"):
            RESERVATIONS.of(change, "c").remove(str(rest[0]))
        elif what == "count":
            change.count(f"sequence {rest[0]}")
        elif what == "draw":
            change.draw()
        elif what == "commit":
            touched.add(change)
            world = change.commit()
            change = world.change(0)
    return world, touched


@given(DOINGS, DOINGS)
@example([], [("reserve", 1, 3), ("commit",), ("reserve", 2, 3), ("commit",), ("reserve", 1, 3)])
def test_a_difference_leads_where_the_changes_led(first, then):
    """Rows with their order, timers with theirs, counters: over the wire, onto a world that was read back."""
    before, _ = done(World(7), first)
    after, touched = done(before, then)
    assert follow(before, sent(difference(before, after, touched))).digest() == after.digest()


def test_what_comes_to_nothing_is_empty():
    """Touched and put back as it was."""
    before, _ = done(World(), [("put", 1, "a"), ("reserve", 1, 5)])
    after, touched = done(before, [("put", 2, "b"), ("remove", 2), ("reserve", 2, 5), ("release", 2)])
    assert not difference(before, after, touched)
    assert msgspec.json.encode(difference(before, after, touched)) == b"{}"


def test_it_costs_what_was_touched():
    """One row of a thousand."""
    before, _ = done(World(), [("put", number, "a") for number in range(1000)])
    after, touched = done(before, [("put", 500, "b")])
    assert len(difference(before, after, touched).put) == 1


def test_keys_of_several_parts_are_found_again():
    """A removed row is given as the record that it was, from which its key is read."""
    change, touched = World().change(0), Touched()
    for key in ("a", "b"):
        PROPERTIES.of(change, "c").put(Property("user 1", key, "1", "c"))
    before = change.commit()
    change = before.change(0)
    PROPERTIES.of(change, "c").remove(("user 1", "a"))
    touched.add(change)
    after = change.commit()
    assert follow(before, sent(difference(before, after, touched))).digest() == after.digest()


class Seat(Record):
    """A record with a number that no other has."""

    id: str
    number: int | None


NUMBER: Unique[Seat] = Unique("number", "number")
SEATS: Table[str, Seat] = Table("test seats", Seat, "id", NUMBER, shared=True)


@given(st.permutations([1, 2, 3]))
def test_what_is_unique_may_change_hands(numbers):
    """Each record takes the value of another, which has got a third by then."""
    change, touched = World().change(0), Touched()
    for id, number in zip("abc", [1, 2, 3], strict=True):
        SEATS.of(change).put(Seat(id, number))
    before = change.commit()
    change = before.change(0)
    for id in "abc":
        SEATS.of(change).put(Seat(id, None))
    for id, number in zip("abc", numbers, strict=True):
        SEATS.of(change).put(Seat(id, number))
    touched.add(change)
    after = follow(before, sent(difference(before, change.commit(), touched)))
    assert [SEATS.seen(after).one(NUMBER, number).id for number in numbers] == ["a", "b", "c"]


def test_an_export_holds_what_is_unique_once():
    """A value that two records have is reported with the place of the second."""
    change = World().change(0)
    for id, number in (("a", 1), ("b", 1)):
        SEATS.of(change).put(Seat(id, number), check=False)
    with pytest.raises(Misuse, match=r"tables.test seats.\[1\]: number 1 is that of another record"):
        restored(msgspec.json.decode(b"".join(change.commit().encoded())))


@each(
    "values, words",
    [
        ({"put": [["planets", "", {}]]}, "tables.planets is no table"),
        ({"put": [["mail", "", {"moons": 2}]]}, "tables.mail.*moons"),
        ({"put": [["mail", "", {"id": "one"}]]}, "tables.mail"),
        ({"removed": [["planets", "", {}]]}, "tables.planets is no table"),
    ],
)
def test_what_cannot_be_followed_is_reported_with_its_place(values, words):
    """Tables and fields that this confsim does not know are refused."""
    with pytest.raises(Misuse, match=words):
        follow(World(), msgspec.convert(values, StateDifference))

"""The client of a record is found by the values by which it is located, however the record came and went."""

from __future__ import annotations

from hypothesis import given, strategies as st

from confsim.kernel.tables.filling import fill
from confsim.kernel.tables.indexes import Unique
from confsim.kernel.tables.states import LATE
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.world import World


class Parcel(Record):
    """A record that is located by its code, if it has one."""

    id: int
    code: str
    weight: int = 0


PARCELS: Table[int, Parcel] = Table(
    "test parcels", Parcel, "id", located=Unique("code", "code", of=lambda code: (code,) if code else ())
)
CLIENTS = ("one", "two", "three")
#: A write: the client, the id, a code (in the end of which is the client, since no two clients share one), or None for
#: a removal; whether it is committed, and whether somebody is looked for then.
WRITES = st.lists(
    st.tuples(
        st.sampled_from(CLIENTS),
        st.integers(0, 4),
        st.none() | st.sampled_from(["", "a", "b"]),
        st.booleans(),
        st.booleans(),
    ),
    min_size=2 * LATE,
    max_size=4 * LATE,
)
CODES = [f"{code} {id} {client}" for code in "ab" for id in range(5) for client in CLIENTS] + [""]


def _found(change):
    return {code: found for code in CODES if (found := PARCELS.find_client(change, code))}


@given(WRITES)
def test_find_client(writes):
    """After any writes, whether it is asked for after each or not, it is that of the record that has the value.

    Earlier worlds go on to find what they had.
    """
    change, held, worlds = World().change(0), {}, []
    for client, id, code, commits, asks in writes:
        if code is None:
            if held.pop((client, id), None) is not None:
                PARCELS.of(change, client).remove(id)
        else:
            mine = f"{code} {id} {client}" if code else ""
            held[client, id] = PARCELS.of(change, client).put(Parcel(id, mine))
        expected = {parcel.code: client for (client, _), parcel in held.items() if parcel.code}
        if asks:
            assert _found(change) == expected
        if commits:
            worlds.append((change.commit(), expected))
            change = worlds[-1][0].change(0)
    for world, expected in reversed(worlds):
        assert _found(world.change(0)) == expected


@given(WRITES)
def test_equal_worlds_find_the_same(writes):
    """They are equal, whether somebody was looked for on the way or not."""
    changes = [World().change(0), World().change(0)]
    for client, id, code, _, asks in writes:
        for place, change in enumerate(changes):
            rows = PARCELS.of(change, client)
            if code is not None:
                rows.put(Parcel(id, f"{code} {id} {client}" if code else ""))
            elif id in rows:
                rows.remove(id)
            if place and asks:
                assert PARCELS.find_client(change, "nobody") is None
    one, other = (change.commit() for change in changes)
    assert one == other
    assert one.owners == other.owners


def test_who_took_a_value_over_keeps_it():
    """Although the record that had it goes, or takes another, only later."""
    change = World().change(0)
    for client, id in (("one", 1), ("one", 2), ("two", 1)):
        PARCELS.of(change, client).put(Parcel(id, "a"))
    PARCELS.of(change, "one").remove(1)
    PARCELS.of(change, "one").put(Parcel(2, "b"))
    assert [PARCELS.find_client(change, code) for code in "ab"] == ["two", "one"]


def test_a_dropped_change_locates_nothing():
    """What a change has put is found in it, and in its world once it is committed."""
    world = World()
    change = world.change(0)
    PARCELS.of(change, "one").put(Parcel(1, "a"))
    assert PARCELS.find_client(change, "a") == "one"
    assert PARCELS.find_client(world.change(0), "a") is None
    assert PARCELS.find_client(change.commit().change(0), "a") == "one"


def test_filled():
    """The records of tables that are filled at once are found, those of several clients too."""
    change = World().change(0)
    for client in CLIENTS:
        fill(change, PARCELS, client, [Parcel(1, f"a {client}"), Parcel(2, ""), Parcel(3, f"b {client}")])
    found = {client: PARCELS.find_client(change, f"b {client}") for client in CLIENTS}
    assert found == {client: client for client in CLIENTS}
    assert PARCELS.find_client(change, "") is None


def test_filled_after_writes():
    """Those that were put before are found too, and those of a client whose table is filled later."""
    change = World().change(0)
    PARCELS.of(change, "one").put(Parcel(1, "a"))
    PARCELS.of(change, "one").put(Parcel(2, "b"))
    fill(change, PARCELS, "two", [Parcel(1, "c")])
    PARCELS.of(change, "one").remove(2)
    fill(change, PARCELS, "three", [Parcel(1, "d")])
    assert [PARCELS.find_client(change, code) for code in "abcd"] == ["one", None, "two", "three"]

"""A table that is filled at once holds what it would hold after its records were put one by one."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim.kernel.tables.filling import fill
from confsim.kernel.tables.indexes import CREATED, Index, Order, Total, Unique
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.world import World


class Item(Record):
    """A record with a value of each kind of index."""

    id: int
    code: str
    tags: tuple[str, ...]
    weight: int


WEIGHT = Order("weight", "weight")
SUM = Total("sum", "weight")
BY_CODE: Unique[Item] = Unique("code", "code", of=lambda code: (code,) if code else ())
BY_TAG: Index[Item] = Index("tag", "tags", of=lambda tags: tags, orders=(CREATED, WEIGHT), totals=(SUM,))
BY_WEIGHT: Index[Item] = Index("weight", "weight")


FILLED: Table[int, Item] = Table(
    *("test items", Item, "id", BY_CODE, BY_TAG, BY_WEIGHT),
    orders=(CREATED, WEIGHT),
    totals=(SUM,),
    located=BY_CODE,
)
ITEMS = st.lists(st.tuples(st.lists(st.sampled_from("abc"), max_size=3), st.integers(0, 5)), max_size=150)


def put(records, at_once):
    """The table of a world after the records are put, at once or one by one."""
    change = World().change(0)
    if at_once:
        fill(change, FILLED, "client", records)
    else:
        for record in records:
            FILLED.of(change, "client").put(record)
    return change.commit()


def seen(world):
    """All that can be read of the table."""
    rows = FILLED.seen(world, "client")
    views = [rows.all, *(rows.where(BY_TAG, tag) for tag in "abc"), *(rows.where(BY_WEIGHT, at) for at in range(6))]
    sums = [view.total(SUM) for view in views[:4]]
    ordered = [list(view.by(WEIGHT)) for view in views[:4]]
    return [list(view) for view in views], sums, ordered, [rows.one(BY_CODE, str(at)) for at in range(150)]


@given(ITEMS)
def test_it_is_as_after_records_put_one_by_one(drawn):
    """Every view in every order, totals, unique values; and so it stays when records are put and removed after."""
    records = [Item(at, str(at) if at % 3 else "", tuple(tags), weight) for at, (tags, weight) in enumerate(drawn)]
    worlds = [put(records, at_once) for at_once in (True, False)]
    assert seen(worlds[0]) == seen(worlds[1])
    after = []
    for world in worlds:
        change = world.change(0)
        rows = FILLED.of(change, "client")
        for record in records[::2]:
            rows.remove(record.id)
        rows.put(Item(1000, "149", ("a", "c"), 3))
        after.append(seen(change.commit()))
    assert after[0] == after[1]


@pytest.mark.parametrize("code", ["", "one"])
def test_two_records_of_one_key_or_one_unique_value_are_refused(code):
    """Neither can be put one by one."""
    records = [Item(0, "zero", (), 0), Item(1, code, (), 0), Item(2 if code else 1, code, (), 0)]
    with pytest.raises(ValueError, match="'one' is that of another record" if code else "key of an earlier"):
        fill(World().change(0), FILLED, "client", records)

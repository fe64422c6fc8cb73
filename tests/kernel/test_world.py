"""A change is dropped or committed whole, and worlds are values."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy

import msgspec
import pytest
from hypothesis import given, strategies as st

from confsim.kernel import ids
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.timers import Timer
from confsim.kernel.world import Change, World


class Word(Record):
    """A record for the tests."""

    text: str


WORDS: Table[str, Word] = Table("test words", Word, "text")
TIMER = Timer(("test words", "k", "x", "kind"), 9, 1, "k", "x")


def _with(world: World, *texts: str) -> World:
    change = world.change(0)
    for text in texts:
        WORDS.of(change, "k").put(Word(text))
    return change.commit()


def test_a_change_that_is_dropped_leaves_no_trace() -> None:
    """What was written to a change alone is nowhere."""
    world = _with(World(), "a")
    before = world.digest()
    change = world.change(0)
    WORDS.of(change, "k").put(Word("b"))
    change.uuid()
    assert world.digest() == before
    assert [word.text for word in WORDS.seen(world, "k").all] == ["a"]


def test_a_change_that_writes_nothing_gives_the_same_world() -> None:
    """Reading makes no new world."""
    world = _with(World(), "a")
    change = world.change(0)
    assert WORDS.of(change, "k").get("a") is not None
    assert change.commit() is world


def test_an_earlier_world_stays_as_it_was() -> None:
    """Keeping a reference is a snapshot."""
    first = _with(World(), "a")
    second = _with(first, "b")
    assert len(WORDS.seen(first, "k")) == 1
    assert len(WORDS.seen(second, "k")) == 2


def test_what_a_seed_gives_is_what_it_gave_before() -> None:
    """Worlds that were stored and tests that name ids hold on to them; a derived secret is none that is drawn."""
    change = World(seed=7).change(0)
    assert change.uuid() == "4d2ab311-c5c3-4bec-be10-1e0793d7c2a3"
    assert change.token() == "kBS8jvgICL39nOwr7LVDro3zpoyw-hdL9fWq6PuyLYk"
    assert change.digits(6) == "544869"
    assert change.key("webhooks").hex() == "25ba88893e0a999c31250ef22262958c362b38a4aa351f4e66c130142b1e6bbc"
    assert World().change(0).uuid() == World(seed=0).change(0).uuid() == "3eb0627b-c8fc-4b7c-8130-a40a65fc2230"


@given(st.lists(st.text(max_size=3), unique=True))
def test_the_digest_tells_worlds_apart(texts: list[str]) -> None:
    """Equal histories have equal digests; one record more changes it."""
    assert _with(World(), *texts).digest() == _with(World(), *texts).digest()
    assert _with(World(), *texts).digest() != _with(World(), *texts, "something else").digest()


@pytest.mark.parametrize(
    ("write", "same"),
    [
        (lambda change: None, True),
        (lambda change: change.uuid(), False),
        (lambda change: change.count("things"), False),
        (lambda change: WORDS.of(change, "k").put(Word("b")), False),
        (lambda change: change.set_timer(TIMER.name, TIMER), False),
    ],
)
def test_what_holds_the_same_without_a_look_at_records(write: Callable[[Change], object], same: bool) -> None:
    """A world of the same tables, timers, counters and seed; not one in which a change wrote."""
    world = _with(World(), "a")
    change = world.change(0)
    write(change)
    after = change.commit()
    assert world.holds_the_same(after) is same
    assert world.holds_the_same(copy(world))
    assert not World(seed=1).holds_the_same(World(seed=2))


@given(st.lists(st.sampled_from(["test words", "", "k", "l"]), max_size=4), st.integers(0, 3))
def test_a_world_is_encoded_in_pieces(clients: list[str], hundreds: int) -> None:
    """Together they are the JSON with sorted keys, however many tables, clients and batches of records there are."""
    change = World().change(0)
    texts = [str(number) for number in range(250 * hundreds)]
    for client in dict.fromkeys(clients):
        for text in texts:
            WORDS.of(change, client or "m").put(Word(text))
    world = change.commit()
    pieces = [*world.encoded(7)]
    whole = msgspec.json.decode(b"".join(pieces))
    records = [{"text": text} for text in texts]
    tables = {"test words": {client or "m": records for client in clients}} if texts and clients else {}
    assert whole == {"minted": 0, "seed": 0, "sequences": {}, "tables": tables, "timers": [], "version": 7}
    assert msgspec.json.encode(whole, order="sorted") == b"".join(pieces)
    assert max(map(len, pieces)) < 10_000


@given(st.integers(0, 2**64), st.integers(1, 2**40))
def test_ids_follow_from_seed_and_count(seed: int, count: int) -> None:
    """The same seed and count give the same bytes, in the shape of each kind of id."""
    raw = ids.draw(seed, count)
    assert raw == ids.draw(seed, count)
    assert raw != ids.draw(seed, count + 1)
    assert ids.as_uuid(raw)[14] == "4"
    assert ids.as_uuid(raw)[19] in "89ab"
    assert len(ids.as_digits(raw, 9)) == 9


def test_minting_never_repeats() -> None:
    """Ten thousand ids of one world are ten thousand ids."""
    change = World().change(0)
    assert len({change.uuid() for _ in range(10_000)}) == 10_000

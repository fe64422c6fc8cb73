"""What entries take, and what they refuse in so many words: a profile that cannot work is told before it is used."""

from __future__ import annotations

import pytest

import confsim.api.catalogue
import confsim.simulator  # noqa: F401  (declares the others)
from confsim.assumptions.register import REGISTER
from confsim.kernel.refusal import Misuse
from kit.each import each


@each(
    "entry, value",
    [
        ("breakout.session-name", "Breakout {n}"),
        ("breakout.room-name", "Room {}"),
        ("breakout.room-name", "Room {number.first}"),
        ("breakout.room-name", "Room {"),
        ("parse.ttl-units", {"": 1}),
        ("parse.ttl-units", {"m2": 1}),
        ("parse.ttl-units", {"m": 0}),
        ("providers.available", "google"),
        ("images.unreachable", [1]),
        ("roles.api-token-passes", ["owner", "king"]),
        ("roles.partner-admin-includes", ["neighbours"]),
        ("clients.reseller-calls", ["get_me"]),
        ("events.open-while-off", [["get_events_status"]]),
        ("initial.channel-reputation", 0),
        ("initial.channel-reputation", 16),
        ("initial.channel-reputation", True),
        ("initial.max-users", 2**31),
        ("turn.life", 2**31),
        ("breakout.duration", -1),
        ("size.media-pool", 10**15 + 1),
    ],
)
def test_a_value_that_cannot_work_is_a_misuse_that_names_the_entry(entry, value):
    """Whatever is wrong with it, and never an error of Python's own."""
    with pytest.raises(Misuse, match=entry):
        REGISTER.profile({entry: value})


@each(
    "entry, value, taken",
    [
        ("breakout.room-name", "Room {number:02d}", "Room {number:02d}"),
        ("breakout.room-name", "Room", "Room"),
        ("roles.api-token-passes", [], ()),
        ("broadcast.schemes", ["RTMP"], ("rtmp",)),
        ("initial.channel-reputation", 15, 15),
    ],
)
def test_a_value_that_works_is_taken(entry, value, taken):
    """As the code asks for it: lists as tuples, schemes in lower case."""
    assert REGISTER.profile({entry: value}) == {entry: taken}

"""Values that assumptions accept, and the errors for others: an impossible profile is refused before it is used."""

from __future__ import annotations

from datetime import timedelta

import pytest

import confsim.api.catalogue
import confsim.simulator  # noqa: F401  (declares the others)
from confsim.assumptions.register import REGISTER
from confsim.kernel.refusal import Misuse
from confsim.service.files.profile import read_profile
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


@pytest.mark.parametrize("text", ["15m", "PT15M", "0.25h", timedelta(minutes=15)])
@pytest.mark.parametrize(
    ("id", "value"),
    [
        *((id, 900_000) for id in ("duration.token", "duration.invitation", "duration.api-token", "identity.skew")),
        *((id, 900_000) for id in ("breakout.duration", "webhooks.timeout", "time.visibility-lag")),
        *((id, 900_000) for id in ("duration.session-grace", "duration.media-link", "duration.recording-mail-link")),
        ("app-sessions.started-within", 900_000),
        ("turn.life", 900),
        ("duration.placement", "time(900)"),
        ("duration.broadcast-start", "time(900)"),
    ],
)
def test_durations_are_written_as_everywhere(text, id, value):
    """As text, ISO 8601 or a timedelta; as a number they are of the unit that the assumption has."""
    assert read_profile({id: text}) == {id: value}


@pytest.mark.parametrize(
    ("id", "value", "error"),
    [
        ("duration.token", "soon", "'soon' is not a valid duration (examples: '15m'"),
        ("duration.token", True, "True is no whole number"),
        ("duration.token", timedelta(-1), "is not a valid duration"),
        ("turn.life", "1500ms", "500 milliseconds are left over: it is a multiple of 1000"),
        ("duration.placement", "PT0.5S", "500 milliseconds are left over"),
        ("webhooks.retries", ["soon"], "'soon' is not a valid duration"),
        ("webhooks.retries", "15m", "'15m' is no list of milliseconds, or of durations such as '15m'"),
    ],
)
def test_what_is_no_duration_is_refused(id, value, error):
    """With what is wrong."""
    with pytest.raises(Misuse) as raised:
        read_profile({id: value})
    assert error in str(raised.value)


def test_delays_of_retries_are_durations():
    """Each of them."""
    assert read_profile({"webhooks.retries": ["5s", "PT5M", 7]}) == {"webhooks.retries": (5000, 300_000, 7)}

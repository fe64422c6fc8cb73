from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, strategies as st

from confsim import Simulator
from confsim.assumptions import properties
from confsim.assumptions.protocol import sizes
from kit import ADMIN, API_TOKEN, START, code
from kit.each import each

#: Any JSON value that the wire can carry.
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=12,
)


def _put(sim: Simulator, key: str, body: object, caller: str = "demo-user", user: object = "me"):
    return sim.call("set_user_property", caller, userId=user, key=key, body=body)


def _get(sim: Simulator, key: str, caller: str = "demo-user", user: object = "me"):
    return sim.call("get_user_property", caller, userId=user, key=key)


@pytest.fixture(scope="module")
def shared() -> Simulator:
    """A world that the property test writes to again and again."""
    return Simulator(clock=START)


@pytest.mark.rule("R190", "R191", "R337")
@given(value=VALUES)
def test_any_json_value_is_stored_and_answered(shared, value):
    """What is read is the JSON value that was stored, whatever was there before."""
    assert _put(shared, "k", msgspec.json.encode(value)).content == b""
    answer = _get(shared, "k")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
    assert answer.content == msgspec.json.encode(value)


@pytest.mark.rule("R190")
@pytest.mark.parametrize(
    "text",
    [
        b"null",
        b"0",
        b'""',
        b"[]",
        b"{}",
        b"false",
        b"1.0",
        b'"\\u0000"',
        b"123456789012345678901234567890",
        b"[" * 100 + b"]" * 100,
    ],
)
def test_odd_values_are_answered_as_they_came(sim, text):
    """Empty, falsy, huge and deep values are values like any other."""
    assert _put(sim, "k", text).status == 200
    assert _get(sim, "k").content == text


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b" ",
        b"{",
        b"NaN",
        b"Infinity",
        b'"\\ud800"',
        b"'x'",
        b"1e999",
        b"[" * 100_000,
        b"[" * 101 + b"]" * 101,
        b"\xff",
    ],
)
def test_what_is_no_json_is_refused(sim, text):
    """A body that is no JSON value is refused and stores nothing; no trap of a parser ends in a failure."""
    assert _put(sim, "k", text).status == 400
    assert _get(sim, "k").status == 404
    assert sim.service.bugs == []


@pytest.mark.rule("R041", "R192")
def test_me_and_the_own_id_are_the_same_user(sim, people):
    """A property stored under me is read by number, and the other way round."""
    _put(sim, "k", 1)
    assert _get(sim, "k", user=people["demo-user"]).body == 1
    _put(sim, "k", 2, user=people["demo-user"])
    assert _get(sim, "k").body == 2


@pytest.mark.rule("R193")
def test_properties_belong_to_one_user(sim, people):
    """Two users have the same key with values of their own."""
    _put(sim, "k", "user")
    _put(sim, "k", "owner", "demo-owner")
    assert (_get(sim, "k").body, _get(sim, "k", "demo-owner").body) == ("user", "owner")
    assert _get(sim, "k", ADMIN, people["demo-operator"]).status == 404


def test_a_missing_property_is_not_found_or_null(sim):
    """A key that was never stored is not found, or null where a profile says so."""
    assert _get(sim, "k").status == 404
    answer = _get(Simulator(clock=START, profile={properties.PROPERTY_MISSING.id: "null"}), "k")
    assert (answer.status, answer.content) == (200, b"null")


def test_null_is_stored_or_removes(sim):
    """Null is a value, or removes the property where a profile says so."""
    _put(sim, "k", b"null")
    assert _get(sim, "k").content == b"null"
    sim = Simulator(clock=START, profile={properties.PROPERTY_NULL.id: "removes"})
    _put(sim, "k", 1)
    _put(sim, "k", b"null")
    assert _get(sim, "k").status == 404


@pytest.mark.parametrize("key", ["k", "a/b c", "ключ", "x" * 255, "..", "me"])
def test_any_text_is_a_key(sim, key):
    """Keys are any decoded text up to 255 characters."""
    assert _put(sim, key, 1).status == 200
    assert sim.call("list_user_properties", "demo-user", userId="me").body == [key]


@pytest.mark.parametrize("key", ["x" * 256, "a\nb"])
def test_too_long_and_controlling_keys_are_refused(sim, key):
    """A key has at most 255 characters, none of them a control character."""
    assert _put(sim, key, 1).status == 400
    assert _get(sim, key).status == 400


def test_a_value_has_a_size(sim):
    """A value of as many bytes as the limit is stored, a larger one is refused with 413."""
    most = sizes.PROPERTY.default
    assert _put(sim, "k", "x" * (most - 2)).status == 200
    answer = _put(sim, "k", "x" * (most - 1))
    assert code(answer) == (413, "property_too_large")


@each(
    "value, status",
    [(1, 200), ([], 200), ([[1]], 200), ({"a": {"b": None}}, 200), ([[[]]], 400), ([{"a": []}], 400)],
)
def test_a_value_has_a_depth(value, status):
    """Levels are those of arrays and objects; what they hold at the bottom is none (G249)."""
    assert _put(Simulator(clock=START, profile={sizes.JSON_DEPTH.id: 2}), "k", value).status == status


def test_properties_are_listed_and_deleted(sim):
    """Keys are listed sorted; a deleted one is gone, and not found to be deleted again."""
    for key in ("b", "a", "c"):
        _put(sim, key, 1)
    assert sim.call("delete_user_property", "demo-user", userId="me", key="b").content == b""
    assert sim.call("list_user_properties", "demo-user", userId="me").body == ["a", "c"]
    assert sim.call("delete_user_property", "demo-user", userId="me", key="b").status == 404


CALLS = [
    ("get_user_property", {"key": "k"}),
    ("set_user_property", {"key": "k", "body": 1}),
    ("delete_user_property", {"key": "k"}),
    ("list_user_properties", {}),
]


@pytest.mark.parametrize(("operation", "arguments"), CALLS)
def test_properties_are_private(sim, people, operation, arguments):
    """Administrators reach the properties of everybody in the client; other users do not."""
    user = people["demo-user"]
    for caller, status in ((ADMIN, 200), (API_TOKEN, 200), ("demo-owner", 403), ("demo-other-admin", 404), (None, 401)):
        _put(sim, "k", 1)
        assert sim.call(operation, caller, userId=user, **arguments).status == status


def test_a_profile_opens_properties_to_readers(people):
    """A gate of a profile lets anybody of the client read."""
    sim = Simulator(clock=START, profile={"gate.get_user_property": ["signed-in"]})
    _put(sim, "k", 1)
    assert _get(sim, "k", "demo-guest", people["demo-user"]).body == 1

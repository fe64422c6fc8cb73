"""The request of an operation: where its arguments stand, under any profile."""

from __future__ import annotations

import pytest

from confsim.api.catalogue import API
from confsim.control.catalogue import CONTROL
from confsim.kernel.refusal import Misuse
from confsim.transport.address import address, encoded, route
from kit import ROOM
from kit.each import each


def line(call):
    """Method, target and query of a request."""
    return call.request.method, call.request.target, call.request.query


@each(
    "operation, arguments, expected",
    [
        ("get_me", {}, ("GET", "/v1_0/users/me", "")),
        ("get_channel", {"uuid": ROOM}, ("GET", f"/v1_0/channels/{ROOM}", "")),
        ("get_channel", {"uuid": "a/b ä"}, ("GET", "/v1_0/channels/a%2Fb%20%C3%A4", "")),
        ("get_user", {"userId": 7, "imgSize": None}, ("GET", "/v1_0/users/7", "")),
        ("list_channels", {"limit": 3, "search": "a b"}, ("GET", "/v1_0/channels", "limit=3&search=a+b")),
        ("get_populations", {"channelIds": ["a", "b"]}, ("GET", "/v1_0/channels/populations/a%2Cb", "")),
    ],
)
def test_arguments_stand_where_the_declaration_says(operation, arguments, expected):
    """In the path percent-encoded, in the query as a form; lists with commas, None left out."""
    call = address(API[operation], arguments, {})
    assert line(call) == expected


def test_a_path_is_that_of_its_own_values():
    """Whatever was called before: equal values can be different texts, and a text can be of a type of its own."""

    class Named(str):
        __slots__ = ()

    values = ((1, "1"), (True, "true"), (1.0, "1.0"), (1, "1"), ("7", "7"), (7, "7"), (Named("x"), "x"), ("x", "x"))
    for value, text in values:
        one = address(API["get_user"], {"userId": value}, {})
        two = address(API["add_access_level"], {"userId": value, "level": value}, {})
        assert (one.path, two.path) == ((text,), (text, text))
        assert {type(each) for each in (*one.path, *two.path)} == {str}
        assert one.request.target.endswith(f"/{text}")


def test_a_profile_moves_route_prefix_and_token():
    """What it says of the API, and nothing of the control plane."""
    profile = {
        "route.list_supported_languages": "PUT /tongues",
        "route.prefix": "/x",
        "auth.presentation": ("?token={token}",),
    }
    call = address(API["list_supported_languages"], {}, profile, token="t")
    assert line(call) == ("PUT", "/x/tongues", "token=t")
    assert route(CONTROL["restore_snapshot"], ["a/b"], profile) == ("POST", "/_confsim/snapshots/a%2Fb/restore")


def test_token_and_body_are_presented():
    """By default as a bearer token, and as JSON."""
    call = address(API["create_channel"], {}, {}, body={"name": "Room"}, content_type="application/json", token="t")
    assert call.request.headers == {"content-type": "application/json", "authorization": "Bearer t"}
    assert call.request.body == b'{"name":"Room"}'


@pytest.mark.parametrize(
    ("operation", "arguments", "body"),
    [
        ("get_channel", {}, None),
        ("get_channel", {"uuid": "\ud800"}, None),
        ("create_channel", {}, {"name": float("nan")}),
        ("create_channel", {}, {"name": object()}),
    ],
)
def test_what_cannot_be_sent_is_misuse(operation, arguments, body):
    """A path parameter that is missing, half a surrogate pair, what JSON has not."""
    with pytest.raises(Misuse):
        address(API[operation], arguments, {}, body=body)


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"name": float("nan")}, "body.name: nan"),
        ({"a": None, "list": [1, {"b": float("-inf")}]}, r"body.list\[1\].b: -inf"),
        (float("inf"), "body: inf"),
    ],
)
def test_a_number_that_json_has_not_is_named_with_its_place(body, place):
    """It would be sent as null."""
    with pytest.raises(Misuse, match=rf"^{place} is no number of JSON$"):
        encoded(body)
    assert encoded({"name": None, "limit": 1.5}) == b'{"name":null,"limit":1.5}'

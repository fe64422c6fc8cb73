"""How a token is presented and read, and what is said of a missing one (G016, G017, G018)."""

from __future__ import annotations

import pytest

from confsim.assumptions.protocol.refusals import Reason
from confsim.kernel.refusal import Refusal
from confsim.service.checks.checks import check_coding
from confsim.service.checks.credentials import challenge, present, presentation
from confsim.service.messages import Request

BEARER, PLAIN, BASIC = "Authorization: Bearer {token}", "X-Token: {token}", "Authorization: Basic {token}"
QUERY, COOKIE = "?key={token}", "Cookie: sid={token}"


@pytest.mark.parametrize(
    ("line", "headers", "query"),
    [
        (BEARER, {"Authorization": "Bearer t"}, {}),
        (PLAIN, {"X-Token": "t"}, {}),
        (BASIC, {"Authorization": "Basic OnQ="}, {}),
        (QUERY, {}, {"key": "t"}),
        (COOKIE, {"Cookie": "sid=t"}, {}),
    ],
)
def test_what_a_client_presents_is_read(line, headers, query):
    """In the first of the ways that are in force; a server reads it in each."""
    assert present((line,), "t") == (headers, query)
    assert present((line, "?other={token}"), "t") == (headers, query)
    lower = {name.lower(): value for name, value in headers.items()}
    request = Request("GET", "/", headers=lower, cookies={"sid": "t"} if headers.keys() == {"Cookie"} else {})
    assert presentation((line,))(request, query) == "t"
    assert presentation(("?other={token}", line))(request, query) == "t"
    assert presentation(("?other={token}",))(request, query) is None


def test_the_token_of_several_ways_is_the_one_that_is_there():
    """None without any; two of them are ambiguous."""
    read = presentation((PLAIN, QUERY))
    assert read(Request("GET", "/"), {}) is None
    assert read(Request("GET", "/", headers={"x-token": "a"}), {}) == "a"
    assert read(Request("GET", "/"), {"key": "b"}) == "b"
    with pytest.raises(Refusal) as refusal:
        read(Request("GET", "/", headers={"x-token": "a"}), {"key": "b"})
    assert refusal.value.reason is Reason.CREDENTIAL_AMBIGUOUS


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((BEARER,), "Bearer"),
        ((BASIC,), 'Basic realm="confsim"'),
        ((QUERY, BEARER), "Bearer"),
        ((PLAIN, QUERY, COOKIE), None),
        (("Authorization: {token}",), None),
        (("Authorization: {token}", BEARER), "Bearer"),
        (("X-Token: Special {token}",), None),
    ],
)
def test_the_challenge_is_a_scheme_of_authorization(lines, expected):
    """The first that has one."""
    assert challenge(lines) == expected


@pytest.mark.parametrize("coding", ["", "identity", " Identity "])
def test_a_body_without_a_coding_passes(coding):
    """As does none at all with any."""
    check_coding(Request("POST", "/", headers={"content-encoding": coding}, body=b"{}"))
    check_coding(Request("POST", "/", body=b"{}"))
    check_coding(Request("GET", "/", headers={"content-encoding": "gzip"}))


def test_a_coded_body_is_refused():
    """With what was given, in its first eighty characters."""
    with pytest.raises(Refusal) as refusal:
        check_coding(Request("POST", "/", headers={"content-encoding": "x" * 100}, body=b"{}"))
    assert refusal.value.reason is Reason.UNSUPPORTED_MEDIA_TYPE
    assert refusal.value.facts["given"] == "x" * 80


@pytest.mark.parametrize(
    "content_type", ["application/json", "APPLICATION/JSON; Charset=utf8", 'application/json;charset="utf-8"']
)
def test_json_in_utf_8_is_json(sim, content_type):
    """By either spelling of the charset, quoted or not; another charset is not."""
    client = sim.client("demo-user")
    body = b'{"handle": "Somebody"}'
    assert client.post("/users/handle/reserve", data=body, headers={"Content-Type": content_type}).status_code == 200
    latin = {"Content-Type": "application/json; charset=latin-1"}
    assert client.post("/users/handle/reserve", data=body, headers=latin).status_code == 415

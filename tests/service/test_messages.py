"""What a call returns, and the exception for an answer that was not expected."""

from __future__ import annotations

import httpx
import pytest

from confsim import Answer, Misuse, StatusError, demo
from confsim.service.messages import Response
from kit import ROOM


def test_an_answer_reads_as_those_of_http_clients(sim):
    """The names of requests and httpx mean the same, beside those of confsim."""
    answer = sim.call("get_channel", demo.OWNER, uuid=ROOM)
    with httpx.Client(transport=sim.transport(), base_url=sim.base_url) as client:
        other = client.get(f"/channels/{ROOM}", headers={"Authorization": f"Bearer {demo.OWNER}"})
    assert (answer.status_code, answer.json(), answer.text) == (other.status_code, other.json(), other.text)
    assert (answer.status, answer.body, answer.content) == (other.status_code, other.json(), other.content)
    assert answer.headers["content-type"] == answer.headers["Content-Type"] == other.headers["content-type"]
    assert answer.raise_for_status() is answer


def test_header_names_match_in_any_case():
    """Look-ups, membership and defaults; the names are stored as they were sent."""
    headers = Answer(Response(200, [("X-One", "1"), ("ETag", "e")])).headers
    assert (headers["x-ONE"], headers.get("etag"), headers.get("no"), headers.get("no", "d")) == ("1", "e", None, "d")
    assert ("x-one" in headers, "no" in headers, 3 in headers, list(headers)) == (True, False, False, ["X-One", "ETag"])
    with pytest.raises(KeyError, match="no") as caught:
        headers["no"]
    assert [each.ishidden(caught) for each in caught.traceback] == [False, True]  # pytest shows the caller's line


@pytest.mark.parametrize("content", [b"", b"<p>", b"\xff"])
def test_a_body_that_is_no_json(content):
    """It is text, and no JSON for anybody who asks for that."""
    answer = Answer(Response(200, [], content))
    assert answer.text == content.decode(errors="replace")
    with pytest.raises(ValueError, match=r"the body of .* is (no JSON|empty)"):
        answer.json()


@pytest.mark.parametrize(("status", "ok"), [(200, True), (302, True), (399, True), (400, False), (500, False)])
def test_raise_for_status_raises_from_400(status, ok):
    """The exception has the answer, and says which call answered what."""
    answer = Answer(Response(status, [("X-Confsim-Request-Id", "r7")], b'{"a":1}'), "get_me")
    assert answer.ok is ok
    if ok:
        assert answer.raise_for_status() is answer
        return
    with pytest.raises(StatusError, match=rf'^get_me answered {status} to request r7: {{"a":1}}$') as caught:
        answer.raise_for_status()
    assert caught.value.answer is answer


def test_a_long_body_is_cut_in_the_message():
    """A thousand characters are enough to see what it is."""
    with pytest.raises(StatusError) as caught:
        Answer(Response(500, [], b"x" * 5000)).raise_for_status()
    assert str(caught.value) == f"the call answered 500: {'x' * 1000}…"


def test_a_call_expects_a_status(sim):
    """One status, or one of several; the call was made all the same, and is in the journal."""
    assert sim.call("get_me", demo.OWNER, expect=200).ok
    assert sim.call("get_me", demo.OWNER, expect=(200, 204)).ok
    with pytest.raises(StatusError, match=r"get_me answered 200 to request r3: .*\nexpected 404 or 409$") as caught:
        sim.call("get_me", demo.OWNER, expect=(404, 409))
    assert caught.value.answer.body["handle"] == "Olaf Owner"
    assert [each.status for each in sim.requests] == [200, 200, 200]


@pytest.mark.parametrize("wanted", ["200", ("200",), [None]])
def test_what_is_no_status_cannot_be_expected(sim, wanted):
    """A text is none."""
    with pytest.raises(Misuse, match="expect is a status or several"):
        sim.call("get_me", demo.OWNER, expect=wanted)

"""Accept, conditional and range requests, through every way in over HTTP."""

from __future__ import annotations

import json

import httpx
import pytest

from confsim import Simulator
from confsim.http.representation import admits_json, etag, in_range, is_unmodified
from confsim.service.messages import Request, Response
from kit import ROOM, START
from kit.each import each
from kit.wire import web

BODY = bytes(range(100))
TAG = etag(BODY)


def part(asked, body=BODY, **headers):
    """Status, Content-Range and body of a GET with this Range; None where nothing is in it."""
    request = Request("GET", "/", headers={"range": asked} | {n.replace("_", "-"): v for n, v in headers.items()})
    response = in_range(request, Response(200, [], body), etag(body))
    return response and (response.status, dict(response.headers).get("Content-Range"), response.body)


@each(
    "asked, start, stop",
    [
        ("bytes=2-4", 2, 5),
        ("bytes=0-0", 0, 1),
        ("bytes=98-", 98, 100),
        ("bytes=98-1000", 98, 100),
        ("bytes=-3", 97, 100),
        ("bytes=-100", 0, 100),
        ("bytes=-1000", 0, 100),
        ("BYTES = 1-2", 1, 3),
    ],
)
def test_a_range_is_cut_out(asked, start, stop):
    """The first and the last byte count; a suffix longer than the body is all of it (RFC 9110, 14.1.2)."""
    assert part(asked) == (206, f"bytes {start}-{stop - 1}/100", BODY[start:stop])


@each("asked", ["lines=1-2", "bytes=5-2", "bytes=a-b", "bytes", "", "bytes=-0", "bytes=0-1,5-6", "bytes=--5"])
def test_what_is_no_single_range_of_bytes_is_passed_over(asked):
    """The whole body is the answer (RFC 9110, 14.2)."""
    assert part(asked) == (200, None, BODY)


@pytest.mark.parametrize(("asked", "body"), [("bytes=100-", BODY), ("bytes=200-300", BODY), ("bytes=0-", b"")])
def test_a_range_may_hold_nothing(asked, body):
    """What starts behind the end is not satisfiable."""
    assert part(asked, body) is None


@each(
    "condition, status",
    [
        (TAG, 206),
        ('"other"', 200),
        (f"W/{TAG}", 200),
        ("Sun, 01 Feb 2026 00:00:00 GMT", 200),
        (f'{TAG}, "other"', 200),
    ],
)
def test_if_range_asks_for_the_same_bytes(condition, status):
    """Its tag is compared strongly; no body has a date here, so a date matches none (RFC 9110, 13.1.5)."""
    assert part("bytes=2-4", if_range=condition)[0] == status


@each(
    "given, expected",
    [
        (TAG, True),
        (f"W/{TAG}", True),
        (f'"a", {TAG}', True),
        (f'"a" , W/{TAG},"b"', True),
        ("*", True),
        ('"a", W/"b"', False),
        ("", False),
        (TAG.strip('"')[:-1], False),
    ],
)
def test_if_none_match_is_a_list_of_weak_or_strong_tags(given, expected):
    """They are compared weakly (RFC 9110, 13.1.2)."""
    assert is_unmodified(Request("GET", "/", headers={"if-none-match": given}), TAG) is expected


@each(
    "accept, expected",
    [
        ("application/json;q=0, */*", False),
        ("*/*, application/json;q=0", False),
        ("application/*;q=0, */*;q=1", False),
        ("application/json;q=0.001, */*;q=0", True),
        ("text/html, */*;q=0.1", True),
        ("Application/JSON", True),
        ("application/json; charset=utf-8", True),
        ("application/vnd.api+json", False),
        ("text/html", False),
        ("", False),
    ],
)
def test_the_most_specific_range_of_accept_decides(accept, expected):
    """Not the first that matches (RFC 9110, 12.5.1)."""
    assert admits_json(Request("GET", "/", headers={"accept": accept})) is expected


# Through the ways in


def read(response):
    """The body, in the words of each client."""
    return response.content if hasattr(response, "content") else response.data


@pytest.fixture
def upload():
    """A simulator with an uploaded file of a hundred bytes, and the path of its link."""
    sim = Simulator(clock=START)
    client = sim.client("demo-customer-admin")
    made = client.post("/media?name=clip&read=public", data=BODY, content_type="video/mp4")
    link = client.get(f"/media/{made.json['id']}/link").json
    return sim, "/files/" + link["url"].partition("/files/")[2]


def test_a_download_is_resumed(upload):
    """By its tag, in any way in; Simulator.call stands below HTTP."""
    sim, path = upload
    wanted = {"Range": "bytes=40-", "If-Range": TAG}
    with sim.serve() as server, web.client() as live:
        ways = {
            "wsgi": lambda headers: sim.client().get(path, headers=headers),
            "httpx": lambda headers: httpx.Client(transport=sim.transport()).get(f"http://x{path}", headers=headers),
            "requests": lambda headers: sim.session().get(f"http://x{path}", headers=headers),
            "live": lambda headers: live.get(server.root + path, headers=headers),
        }
        for way, get in ways.items():
            whole = get({})
            assert (whole.status_code, whole.headers["ETag"], whole.headers["Accept-Ranges"]) == (200, TAG, "bytes"), (
                way
            )
            rest = get(wanted)
            assert (rest.status_code, rest.headers["Content-Range"]) == (206, "bytes 40-99/100"), way
            assert (get(wanted).headers["Content-Type"], read(rest)) == ("video/mp4", BODY[40:]), way
            assert get(wanted | {"If-Range": '"changed"'}).status_code == 200, way
            assert get({"If-None-Match": f'"x", W/{TAG}'} | wanted).status_code == 304, way


def test_a_range_behind_the_end_is_refused(upload):
    """416 in the error envelope, with the length there is, in the journal with what the profile says of it."""
    sim, path = upload
    refused = sim.client().get(path, headers={"Range": "bytes=100-"})
    assert (refused.status_code, refused.headers["Content-Range"]) == (416, "bytes */100")
    assert (refused.headers["Content-Type"], refused.json["code"]) == ("application/json", "range_not_satisfiable")
    assert "Content-Disposition" not in refused.headers
    entry = sim.requests[-1]
    assert (entry.id, entry.status) == (refused.headers["X-Confsim-Request-Id"], 416)
    assert "code.range-not-satisfiable" in entry.assumptions


def test_ranges_are_of_downloads_and_of_get(upload):
    """HEAD has the headers of the whole; JSON is not cut, nor tagged by default."""
    sim, path = upload
    head = sim.client().head(path, headers={"Range": "bytes=1-2"})
    assert (head.status_code, head.headers["Content-Length"]) == (200, "100")
    json_ = sim.client("demo-user").get("/users/me", headers={"Range": "bytes=1-2"})
    assert json_.status_code == 200
    assert not {"ETag", "Accept-Ranges"} & set(json_.headers.keys())


def test_a_recording_is_downloaded_in_pieces():
    """The pieces together are the file."""
    sim = Simulator(clock=START)
    room = {"channelId": ROOM}
    sim.presence.join(room["channelId"], "demo-operator")
    assert sim.call("start_recording", "demo-operator", uuid=room["channelId"]).ok
    sim.clock.advance("10s")
    assert sim.call("stop_recording", "demo-operator", uuid=room["channelId"]).ok
    sim.clock.advance("2s")
    (recording,) = sim.call("list_recordings", "demo-operator", **room).body["results"]
    token = sim.call("get_recording_credentials", "demo-operator", **room, recordingId=recording["id"]).body["jwt"]
    asset = sim.call("list_downloadable_assets", jwtToken=token).body[0]
    path = f"/channels/recording/assets/{token}/{asset['id']}"
    whole = sim.client().get(path).data
    half = len(whole) // 2
    pieces = [sim.client().get(path, headers={"Range": asked}) for asked in (f"bytes=0-{half - 1}", f"bytes={half}-")]
    assert [piece.status_code for piece in pieces] == [206, 206]
    assert b"".join(piece.data for piece in pieces) == whole


def test_the_document_is_fetched_when_it_has_changed():
    """GET /openapi.json has a tag."""
    sim = Simulator(clock=START)
    tag = sim.client().get("/openapi.json").headers["ETag"]
    assert sim.client().get("/openapi.json", headers={"If-None-Match": tag}).status_code == 304


def test_tags_of_answers_follow_the_profile():
    """JSON answers have tags where the profile says so; lists and weak tags are understood there too (G010)."""
    client = Simulator(clock=START, profile={"http.caching": "etag"}).client("demo-user")
    tag = client.get("/users/me").headers["ETag"]
    for given in (tag, f"W/{tag}", f'"a", {tag}', "*"):
        again = client.get("/users/me", headers={"If-None-Match": given})
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    assert json.loads(client.get("/users/me", headers={"If-None-Match": '"a"'}).data)["handle"]


# Date


def test_date_is_the_clock_of_the_world():
    """On every response over HTTP, of the API, of the control plane and of refusals (RFC 9110, 6.6.1)."""
    sim = Simulator(clock=START)
    client = sim.client("demo-user")
    paths = ["/users/me", "/nowhere", "/_confsim/health", "/w/nobody/v1_0/users/me", "/_confsim/nowhere"]
    assert {client.get(path).headers["Date"] for path in paths} == {"Sun, 01 Feb 2026 00:00:00 GMT"}
    sim.clock.advance("90s")
    assert {client.get(path).headers["Date"] for path in paths} == {"Sun, 01 Feb 2026 00:01:30 GMT"}
    assert [name for name, _ in client.get("/users/me").headers].count("Date") == 1


def test_an_answer_that_was_waited_for_has_a_date_too():
    """The clock as it was when the answer was there."""
    sim = Simulator(clock=START)
    response = sim.client().post("/_confsim/wait", json={"timeout": "10ms"})
    assert response.headers["Date"] == "Sun, 01 Feb 2026 00:00:00 GMT", response.data

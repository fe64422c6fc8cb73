"""Paths that are equal by RFC 3986, 6.2.2: whatever interface carries them, they reach the same."""

from __future__ import annotations

import io
import json
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import unquote_to_bytes

import httpx
import msgspec
import pytest
from hypothesis import given, strategies as st
from websockets.sync.client import connect

from confsim import Simulator
from confsim.kernel.refusal import Misuse
from confsim.service.messages import Request
from confsim.testing.observing.requests import Reader
from confsim.values.urls import normalised, path_segments
from kit import ROOM, START

HEADERS = {"Authorization": "Bearer demo-owner"}

#: A path, and others that are equal to it.
EQUAL = {
    "/v1_0/users/me": ("/v1_0/users/%6De", "/v1%5F0/users/me", "/%76%31_0/%75sers/m%65", "/v1%5f0/users/me"),
    f"/v1_0/channels/{ROOM}": (f"/v1_0/channels/{ROOM.replace('-', '%2D')}", f"/v1_0/%63hannels/%61{ROOM[1:]}"),
    "/v1_0/users/find/handle?handle=Olaf%20Owner": ("/v1_0/users/%66ind/h%61ndle?%68andle=Ol%61f%20%4Fwner",),
    "/v1_0/users/me?_confsim=status%3D503": ("/v1_0/users/me?%5Fconfsim=status%3d503",),
    "/v1_0/users/ROOM%2Fx": ("/v1_0/users/RO%4FM%2fx",),
    "/_confsim/clock": ("/%5Fconfsim/clock", "/%5fconfsim/%63lock"),
    f"/_confsim/records/channels/{ROOM}": (f"/%5Fconfsim/records/ch%61nnels/{ROOM.replace('-', '%2d')}",),
    "/_confsim/inspector/static/style.css": ("/_confsim/%69nspector/static/style%2Ecss",),
    "/_confsim/inspector/operations": ("/%5Fconfsim/inspector/%6Fperations",),
    "/openapi.json": ("/openapi%2Ejson", "/%6fpenapi.json"),
    f"/streaming/{ROOM}": (f"/str%65aming/{ROOM.replace('-', '%2D')}",),
}
#: The same where clients of a library resolve or encode more than they are given.
EQUAL_AS_SENT = {
    "/v1_0/users/./me": ("/v1_0/users/%2E/me", "/v1_0/users/%2e/me"),
    "/v1_0/channels/../users/me": ("/v1_0/channels/%2E./users/me",),
    "/v1_0/users/%6": (),
    "/v1_0/users/%%6De": (),
}

#: Equal addresses of a websocket.
ADDRESSES = tuple(path for path in EQUAL if path.startswith("/str")) + EQUAL[f"/streaming/{ROOM}"]


def by_wsgi(sim, root, target):
    """Called by a server that tells the target as it came."""
    return _called(sim, {"RAW_URI": target, "PATH_INFO": _decoded(target)}, target)


def by_wsgi_of_another_server(sim, root, target):
    """Called by a server that tells the decoded path alone."""
    return _called(sim, {"PATH_INFO": _decoded(target)}, target)


def _decoded(target):
    return unquote_to_bytes(target.partition("?")[0]).decode("latin-1")


def _called(sim, environ, target):
    begun = []
    environ |= {"REQUEST_METHOD": "GET", "QUERY_STRING": target.partition("?")[2], "wsgi.input": io.BytesIO()}
    environ |= {"HTTP_AUTHORIZATION": HEADERS["Authorization"], "HTTP_HOST": "localhost"}
    body = b"".join(sim.wsgi(environ, lambda status, lines: begun.append(status)))
    return int(begun[0][:3]), body


def by_client(sim, root, target):
    """By the test client."""
    answer = sim.client("demo-owner").get(target)
    return answer.status_code, answer.data


def by_httpx(sim, root, target):
    """By httpx, in process."""
    with httpx.Client(transport=sim.transport(), base_url="http://localhost", headers=HEADERS) as client:
        answer = client.get(target)
        return answer.status_code, answer.content


def by_requests(sim, root, target):
    """By requests, in process."""
    with sim.session("demo-owner") as session:
        answer = session.get("http://localhost" + target)
        return answer.status_code, answer.content


def by_live_server(sim, root, target):
    """Over a connection, as it is."""
    with closing(HTTPConnection(root.partition("//")[2])) as connection:
        connection.putrequest("GET", target)
        for name, value in HEADERS.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read()


RAW = (by_wsgi, by_live_server)
INTERFACES = (*RAW, by_wsgi_of_another_server, by_client, by_httpx, by_requests)


@pytest.fixture(scope="module")
def served():
    """A world at a frozen clock on a live server, with another one beside it: the simulator and the server's root."""
    sim = Simulator(clock=START)
    sim.worlds.add("one-world")
    with sim.serve() as server:
        yield sim, server.root


@pytest.mark.parametrize("by", INTERFACES)
@pytest.mark.parametrize("mount", [("", ""), ("/w/one-world", "/%77/one%2Dworld")], ids=["root", "named"])
def test_equal_paths_reach_the_same_through_every_interface(served, by, mount):
    """Status and body are the same; an error quotes the path as it came."""
    sim, root = served
    for path, others in (EQUAL | (EQUAL_AS_SENT if by in RAW else {})).items():
        target = mount[0] + path
        status, body = by(sim, root, target)
        for other in (mount[1] + spelt for spelt in (path, *others)):
            assert _told(*by(sim, root, other)) == _told(status, body), (target, other)
        if by is by_wsgi:
            assert status == EXPECTED.get(path, 200), (target, status, body)


def _told(status, body):
    """Return a status and its body; of a refusal, which may quote the path, only the code."""
    return status, body if status == 200 else body.startswith(b"{") and msgspec.json.decode(body)["code"]


#: What is not answered with 200: the parameter is data, and so are dots and broken escapes.
EXPECTED = {
    "/v1_0/users/me?_confsim=status%3D503": 503,
    "/v1_0/users/./me": 404,
    "/v1_0/channels/../users/me": 404,
    "/v1_0/users/%6": 400,
    "/v1_0/users/%%6De": 400,
    f"/streaming/{ROOM}": 404,  # websockets are the live server's
    "/v1_0/users/ROOM%2Fx": 400,
}


@pytest.mark.parametrize("mount", ["", "/%77/one%2Dworld"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_equal_addresses_open_the_same_websocket(served, mount, address):
    """The handshake succeeds, and without one the answer is that of a websocket's address."""
    sim, root = served
    with connect(f"ws{root.removeprefix('http')}{mount}{address}", additional_headers=HEADERS) as websocket:
        assert msgspec.json.decode(websocket.recv(timeout=30))["channel"] == ROOM
    assert by_live_server(sim, root, mount + address)[0] == 426


def test_the_address_of_a_websocket_in_a_profile_may_be_written_in_any_way():
    """A template with characters beyond ASCII or needless escapes is served where clients find it."""
    sim = Simulator(profile={"streaming.url": "{root}/%73trömen/{channel}"})
    address = sim.call("get_streaming_proxy", "demo-owner", uuid=ROOM).body["url"]
    with sim.serve() as server:
        url = f"ws{server.root.removeprefix('http')}/{address.split('/', 3)[3]}"
        with connect(url, additional_headers=HEADERS) as websocket:
            assert msgspec.json.decode(websocket.recv(timeout=30))["channel"] == ROOM


def test_the_journal_keeps_paths_as_they_came_and_finds_them_however_they_are_written():
    """A path that is searched for matches calls as they were sent, and as they are normalised."""
    sim = Simulator(clock=START)
    sim.client("demo-owner").get("/v1%5F0/users/%6De")
    (call,) = sim.requests.find(path="/v1_0/users/me")
    assert (call.path, call.operation) == ("/v1%5F0/users/%6De", "get_me")
    assert [each.id for each in sim.requests.find(path="/v1%5F0/users/%6De")] == [call.id]
    assert not sim.requests.find(path="/v1_0/users/m")


def test_an_export_repeats_calls_by_name_however_their_paths_are_written():
    """A scenario would leave out a call whose path is not that of its operation."""
    sim = Simulator(clock=START)
    sim.client("demo-owner").get("/v1%5F0/users/%6De")
    sim.client("demo-owner").get(f"/v1_0/ch%61nnels/%{ord(ROOM[0]):02x}{ROOM[1:]}")
    steps = json.loads(sim.requests.export("scenario"))["workflows"][0]["steps"]
    called = [each["operationId"] for each in steps if ".api." in each["operationId"]]
    assert called == [f"$sourceDescriptions.api.{name}" for name in ("get_me", "get_channel")]
    assert f"world.call('get_channel', 'demo-owner', uuid='{ROOM}')" in sim.requests.export("pytest")


def test_the_nearest_route_is_that_of_the_normalised_path():
    """Escapes of unreserved characters do not make a path less similar."""
    sim = Simulator()
    for path in ("/v1_0/channelz/%61ctive", "/v1%5F0/ch%61nnelz/active"):
        sim.client("demo-owner").get(path)
    assert [each.nearest for each in sim.requests.unmatched] == ["GET /v1_0/channels/active"] * 2


def test_observing_reads_calls_however_their_paths_are_written():
    """The proxy passes them on as they came; the observer learns from what they reach."""
    read = Reader({}).call(Request("GET", "/v1%5F0/%75sers/1002/email"), "token")
    assert (read.operation, read.path) == ("get_user_email", {"userId": "1002"})


def test_the_query_parameter_that_chooses_an_operation_may_be_escaped():
    """Its name is compared as it is meant, not as it is written."""
    sim = Simulator()
    meeting = sim.call("get_channel", "demo-owner", uuid=ROOM).body["meetingId"]
    for name in ("meetingId", "%6Deeting%49d"):
        assert sim.client("demo-owner").get(f"/channels?{name}={meeting}").json == {"uuid": ROOM}


@pytest.mark.parametrize(
    ("chosen", "path"),
    [("GET /%6Dine/clients", "/mine/clients"), ("GET /über uns", None), ("GET /ü/clients", "/%C3%BC/clients")],
)
def test_routes_of_a_profile_are_normalised_or_refused(chosen, path):
    """A route beyond ASCII is served at its percent-encoded form; one with a space is not a route."""
    operation = "list_clients"
    if path is None:
        with pytest.raises(Misuse, match="is no route such as"):
            Simulator(profile={f"route.{operation}": chosen})
        return
    sim = Simulator(profile={f"route.{operation}": chosen})
    assert sim.client("demo-partner-admin").get(path).status_code == 200


@given(st.text(st.sampled_from("%0123456789abcdefABCDEF/-~zü"), max_size=12))
def test_normalising_is_idempotent_and_never_changes_what_is_meant(text):
    """Decoding gives the same bytes, segment by segment; a second time nothing changes."""
    again = normalised(text)
    assert normalised(again) == again
    assert list(map(unquote_to_bytes, text.split("/"))) == list(map(unquote_to_bytes, path_segments(text)))

"""The clients that people use, against the live server and in process, and clocks that are moved."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import freezegun
import httpx
import pytest
import requests
import time_machine
import urllib3

from confsim import Simulator
from kit import CUSTOMER
from kit.wire import web

HEADERS = {"Authorization": "Bearer demo-customer-admin"}
NEW_TERMS = {"url": "https://example.com/terms/2"}


def by_httpx(base_url, method, path, body=None):
    """One request by httpx."""
    with web.client(base_url=base_url, headers=HEADERS, trust_env=False) as client:
        answer = client.request(method, path, json=body)
        return answer.status_code, answer.json() if answer.content else None


def by_requests(base_url, method, path, body=None):
    """One request by requests."""
    with requests.Session() as session:
        session.trust_env = False
        answer = session.request(method, base_url + path, json=body, headers=HEADERS)
        return answer.status_code, answer.json() if answer.content else None


def by_urllib3(base_url, method, path, body=None):
    """One request by urllib3."""
    with urllib3.PoolManager() as pool:
        answer = pool.request(method, base_url + path, headers=HEADERS, json=body)
        return answer.status, json.loads(answer.data) if answer.data else None


@pytest.fixture(params=[by_httpx, by_requests, by_urllib3], ids=lambda send: send.__name__)
def send(request):
    """One of the clients, over a socket."""
    return request.param


def test_a_client_reads_and_writes_over_the_live_server(confsim_server, send):
    """A POST with a JSON body and the GET that shows what it did."""
    assert send(confsim_server.base_url, "POST", "/terms", NEW_TERMS) == (200, None)
    status, terms = send(confsim_server.base_url, "GET", f"/clients/{CUSTOMER}/terms")
    assert (status, terms["url"]) == (200, NEW_TERMS["url"])
    assert [entry.operation for entry in confsim_server.simulator.service.journal] == [
        "update_terms_url",
        "get_client_terms",
    ]


def test_a_client_is_refused_in_the_envelope(confsim_server, send):
    """A wrong path and a wrong body are refusals with a JSON body."""
    assert send(confsim_server.base_url, "GET", "/nowhere")[0] == 404
    status, refusal = send(confsim_server.base_url, "POST", "/terms", {"url": 1})
    assert (status, refusal["code"]) == (400, "invalid_input")


@pytest.mark.parametrize("turn", [0, 1])
def test_no_test_sees_what_another_did(confsim_server, confsim, turn):
    """Server worlds and simulators begin anew in each test, and are not each other's."""
    before = confsim.call("get_client_terms", clientId=CUSTOMER).body
    assert before["url"] != NEW_TERMS["url"]
    assert by_httpx(confsim_server.base_url, "GET", f"/clients/{CUSTOMER}/terms")[1] == before
    by_httpx(confsim_server.base_url, "POST", "/terms", NEW_TERMS)
    assert confsim.call("get_client_terms", clientId=CUSTOMER).body == before


def test_httpx_in_process(confsim):
    """The simulator answers httpx without a socket, under any host name."""
    with httpx.Client(transport=confsim.transport(), base_url="http://conference.example/v1_0") as client:
        assert client.post("/terms", json=NEW_TERMS, headers=HEADERS).status_code == 200
        assert client.get(f"/clients/{CUSTOMER}/terms").json()["url"] == NEW_TERMS["url"]


def test_requests_in_process(confsim):
    """The simulator answers requests without a socket, with the token presented for it."""
    with confsim.session("demo-customer-admin") as session:
        assert session.post("http://conference.example/v1_0/terms", json=NEW_TERMS).status_code == 200
    assert confsim.call("get_client_terms", clientId=CUSTOMER).body["url"] == NEW_TERMS["url"]


def test_async_httpx_in_process(confsim):
    """The same from a coroutine."""
    import asyncio

    async def main():
        async with httpx.AsyncClient(transport=confsim.transport(), base_url="http://any.example/v1_0") as client:
            return (await client.get(f"/clients/{CUSTOMER}/terms")).status_code

    assert asyncio.run(main()) == 200


def test_the_transport_is_typed_as_both_kinds():
    """Type checkers take it for httpx.Client and for httpx.AsyncClient."""
    from confsim.http.clients_httpx import HttpxTransport

    assert Simulator.transport.__annotations__["return"] == HttpxTransport.__name__
    assert issubclass(HttpxTransport, httpx.BaseTransport)
    assert issubclass(HttpxTransport, httpx.AsyncBaseTransport)


PNG = b"\x89PNG\r\n\x1a\n"


def image_url(confsim, door):
    """The URL of an image in the answer to a call through one of the doors of the process."""
    if door == "call":
        return confsim.call("get_me", "demo-user").body["imageUrl"]
    if door == "test client":
        return confsim.client("demo-user").get("/users/me").json["imageUrl"]
    if door == "requests":
        return confsim.session("demo-user").get(f"{confsim.base_url}/users/me").json()["imageUrl"]
    with httpx.Client(transport=confsim.transport(), headers=confsim.presented("demo-user")[0]) as client:
        return client.get(f"{confsim.base_url}/users/me").json()["imageUrl"]


@pytest.mark.parametrize("door", ["call", "test client", "requests", "httpx"])
def test_every_door_of_the_process_has_one_host(confsim, door):
    """URLs in answers are the same by each of them; each of them takes the URL."""
    confsim.call("set_user_image", "demo-user", userId="me", body=PNG)
    url = image_url(confsim, door)
    assert url.startswith("http://confsim.test/files/")
    assert confsim.client().get(url).data == confsim.session().get(url).content == PNG


def test_another_host_of_the_test_client_is_asked_for():
    """By the URL of a request or by its base URL, as clients of a server do."""
    simulator = Simulator()
    simulator.call("set_user_image", "demo-user", userId="me", body=PNG)
    client = simulator.client("demo-user")
    for asked in (
        client.get("http://a.example:81/v1_0/users/me"),
        client.get("/users/me", base_url="http://a.example:81"),
    ):
        assert asked.json["imageUrl"].startswith("http://a.example:81/files/")


def test_a_cookie_of_the_test_client_is_sent():
    """It belongs to the host of the process unless another is named."""
    simulator = Simulator(profile={"auth.presentation": ["Cookie: session={token}"]})
    client = simulator.client()
    client.set_cookie("session", "demo-user")
    assert client.get_cookie("session").value == "demo-user"
    assert client.get("/users/me").status_code == 200
    client.set_cookie("theme", "dark")
    client.delete_cookie("session")
    assert client.get("/users/me", headers={"Cookie": 'a=b; session="demo-user"'}).status_code == 200
    assert client.get("/users/me").status_code == 401


def promulgated(simulator):
    """The instant in epoch milliseconds at which new terms come to be."""
    simulator.call("promulgate_terms", "demo-api-token", body=NEW_TERMS)
    return simulator.call("get_client_terms", clientId=CUSTOMER).body["promulgated"]


NOON = 1_781_006_400_000


@pytest.mark.parametrize("freeze", [freezegun.freeze_time, time_machine.travel], ids=["freezegun", "time-machine"])
def test_the_clock_follows_frozen_time(make_confsim, freeze):
    """What happens while time is frozen happens at the frozen instant, and time goes on afterwards."""
    with freeze("2026-06-09 12:00:00+00:00", **({"tick": False} if freeze is time_machine.travel else {})):
        assert promulgated(make_confsim()) == NOON
    assert promulgated(make_confsim()) != NOON


@pytest.mark.parametrize("freeze", [freezegun.freeze_time, time_machine.travel], ids=["freezegun", "time-machine"])
def test_the_live_server_follows_frozen_time(confsim_server, freeze):
    """Freezing the time of the process freezes that of the server in it, and the server still answers."""
    with freeze("2026-06-09 12:00:00+00:00", **({"tick": False} if freeze is time_machine.travel else {})):
        assert by_urllib3(confsim_server.base_url, "POST", "/terms/new", NEW_TERMS)[0] == 200
        assert by_urllib3(confsim_server.base_url, "GET", f"/clients/{CUSTOMER}/terms")[1]["promulgated"] == NOON


@freezegun.freeze_time("2026-06-09 12:00:00+00:00")
def test_a_whole_test_in_frozen_time(confsim):
    """The fixture made before the freeze still shows the frozen instant."""
    assert promulgated(confsim) == NOON


@pytest.mark.parametrize("library", ["freezegun.freeze_time({!r})", "time_machine.travel({!r}, tick=False)"])
def test_confsim_imported_inside_frozen_time(library):
    """Importing confsim while time is frozen leaves nothing frozen behind in it."""
    freeze = library.format("2026-06-09 12:00:00+00:00")
    code = f"""
        import {freeze.partition(".")[0]}
        with {freeze}:
            from confsim import Simulator
            sim = Simulator()
            frozen = sim.service.clock.now()
            assert frozen == {NOON}, frozen
            fixed = Simulator(clock="2026-02-01T00:00:00Z").service.clock.now()
        assert sim.service.clock.now() != frozen
        assert Simulator(clock="2026-02-01T00:00:00Z").service.clock.now() == fixed == 1769904000000
        import datetime
        from confsim.service import clock
        assert clock.datetime is datetime.datetime
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_server_of_ones_own():
    """A simulator serves itself, and the port is free again afterwards."""
    simulator = Simulator()
    with simulator.serve() as server:
        assert by_urllib3(server.base_url, "GET", f"/clients/{CUSTOMER}/terms")[0] == 200
        root = server.root
    with pytest.raises(urllib3.exceptions.HTTPError):
        urllib3.PoolManager(retries=False).request("GET", root)

"""The Host names that a live server answers to, before it starts and while it runs."""

from __future__ import annotations

import json
from http.client import HTTPConnection

import pytest

from confsim import Simulator


def status(server, host, path="/_confsim/health"):
    """What a call under a Host name is answered."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("GET", path, headers={"Host": host})
    answer = connection.getresponse().status
    connection.close()
    return answer


def test_names_are_added_and_dropped_while_a_server_runs(sim):
    """By the control plane, at once, with and without a port, in any case; the API goes by the same names."""
    with sim.serve() as server:
        plane = sim.client()
        assert status(server, "conf.example") == 403
        assert plane.post("/_confsim/names", json={"name": "Conf.Example"}).json == {"names": ["conf.example"]}
        assert status(server, "conf.example") == status(server, "CONF.example:99") == 200
        assert status(server, "conf.example", "/v1_0/channels/nope") == 401
        assert status(server, "www.conf.example") == 403
        assert plane.get("/_confsim/names").json == {"names": ["conf.example"]}
        assert plane.delete("/_confsim/names/conf.example").json == {"names": []}
        assert status(server, "conf.example") == 403
        assert plane.delete("/_confsim/names/conf.example").status_code == 404


def test_names_are_given_before_a_server_starts(sim):
    """As an argument, and by the control plane; and in Python while it runs."""
    sim.control("add_name", name="one.example")
    with sim.serve(names=["Two.example"]) as server:
        assert [status(server, f"{name}.example") for name in ("one", "two", "three")] == [200, 200, 403]
        server.answer_to("Three.example")
        assert status(server, "three.example") == 200


@pytest.mark.parametrize(
    "name", ["", "http://conf.example", "conf.example:80", "conf/example", "a b", "*", "a..b", "x" * 254]
)
def test_what_is_no_name_is_reported(plane, name):
    """A name alone, without scheme, port or path; and no pattern."""
    assert plane("POST", "/names", {"name": name})[0] == 400
    assert plane("GET", "/names")[1] == {"names": []}


def test_addresses_are_those_by_which_a_call_was_made(sim):
    """Base URL, roots of worlds and images have the name of the caller, and the scheme of the profile."""
    secure = Simulator(profile={"http": {"scheme": "https"}})
    with sim.serve(names=["conf.example"]) as server, secure.serve(names=["conf.example"]) as other:
        for each, scheme in ((server, "http"), (other, "https")):
            connection = HTTPConnection("127.0.0.1", each.port, timeout=30)
            connection.request("GET", "/_confsim/info", headers={"Host": "conf.example"})
            assert f'"base_url":"{scheme}://conf.example/v1_0"' in connection.getresponse().read().decode()
            connection.close()


def json_of(server, path, host="localhost"):
    """What is answered to the owner under a Host name."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("GET", path, headers={"Host": host, "Authorization": "Bearer demo-user"})
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer


def test_addresses_are_what_was_set(sim):
    """While the server runs: of API and control plane, of every world and for everyone; as before when it is undone."""
    sim.call("set_user_image", "demo-user", userId="me", url="https://pictures.example/1.png")
    sim.worlds.add("w1", "")
    plane = sim.client()
    with sim.serve() as server:
        assert plane.get("/_confsim/address").json == {"url": None}
        answer = plane.put("/_confsim/address", json={"url": "https://Proxy.example:8443/conf/"})
        assert answer.json == {"url": "https://Proxy.example:8443/conf"}
        for mount in ("", "/w/w1"):
            root = f"https://Proxy.example:8443/conf{mount}"
            assert json_of(server, f"{mount}/v1_0/users/me")["imageUrl"].startswith(f"{root}/files/")
            info = json_of(server, f"{mount}/_confsim/info", "proxy.EXAMPLE:1")
            assert info["base_url"] == f"{root}/v1_0"
        plane.put("/_confsim/address", json={"url": None})
        assert json_of(server, "/v1_0/users/me")["imageUrl"].startswith("http://localhost/files/")
        assert status(server, "proxy.example") == 403


def test_addresses_are_set_before_a_server_starts(sim):
    """As an argument, and in Python; the Host name is one that the server answers to, and stays so if it was before."""
    sim.control("add_name", name="known.example")
    with sim.serve(public_url="http://known.example") as server:
        assert status(server, "known.example") == 200
        assert sim.control("get_info").base_url == "http://known.example/v1_0"
        sim.worlds.public_url = "https://other.example"
        assert [status(server, name) for name in ("known.example", "other.example")] == [200, 200]
        sim.worlds.public_url = ""
        assert [status(server, name) for name in ("known.example", "other.example")] == [200, 403]


def test_links_and_journals_go_by_the_address_that_was_set(sim):
    """Mails link to it, curl lines ask it, and a test that repeats the calls holds without it."""
    sim.worlds.public_url = "https://proxy.example/conf"
    sim.call("set_user_image", "demo-user", userId="me", url="https://pictures.example/1.png")
    url = sim.call("get_me", "demo-user").body["imageUrl"]
    assert url.startswith("https://proxy.example/conf/files/")
    assert "https://proxy.example/conf/v1_0/users/me" in sim.requests.export("curl")
    text = sim.requests.export("pytest")
    assert url.replace("https://proxy.example/conf", "http://confsim.test") in text
    assert "proxy.example" not in text


@pytest.mark.parametrize(
    "url",
    ["conf.example", "ftp://conf.example", "http://", "http://a b", "http://x/?q", "http://u@x", "http://x:y", "/x"],
)
def test_what_is_no_address_is_reported(plane, url):
    """A URL with scheme and host, and maybe a path."""
    assert plane("PUT", "/address", {"url": url})[0] == 400
    assert plane("GET", "/address")[1] == {"url": None}

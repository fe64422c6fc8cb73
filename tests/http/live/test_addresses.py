"""Where a live server listens, which names it answers to, and what a proxy says of its clients."""

from __future__ import annotations

import errno
import json
import socket
from contextlib import closing
from http.client import HTTPConnection

import pytest

from confsim import Simulator
from confsim.control.bundle import document, replay
from confsim.http.live import server as live
from kit import OWNER, ok

pytestmark = pytest.mark.own_ways


def fetch(server, path="/_confsim/health", host="127.0.0.1", **headers):
    """Return the status and the JSON of a request that connects to a host."""
    with closing(HTTPConnection(host, server.port, timeout=30)) as connection:
        connection.request("GET", path, headers={name.replace("_", "-"): text for name, text in headers.items()})
        answer = connection.getresponse()
        return answer.status, json.load(answer)


def has_ipv6():
    """Return whether this machine has the loopback address of IPv6."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


@pytest.mark.skipif(not has_ipv6(), reason="the machine has no IPv6")
@pytest.mark.parametrize("name", ["localhost", "LocalHost"])
def test_localhost_is_served_in_both_address_families(name):
    """At one port; the server stops at both."""
    with Simulator().serve(name) as server:
        for host in ("127.0.0.1", "::1"):
            assert fetch(server, host=host) == (200, {"status": "ok"})
    for host in ("127.0.0.1", "::1"):
        with pytest.raises(ConnectionRefusedError):
            fetch(server, host=host)


def test_localhost_is_served_without_ipv6(monkeypatch):
    """A machine that lacks a family is served in the other."""
    listener = live._listener

    def without(host, port):
        if ":" in host:
            raise OSError(errno.EADDRNOTAVAIL, "no such address")
        return listener(host, port)

    monkeypatch.setattr(live, "_listener", without)
    with Simulator().serve("localhost") as server:
        assert fetch(server) == (200, {"status": "ok"})


@pytest.mark.skipif(not has_ipv6(), reason="the machine has no IPv6")
def test_a_port_of_localhost_must_be_free_in_both_families():
    """The error names the port, and the socket of the other family is closed."""
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=f"cannot listen on localhost:{port}: Address already in use"):
            Simulator().serve("localhost", port).start()
        socket.create_server(("127.0.0.1", port)).close()


def test_the_refusal_of_an_unknown_host_names_the_option():
    """It says which name to add, without the port."""
    with Simulator().serve() as server:
        for path in ("/_confsim/health", "/v1_0/users/me"):
            status, body = fetch(server, path, Host=f"conf.example:{server.port}")
            text = body.get("detail") or body["message"]
            assert (status, body["code"]) == (403, "host_unknown")
            assert text.endswith("it is added by `--name conf.example`.")


@pytest.fixture
def pictured():
    """A world in which the owner has an image, whose URL is in answers."""
    sim = Simulator()
    ok(sim, "set_user_image", OWNER, userId="me", url="https://pictures.example/1.png")
    return sim


def test_urls_start_as_a_trusted_proxy_says(pictured):
    """Those of the API and of the control plane, request by request; without such headers by the Host header."""
    with pictured.serve(trust_proxy=True) as server:
        lines = {"X_Forwarded_Proto": "https", "X_Forwarded_Host": "conf.example", "X_Forwarded_Prefix": "/x"}
        _, me = fetch(server, "/v1_0/users/me", Authorization=f"Bearer {OWNER}", **lines)
        assert me["imageUrl"].startswith("https://conf.example/x/files/")
        _, info = fetch(server, "/_confsim/info", X_Forwarded_Host="conf.example")
        assert info["base_url"] == "http://conf.example/v1_0"
        for index in ("/", "/_confsim"):
            assert fetch(server, index, X_Forwarded_Host="conf.example")[1]["control"] == "http://conf.example/_confsim"
        assert fetch(server, "/_confsim/info")[1]["base_url"] == server.base_url.replace("localhost", "127.0.0.1")
    pictured.worlds.add("other")
    with pictured.serve(trust_proxy=True) as server:
        _, info = fetch(server, "/w/other/_confsim/info", X_Forwarded_Host="conf.example")
        assert info["base_url"] == "http://conf.example/w/other/v1_0"


def test_a_server_that_trusts_no_proxy_ignores_its_headers(pictured):
    """Anybody can send them; nothing is left of an earlier server that did."""
    with pictured.serve(trust_proxy=True):
        pass
    with pictured.serve() as server:
        lines = {"Authorization": f"Bearer {OWNER}", "X_Forwarded_Host": "evil.example"}
        assert fetch(server, "/v1_0/users/me", **lines)[1]["imageUrl"].startswith(server.root)


def test_a_trusted_proxy_does_not_open_the_server_to_unknown_hosts(pictured):
    """The Host header is checked as always: a page that DNS leads here could send the other headers."""
    with pictured.serve(trust_proxy=True) as server:
        status, _ = fetch(server, Host="evil.example", X_Forwarded_Host="localhost")
        assert status == 403


def test_a_page_behind_the_proxy_may_steer_the_world(pictured):
    """Its origin is the address that the proxy names; any other is another site."""
    with pictured.serve(trust_proxy=True) as server:
        lines = {"X_Forwarded_Proto": "https", "X_Forwarded_Host": "conf.example"}
        assert fetch(server, "/_confsim/clock", Origin="https://conf.example", **lines)[0] == 200
        assert fetch(server, "/_confsim/clock", Origin="http://conf.example", **lines)[0] == 403


def test_a_bundle_of_calls_through_a_proxy_replays_to_the_byte(pictured):
    """It notes that the headers were believed."""
    with pictured.serve(trust_proxy=True) as server:
        fetch(server, "/v1_0/users/me", Authorization=f"Bearer {OWNER}", X_Forwarded_Host="conf.example")
        found = document.decoded(pictured.control("get_bundle").data)
    assert found.trusts_proxy
    assert replay.replay(found, found.calls).parting is None

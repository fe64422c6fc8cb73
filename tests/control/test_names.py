"""The Host names that a live server answers to, before it starts and while it runs."""

from __future__ import annotations

from http.client import HTTPConnection

import pytest

from confsim import Simulator


def status(server, host, path="/_confsim/health"):
    """What a call under a Host name is answered."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=5)
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
    sim.order("add_name", name="one.example")
    with sim.serve(names=["Two.example"]) as server:
        assert [status(server, f"{name}.example") for name in ("one", "two", "three")] == [200, 200, 403]
        server.answer_to("Three.example")
        assert status(server, "three.example") == 200


@pytest.mark.parametrize(
    "name", ["", "http://conf.example", "conf.example:80", "conf/example", "a b", "*", "a..b", "x" * 254]
)
def test_what_is_no_name_is_told(plane, name):
    """A name alone, without scheme, port or path; and no pattern."""
    assert plane("POST", "/names", {"name": name})[0] == 400
    assert plane("GET", "/names")[1] == {"names": []}


def test_addresses_are_those_by_which_a_call_was_made(sim):
    """Base URL, roots of worlds and images bear the name of the caller, and the scheme of the profile."""
    secure = Simulator(profile={"http": {"scheme": "https"}})
    with sim.serve(names=["conf.example"]) as server, secure.serve(names=["conf.example"]) as other:
        for each, scheme in ((server, "http"), (other, "https")):
            connection = HTTPConnection("127.0.0.1", each.port, timeout=5)
            connection.request("GET", "/_confsim/info", headers={"Host": "conf.example"})
            assert f'"base_url":"{scheme}://conf.example/v1_0"' in connection.getresponse().read().decode()
            connection.close()

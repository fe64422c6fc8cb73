"""Many worlds on one server under load stay apart. A thousand of them: ``python tests/benchmarks worlds``."""

from __future__ import annotations

import http.client
import importlib.util
import json
import threading
from pathlib import Path

import pytest

from confsim import Misuse, Simulator
from kit import START


@pytest.fixture(scope="module")
def loaded_worlds():
    """The module of the benchmarks that loads many worlds."""
    place = Path(__file__).parents[1] / "benchmarks" / "loaded_worlds.py"
    spec = importlib.util.spec_from_file_location("loaded_worlds", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_worlds_under_load_stay_apart(loaded_worlds):
    """Thirty worlds, eight threads, calls of every kind in random turns: each is as its twin that was alone."""
    with Simulator(clock=START).serve() as server:
        members = loaded_worlds.make(server.port, 30)
        assert loaded_worlds.load(server.port, members, calls=8, threads=8) == 240
        loaded_worlds.check(server.port, members)


def test_the_check_notices_a_difference(loaded_worlds):
    """A single call to a world of somebody else is seen."""
    with Simulator(clock=START).serve() as server:
        members = loaded_worlds.make(server.port, 3)
        loaded_worlds.load(server.port, members, calls=5, threads=3)
        with loaded_worlds.Connection(server.port) as connection:
            connection.ask("POST", "/w/w2/v1_0/terms", {"url": "https://stranger.example/"})
        with pytest.raises(AssertionError, match="w2"):
            loaded_worlds.check(server.port, members)


def test_worlds_are_made_and_dropped_while_others_are_called(loaded_worlds):
    """From threads of this process too: no call of another world is lost, and all names are free in the end."""
    sim = Simulator(clock=START)
    with sim.serve() as server:
        members = loaded_worlds.make(server.port, 8)
        stop = threading.Event()
        failures = []

        def churn(place):
            try:
                while not stop.is_set():
                    sim.worlds.add(f"churn-{place}", "w1")
                    sim.worlds.drop(f"churn-{place}")
            except Misuse as misuse:
                failures.append(misuse)

        churners = [threading.Thread(target=churn, args=(place,)) for place in range(3)]
        for each in churners:
            each.start()
        try:
            loaded_worlds.load(server.port, members, calls=10, threads=4)
        finally:
            stop.set()
            for each in churners:
                each.join()
        assert failures == []
        loaded_worlds.check(server.port, members)
        assert len(sim.worlds) == 9


def test_a_name_of_a_container_is_that_of_every_address():
    """As in a network of containers, where a service reaches the server as http://confsim:8000."""
    with Simulator().serve("127.0.0.1", names=["confsim"]) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        connection.request("POST", "/_confsim/worlds", b"{}", {"Host": "confsim:8000"})
        world = json.loads(connection.getresponse().read())
        assert world["base_url"] == f"http://confsim:8000/w/{world['name']}/v1_0"
        path = world["base_url"].removeprefix("http://confsim:8000")
        connection.request(
            "GET", f"{path}/users/me", headers={"Host": "confsim:8000", "Authorization": "Bearer demo-owner"}
        )
        assert connection.getresponse().read().startswith(b'{"id":1002')
        connection.request("GET", f"{path}/users/me", headers={"Host": "confsim-2:8000"})
        refused = connection.getresponse()
        assert refused.status == 403
        assert b"host_unknown" in refused.read()
        connection.close()

"""Each drift is shown by its calls: green straight to the service, red through the proxy."""

from __future__ import annotations

import http.client
import json
from threading import Thread

import pytest
from werkzeug.serving import make_server
from werkzeug.test import Client

from services.calls.cases_of_drifts import CASES
from services.calls.client import Api
from services.drifts.proxy import Proxy, to_app, to_url
from services.drifts.registry import DRIFTS


def through(api: Api, *drifts: str, seed: int = 0) -> Api:
    """Let the calls to a service pass the proxy."""
    api.web = Client(Proxy(to_app(api.app), drifts, seed))
    return api


def test_every_drift_is_shown() -> None:
    """There are forty, and each has calls that show it."""
    assert set(CASES) == set(DRIFTS)
    assert len(DRIFTS) == 40


@pytest.mark.parametrize("drift", sorted(CASES))
def test_drift(drift: str) -> None:
    """The calls go as they should straight to the service and through an idle proxy, and fail with the drift."""
    CASES[drift](Api("a"))
    CASES[drift](through(Api("a")))
    with pytest.raises(AssertionError):
        CASES[drift](through(Api("a"), drift))


def test_drifts_come_together() -> None:
    """Several drifts change one answer."""
    told = through(Api("a"), "case-folded", "total-of-page").ok("owner", "GET", "/channels?limit=1&sort=name").json
    assert told["total"] == 1
    assert told["results"][0]["name"] == told["results"][0]["name"].lower()


def test_a_seed_fixes_what_comes_now_and_then() -> None:
    """The same seed gives the same answers, another one others."""

    def kinds(seed: int) -> list[bool]:
        api = through(Api("a"), "sometimes-without-kind", seed=seed)
        return ["kind" in api.ok("user", "GET", "/users/me").json for _ in range(12)]

    assert kinds(1) == kinds(1)
    assert kinds(1) != kinds(2)


def test_an_unknown_drift_is_refused() -> None:
    """A name that is not registered is told."""
    with pytest.raises(ValueError, match="no such drift: nothing"):
        Proxy(to_url("http://127.0.0.1:1"), ["nothing"])


def test_the_proxy_stands_in_front_of_a_server() -> None:
    """By its base URL: requests arrive as they were sent, and answers come back drifted."""
    api = Api("a")
    server = make_server("127.0.0.1", 0, api.app)
    proxy = make_server("127.0.0.1", 0, Proxy(to_url(f"http://127.0.0.1:{server.port}/v1_0"), ["case-folded"]))
    for each in (server, proxy):
        Thread(target=each.serve_forever, daemon=True).start()
    connection = http.client.HTTPConnection("127.0.0.1", proxy.port)
    connection.request("GET", "/v1_0/channels?search=Main%20hall", headers=api.headers("owner"))
    told = json.loads(connection.getresponse().read())
    connection.close()
    for each in (server, proxy):
        each.shutdown()
        each.server_close()
    assert [item["name"] for item in told["results"]] == ["main hall"]

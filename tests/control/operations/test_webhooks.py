"""Webhooks in the control plane."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.kernel.refusal import Misuse
from kit import CUSTOMER, START_MS, ok
from kit.wire import web

URL = "https://hooks.example/hook"


@pytest.fixture
def endpoints(sim):
    """The ids of two endpoints that hear of events."""
    ids = [ok(sim, "add_events_endpoint", body={"url": f"{URL}/{number}"})["id"] for number in range(2)]
    ok(sim, "set_events_state", state="enable")
    return ids


def happen(sim, name="a"):
    """Let a medium of this name be added, and answer its id."""
    return ok(sim, "upload_client_media", name=name, body=b"x")["id"]


def listed(plane, query=""):
    """The deliveries that fit."""
    status, found = plane("GET", f"/webhooks/deliveries{query}")
    assert status == 200, found
    return found


def test_a_delivery_tells_the_whole_of_it(plane, sim, endpoints):
    """What, to whom, when, and what became of it."""
    media = happen(sim)
    first, second = listed(plane)
    assert first == {
        "id": first["id"],
        "message": second["message"],
        "endpoint": endpoints[0],
        "url": f"{URL}/0",
        "clientId": CUSTOMER,
        "kind": "media.added",
        "at": START_MS,
        "payload": {
            "id": first["message"],
            "kind": "media.added",
            "time": START_MS,
            "clientId": CUSTOMER,
            "channel": None,
            "data": {"media": media, "name": "a"},
        },
        "state": "delivered",
        "delivered": True,
        "attempts": [
            {
                "at": START_MS,
                "status": 200,
                "problem": None,
                "url": f"{URL}/0",
                "text": "hooks.example answered 200",
            }
        ],
        "next": None,
        "fault": [],
        "label": "media.added: a",
        "endpointLabel": "hooks.example/hook/0",
        "text": "Delivered",
    }


def test_a_delivery_keeps_the_url_it_went_to(plane, sim, endpoints):
    """The endpoint gets another URL, and then it is removed: the record of what was sent does not change."""
    happen(sim)
    endpoint = endpoints[0]
    sim.call("update_events_endpoint", "demo-customer-admin", id=endpoint, body={"url": f"{URL}/moved"})
    happen(sim, "b")
    went = [f"{URL}/0", f"{URL}/moved"]
    assert [each["url"] for each in listed(plane, f"?endpoint={endpoint}")] == went
    assert [each["attempts"][0]["url"] for each in listed(plane, f"?endpoint={endpoint}")] == went
    sim.call("remove_events_endpoint", "demo-customer-admin", id=endpoint)
    assert [each["url"] for each in listed(plane, f"?endpoint={endpoint}")] == went


def test_deliveries_are_listed_newest_last(plane, sim, endpoints):
    """As they happened, to each endpoint in turn."""
    for name in "ab":
        happen(sim, name)
    found = listed(plane)
    assert [each["payload"]["data"]["name"] for each in found] == ["a", "a", "b", "b"]
    assert [each["endpoint"] for each in found] == endpoints * 2


def test_deliveries_are_found_by_what_they_are(plane, sim, endpoints):
    """By endpoint, kind, whether they were delivered, and state; all of it together."""
    sim.webhooks.deliver_to(lambda message: 500 if message.url.endswith("1") else 200)
    happen(sim)
    ok(sim, "delete_client_media", mediaId=happen(sim, "b"))
    count = {
        query: len(listed(plane, query))
        for query in (
            "",
            f"?endpoint={endpoints[0]}",
            "?endpoint=other",
            "?kind=media.removed",
            "?delivered=true",
            "?delivered=false",
            "?state=later",
            "?state=waiting",
            f"?kind=media.added&delivered=false&endpoint={endpoints[1]}",
        )
    }
    assert list(count.values()) == [6, 3, 0, 2, 3, 3, 1, 2, 2]


@pytest.mark.parametrize("query", ["?delivered=perhaps", "?state=gone", "?endpoints=x"])
def test_what_is_not_understood_is_refused(plane, query):
    """Rather than passed over."""
    assert plane("GET", f"/webhooks/deliveries{query}")[0] == 400


def test_a_delivery_that_waits_for_a_retry_tells_when(plane, sim, endpoints):
    """The instant of the next attempt."""
    sim.webhooks.deliver_to(lambda message: 500)
    happen(sim)
    assert [each["next"] for each in listed(plane)] == [START_MS + 5000] * 2


def test_something_is_delivered_once_more(plane, sim, endpoints):
    """With the same message, at this instant; the earlier attempt stays."""
    got = []
    sim.webhooks.deliver_to(got)
    happen(sim)
    first = listed(plane)[0]
    sim.clock.advance("1m")
    status, again = plane("POST", f"/webhooks/deliveries/{first['id']}/redeliver")
    assert (status, again["state"]) == (200, "delivered")
    assert [each["at"] for each in again["attempts"]] == [START_MS, START_MS + 60_000]
    assert [each.headers["webhook-id"] for each in got] == [first["message"]] * 3


def test_a_retry_may_be_brought_forward(plane, sim, endpoints):
    """It need not wait for its time."""
    sim.webhooks.deliver_to(lambda message: 500)
    happen(sim)
    sim.webhooks.deliver_to(None)
    status, again = plane("POST", f"/webhooks/deliveries/{listed(plane)[0]['id']}/redeliver")
    assert (status, again["delivered"]) == (200, True)


@pytest.mark.parametrize("deliver", ["http", "receiver"])
def test_a_refused_destination_changes_nothing(plane, sim, endpoints, deliver):
    """Neither the hosts beside it nor whether deliveries are listed."""
    before = plane("GET", "/webhooks")
    status, _ = plane("PUT", "/webhooks", {"deliver": deliver, "allow": ["hooks.example"]})
    assert status == (409 if deliver == "http" else 400)
    assert plane("GET", "/webhooks") == before
    assert not sim.service.webhooks.listed


def test_what_cannot_be_delivered_once_more_is_reported(plane, sim, endpoints):
    """What is not there, what waits anyway, what has no endpoint any more."""
    sim.webhooks.deliver_to(lambda message: 500)
    happen(sim, "a")
    happen(sim, "b")
    waiting = listed(plane, "?state=waiting")[0]["id"]
    ok(sim, "remove_events_endpoint", id=endpoints[1])
    orphan, unsent = listed(plane, f"?endpoint={endpoints[1]}")
    assert (orphan["state"], orphan["url"], unsent["url"]) == ("lost", f"{URL}/1", None)
    found = [plane("POST", f"/webhooks/deliveries/{id}/redeliver") for id in ("nothing", waiting, orphan["id"])]
    assert [status for status, _ in found] == [404, 409, 409]
    assert found[1][1]["code"] == "delivery_under_way"


def test_python_says_the_same(plane, sim, endpoints):
    """A sequence of deliveries, newest last."""
    happen(sim, "a")
    happen(sim, "b")
    webhooks = sim.webhooks
    assert [each.id for each in webhooks] == [each["id"] for each in listed(plane)]
    assert (len(webhooks), webhooks[-1].payload["data"]["name"], len(webhooks[1:])) == (4, "b", 3)
    assert webhooks.find(endpoint=endpoints[1], kind="media.added", delivered=True) == [webhooks[1], webhooks[3]]
    assert len(webhooks.redeliver(webhooks[0].id).attempts) == 2
    assert webhooks.find(state="delivered") == list(webhooks)
    with pytest.raises(Misuse, match="'gone' is none of"):
        webhooks.find(state="gone")
    with pytest.raises(Misuse, match="no delivery 'x'"):
        webhooks.redeliver("x")


# Where deliveries go


def test_a_world_in_process_keeps_them(plane, sim):
    """It is on no live server, so they cannot go over HTTP."""
    assert plane("GET", "/webhooks") == (200, {"deliver": "list", "allow": []})
    status, problem = plane("PUT", "/webhooks", {"deliver": "http"})
    assert (status, "live server" in problem["detail"]) == (409, True)
    assert plane("PUT", "/webhooks", {"deliver": "list", "allow": ["B.example", "a.example"]}) == (
        200,
        {"deliver": "list", "allow": ["a.example", "b.example"]},
    )
    assert plane("PUT", "/webhooks", {"allow": []})[1]["allow"] == []


@pytest.mark.parametrize("body", [{"deliver": "pigeon"}, {"deliver": "receiver"}, {"allow": "x"}, {"to": "list"}])
def test_no_other_way_can_be_chosen(plane, body):
    """Unknown words and fields are problems; a receiver is a thing of Python."""
    assert plane("PUT", "/webhooks", body)[0] == 400


def test_a_receiver_in_the_process_stays(plane, sim):
    """The control plane does not take it away."""
    sim.webhooks.deliver_to([])
    assert plane("GET", "/webhooks")[1]["deliver"] == "receiver"
    assert plane("PUT", "/webhooks", {"deliver": "list"})[0] == 409


def test_a_world_on_a_live_server_may_keep_them_in(listener):
    """Nothing is sent then, until it may again."""
    sim = Simulator()
    ok(sim, "add_events_endpoint", body={"url": listener.url})
    ok(sim, "set_events_state", state="enable")
    with sim.serve() as server, web.client(base_url=f"{server.root}/_confsim") as control:
        assert control.get("/webhooks").json()["deliver"] == "http"
        assert control.put("/webhooks", json={"deliver": "list"}).status_code == 200
        happen(sim, "a")
        assert control.get("/webhooks/deliveries").json()[0]["delivered"] is True
        assert control.put("/webhooks", json={"deliver": "http"}).json()["deliver"] == "http"
        happen(sim, "b")
        control.post("/wait", json={"for": {"delivery": {"delivered": True}}, "count": 2}).raise_for_status()
        again = control.post(f"/webhooks/deliveries/{sim.webhooks[0].id}/redeliver").json()
        assert again["state"] == "ready"
        control.post("/wait", json={"for": {"delivery": {"delivered": True}}, "count": 2}).raise_for_status()
    assert [b'"name":"b"' in body for _, _, body in listener.got] == [True, False]


def test_worlds_send_each_their_own(listener):
    """Two worlds on one server, one of which is not allowed to send where the other may."""
    sim = Simulator()
    with sim.serve(allow_webhooks=["nowhere.invalid"]):
        other = sim.worlds.add("w1", "demo")
        for world, url in ((sim, listener.url), (other, "http://hooks.example/")):
            ok(world, "add_events_endpoint", body={"url": url})
            ok(world, "set_events_state", state="enable")
            happen(world)
        sim.wait(delivery={"delivered": True})
    assert [each.state.value for each in other.webhooks] == ["refused"]
    assert len(listener.got) == 1

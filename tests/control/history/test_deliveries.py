"""Why deliveries wait, in which order they arrive, and what receivers answer."""

from __future__ import annotations

import pytest

from confsim import Misuse, Simulator
from kit import OWNER, START, ok

URL = "http://127.0.0.1:22211/hooks"


def refusing(message):
    """A receiver that nobody can connect to."""
    raise ConnectionRefusedError("[Errno 111] Connection refused")


def answering(environ, start_response):
    """A receiver, a WSGI application, that answers with headers and a body."""
    start_response("202 Accepted", [("Content-Type", "application/json"), ("Set-Cookie", "session=secret")])
    return [b'{"took": "' + b"x" * 5000, b'"}']


@pytest.fixture
def sim():
    """A world with an endpoint that cannot be reached."""
    sim = Simulator(clock=START)
    ok(sim, "set_events_state", state="enable")
    sim.webhooks.deliver_to(refusing)
    ok(sim, "add_events_endpoint", body={"url": URL})
    return sim


def create(sim, *names):
    """Create channels, of each of which an event is delivered."""
    for name in names:
        ok(sim, "create_channel", OWNER, body={"name": name})


def deliveries(sim, **filters):
    """The deliveries of created channels, in the order of events."""
    return list(sim.control("list_deliveries", limit=50, kind="channel.created", **filters))


def test_a_delivery_says_what_it_waits_behind(sim):
    """The first one has failed and is tried again; the others wait for it."""
    create(sim, "A", "B", "C")
    first, second, third = deliveries(sim)
    assert first.text == "Nothing listens at 127.0.0.1:22211; tried once, again in 5 s"
    assert first.attempts[0].text == "Nothing listens at 127.0.0.1:22211"
    assert (first.behind, second.behind, third.behind) == (None, first.id, first.id)
    assert third.text == f"It waits behind {first.label}: Nothing listens at 127.0.0.1:22211"
    assert (first.label, first.endpointLabel) == ("channel.created: A", "127.0.0.1:22211/hooks")
    assert first.planned[0] == first.next
    assert first.planned == sorted(first.planned)
    sim.clock.advance("5s")
    assert sim.control("get_delivery", first.id).planned == first.planned[1:]


def test_a_delivery_names_the_entry_that_caused_it(sim):
    """Its id, and who did what."""
    create(sim, "A")
    (found,) = deliveries(sim)
    assert (found.cause, found.causeText) == ("r3", "Olaf Owner calls create_channel, A (r3)")
    sim.requests.clear()
    assert sim.control("get_delivery", found.id).cause is None


def test_the_order_of_arrival_shows_what_a_fault_moved(sim):
    """The first event arrives second, and its fault is told."""
    sim.webhooks.deliver_to(lambda message: 200)
    sim.faults.add(thing="webhook", match={"kind": "channel.created"}, do={"outcome": "out of order", "by": "1m"})
    create(sim, "A", "B")
    assert [each.text for each in deliveries(sim)] == ["It is sent in 1 min, by a fault", "Delivered"]
    sim.clock.advance("1m")
    first, second = deliveries(sim)
    assert (first.arrived, second.arrived) == (first.among, first.among - 1)
    assert first.happened + 1 == second.happened
    assert first.fault[0].do["outcome"] == "out of order"


def test_answers_of_receivers_are_kept_in_part(sim):
    """Headers without credentials, and the beginning of the body."""
    sim.webhooks.deliver_to(answering)
    create(sim, "A")
    (attempt,) = deliveries(sim)[0].attempts
    assert (attempt.status, attempt.text) == (202, "127.0.0.1:22211 answered 202")
    assert attempt.headers == [["Content-Type", "application/json"], ["Set-Cookie", "***"]]
    assert len(attempt.body) == 4096


def test_an_answer_over_http_is_kept_too(listener):
    """That of a server on loopback, as it arrived."""
    listener.status, listener.answer = 418, b'{"tea": true}'
    sim = Simulator(clock=START)
    with sim.serve():
        ok(sim, "set_events_state", state="enable")
        ok(sim, "add_events_endpoint", body={"url": listener.url})
        create(sim, "A")
        sim.wait(delivery={"kind": "channel.created", "state": "later"})
        (attempt,) = deliveries(sim)[0].attempts
    assert (attempt.status, attempt.body) == (418, {"tea": True})
    assert ["Content-Length", "13"] in attempt.headers


def test_deliveries_are_found_by_text(sim):
    """In the event, the payload, the address or the problem; in any case."""
    create(sim, "A room of ones own", "B")
    assert [each.label for each in deliveries(sim, text="ROOM OF")] == ["channel.created: A room of ones own"]
    assert len(deliveries(sim, text="nothing listens")) == 1
    assert len(deliveries(sim, text=":22211")) == 2
    assert deliveries(sim, text="no such text") == []


def test_endpoints_and_unknown_deliveries(sim):
    """The health of endpoints is that of the summary."""
    create(sim, "A", "B")
    assert sim.control("list_endpoints") == sim.summary().endpoints
    with pytest.raises(Misuse, match="there is no delivery"):
        sim.control("get_delivery", "x")


def test_what_else_a_delivery_waits_for_is_told(sim):
    """The interface of its client, or its endpoint."""
    create(sim, "A")
    ok(sim, "set_events_state", state="disable")
    assert deliveries(sim)[0].text == "It waits until the events interface of its client is on again"

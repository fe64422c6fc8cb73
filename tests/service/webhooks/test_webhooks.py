"""Webhooks in this process: deliveries, signatures, faults."""

from __future__ import annotations

from contextlib import nullcontext

import freezegun
import pytest
from msgspec.structs import replace
from standardwebhooks import Webhook, WebhookVerificationError

from confsim.domain.events.deliveries import DeliveryState
from confsim.service.entries import DeliveryNote, DeliveryStep
from confsim.service.webhooks.sending import Route
from kit import DAY, START_MS, ok
from kit.things.webhooks import URL, happen, listening, names, states


def application(statuses, got):
    """A WSGI application that answers these statuses in turn, the last for ever."""

    def answer(environ, start_response):
        got.append({**environ, "body": environ["wsgi.input"].read()})
        status = statuses.pop(0) if len(statuses) > 1 else statuses[0]
        start_response(f"{status} Whatever", [])
        return [b"sent"]

    return answer


# In this process


def test_without_a_receiver_everything_is_taken(sim):
    """At once, at the same instant, whatever the host."""
    happen(sim, "a")
    (delivery,) = sim.webhooks
    assert (delivery.state, delivery.url, delivery.payload["data"]["name"]) == (DeliveryState.DELIVERED, URL, "a")
    assert [(each.at, each.status) for each in delivery.attempts] == [(START_MS, 200)]
    assert sim.service.webhooks.route is Route.LIST


def test_a_list_gets_every_message_in_order(sim):
    """As it would be sent."""
    got = []
    sim.webhooks.deliver_to(got)
    happen(sim, "a", "b", "c")
    assert names(got) == ["a", "b", "c"]
    assert {each.url for each in got} == {URL}
    assert got[0].headers["webhook-id"] == sim.webhooks[0].message
    assert got[0].headers["webhook-timestamp"] == str(START_MS // 1000)
    assert got[0].json == sim.webhooks[0].payload


def test_a_wsgi_application_gets_a_request(sim):
    """Method, path, query, host, headers and body."""
    got = []
    sim.webhooks.deliver_to(application([200], got))
    happen(sim, "a")
    (environ,) = got
    assert (environ["REQUEST_METHOD"], environ["PATH_INFO"], environ["QUERY_STRING"]) == ("POST", "/a b", "c=d")
    assert (environ["HTTP_HOST"], environ["SERVER_PORT"], environ["wsgi.url_scheme"]) == (
        "hooks.example",
        "443",
        "https",
    )
    assert environ["CONTENT_TYPE"] == "application/json"
    assert environ["HTTP_WEBHOOK_ID"] == sim.webhooks[0].message
    assert int(environ["CONTENT_LENGTH"]) == len(environ["body"])


def test_an_application_that_fails_is_asked_again_as_the_clock_goes_on(sim):
    """Each retry at its own instant, and the next one after it, within one advance."""
    got = []
    sim.webhooks.deliver_to(application([500, 503, 200], got))
    happen(sim, "a", "b")
    assert states(sim) == [DeliveryState.LATER, DeliveryState.WAITING]
    fired = sim.clock.advance("1h")
    first, second = sim.webhooks
    assert [(each.at - START_MS, each.status) for each in first.attempts] == [(0, 500), (5_000, 503), (305_000, 200)]
    assert [(each.at - START_MS, each.status) for each in second.attempts] == [(305_000, 200)]
    assert [(each.at - START_MS, each.what) for each in fired] == [
        (5_000, "webhook delivery"),
        (305_000, "webhook delivery"),
    ]
    assert len({environ["HTTP_WEBHOOK_ID"] for environ in got[:3]}) == 1
    assert [environ["HTTP_WEBHOOK_TIMESTAMP"] for environ in got] == [
        str((START_MS + late) // 1000) for late in (0, 5_000, 305_000, 305_000)
    ]


@pytest.mark.parametrize(
    ("choice", "then", "received"),
    [("waits", DeliveryState.DELIVERED, ["a", "b"]), ("lost", DeliveryState.LOST, [])],
)
def test_what_waits_while_events_are_switched_off_is_sent_later_or_lost(choice, then, received):
    """The list of deliveries says so, and the receiver gets both or nothing when events are on again."""
    sim, got = listening(**{"while-inactive": choice}), []
    sim.webhooks.deliver_to(lambda message: 500)
    happen(sim, "a", "b")
    ok(sim, "set_events_state", state="disable")
    sim.webhooks.deliver_to(got.append)
    ok(sim, "set_events_state", state="enable")
    sim.clock.advance("1d")
    assert states(sim) == [then, then]
    assert names(got) == received


def test_the_next_thing_to_happen_may_be_a_retry(sim):
    """The clock stops there."""
    sim.webhooks.deliver_to(lambda message: 500)
    happen(sim, "a")
    sim.clock.advance(until="next")
    assert sim.clock.now == START_MS + 5_000
    assert len(sim.webhooks[0].attempts) == 2


@pytest.mark.parametrize(
    ("answer", "state"), [(None, DeliveryState.DELIVERED), (201, DeliveryState.DELIVERED), (404, DeliveryState.LATER)]
)
def test_a_function_answers_a_status_or_nothing(sim, answer, state):
    """Nothing is 200."""
    sim.webhooks.deliver_to(lambda message: answer)
    happen(sim, "a")
    assert states(sim) == [state]


def test_what_a_receiver_raises_is_a_failed_attempt(sim):
    """Stored by its type and message; the call that caused the delivery is not affected."""

    def receive(message):
        raise LookupError("no such order")

    sim.webhooks.deliver_to(receive)
    happen(sim, "a")
    assert [each.problem for each in sim.webhooks[0].attempts] == ["LookupError: no such order"]
    assert sim.service.bugs == []


def test_an_application_without_an_answer_has_failed(sim):
    """One that never starts its response."""
    sim.webhooks.deliver_to(lambda environ, start_response: [])
    happen(sim, "a")
    assert states(sim) == [DeliveryState.LATER]


def test_a_receiver_may_call_the_service(sim):
    """The events of that call are delivered after the present delivery, not within it."""
    got = []

    def receive(message):
        got.append(("begin", message.json["data"]["name"]))
        if len(got) < 5:
            happen(sim, f"{message.json['data']['name']}+")
        got.append(("end", message.json["data"]["name"]))

    sim.webhooks.deliver_to(receive)
    happen(sim, "a")
    assert got == [(word, name) for name in ("a", "a+", "a++") for word in ("begin", "end")]
    assert states(sim) == [DeliveryState.DELIVERED] * 3


def test_a_receiver_may_reset_the_world(sim):
    """The deliveries of the world before are gone then."""
    sim.webhooks.deliver_to(lambda message: sim.reset())
    happen(sim, "a")
    assert list(sim.webhooks) == []
    assert sim.service.bugs == []


def test_a_receiver_set_later_gets_what_comes_then(sim):
    """And no observer receives the deliveries of a fork."""
    got = []
    happen(sim, "a")
    sim.webhooks.deliver_to(got)
    happen(sim, "b")
    happen(sim.fork(), "c")
    sim.webhooks.deliver_to(None)
    happen(sim, "d")
    assert names(got) == ["b"]
    assert states(sim) == [DeliveryState.DELIVERED] * 3


def test_the_call_is_answered_and_noted_before_it_is_delivered(sim):
    """Its entry has what the call did, and a delivery is no call."""
    seen = []
    sim.webhooks.deliver_to(lambda message: seen.append(sim.requests[-1].operation))
    happen(sim, "a")
    assert seen == ["upload_client_media"]
    changed = [change for change in sim.requests[-1].changes if change.table == "webhook deliveries"]
    assert [change.after["state"] for change in changed] == ["ready"]


def test_what_deliveries_lean_on_is_reported(sim):
    """Beside what calls depend on."""
    sim.webhooks.deliver_to([])
    happen(sim, "a")
    assert {"webhooks.taken", "webhooks.signature", "webhooks.envelope", "webhooks.order"} <= set(sim.assumptions_used)


def test_same_calls_and_answers_make_the_same_world():
    """To the byte, messages and signatures included."""
    worlds, messages = [], []
    for _ in range(2):
        sim, got = listening(), []
        statuses = [500, 200, 500, 503, 200]
        sim.webhooks.deliver_to(lambda message, got=got, statuses=statuses: got.append(message) or statuses.pop(0))
        happen(sim, "a", "b")
        sim.clock.advance("1h")
        worlds.append(sim.service.world.digest())
        messages.append(got)
    assert worlds[0] == worlds[1]
    assert messages[0] == messages[1]
    assert len(messages[0]) == 5


# Signatures


def test_messages_are_signed():
    """The library that receivers use takes the signature with the secret of the client, and no other."""
    sim, got = listening(clock=None), []
    sim.webhooks.deliver_to(got)
    happen(sim, "a")
    (message,) = got
    secret = ok(sim, "get_events_secret")["secret"]
    assert Webhook(secret).verify(message.body, message.headers) == message.json
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(message.body + b" ", message.headers)
    ok(sim, "regenerate_events_secret")
    happen(sim, "b")
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(got[1].body, got[1].headers)


def test_the_secret_may_be_a_text():
    """Its own bytes are the key then."""
    sim, got = listening(clock=None, **{"secret-form": "text"}), []
    sim.webhooks.deliver_to(got)
    happen(sim, "a")
    secret = ok(sim, "get_events_secret")["secret"]
    assert not secret.startswith("whsec_")
    assert Webhook(secret.encode()).verify(got[0].body, got[0].headers)


#: What people do to a clock before something happens.
MOVES = {
    "nothing": lambda clock: None,
    "ten minutes later": lambda clock: clock.advance("10m"),
    "two days earlier": lambda clock: clock.set(clock.now - 2 * DAY),
    "sixty times as fast": lambda clock: (clock.run(60), clock.advance("1h")),
    "frozen": lambda clock: (clock.advance("1h"), clock.freeze()),
    "resumed": lambda clock: (clock.freeze(), clock.advance("1h"), clock.resume()),
}


@pytest.mark.parametrize("timestamp", [None, "world", "true"])
@pytest.mark.parametrize("move", MOVES)
def test_a_standard_receiver_takes_what_a_running_clock_signs(move, timestamp):
    """Moved or not; and one that is frozen is its own time, which a receiver that knows no other refuses."""
    sim, got = listening(clock=None, **({} if timestamp is None else {"timestamp": timestamp})), []
    sim.webhooks.deliver_to(got)
    MOVES[move](sim.clock)
    happen(sim, "a")
    secret, (message,) = ok(sim, "get_events_secret")["secret"], got
    is_true = timestamp == "true" or move == "nothing" or (timestamp is None and move != "frozen")
    with nullcontext() if is_true else pytest.raises(WebhookVerificationError):
        assert Webhook(secret).verify(message.body, message.headers) == message.json
    assert sim.webhooks.verify(message.body, message.headers, secret) == message.json


def test_retries_of_later_carry_the_time_at_which_they_are_made():
    """Within one advance of a running clock, each attempt is made now."""
    sim, got = listening(clock=None), []
    sim.webhooks.deliver_to(lambda message: got.append(message) or 500)
    happen(sim, "a")
    sim.clock.advance("3h")
    webhook = Webhook(ok(sim, "get_events_secret")["secret"])
    assert [webhook.verify(message.body, message.headers) for message in got] == [got[0].json] * 5


def test_a_run_at_a_frozen_clock_sends_the_same_bytes_whenever_it_is_made():
    """The true time has no part in it, headers included."""

    def run():
        sim, got = listening(), []
        sim.webhooks.deliver_to(lambda message: got.append((message.url, message.headers, message.body)) or 500)
        happen(sim, "a")
        sim.clock.advance("3h")
        return got

    with freezegun.freeze_time("2031-01-01"):
        first = run()
    assert len(first) == 5
    assert run() == first


def test_messages_may_be_unsigned():
    """Then they have no header of the kind."""
    sim, got = listening(signature="none"), []
    sim.webhooks.deliver_to(got)
    happen(sim, "a")
    assert not [name for name in got[0].headers if name.startswith("webhook")]


# What faults do


@pytest.mark.parametrize(
    ("do", "got", "state"),
    [
        ("lost", ["b"], DeliveryState.LOST),
        ("doubled", ["a", "a", "b"], DeliveryState.DELIVERED),
        ({"outcome": "late", "by": "1s"}, [], DeliveryState.LATER),
        ({"outcome": "out of order", "by": "1s"}, ["b"], DeliveryState.LATER),
    ],
)
def test_what_becomes_of_an_attempt_is_decided_before_it(sim, do, got, state):
    """A fault hits the first delivery alone, which shows it; those behind go as its lane lets them."""
    messages = []
    sim.webhooks.deliver_to(messages)
    sim.faults.add(thing="webhook", do=do)
    happen(sim, "a", "b")
    assert names(messages) == got
    assert sim.webhooks[0].state is state
    assert [[(hit.id, hit.do, hit.when) for hit in each.fault] for each in sim.webhooks] == [[("f1", do, "within")], []]


def test_what_was_late_arrives(sim):
    """Deliveries that were put off arrive when their time has come, in or out of order."""
    messages = []
    sim.webhooks.deliver_to(messages)
    sim.faults.add(thing="webhook", do={"outcome": "out of order", "by": "1s"})
    sim.faults.add(thing="webhook", on=2, do={"outcome": "late", "by": "500ms"})
    happen(sim, "a", "b", "c")
    assert messages == []
    sim.clock.advance("1s")
    assert names(messages) == ["b", "c", "a"]


def test_hits_go_with_the_deliveries_that_a_restored_world_has_undone(sim):
    """A delivery that a snapshot has keeps its hit; one of the same id that is made after it shows none."""
    sim.faults.add(thing="webhook", do={"outcome": "late", "by": "1h"})
    sim.faults.add(thing="webhook", on=2, do="lost")
    happen(sim, "a")
    ok(sim, "add_events_endpoint", body={"url": "http://other.example/"})
    sim.snapshot()
    happen(sim, "b")
    assert [[hit.id for hit in each.fault] for each in sim.webhooks] == [["f1"], [], ["f2"]]
    sim.restore()
    happen(sim, "b")
    assert [[hit.id for hit in each.fault] for each in sim.webhooks] == [["f1"], [], []]


def test_the_journal_forgets_the_hits_of_the_oldest_deliveries(sim):
    """It remembers as many as it keeps calls, and none after it was emptied."""
    sim.faults.add(thing="webhook", times="always", do="doubled")
    sim.control("set_journal", most=2)
    happen(sim, "a", "b", "c")
    assert [len(each.fault) for each in sim.webhooks] == [0, 1, 1]
    sim.requests.clear()
    assert [len(each.fault) for each in sim.webhooks] == [0, 0, 0]


def test_a_receiver_can_verify_with_the_simulator():
    """The payload of a delivery that arrived; what was changed, is old, or is not signed is refused by name."""
    sim, got = listening(), []
    sim.webhooks.deliver_to(got)
    happen(sim, "one")
    (message,), secret = got, ok(sim, "get_events_secret")["secret"]
    body, headers = message.body, dict(message.headers)
    assert sim.webhooks.verify(body, headers, secret) == message.json
    assert sim.webhooks.verify(body, {name.upper(): value for name, value in headers.items()}, secret) == message.json
    other = {**headers, "webhook-signature": f"v1,AAAA {headers['webhook-signature']}"}
    assert sim.webhooks.verify(body, other, secret) == message.json

    def refused(match, body=body, headers=headers, secret=secret):
        with pytest.raises(ValueError, match=match):
            sim.webhooks.verify(body, headers, secret)

    refused("not that of the secret", body=body + b" ")
    refused("as the bytes that arrived", body=body.decode())
    refused("the secret is empty", secret="")
    refused("not that of the secret", secret="another")
    refused("not that of the secret", headers={**headers, "webhook-id": "other"})
    refused("not that of the secret", headers={**headers, "webhook-signature": "v1,ä"})
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        refused(f"no header {name}", headers={key: value for key, value in headers.items() if key != name})
    for stamp in ("", "x", "-1", "²", "1e9"):
        refused("not within five minutes", headers={**headers, "webhook-timestamp": stamp})
    sim.clock.advance("5m")
    assert sim.webhooks.verify(body, headers, secret) == message.json
    sim.clock.advance("1s")
    refused("not within five minutes")


@pytest.mark.parametrize("problem", ["its host is not allowed", None])
def test_a_recorded_refusal_is_repeated_as_it_was(sim, problem):
    """With the problem that it had."""
    note = DeliveryNote(0, 0, 0, DeliveryStep.REFUSED, "", 0, 0, None, problem, "http://hooks.example")

    def recorded(delivery):
        return replace(note, id=delivery.id)

    sim.service.webhooks.repeat(recorded)
    happen(sim, "a")
    (attempt,) = sim.webhooks[0].attempts
    assert (attempt.status, attempt.problem) == (None, problem or "")


def test_the_route_of_deliveries(sim):
    """A receiver of the process comes before the list."""
    webhooks = sim.service.webhooks
    assert webhooks.route is Route.LIST
    sim.webhooks.deliver_to([])
    assert webhooks.route is Route.RECEIVER
    sim.webhooks.deliver_to(None)
    assert webhooks.route is Route.LIST

"""What happens between calls: mail, webhooks in every state, timers, faults that hit, held calls, snapshots, worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import msgspec

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.fault_points import FAULT_POINTS, TIMED
from confsim.kernel.refusal import Misuse
from confsim.service.faults.words import WORDS
from confsim.service.messages import Response
from confsim.service.webhooks.receivers import DeliveryResult, Message
from kit import ADMIN, CUSTOMER, EVENT_ROOM, OPERATOR, OWNER, ROOM, USER, ok
from kit.crowded.calls import begin, routed, send
from kit.crowded.texts import HOSTILE, LONG_NAME
from kit.growth.prepared import Names

_PHONE = "+12025550199"
#: A value of each word of a fault's ``do``, with the word that it belongs to.
EFFECTS: dict[str, dict[str, Any]] = {
    "reason": {"reason": "handle_taken"},
    "facts": {"reason": "handle_taken", "facts": {"handle": HOSTILE["HTML"]}},
    "status": {"status": 503},
    "body": {"status": 418, "body": {"text": HOSTILE["HTML"]}},
    "headers": {"headers": {"X-Hostile": "'\"><script>alert(1)</script>"}},
    "retryAfter": {"retryAfter": 30},
    "clock": {"clock": "1ms"},
    "real": {"real": "1ms"},
    "drop": {"drop": "after"},
    "truncate": {"truncate": 3},
    "hold": {"hold": "after", "holdAtMost": "1ms"},
    "holdAtMost": {"hold": "before", "holdAtMost": "1ms"},
}


class Network:
    """The network behind the endpoints of a world: each host answers in its own way, or never.

    It stands for the sender of a live server; ``answer`` lets the hosts answer what was sent to them.
    """

    def __init__(self) -> None:
        self._sent: list[tuple[Message, Callable[[DeliveryResult], object]]] = []

    def blocked_reason(self, url: str, _allowed: frozenset[str]) -> str | None:
        """Return why nothing is sent to a URL, None where it is."""
        return "its host is not allowed" if "blocked" in url else None

    def send(self, message: Message, _seconds: float, done: Callable[[DeliveryResult], object]) -> None:
        """Take a message; ``done`` gets the result."""
        self._sent.append((message, done))

    def close(self) -> None:
        """Nothing is to be closed."""

    def answer(self) -> None:
        """Let every host answer, until nothing is left to answer."""
        while self._sent:
            message, done = self._sent.pop()
            if "broken" in message.url:
                done(DeliveryResult(500))
            elif "nowhere" in message.url:
                done(DeliveryResult(None, f"ConnectionRefusedError: {HOSTILE['HTML']}"))
            elif "silent" not in message.url:
                done(DeliveryResult(204))


def mails(sim: Simulator, names: Names) -> None:
    """Mails with a code, to addresses of all lengths; a recording that is ready sends its own."""
    for number in range(3):
        address = f"{'w' * 60}{number}@{'long-domain-' * 4}example.com"
        ok(sim, "set_user_email", USER, userId=names["user"], body={"email": address})
    ok(sim, "set_user_email", OWNER, userId=names["owner"], body={"email": "o'brien+x@customer.example"})
    ok(sim, "verify_user_email", OWNER, userId=names["owner"], code=sim.mail[-1].code)
    _recording(sim)


def _recording(sim: Simulator) -> None:
    """Record for a while, and wait until the recording is processed."""
    sim.presence.join(ROOM, OWNER)
    sim.call("start_recording", OPERATOR, uuid=ROOM)
    sim.clock.advance("10s")
    sim.call("stop_recording", OPERATOR, uuid=ROOM)
    sim.clock.advance("1m")


def effects(sim: Simulator) -> None:
    """Every word of a fault, and every reason of a refusal, hits a call, as one that the request brings."""
    refusals = ({"reason": reason.name.lower()} for reason in Reason if reason is not Reason.INTERNAL_ERROR)
    for effect in (*(EFFECTS[word] for word in WORDS), *refusals):
        carried = msgspec.json.encode(effect).decode()
        send(sim, "GET", "/v1_0/users/me", authorization=f"Bearer {USER}", x_confsim=carried)


def outcomes(sim: Simulator, names: Names) -> None:
    """Every outcome of every fault point of the domain hits what it is about."""
    for fault in injected():
        hit(sim, names, fault)
    sim.faults.clear()


def hit(sim: Simulator, names: Names, fault: dict[str, Any]) -> None:
    """Let a fault hit what it is about."""
    ok(sim, "set_client_dial_out_state", state="enable")
    ok(sim, "set_dial_out_state", uuid=ROOM, state="enable")
    acts: dict[str, Callable[[], object]] = {
        "admission": lambda: _admitted(sim, names),
        "call": lambda: sim.call("dial_unregistered_user", OWNER, uuid=ROOM, body={"number": _PHONE, "name": "Pat"}),
        "recording": lambda: _recording(sim),
        "proxy": lambda: sim.call("get_streaming_proxy", OWNER, uuid=ROOM),
        "mail": lambda: sim.call("set_user_email", USER, userId=names["user"], body={"email": "lost@x.example"}),
        "webhook": lambda: sim.call("upload_client_media", ADMIN, name="webhook.txt", body=b"bytes"),
    }
    sim.faults.put([fault])
    sim.presence.join(ROOM, OWNER)
    acts[fault["thing"]]()
    sim.clock.advance("1m")
    assert sim.faults[0].hits, fault


def injected() -> Iterator[dict[str, Any]]:
    """Yield a fault of every outcome of every fault point."""
    for point in FAULT_POINTS.values():
        for outcome in point.outcomes:
            by = {"by": "10s"} if outcome in TIMED else {}
            yield {"thing": point.name, "do": {"outcome": outcome.value, **by}}


def _admitted(sim: Simulator, names: Names) -> None:
    ok(sim, "set_lobby_door", OWNER, uuid=EVENT_ROOM, state="close")
    sim.call("end_active_session", OWNER, uuid=EVENT_ROOM)
    sim.presence.join(EVENT_ROOM, USER)
    sim.presence.join(EVENT_ROOM, OWNER)
    with suppress(Misuse):  # as the fault says
        sim.presence.admit(EVENT_ROOM, names["user"])


def deliveries(sim: Simulator) -> Network:
    """Let events be delivered to endpoints of all sorts, and time pass until those that fail are given up."""
    network = Network()
    sim.service.webhooks.send_with(network)  # type: ignore[arg-type]
    ok(sim, "set_events_state", state="enable")
    hosts = ("fine", "broken", "nowhere", "blocked", "silent")
    for host in hosts:
        ok(sim, "add_events_endpoint", body={"url": f"https://{host}.example/{'hook-' * 40}?a='<b>"})
    ok(sim, "upload_client_media", name="given-up.txt", body=b"bytes")
    network.answer()
    for _ in range(12):
        sim.clock.advance("1d")
        network.answer()
    return network


def open_deliveries(sim: Simulator, network: Network) -> None:
    """Leave deliveries behind that are lost, sent without an answer, between two tries, and waiting behind these."""
    sim.faults.add(thing="webhook", do="lost")
    for name in ("retried.txt", "waiting.txt"):
        ok(sim, "upload_client_media", name=name, body=b"bytes")
        network.answer()


def timers(sim: Simulator, names: Names) -> None:
    """Leave a timer of every kind behind, none of which is due."""
    number = len(sim.requests)
    ok(sim, "reserve_handle", USER, body={"handle": f"Held {number}"})
    sim.call("create_guest", None, clientId=CUSTOMER, uuid=ROOM, body={"handle": "Gus Guest"})
    made = ok(sim, "create_predefined_user", ADMIN, body={"name": "Ina Invited"})
    ok(sim, "create_invitation", userId=made["id"])
    sim.presence.join(ROOM, OWNER)
    sim.presence.join(EVENT_ROOM, OWNER)
    for _ in range(2):  # one that is being uploaded, and one that will be
        sim.call("stop_recording", OPERATOR, uuid=ROOM)
        sim.clock.advance("1s")
        sim.call("start_recording", OPERATOR, uuid=ROOM)
    sim.call("stop_recording", OPERATOR, uuid=ROOM)
    sim.call("stop_broadcast", OPERATOR, uuid=ROOM)
    sim.call("start_broadcast", OPERATOR, uuid=ROOM)
    sim.call("stop_breakout_session", OWNER, uuid=EVENT_ROOM)
    ok(sim, "create_breakout_session", OWNER, uuid=EVENT_ROOM, body={"duration": 600_000})
    ok(sim, "start_breakout_session", OWNER, uuid=EVENT_ROOM)
    sim.call("dial_unregistered_user", OWNER, uuid=ROOM, body={"number": _PHONE, "name": LONG_NAME[:40]})
    empty = ok(sim, "create_channel", OWNER, body={"name": f"{number} {LONG_NAME[:70]}"})["channelUuid"]
    sim.call("get_streaming_proxy", OWNER, uuid=empty)
    left = ok(sim, "create_channel", OWNER, body={"name": f"Just left {number}"})["channelUuid"]
    sim.presence.join(left, OWNER)
    sim.presence.leave(left, names["owner"])


def holds(sim: Simulator) -> list[Response]:
    """Leave a call held before its operation and one after it; return their responses, which are pending."""
    held = []
    for when in ("before", "after"):
        sim.faults.add("create_channel", do={"hold": when, "holdAtMost": "1h"})
        body = msgspec.json.encode({"name": f"Held {when} {HOSTILE['HTML']}"[:80]})
        kind = {"authorization": f"Bearer {OWNER}", "content_type": "application/json"}
        held.append(begin(sim, *routed("create_channel"), "", body, **kind))
    return held


def waiting_faults(sim: Simulator) -> None:
    """Leave a fault of every word and of every outcome active, each for a call that nobody makes."""
    by_word = [{"operation": "get_me", "on": 10**6, "match": {"caller": 1}, "do": do} for do in EFFECTS.values()]
    every = [{"operation": "*", "on": 10**6, "times": "always", "do": {"status": 500, "body": HOSTILE["HTML"]}}]
    for fault in (*by_word, *every, *({**each, "on": 10**6} for each in injected())):
        sim.control.with_body("add_fault", fault)


def beside(sim: Simulator) -> None:
    """Snapshots, other worlds of the server, a user who waits in a lobby, a favourite, a secret of webhooks."""
    for name in ("before", "x" * 64):
        sim.snapshot(name)
        sim.worlds.add(name)
    closed = ok(sim, "create_channel", OWNER, body={"name": "Behind a closed door"})["channelUuid"]
    ok(sim, "set_lobby_door", OWNER, uuid=closed, state="close")
    sim.presence.join(closed, USER)
    sim.control("change_record", "channel", EVENT_ROOM, favourite=[sim.control("get_info").tokens[USER].userId])
    ok(sim, "regenerate_events_secret")

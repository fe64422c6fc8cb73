"""Every operation and every path outside the API, called with success and with a refusal, and with hostile texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote, urlsplit

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.contract.operation import Operation
from confsim.http.live.streams import Streams
from confsim.kernel.refusal import Misuse
from confsim.service.document import FILES
from confsim.service.messages import Outcome, Request, Response
from confsim.service.waiting import wait_for
from confsim.service.worker import Worker
from confsim.testing.samples import IdPool, invalid
from confsim.transport.address import route
from kit import CUSTOMER, GUEST, OPERATOR, OWNER, ROOM, USER, ok
from kit.crowded.texts import HOSTILE
from kit.growth.prepared import Names
from kit.growth.successes import Success, with_successes

#: The snapshot of the world in which each call of ``SUCCESSES`` succeeds.
READY = "ready"


def send(sim: Simulator, method: str, target: str, query: str = "", body: bytes = b"", **headers: str) -> Response:
    """Send a request over HTTP to the world, and return its response once it is there."""
    return wait_for(begin(sim, method, target, query, body, **headers))


def begin(sim: Simulator, method: str, target: str, query: str = "", body: bytes = b"", **headers: str) -> Outcome:
    """Send a request over HTTP to the world as a live server does; return its response, or the future of it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return sim.app(Request(method, target, query, {"host": "confsim.test", **named}, body, worker=Worker()))


def routed(operation: str) -> tuple[str, str]:
    """Return the method and the path of an operation that has no parameter in it."""
    return route(API[operation], (), {})


def succeed(sim: Simulator, names: Names) -> None:
    """Call each operation with success: what takes something away last, and in the prepared world where it has to."""
    sim.snapshot(READY)
    for _, call in sorted(with_successes(), key=lambda each: _late(each[0])):
        if not any(attempt() for attempt in _attempts(sim, names, call)):
            call.make(sim, names)
    sim.restore(READY)


def _late(operation: Operation) -> tuple[bool, int]:
    return operation.revokes_access, ("GET", "POST", "DELETE").index(operation.method)


def _attempts(sim: Simulator, names: Names, call: Success) -> Iterator[Callable[[], bool]]:
    """Yield ways to make a call: as the world is, in the prepared world, and there ten seconds later."""

    def attempt() -> bool:
        try:
            call.prepare(sim, names)
            call.make(sim, names)
        except AssertionError:
            return False
        return True

    yield attempt
    sim.restore(READY)
    yield attempt
    sim.clock.advance("10s")
    yield lambda: sim.call(call.operation, call.caller, **call.filled(names)).ok


def refuse(sim: Simulator, names: Names) -> None:
    """Call each operation so that it is refused: by a mistake in its arguments, else without a caller, else by a fault.

    The mistake is another one from operation to operation, so that the journal has all sorts.
    """
    pool = IdPool(sim.service.world, CUSTOMER)
    for number, (operation, call) in enumerate(with_successes()):
        mistakes = list(invalid(operation, pool))
        turned = mistakes[number % max(1, len(mistakes)) :][:2]
        if any(sim.call(operation.name, call.caller, **each.keywords).status >= 400 for each in turned):
            continue
        if call.caller is None or sim.call(operation.name, None, **call.filled(names)).status < 400:
            sim.faults.add(operation.name, do={"reason": "too_many_calls"})
            sim.call(operation.name, None, **call.filled(names))


def fetch_files(sim: Simulator, names: Names) -> None:
    """Get every file that is served beside the API, by the address that an answer gives; and one that is refused."""
    recording = {"channelId": ROOM, "recordingId": names["recording"]}
    download = ok(sim, "get_recording_download", OWNER, **recording)
    link = ok(sim, "get_channel_media_link", OWNER, uuid=ROOM, mediaId=names["media"])
    addresses = {
        "get_image": _address(ok(sim, "get_channel", OWNER, uuid=ROOM), "/images/"),
        "get_media_file": _address(link, "/media/"),
        "get_recording_file": _address(download, "/files/recordings/"),
        "get_asset_file": f"/files/channels/{ROOM}/recordings/{names['recording']}/{names['asset']}",
        "get_openapi": "/openapi.json",
    }
    for operation in FILES:
        target, _, query = addresses[operation.name].partition("?")
        credential = {"authorization": f"Bearer {OWNER}"}
        send(sim, "GET", target, query, **credential)
        send(sim, "HEAD", target, query, **credential, range="bytes=0-3")
        send(sim, "GET", f"{target[:-6]}{'0' * 6}", query, **credential)
        send(sim, "GET", target, query, **credential, x_confsim="reason=too_many_calls")


def _address(answer: Any, part: str) -> str:
    """Return the first URL in an answer with this part, without scheme and host."""
    if isinstance(answer, str):
        split = urlsplit(answer)
        return f"{split.path}?{split.query}" if part in answer else ""
    values = answer.values() if isinstance(answer, dict) else answer if isinstance(answer, list) else ()
    return next(filter(None, (_address(each, part) for each in values)), "")


class Sink:
    """What a websocket was sent."""

    def __init__(self) -> None:
        self.messages: list[str | bytes] = []

    def notify(self, message: bytes) -> None:
        """Keep a message about the person."""
        self.messages.append(message)

    def relay(self, message: str | bytes) -> None:
        """Keep a message of another client."""
        self.messages.append(message)

    def end(self, reason: str) -> None:
        """Nothing is to be closed."""


def open_websockets(sim: Simulator) -> None:
    """Leave websockets of three people open, two of them on a data channel, where one talks; and have some refused."""
    streams = Streams(sim.app)
    chat = f"/streaming/{ROOM}/data/chat"
    for target, token in ((f"/streaming/{ROOM}", OPERATOR), (chat, OWNER), (chat, USER), (chat, GUEST)):
        request = Request("GET", target, headers={"host": "confsim.test", "authorization": f"Bearer {token}"})
        stream = streams(request)
        assert stream is not None
        connection, _ = stream.connect(Sink())
        if connection is not None and token == USER:
            for text in HOSTILE.values():
                stream.realtime.received(connection, text)
    for query in ("", f"token={OWNER}x"):
        stream = streams(Request("GET", chat, query, headers={"host": "confsim.test"}))
        assert stream is not None
        assert stream.connect(Sink())[1].status == 401
    assert send(sim, "GET", chat, f"token={OWNER}").status == 426


def say_hostile_things(sim: Simulator, names: Names, turns: int) -> None:
    """Put hostile texts into every text that a call takes: fields of bodies, path, query, headers, and raw bodies.

    ``turns`` is how many of the texts each operation gets.
    """
    for number, (operation, call) in enumerate(with_successes()):
        arguments = call.filled(names)
        for text in _some(number, turns):
            hostile = {name: _with(value, text) for name, value in arguments.items() if name not in _LEFT}
            hostile |= {name: value for name, value in arguments.items() if name in _LEFT}
            if hostile != arguments:
                try:
                    sim.call(operation.name, call.caller, **hostile)
                except Misuse:  # it cannot be sent, as a path with dots alone
                    continue
    for text in HOSTILE.values():
        quoted = quote(text[:200], safe="")
        visible = "".join(each for each in text[:200] if each.isprintable()).encode("utf-8").decode("latin-1")
        credential = {"authorization": f"Bearer {OWNER}", "x-trace": visible, "user-agent": visible}
        send(sim, "GET", f"/v1_0/{quoted}", f"{quoted}={quoted}", **credential)
        send(sim, *routed("create_channel"), quoted, text.encode(), content_type="application/json", **credential)
        send(sim, "PATCH", f"/v1_0/channels/{ROOM}", f"{quoted}", text.encode(), content_type=visible, **credential)


#: Arguments that are not text, or by which another thing would be meant.
_LEFT = frozenset({"uuid", "userId", "clientId", "channelId", "recordingId", "content_type"})


def _some(number: int, turns: int) -> Iterator[str]:
    """Yield some of the hostile texts, others for another number; the first is so short that a name may be it."""
    texts = tuple(HOSTILE.values())
    for turn in range(turns):
        text = texts[(number * turns + turn) % len(texts)]
        yield text if turn else text[:30]


def _with(value: Any, text: str) -> Any:
    """Return a value with the text in the place of each text in it."""
    if isinstance(value, str):
        return text
    if isinstance(value, dict):
        return {key: _with(each, text) for key, each in value.items()}
    return [_with(each, text) for each in value] if isinstance(value, list) else value

"""Answers under other assumptions: the journal replayed in a fork that follows other alternatives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Annotated, Any

import msgspec
from msgspec import field
from msgspec.structs import replace

from confsim.canonical.meaning import NAMES_IN_TEXT
from confsim.canonical.names import SameNames
from confsim.contract.types import Wire
from confsim.control.context import ControlContext
from confsim.control.declare import CONTROL, CommandBody, operation
from confsim.control.export.calls import ApiCall, answer_was_replaced, merged, never_ran, starting_world
from confsim.control.fields import Object
from confsim.control.history.aftermath import (
    DifferentDelivery,
    DifferentMails,
    different_deliveries,
    different_mails,
    different_states,
    recorded_results,
)
from confsim.control.invoke import invoke
from confsim.control.matching import read_body
from confsim.control.moments import entry_of
from confsim.control.operations import bounds
from confsim.kernel.refusal import Misuse, Refusal
from confsim.kernel.world import World
from confsim.service.clock import Clock
from confsim.service.entries import ControlCall, JournalEntry
from confsim.service.files import world_file
from confsim.service.files.profile import read_profile
from confsim.service.incoming import Incoming
from confsim.service.masking import Mask
from confsim.service.messages import Response
from confsim.service.service import Service
from confsim.service.waiting import wait_for
from confsim.service.worlds import Worlds
from confsim.transport.address import request_of

#: Bytes of a body in which ids are sought.
_READ = 64 << 10


class AskWhatIf(CommandBody):
    """``assumptions`` are alternatives by id, ``from`` the id of the first call to replay.

    By default every call that the journal has is replayed.
    """

    assumptions: Annotated[Object, "Alternatives, by the ids of assumptions."]
    from_: Annotated[str | None, "The id of the first call to replay."] = field(default=None, name="from")


class ShortAnswer(Wire):
    """The status of an answer, and its body as a JSON value or a text."""

    status: Annotated[int, "The status of the answer."]
    answer: Annotated[Any, "The body, as JSON or as text."]


class DifferentAnswer(Wire):
    """A call that would have been answered otherwise, with both answers."""

    id: Annotated[str, "The id of the call."]
    operation: Annotated[str | None, "The operation that was called."]
    method: Annotated[str, "The method of the call."]
    path: Annotated[str, "The path of the call."]
    was: Annotated[ShortAnswer, "The answer."]
    would_be: Annotated[ShortAnswer, "The answer under the other alternatives."]
    follows: Annotated[str | None, "The earlier call that differs, and whose answer gave an id in this one."] = None


class WhatIf(Wire):
    """The result of a replay: the alternatives that it followed, the number of calls, and those that differ.

    ``world`` says what the replay began with: ``built`` anew under the alternatives, or ``taken`` as it was, where the
    world at the first call is not the one that its file describes. ``differ`` says nothing about the calls that were
    not compared, and about those ``before`` the first, which the journal has dropped or ``from`` left out. Answers that
    differ in drawn names alone are only counted (``folded``). The webhooks of the replay are answered as the receivers
    of this world answered last.
    """

    assumptions: Annotated[dict[str, Any], "The alternatives that were followed."]
    calls: Annotated[int, "The number of replayed calls."]
    not_compared: Annotated[int, "How many of them were held, and then answered or dropped by somebody."]
    before: Annotated[int, "The number of calls before the first that was replayed."]
    world: Annotated[str, "The start of the replay."]
    differ: Annotated[list[DifferentAnswer], "The calls whose answers differ."]
    folded: Annotated[int, "How many more differ only in ids and secrets that were drawn in another order."] = 0
    deliveries: Annotated[list[DifferentDelivery], "The deliveries that would stand otherwise, at most 100."] = []
    mails: Annotated[list[DifferentMails], "The mails of which there would be more or fewer, at most 100."] = []
    states: Annotated[list[str], "The records that would differ in the end, in words, a line for each part."] = []


@operation("POST /what-if", replayed=False, beside=True, most_bytes=bounds.RECORD, bounds=bounds.PROFILE)
def ask_what_if(context: ControlContext, body: AskWhatIf) -> WhatIf:
    """Replay the journal in a fork that follows other alternatives, and list the calls whose answers differ.

    An answer that differs only in drawn names, such as the id of what the call made, is the same answer; later calls
    name the things of the fork by its own ids. Neither the world nor its journal changes. Misuse for an unknown
    assumption or alternative, (404) for an unknown call, (410) for a call that the journal has dropped.
    """
    if not isinstance(body.assumptions, Mapping) or not body.assumptions:
        raise Misuse("assumptions is to be an object of alternatives by the ids of assumptions")
    chosen = read_profile(body.assumptions)
    replay = _Replay(context, chosen, body.from_)
    compared = (replay.compared(entry, response) for entry, response in replay.answers())
    differ = [each for each in compared if each is not None]
    fork, now = replay.finished()
    return WhatIf(
        assumptions=dict(chosen),
        calls=replay.calls,
        not_compared=replay.not_compared,
        before=replay.before,
        world=replay.world,
        differ=differ,
        folded=replay.folded,
        deliveries=different_deliveries(context.service.world, fork.world),
        mails=different_mails(context.service.world, fork.world),
        states=different_states(context.service, fork, now),
    )


def _without_names(value: Any) -> bytes:
    """Return the JSON of a value without the ids and secrets in it."""
    return NAMES_IN_TEXT.sub("#", msgspec.json.encode(value).decode()).encode()


def _short(response: Response) -> ShortAnswer:
    return ShortAnswer(status=response.status, answer=read_body(response.body))


class _Replay:
    """The calls of a journal, repeated in a fork of the world before the first of them."""

    def __init__(self, context: ControlContext, chosen: Mapping[str, Any], first: str | None) -> None:
        from confsim.control import mount  # HTTP is imported only when needed
        from confsim.http.app import App

        service = context.service
        with service.lock:
            entries, made = list(service.journal), service.journal.control_calls
            self.before = service.journal.dropped + len(service.journal)
        if first is not None:
            begin = entry_of(context, first)
            entries = [each for each in entries if each.number >= begin.number]
        whole = bool(entries) and entries[0].number == 1
        self.calls = self.not_compared = self.folded = 0
        self._given: dict[str, str] = {}
        self.before -= len(entries)
        self.world = "taken"
        self._names = SameNames()
        self._profile = {**service.profile, **chosen}
        start = service.history.origin if whole or not entries else entries[0].before
        if whole and (built := self._built(service)) is not None:
            start, self.world = built, "built"
        after = 0 if whole or not entries else entries[0].number
        controls = [each for each in made if each.after >= after]
        self._fork = service.fork(
            world=start, profile=self._profile, clock=Clock(entries[0].at if entries else service.clock.now())
        )
        self._now = service.clock.now()
        self._fork.webhooks.repeat(recorded_results(service.world))
        self._fork.pipeline.held.hold_none()  # even for requests that carry a hold of their own
        self._context = ControlContext(self._fork, Worlds(self._fork), context.host)
        self._app = App(self._context.worlds, mount.whole())
        self._calls = merged(context, entries, controls)

    def _built(self, service: Service) -> World | None:
        """Return the world's start, built under the alternatives; None when no shipped file describes the start."""
        name = starting_world(service)
        if name is None or name.endswith(".json"):
            return None
        return world_file.load(name, service.history.origin.seed, self._profile).world

    def answers(self) -> Iterator[tuple[JournalEntry, Response]]:
        """Yield each API call with its answer in the fork."""
        for call in self._calls:
            self._fork.live.show(call.at)
            if isinstance(call, ApiCall):
                self.calls += 1
                self.not_compared += never_ran(call.entry) or answer_was_replaced(call.entry)
                yield call.entry, call.entry.response if never_ran(call.entry) else self._response(call)
            elif not CONTROL[call.operation].moves_clock:
                self._control(call)

    def compared(self, entry: JournalEntry, response: Response) -> DifferentAnswer | None:
        """Return the call with both answers, None when they are the same or the world did not make the answer."""
        if answer_was_replaced(entry):
            return None
        if (entry.response.status, entry.response.body) == (response.status, response.body):
            self._names.keep(response.body.decode(errors="replace"))
            return None
        was, would_be = _short(entry.response), _short(response)
        if was != would_be and was.status == would_be.status and self._names.alike(was.answer, would_be.answer):
            return None
        if was.status == would_be.status and _without_names(was.answer) == _without_names(would_be.answer):
            self.folded += 1
            return None
        follows = self._followed(entry)
        return DifferentAnswer(
            id=entry.id,
            operation=entry.operation or None,
            method=entry.request.method,
            path=Mask(self._profile, entry.after).path(entry.request.target),
            was=was,
            would_be=would_be,
            follows=follows,
        )

    def finished(self) -> tuple[Service, int]:
        """Return the fork at the instant of the world, and that instant, once all calls were repeated."""
        self._fork.live.show(self._now)
        return self._fork, self._now

    def _followed(self, entry: JournalEntry) -> str | None:
        """Return the earlier call that differs and gave an id in this one; note the ids that this one gave."""
        request = entry.request
        sent = f"{request.target}?{request.query} {request.body[:_READ].decode(errors='replace')}"
        asked = NAMES_IN_TEXT.findall(sent)
        given = NAMES_IN_TEXT.findall(entry.response.body[:_READ].decode(errors="replace"))
        follows = next((self._given[name] for name in asked if name in self._given), None)
        self._given.update((name, entry.id) for name in given if name not in asked and name not in self._given)
        return follows

    def _response(self, call: ApiCall) -> Response:
        named, operation, fork = self._names.translated, call.operation, self._fork
        request = replace(
            call.entry.request,
            target=named(call.target),
            query=named(call.entry.request.query),
            headers={name: named(value) for name, value in call.entry.request.headers.items()},
            body=self._body(call.entry.request.body),
            worker=None,
        )
        if operation is None or "host" in request.headers:
            return wait_for(self._app(request))
        texts = tuple(named(call.texts[name]) for name in operation.placeholders)  # a call in Python, by operation
        values = {name: named(value) for name, value in call.values.items()}
        made = request_of(operation, texts, values, self._profile, dict(request.headers), request.body)
        token = None if call.entry.token is None else named(call.entry.token)
        return wait_for(fork.perform(Incoming(operation, texts, made.query, token, made.request)))

    def _control(self, call: ControlCall) -> None:
        path = tuple(self._names.translated(part) for part in call.path)
        with suppress(Misuse, Refusal):  # this world may lack what the call was about
            invoke(self._context, CONTROL[call.operation], path, {}, self._body(call.body))

    def _body(self, body: bytes) -> bytes:
        """Return a body with the names of the fork; one that is not text stays."""
        with suppress(UnicodeDecodeError):
            return self._names.translated(body.decode()).encode()
        return body

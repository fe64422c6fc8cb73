"""Adds probes from journeys of the suite: ``python -m kit.probes.journeys FILE``, with FILE of ``campaigns flips``.

It also notes in ``tests/data/tellable.json`` which values API calls alone can show, whether there is a probe or not.

A journey of API calls alone, from the demo world, is played under other values of entries that no probe tells yet.
Where an answer differs, its calls become a probe: what they name in the demo world is made by the run before them.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from confsim.kernel.refusal import Misuse
from confsim.reference.cast import JSON
from confsim.reference.probes import Probe, ProbeCall, probes
from confsim.service.messages import Response
from confsim.testing.calibrating.alternative import Alternative
from confsim.testing.calibrating.symbols import TAG, symbols_in
from confsim.testing.learning.accounts import Accounts
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import reply_of
from confsim.testing.learning.comparing.places import Shapes
from confsim.testing.observing.requests import Reader, token_of
from kit import CUSTOMER, EVENT_ROOM, GUEST, OTHER, PARTNER, ROOM
from kit.probes import tellable
from kit.probes.making import Maker, ordered, store
from kit.probes.tellable import Compared
from kit.proofs import flips, journeys, stories
from kit.proofs.flips import Journey

#: Most calls of a journey, and most journeys that are tried for a value.
_LONGEST, _TRIED = 40, 4
#: Users and clients of the demo world, by their role in the accounts.
_USERS = {"partner-admin": 1000, "customer-admin": 1001, "owner": 1002, "operator": 1003, "user": 1004}
_CLIENTS = {CUSTOMER: "accounts", PARTNER: "partner-admin", OTHER: "other-admin"}
#: Parameters and fields whose texts nobody else may use.
_NAMES = frozenset({"name", "handle", "label", "originId"})


def _room(number: str, *more: ProbeCall) -> tuple[ProbeCall, ...]:
    """The calls that make a channel as those of the demo world are."""
    channel = f"{{channels {number}.0}}"
    return (
        ProbeCall(number, "create_channel", "{tokens owner}", body={"name": f"{TAG} {number}"}, content_type=JSON),
        ProbeCall(f"{number}o", "add_operator", "{tokens owner}", {"uuid": channel, "userId": "{users operator}"}),
        *more,
    )


#: The calls that make what a journey may find in the demo world, by the symbol of it.
_THERE = {
    "{channels r1.0}": _room("r1"),
    "{channels r2.0}": _room(
        "r2",
        ProbeCall("r2e", "set_event_room_state", "{tokens owner}", {"uuid": "{channels r2.0}", "state": "enable"}),
    ),
}
_GUEST = ProbeCall(
    "r3",
    "create_guest",
    path={"clientId": "{clients accounts}", "uuid": "{channels r1.0}"},
    body={"handle": f"{TAG} gwen"},
    content_type=JSON,
)


class Reading:
    """Reads journeys as calls of probes."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        self._reader, self._shapes = Reader({}), Shapes({})

    def calls(self, journey: Journey, number: int, last: int) -> list[ProbeCall] | None:
        """The calls of a journey up to one of them, with what they need before; None when one is no operation's."""
        words: dict[tuple[str, Any], str] = {("channels", ROOM): "{channels r1.0}"}
        words[("channels", EVENT_ROOM)] = "{channels r2.0}"
        words |= {("clients", id): f"{{clients {role}}}" for id, role in _CLIENTS.items()}
        words |= {("users", id): f"{{users {role}}}" for role, id in _USERS.items()}
        words |= {("tokens", token): f"{{tokens {role}}}" for role, token in self._accounts.tokens.items()}
        words[("tokens", GUEST)] = "{tokens r3.0}"
        found: list[ProbeCall] = []
        named: dict[str, str] = {}
        answers = flips.run(replace(journey, requests=journey.requests[: last + 1]), {}).answers
        for place, (request, answer) in enumerate(zip(journey.requests, answers, strict=False)):
            _, token = token_of(request, self._accounts)
            call = self._reader.call(request, token)
            if call is None or not isinstance(answer, tuple):
                return None
            status, headers, body, _ = answer
            reply = reply_of(Response(status, list(headers), body))
            _note_names(call, named)
            found.append(_with_symbols(f"j{number}x{place}", call, words, named))
            if reply.status < 400:
                for symbol, value in symbols_in(f"j{number}x{place}", call, reply, self._shapes):
                    words.setdefault((symbol.strip("{").partition(" ")[0], value), symbol)
        return [*_before(found), *found]


def _note_names(call: ModelCall, named: dict[str, str]) -> None:
    """Note the names that a call gives, each with the same name as one of the run."""
    body = call.body if isinstance(call.body, dict) else {}
    for name, value in (*call.path.items(), *call.query.items(), *body.items()):
        if name in _NAMES and isinstance(value, str) and 0 < len(value) < 60:
            named.setdefault(value, f"{TAG}{value}")


def _with_symbols(number: str, call: ModelCall, words: dict[tuple[str, Any], str], named: dict[str, str]) -> ProbeCall:
    def text(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: text(each) for name, each in value.items()}
        if isinstance(value, list):
            return [text(each) for each in value]
        if not isinstance(value, str):
            return value
        return f"{TAG}{value}" if "@" in value and " " not in value else named.get(value, value)

    there = call.renamed(lambda kind, value: words.get((kind, value), value))
    data = there.body if isinstance(there.body, bytes) else None
    body = None if data is not None else text(there.body)
    caller = there.caller or ""
    return ProbeCall(
        number, there.operation, caller, text(there.path), text(there.query), body, data, there.content_type
    )


def _before(calls: list[ProbeCall]) -> list[ProbeCall]:
    """The calls that make what some calls name of the demo world."""
    text = repr(calls)
    guest = "{tokens r3.0}" in text
    found = [each for symbol, made in _THERE.items() if symbol in text or (guest and "r1" in symbol) for each in made]
    return [*found, _GUEST] if guest else found


def of_the_api(every: Iterable[Journey]) -> list[Journey]:
    """The beginnings of journeys that are of the API alone, and start from the demo world, the short ones first."""
    found = []
    for each in every:
        others = (place for place, request in enumerate(each.requests) if request.target.startswith(("/_", "/w/")))
        cut = replace(each, requests=each.requests[: next(others, len(each.requests))])
        start = each.start
        plain = start.world == "demo" and not start.profile and start.scenario is None and start.seed == 0
        if plain and 0 < len(cut.requests) <= _LONGEST:
            found.append(cut)
    return sorted(journeys.distinct(found), key=lambda journey: len(journey.requests))


def shown(found: list[Journey], known: set[str], accounts: Accounts) -> Iterator[tuple[int, Journey, int, str]]:
    """Yield where a value changes an answer: number and journey, place of the answer, and the value as text.

    A value is sought in a few journeys, and no longer once it is known.
    """
    wanted = {id: [each for each in every if _key(each) not in known] for id, every in flips.flips().items()}
    tried: Counter[str] = Counter()
    reader = Reader({})
    for number, journey in enumerate(found):
        read, base = flips.read_by(journey)
        calls = [reader.call(each, token_of(each, accounts)[1]) for each in journey.requests]
        for flip in (each for id in wanted if id in read for each in wanted[id]):
            key = _key(flip)
            if key in known or tried[key] >= _TRIED:
                continue
            answers = _answers(journey, flip)
            compared = Compared()
            each = enumerate(zip(calls, journey.requests, base.answers, answers, strict=False))
            place = next((place for place, asked in each if compared.differ(*asked)), None)
            if place is not None:
                tried[key] += 1
                yield number, journey, place, key


def _answers(journey: Journey, flip: flips.Flip) -> list[object]:
    """What a journey is answered under a flip, nothing where the world cannot be built."""
    try:
        return flips.run(journey, {flip.id: flip.value}).answers
    except Misuse:
        return []


def _key(flip: flips.Flip) -> str:
    return Alternative((flip.id, flip.value)).key


def made(maker: Maker, found: list[Journey], known: set[str], seen: set[str]) -> Iterator[Probe]:
    """Yield probes of journeys that tell what none before does; ``known`` has the keys of what is told already.

    What journeys show, whether a probe does or not, is added to ``seen``.
    """
    reading = Reading(maker.run.accounts)
    for number, journey, place, key in shown(found, known, maker.run.accounts):
        seen.add(key)
        if key not in maker.every:
            continue
        calls = reading.calls(journey, number, place)
        test = partial(maker.shows, alternative=maker.every[key])
        count = test(calls) if calls is not None else 0
        if calls is None or not count:
            continue
        shorter = maker.in_own_client(maker.trimmed(calls[:count], test), maker.every[key])
        id = maker.every[key].ids[0]
        wanted = [each for other, each in maker.every.items() if other not in known and each.ids[0] == id]
        probe = maker.probe(shorter, wanted)
        known |= {f"{id}={value}" for id, values in probe.tells.items() for value in values}
        yield probe


def main(file: Path) -> None:
    """Add probes to those that are there."""
    maker = Maker()
    known = {f"{id}={value}" for probe in probes() for id, values in probe.tells.items() for value in values}
    every = [*journeys.stored(file), *journeys.scenarios(), *stories.stories(), *journeys.by_everybody()]
    seen: set[str] = set()
    found = list(made(maker, of_the_api(every), known, seen))
    found += maker.more_gates([*probes(), *found], known)
    store([*probes(), *ordered(found)])
    tellable.store(known | seen)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Hidden profiles: values of open entries from outside every list of candidates, and entries that hide each other.

Which of the values calls could reveal is computed without any tool that learns: journeys of API calls alone are played
in two simulators, under the whole profile and under the same without the value. What differs is revealed; calls that
nobody wrote may reveal more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from random import Random
from typing import Any

from msgspec import Struct

import confsim.control.catalogue  # noqa: F401  (declares every entry)
from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER
from confsim.kernel.refusal import Misuse
from confsim.service.files.profile import plain, read_profile
from confsim.service.messages import Request
from confsim.testing import calibrate
from confsim.testing.calibrating.alike import admit_alike
from kit.exam.services import Drifted, serving
from kit.probes.journeys import of_the_api
from kit.proofs import journeys
from kit.proofs.flips import Journey, Start, run

#: How many open values a profile has, beside entries that hide each other.
VALUES = 6
#: Letters of words that no list has.
_LETTERS = "bcdfghjklmnprstvwz"
#: Statuses of refusals that no list has.
_STATUSES = (402, 406, 410, 412, 420, 422, 423, 424, 425, 451)
#: Entries whose values are texts or tables of their own, and how one is drawn.
_DRAWN: dict[str, Callable[[Random], Any]] = {
    "breakout.duration": lambda chance: chance.randrange(61_000, 3_000_000),
    "breakout.room-name": lambda chance: f"{_word(chance)} {{number}}",
    "breakout.session-name": lambda chance: f"{{number}}. {_word(chance)}",
    "channels.compound-name": lambda chance: f"{{name}} ({_word(chance)}: {{parent}})",
    "config.default-language": lambda chance: chance.choice(("sl", "hu", "fi")),
    "config.service-default": lambda chance: {_word(chance): {"shown": True}},
    "config.texts-key": lambda chance: _word(chance),
    "config.themes": lambda chance: ["light", "dark", _word(chance)],
    "duration.invitation": lambda chance: 60_000 * chance.randrange(100, 5000),
    "duration.token": lambda chance: 60_000 * chance.randrange(100, 5000),
    "friendly-urls.form": lambda chance: f"[a-z]{{{chance.randrange(2, 5)},{chance.randrange(9, 30)}}}",
    "initial.channel-reputation": lambda chance: chance.randrange(2, 7),
    "initial.max-users": lambda chance: chance.randrange(11, 90),
    "levels.table": lambda chance: {
        "customer-admin": {"id": chance.randrange(30, 60), "name": _word(chance)},
        "partner-admin": {"id": chance.randrange(60, 90), "name": _word(chance)},
    },
    "providers.available": lambda chance: ["google", _word(chance)],
    "providers.icon": lambda chance: f"https://{_word(chance)}.example/{{name}}.png",
    "streaming.url": lambda chance: f"wss://{_word(chance)}.example/{{channel}}",
    "turn.life": lambda chance: chance.randrange(61, 5000),
    "turn.uris": lambda chance: [f"turn:{_word(chance)}.example:3478"],
    "users.auth-kinds": lambda chance: {"OAuth": _word(chance), "Custom": _word(chance)},
    "users.first-id": lambda chance: chance.randrange(2000, 90_000),
    "users.kinds": lambda chance: {word: _word(chance) for word in REGISTER.entries["users.kinds"].default},
    "users.reputation": lambda chance: chance.randrange(2, 7),
}
#: Entries that hide each other: under the first value, the second is seen in fewer calls or in none.
HIDING: tuple[Mapping[str, Any], ...] = (
    {"errors.body": "empty", "code.not-found": "gone_missing"},
    {"populations.too-many": "first", "code.too-many-channels": "over_the_top"},
    {"friendly-urls.taken": "move", "code.friendly-url-taken": "in_other_hands"},
    {"channels.description-too-long": "cut", "code.description-too-long": "too_wordy"},
    {"size.page-most": 7, "size.page-default": 33},
    {"size.json-body": 3000, "size.property-value": 5000},
    {"size.request-url": 700, "size.property-key": 900},
    {"breakout.delete-active": "stop", "code.breakout-active": "under_way"},
    {"parse.path-numbers": "404", "code.not-found": "gone_missing", "status.not-found": 410},
    {"encode.empty": "204", "encode.absent": "null", "http.caching": "etag"},
    {"handles.unregistered": "unique", "handles.occupiers": "everybody", "handles.equality": "exact"},
    {"auth.on-public-calls": "checked", "code.credential-invalid": "bad_pass"},
)


def _word(chance: Random) -> str:
    return "".join(chance.choice(_LETTERS) + chance.choice("aeiou") for _ in range(3))


@cache
def sizes() -> tuple[str, ...]:
    """The limits that a call of a usual length can reach."""
    return tuple(id for id in REGISTER.entries if id in _EDGES)


def hidden(seed: int) -> dict[str, Any]:
    """The hidden profile of a seed. No value is a default or a candidate, but for those that hide others."""
    chance = Random(f"hidden {seed}")
    kinds = ("code", "status", "size", "drawn")
    profile: dict[str, Any] = {}
    while len(profile) < VALUES:
        id, value = _drawn(chance, kinds[len(profile) % len(kinds)])
        known = [REGISTER.entries[id].default, *REGISTER.entries[id].candidates()]
        if REGISTER.entries[id].check(value) not in known:
            profile[id] = value
    return plain(read_profile({**profile, **HIDING[seed % len(HIDING)]}))


def _drawn(chance: Random, kind: str) -> tuple[str, Any]:
    if kind == "drawn":
        id = chance.choice(sorted(_DRAWN))
        return id, _DRAWN[id](chance)
    if kind == "size":
        return chance.choice(sizes()), chance.randrange(21, 200)
    id = chance.choice(
        sorted(each for each in REGISTER.entries if each.startswith(f"{kind}.") and each != "status.created")
    )
    return id, chance.choice(_STATUSES) if kind == "status" else f"{_word(chance)}-{chance.randrange(100)}"


# What calls reveal


def _posted(target: str, body: object, token: str = "demo-owner") -> Request:
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    return Request("POST", f"/v1_0{target}", headers=headers, body=json.dumps(body).encode())


def _got(target: str, token: str = "demo-owner") -> Request:
    return Request("GET", f"/v1_0{target}", headers={"authorization": f"Bearer {token}"})


#: Requests of a length by which a limit is reached, or not: they are as long as the lower of two values and one more.
_EDGES: dict[str, Callable[[int], list[Request]]] = {
    "size.handle": lambda n: [_posted("/users/handle/reserve", {"handle": "x" * n})],
    "size.json-body": lambda n: [_posted("/users/me/properties/key", "x" * n)],
    "size.label": lambda n: [_posted("/api_tokens", {"label": "x" * n}, "demo-admin")],
    "size.name": lambda n: [_posted("/channels/create", {"name": "x" * n})],
    "size.page-default": lambda n: [
        *(_posted("/channels/create", {"name": f"Room {number}"}) for number in range(n + 1)),
        _got("/channels"),
    ],
    "size.page-most": lambda n: [
        *(_posted("/channels/create", {"name": f"Room {number}"}) for number in range(n + 1)),
        _got("/channels?limit=5000"),
    ],
    "size.property-key": lambda n: [_posted(f"/users/me/properties/{'x' * n}", 1)],
    "size.property-value": lambda n: [_posted("/users/me/properties/key", "x" * n)],
    "size.request-url": lambda n: [_got(f"/users/me/properties/{'x' * n}")],
    "size.url": lambda n: [_posted("/terms", {"url": f"https://a.example/{'x' * n}"}, "demo-admin")],
    "size.user-ids": lambda n: [_got(f"/users/multiple/{','.join(['1000'] * n)}")],
    "size.config-word": lambda n: [_got(f"/config?theme={'x' * n}")],
}


@cache
def _journeys() -> list[Journey]:
    return of_the_api(
        [*journeys.by_everybody(), *journeys.by_gates(), journeys.catalogue_walk(0), *journeys.scenarios()]
    )


def _edge(id: str, value: int) -> Iterator[Journey]:
    if id in _EDGES:
        low = min(value, REGISTER.entries[id].default)
        for length in (low, low + 1):
            yield Journey(f"{id} {length}", Start(), tuple(_EDGES[id](length)))


def reveals(id: str, profile: Mapping[str, Any]) -> bool:
    """Whether some call is answered otherwise under a profile than without its value of an entry."""
    whole = read_profile(profile)
    without = {name: value for name, value in whole.items() if name != id}
    for journey in (*_edge(id, profile[id]), *_journeys()):
        if run(journey, whole).answers != run(journey, without).answers:
            return True
    return False


class Revealed(Struct):
    """What became of a hidden profile: counts, what became of each value, and wrong claims in words."""

    lines: list[str] = []
    wrong: list[str] = []
    hidden: int = 0
    revealed: int = 0
    learned: int = 0
    requests: int = 0


def calibrated(seed: int, requests: int) -> Revealed:
    """Calibrate beside confsim's own server under the hidden profile of a seed."""
    profile = hidden(seed)
    found = Revealed(hidden=len(profile))
    try:
        with serving(Drifted(profile=read_profile(profile))) as served:
            report = calibrate(served.base_url, served.accounts, seed=seed, most=requests)
    except Misuse as misuse:
        found.lines = [f"could not begin: {misuse}"]
        report = None
    for id, value in profile.items():
        is_revealed = reveals(id, profile)
        said = "not begun" if report is None else report.undetermined.get(id, "confirmed at its default")
        if report is not None and id in report.learned:
            said = f"learned as {report.learned[id]!r}"
            found.learned += is_revealed and _same(id, report.learned[id], profile)
        found.revealed += is_revealed
        found.lines.append(f"{id} = {value!r}, {'revealed' if is_revealed else 'not revealed'} by calls: {said}")
    if report is not None:
        found.requests = report.requests
        claims = {**{id: plain({id: REGISTER.entries[id].default})[id] for id in report.confirmed}, **report.learned}
        found.wrong = [f"wrong: {id} = {value!r}" for id, value in claims.items() if not _same(id, value, profile)]
    return found


def _same(id: str, claimed: Any, profile: Mapping[str, Any]) -> bool:
    entry = REGISTER.entries[id]
    own = read_profile({id: profile[id]})[id] if id in profile else entry.default
    claimed = entry.check(claimed)
    if id.startswith("gate."):
        return admit_alike(API[id.partition(".")[2]], claimed, own, read_profile(profile))
    return bool(claimed == own)

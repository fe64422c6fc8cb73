"""Random arguments of calls: mostly ids of things that the run made, some with one mistake."""

from __future__ import annotations

import random as chance
from collections.abc import Mapping
from enum import Enum
from typing import Any, get_args, get_origin

import msgspec

from confsim.assumptions.identity import LEVELS
from confsim.assumptions.protocol import images
from confsim.assumptions.register import in_force
from confsim.contract.annotations import fields_of, mark_of, named, peeled, struct_of, undescribed, without_none
from confsim.contract.operation import Operation
from confsim.contract.types import Names as NamesMark, SearchText, Ttl
from confsim.testing.learning.calls import ModelCall, kinds_of
from confsim.testing.learning.names import RunNames
from confsim.testing.learning.things import RunCaller, Thing, Things
from confsim.testing.samples import UNKNOWN_ID, as_text, samples_of

from .wrong import wrong_calls

_PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 24
_WORDS = ("Alder", "birch", "Cedar", "dogwood", "Elm")
#: Values of parameters and fields that are no ids, by name: few of those allowed, so that calls of a run meet.
_PLAIN: Mapping[str, tuple[Any, ...]] = {
    "key": ("colour", "size"),
    "destination": ("rtmp://live.example.com/one", "rtmps://live.example.com/two", "https://live.example.com"),
    "languages": (["en"], ["de-CH", "en"], ["fr"]),
    "ttl": ("1d", "2h", "7d"),
    "pin": ("1234", "4321", "00987654"),
    "countryCode": ("US", "GB", "DE"),
    "categories": (["theme"], ["theme", "limits"]),
    "context": ("web", "phone"),
    "language": ("en", "de"),
    "theme": ("dark", "light"),
    "tags_all": (["red"], ["red", "blue"]),
    "tags_any": (["red"], ["red", "blue"]),
    "from": (0, 4_000_000_000_000),
    "to": (0, 4_000_000_000_000),
    "startedAfter": (0, 1000, 2000),
    "startedBefore": (0, 1000, 2000, 5000),
    "started": (1000, 2000, 3000),
    "time": (1, 2, 3),
    "index": (1, 2, 3),
    "version": (1, 2, 3),
    "data": ("begun", "going on"),
    "duration": (0, 3_600_000, 7_200_000),
    "limit": (1, 2, 3, 0, 50),
    "offset": (0, 1, 2, 50),
    "idToken": ("no.such.token",),
    "kind": ("RTMP", "SRT", "chat"),
}
#: Parameters that are mostly given what an earlier call of the run set: how this run draws, no fact of an operation.
_LOOK_UPS = frozenset({"handle", "email", "originId", "url", "pin", "key"})
#: How often these are given that; less often to what sets them, which would set the same again.
_LOOKED_UP, _SET_AGAIN = 0.7, 0.3
#: How often a guest names itself.
_SELF = 0.4
#: Phone numbers that are reserved for fiction.
_FICTION = ("+12025550199", "+12025550147", "+442079460999")


class Drawing:
    """Draws calls. ``numbers`` are the inbound numbers of the service."""

    def __init__(
        self, random: chance.Random, things: Things, names: RunNames, profile: Mapping[str, Any], numbers: list[str]
    ) -> None:
        self._random = random
        self._things = things
        self._names = names
        self._numbers = numbers
        self._profile = profile
        self._known = _LOOKED_UP
        self._names_unknown = False
        table: Any = in_force(profile, LEVELS)
        self._levels = sorted(each["id"] for each in table.values())

    def call(
        self,
        operation: Operation,
        caller: RunCaller,
        home: str,
        journey: int,
        *,
        right: bool = False,
        names_unknown: bool = False,
    ) -> ModelCall | None:
        """Draw a call of an operation, None when it names a kind of which nothing was made.

        One in ten has a mistake, unless ``right`` is set. With ``names_unknown`` it names an unknown thing instead of
        none.
        """
        self._names_unknown = names_unknown
        self._known = _SET_AGAIN if operation.changes and operation.method != "DELETE" else _LOOKED_UP
        path = self._path(operation, caller, home, journey)
        if path is None:
            return None
        query = self._query(operation, caller, home, journey)
        if query is None:
            return None
        call = ModelCall(operation.name, caller.token, path, query)
        if operation.body is not None:
            call = self._with_body(call, operation, caller, home, journey)
        return call if right or self._random.random() >= 0.1 else self._wrong(call, operation)

    def _path(self, operation: Operation, caller: RunCaller, home: str, journey: int) -> dict[str, str] | None:
        known = self._names.paths.get(operation.placeholders)
        if known and self._random.random() < 0.4:
            return dict(self._random.choice(known))
        chosen: dict[str, Any] = {}
        kinds = kinds_of(operation.name)
        for parameter in reversed(operation.path_parameters):
            kind = kinds.get(parameter.name)
            if kind is None or kind in {"users", "clients"} or kind in chosen:
                continue
            thing = self._thing(kind, home, journey)
            if thing is None:
                return None
            chosen[kind] = thing.name
            if self._random.random() < 0.93:
                chosen = {**thing.inside, **chosen}
        path: dict[str, str] = {}
        for parameter in operation.path_parameters:
            text = as_text(self._in_path(parameter, kinds, chosen, caller, home, journey), self._profile)
            if not text:
                return None
            path[parameter.name] = text
        return path

    def _thing(self, kind: str, home: str, journey: int) -> Thing | None:
        if self._random.random() < 0.03:
            return Thing(kind, UNKNOWN_ID, home)
        found = self._things.choose(self._random, kind, home, journey)
        return Thing(kind, UNKNOWN_ID, home) if found is None and self._names_unknown else found

    def _in_path(
        self,
        parameter: Any,
        kinds: Mapping[str, str],
        chosen: Mapping[str, Any],
        caller: RunCaller,
        home: str,
        journey: int,
    ) -> Any:
        kind = kinds.get(parameter.name)
        if kind == "users":
            many = get_origin(peeled(parameter.wire)[0]) is list
            one = self._user(caller, home, journey, chosen.get("users"))
            if many and self._random.random() < 0.6:
                return [one, self._user(caller, home, journey, None)]
            return one
        if kind == "clients":
            if self._random.random() < 0.9:
                return home
            return self._random.choice([self._things.accounts_client, *self._things.own_clients, UNKNOWN_ID])
        if kind is not None:
            mark = mark_of(parameter.annotation, NamesMark)
            if mark is not None and mark.several and self._random.random() < 0.4:
                other = self._things.choose(self._random, kind, home, journey)
                return [chosen[kind], other.name] if other is not None else chosen[kind]
            return chosen[kind]
        used = self._names.used.get(parameter.name)
        if used and self._is_given_again(parameter.name):
            return self._random.choice(used)
        return self._plain(parameter.name, parameter.wire, parameter.annotation)

    def _user(self, caller: RunCaller, home: str, journey: int, given: Any) -> Any:
        if given is not None and self._random.random() < 0.8:
            return given
        roll = self._random.random()
        if caller.made and caller.user is not None and roll < _SELF:
            return caller.user
        made = self._things.choose(self._random, "users", home, journey)
        if made is not None and roll < 0.5:
            return made.name
        known = self._things.known_users.get(home, [])
        if known and roll < 0.85:
            return self._random.choice(known)
        if caller.user is not None and roll < 0.97:
            return caller.user if roll < 0.91 else "me"
        return made.name if made is not None else 999_999_999

    def _is_given_again(self, name: str) -> bool:
        """Return whether a parameter is to be given what an earlier call gave it."""
        return name in _LOOK_UPS and self._random.random() < self._known

    def _plain(self, name: str, wire: Any, annotation: Any = None) -> Any:
        """Draw a value for a parameter or field that is no id."""
        random = self._random
        base = peeled(undescribed(wire))[0]
        if name == "number":
            return random.choice([*self._numbers, *self._numbers, *_FICTION])
        if name == "level" or name == "levels":
            level = random.choice(self._levels)
            return [level] if name == "levels" else level
        if name == "email":
            return f"{self._names.tag}-{random.randrange(4)}@example.com"
        if name == "limit" and annotation is not None:
            return random.choice((1, 2, 5, 0))
        if isinstance(base, type) and issubclass(base, Enum):
            return random.choice(list(base)).value
        if given := _PLAIN.get(name) or samples_of(wire):
            return random.choice(given)
        if base is Ttl:
            return random.choice(_PLAIN["ttl"])
        if isinstance(annotation, type) and issubclass(annotation, Enum):
            return random.choice(list(annotation)).value
        if base is bool:
            return random.random() < 0.5
        if base in (int, float):
            return random.choice((0, 1, 2, 5))
        if get_origin(base) is list:
            return [self._plain(name, get_args(base)[0])]
        return self._text(name, wire)

    def _text(self, name: str, wire: Any) -> Any:
        random = self._random
        given = self._names.given
        if mark_of(wire, SearchText) is not None:
            return random.choice([self._names.tag, *given, self._names.tag.upper()])
        if name == "originId":
            return f"{self._names.tag}-{random.randrange(4)}"
        if name in {"url", "imageUrl"}:
            return random.choice(
                (f"https://example.com/{random.randrange(3)}", f"{self._names.tag}-{random.randrange(4)}")
            )
        if given and random.random() < 0.15:
            return random.choice(given)
        return self._names.new(random.choice(_WORDS))

    def _query(self, operation: Operation, caller: RunCaller, home: str, journey: int) -> dict[str, str] | None:
        query: dict[str, str] = {}
        kinds = kinds_of(operation.name)
        some = self._random.random() < 0.6
        for parameter in operation.query_parameters:
            if not parameter.required and (not some or self._random.random() < 0.6):
                continue
            kind = kinds.get(parameter.name)
            value: Any
            if kind == "users":
                value = self._user(caller, home, journey, None)
            elif kind is not None:
                thing = self._thing(kind, home, journey)
                if thing is None:
                    if parameter.required:
                        return None
                    continue
                value = thing.name
            elif (used := self._names.used.get(parameter.name)) and self._is_given_again(parameter.name):
                value = self._random.choice(used)
            else:
                value = self._plain(parameter.name, parameter.wire)
            query[parameter.name] = as_text(value, self._profile)
        if operation.for_client and self._things.own_clients and self._random.random() < 0.25:
            query["for_client"] = self._random.choice([*self._things.own_clients, UNKNOWN_ID])
        return query

    def _with_body(
        self, call: ModelCall, operation: Operation, caller: RunCaller, home: str, journey: int
    ) -> ModelCall:
        assert operation.body is not None
        type_ = operation.body.type
        if not operation.body.is_json:
            if operation.upload is images.FORM:
                return msgspec.structs.replace(call, body=_PNG, content_type="image/png")
            data = self._random.choice((b"bytes", b"more bytes", _PNG))
            return msgspec.structs.replace(call, body=data, content_type="text/plain")
        body: Any
        elements = kinds_of(operation.name).get("body")
        if elements is not None:
            found = self._things.choose(self._random, elements, home, journey)
            body = [found.name] if found is not None else [UNKNOWN_ID]
        elif struct_of(type_) is None:
            given = samples_of(type_) or ({"a": 1}, "x", 3, None)
            body = given[0] if len(given) == 1 else self._random.choice(given)
        else:
            body = {}
            for field in fields_of(type_):
                if field.required or self._random.random() < 0.5:
                    body[field.encode_name] = self._in_body(field, caller, home, journey)
        return msgspec.structs.replace(call, body=body, content_type="application/json")

    def _in_body(self, field: Any, caller: RunCaller, home: str, journey: int) -> Any:
        type_, kind = named(without_none(field.type))
        if kind == "users":
            return self._user(caller, home, journey, None) if self._random.random() < 0.97 else 999_999_999
        if kind is not None and kind != "codes":
            thing = self._thing(kind, home, journey)
            return UNKNOWN_ID if thing is None else thing.name
        if field.encode_name == "number":
            return self._random.choice(_FICTION)
        value = self._plain(field.encode_name, type_)
        return f"{value}".lower() if field.encode_name == "url" and value == "" else value

    def _wrong(self, call: ModelCall, operation: Operation) -> ModelCall:
        """Return the call with one mistake or a value at its limit; unchanged where neither is possible."""
        ways = list(wrong_calls(call, operation, self._random))
        return self._random.choice(ways) if ways else call

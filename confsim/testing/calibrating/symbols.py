"""The symbols of probes: what their calls name stands for things of a run, or for those of its accounts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

from confsim.api.catalogue import API
from confsim.assumptions.register import Assumption, in_force
from confsim.contract.annotations import fields_of, mark_of, struct_of
from confsim.contract.types import SearchText, Sized
from confsim.reference.probes import ProbeCall
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import Reply, chosen_values
from confsim.testing.learning.comparing.places import Shapes
from confsim.testing.learning.names import short_name
from confsim.testing.learning.run import Run

#: The text for which the beginning of the run's names stands in probes, and the same in capitals.
TAG, CAPITALS = "{tag}", "{TAG}"
#: The symbols of the inbound numbers of the client of the accounts, which may be parts of texts.
_NUMBER = re.compile(r"\{number \d+\}")
#: The word of the client of the run in symbols.
OWN = "own"
_NONE: Mapping[str, Any] = MappingProxyType({})


class Symbols:
    """What the symbols of probes stand for in the model of a run."""

    def __init__(
        self, tag: str, named: dict[str, Any], profile: Mapping[str, Any] = _NONE, short: dict[str, str] | None = None
    ) -> None:
        self._tag = tag
        self._named = named
        self._profile = profile
        #: Short names in the place of those that are too long under the profile.
        self.short: dict[str, str] = short if short is not None else {}

    def copy(self, tag: str = "") -> Symbols:
        """Return others for the same things, with other names if a beginning is given for them."""
        return Symbols(tag or self._tag, dict(self._named), self._profile, dict(self.short))

    def bind(self, named: dict[str, Any]) -> None:
        """Let symbols stand for these values."""
        self._named.update(named)

    def find(self, symbol: str) -> str | int | None:
        """Return what a symbol stands for, None when it stands for nothing."""
        return self._named.get(symbol)

    def forget(self, symbols: Sequence[str]) -> None:
        """Let symbols stand for nothing."""
        for each in symbols:
            self._named.pop(each, None)

    def __contains__(self, symbol: object) -> bool:
        return symbol in self._named

    def call(self, probed: ProbeCall) -> ModelCall | None:
        """Return a call of a probe as it is made now; None when something that it names is not there."""
        call = ModelCall(
            probed.operation,
            probed.caller or None,
            self._texts(probed.path),
            self._within(self._texts(probed.query), *_sizes_of_query(probed.operation)),
            _filled(self._body(probed) if probed.data is None else probed.data, probed.length),
            probed.content_type,
        )
        absent: list[Any] = [text for text in call.arguments.values() if _NUMBER.search(text)]

        def bound(kind: str, value: Any) -> Any:
            if not is_symbol(value):
                return value
            if value not in self._named:
                absent.append(value)
            return self._named.get(value)

        made = call.renamed(bound)
        return None if absent else made

    def learn(self, probed: ProbeCall, reply: Reply, shapes: Shapes, call: ModelCall) -> None:
        """Learn what an answer to a call of a probe names."""
        if reply.status < 400:
            for symbol, value in symbols_in(probed.number, call, reply, shapes):
                self._named[symbol] = value
                if probed.number == OWN:
                    self._named[symbol.replace(f" {OWN}.0", f" {OWN}")] = value

    def _body(self, probed: ProbeCall) -> Any:
        body = self._texts(probed.body)
        return self._within(body, *_sizes_of_body(probed.operation)) if isinstance(body, dict) else body

    def _within(
        self, texts: dict[str, Any], sizes: Mapping[str, Assumption[int]], optional: frozenset[str]
    ) -> dict[str, Any]:
        """Return fields without texts that would be refused under the profile alone.

        A name is a short one instead; what else is optional is left out.
        """
        found = dict(texts)
        for name, size in sizes.items():
            text = texts.get(name)
            if size.id not in self._profile or not isinstance(text, str):
                continue
            if in_force(self._profile, size) < len(text) <= size.default:
                if text.startswith(self._tag):
                    found[name] = self.short.setdefault(text, short_name(len(self.short)))
                elif name in optional:
                    del found[name]
        return found

    def _texts(self, value: Any) -> Any:
        if isinstance(value, str):
            value = _NUMBER.sub(lambda found: self._named.get(found[0], found[0]), value)
            return value.replace(TAG, self._tag).replace(CAPITALS, self._tag.upper())
        if isinstance(value, dict):
            return {name: self._texts(each) for name, each in value.items()}
        return [self._texts(each) for each in value] if isinstance(value, list) else value


@cache
def _sizes_of_body(operation: str) -> tuple[Mapping[str, Assumption[int]], frozenset[str]]:
    """Return the limits of the texts in the body of an operation, by field, and the fields that are optional."""
    body = API[operation].body
    struct = None if body is None else struct_of(body.type)
    fields = () if struct is None else fields_of(struct)
    optional = frozenset(each.encode_name for each in fields if not each.required)
    return _sizes({each.encode_name: each.type for each in fields}), optional


@cache
def _sizes_of_query(operation: str) -> tuple[Mapping[str, Assumption[int]], frozenset[str]]:
    """Return the limits of the texts in the query of an operation, by parameter, and the optional parameters."""
    parameters = API[operation].query_parameters
    optional = frozenset(each.name for each in parameters if not each.required)
    return _sizes({each.name: each.annotation for each in parameters}), optional


def _sizes(annotations: Mapping[str, Any]) -> Mapping[str, Assumption[int]]:
    marks = ((name, mark_of(annotation, Sized)) for name, annotation in annotations.items())
    return {name: mark.max_length for name, mark in marks if mark is not None and not isinstance(mark, SearchText)}


def _filled(body: Any, length: int) -> Any:
    """Return a body with its last byte or character repeated until it is so long."""
    return body + body[-1:] * (length - len(body)) if length else body


def is_symbol(value: object) -> bool:
    """Return whether a value of a call is a symbol."""
    return isinstance(value, str) and value.startswith("{") and value.endswith("}") and " " in value


def symbols_in(number: str, call: ModelCall, reply: Reply, shapes: Shapes) -> Iterator[tuple[str, Any]]:
    """Yield the symbols of what an answer names, each with the value."""
    counts: Counter[str] = Counter()
    for kind, value in chosen_values(shapes.answer(call.declared), reply.body):
        yield f"{{{kind} {number}.{counts[kind]}}}", value
        counts[kind] += 1


def symbols_of(run: Run) -> dict[str, Any]:
    """Return the symbols for the accounts of a run and for the client that it made."""
    found: dict[str, Any] = {f"{{number {place}}}": number for place, number in enumerate(run.numbers)}
    found["{clients accounts}"] = run.accounts.client
    for caller in run.things.callers:
        role = "own" if caller.made and caller.role == "api-token" else caller.role
        if caller.made and role != "own":
            continue
        found.setdefault(f"{{tokens {role}}}", caller.token)
        found.setdefault(f"{{clients {role}}}", caller.home)
        if caller.user is not None:
            found.setdefault(f"{{users {role}}}", caller.user)
    return found


def symbols_named(calls: Sequence[ProbeCall]) -> list[str]:
    """Return the symbols that calls name."""
    found: list[str] = []
    for probed in calls:
        call = ModelCall(probed.operation, probed.caller or None, probed.path, probed.query, probed.body)
        found += [value for _, value in (*call.names(), ("tokens", probed.caller)) if is_symbol(value)]
    return list(dict.fromkeys(found))

"""A call that both sides receive: an operation, the caller, and arguments with the ids of the model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from confsim.api.catalogue import API
from confsim.assumptions.protocol.parsing import LIST_SEPARATOR
from confsim.contract.annotations import mark_of, named
from confsim.contract.operation import Operation
from confsim.contract.types import Numbering

from .comparing.places import NUMBERS

#: A function of a kind and a value: returns the value to use instead.
Rename = Callable[[str, Any], Any]
#: The value of ``{userId}`` that stands for the caller.
ME = "me"
#: What may part the ids of a list in one text by a profile; no id has any of these characters.
_SEPARATORS = "".join(map(str, (LIST_SEPARATOR.default, *LIST_SEPARATOR.alternatives)))
#: One of these ids, or a symbol of a probe.
_ID = re.compile(rf"\{{[^}}]*\}}|[^\s{re.escape(_SEPARATORS)}]+")
#: The kinds of ids that are numbers.
_DIGITS = frozenset({"users", NUMBERS})


class ModelCall(Struct, frozen=True):
    """One call. ``caller`` is a token of the model, None for none; ``path`` and ``query`` map names to texts.

    ``body`` is plain JSON or bytes, None for none.
    """

    operation: str
    caller: str | None
    path: dict[str, str] = {}
    query: dict[str, str] = {}
    body: Any = None
    content_type: str | None = None

    @property
    def declared(self) -> Operation:
        """Return the declaration of the operation."""
        return API[self.operation]

    @property
    def arguments(self) -> dict[str, str]:
        """Return path and query parameters in one dict."""
        return {**self.path, **self.query}

    def names(self) -> Iterator[tuple[str, Any]]:
        """Yield the things that path, query and body name, as (kind, value)."""
        kinds = kinds_of(self.operation)
        if not kinds:
            return
        for texts in (self.path, self.query):
            for name, text in texts.items():
                kind = kinds.get(name)
                if kind is not None and text != ME:
                    for each in _ID.findall(text):
                        yield kind, _named(kind, each)
        body = self.body
        if isinstance(body, dict):
            for name, value in body.items():
                kind = kinds.get(f"body {name}")
                if kind is not None and _is_name(value):
                    yield kind, value
        elif isinstance(body, list) and "body" in kinds:
            yield from ((kinds["body"], each) for each in body if _is_name(each))

    def renamed(self, rename: Rename) -> ModelCall:
        """Return the same call with other ids."""
        kinds = _renamed_kinds(self.operation)
        caller = self.caller if self.caller is None else rename("tokens", self.caller)
        if not kinds:
            return replace(self, caller=caller)
        path = {name: _renamed(kinds.get(name), text, rename) for name, text in self.path.items()}
        query = {name: _renamed(kinds.get(name), text, rename) for name, text in self.query.items()}
        body = self.body
        if isinstance(body, dict):
            body = {
                name: rename(kinds[f"body {name}"], value) if f"body {name}" in kinds and _is_name(value) else value
                for name, value in body.items()
            }
        elif isinstance(body, list) and "body" in kinds:
            body = [rename(kinds["body"], each) if _is_name(each) else each for each in body]
        elif isinstance(body, bytes):
            body = _renamed_fields(body, kinds, rename)
        return replace(self, caller=caller, path=path, query=query, body=body)


def _is_name(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _renamed(kind: str | None, text: str, rename: Rename) -> str:
    """Return a text of a path or query with its id, or several of them, replaced."""
    if kind is None or text == ME:
        return text
    return _ID.sub(lambda found: str(rename(kind, _named(kind, found[0]))), text)


def _renamed_fields(raw: bytes, kinds: Mapping[str, str], rename: Rename) -> bytes:
    """Return the bytes of a body with the ids in its fields replaced, wherever these are given."""
    if not any(name.startswith("body ") for name in kinds):
        return raw
    try:
        given = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return raw
    for name, value in given.items() if isinstance(given, dict) else ():
        kind = kinds.get(f"body {name}")
        if kind is not None and _is_name(value):
            other = rename(kind, value)
            was, becomes = (json.dumps({name: each}, separators=(",", ":"), default=str) for each in (value, other))
            raw = raw.replace(was[1:-1].encode(), becomes[1:-1].encode())
    return raw


def _named(kind: str, text: str) -> Any:
    """Return an id in the form that answers have."""
    return int(text) if kind in _DIGITS and text.isdigit() else text


@cache
def _renamed_kinds(operation: str) -> Mapping[str, str]:
    """Return the kinds of ``kinds_of``, and that of each path parameter that is a number which may be an instant."""
    marked = (each.name for each in API[operation].path_parameters if mark_of(each.annotation, Numbering) is not None)
    return {**kinds_of(operation), **dict.fromkeys(marked, NUMBERS)}


@cache
def kinds_of(operation: str) -> Mapping[str, str]:
    """Return the kind of thing that each parameter of an operation names.

    Body fields have the prefix ``body ``; a body that is a list of ids is ``body``.
    """
    declared = API[operation]
    found = {each.name: each.names for each in declared.path_parameters if each.names}
    found |= {each.name: each.names for each in declared.query_parameters if each.names}
    if declared.for_client:
        found["for_client"] = "clients"
    if declared.body is not None:
        found |= {f"body {name}": kind for name, kind in declared.body.names.items()}
        elements = named(declared.body.type)[1]
        found |= {} if elements is None else {"body": elements}
    return found

"""A call that both sides receive: an operation, the caller, and arguments with the ids of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from confsim.api.catalogue import API
from confsim.contract.annotations import named, struct_of, without_none
from confsim.contract.operation import Operation

#: A function of a kind and a value: returns the value to use instead.
Rename = Callable[[str, Any], Any]
#: Operations whose body is a list of ids, each with the kind.
_ID_LISTS = {"batch_delete_channel_media": "media", "batch_delete_client_media": "media"}
#: Parameters that name a thing although their declaration does not say so.
_UNDECLARED = {"meetingId": "meeting_ids"}
#: Values of ``{userId}`` that stand for the caller.
_ME = "me"


class Call(Struct, frozen=True):
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
        found: list[tuple[str, Any]] = []

        def note(kind: str, value: Any) -> Any:
            found.append((kind, value))
            return value

        replace(self, caller=None).renamed(note)
        return iter(found)

    def renamed(self, rename: Rename) -> Call:
        """Return the same call with other ids."""
        kinds = kinds_of(self.operation)
        path = {name: _renamed(kinds.get(name), text, rename) for name, text in self.path.items()}
        query = {name: _renamed(kinds.get(name), text, rename) for name, text in self.query.items()}
        body = self.body
        if isinstance(body, dict) and kinds:
            body = {
                name: rename(kinds[f"body {name}"], value) if f"body {name}" in kinds and _is_name(value) else value
                for name, value in body.items()
            }
        elif isinstance(body, list) and self.operation in _ID_LISTS:
            body = [rename(_ID_LISTS[self.operation], each) if _is_name(each) else each for each in body]
        caller = self.caller if self.caller is None else rename("tokens", self.caller)
        return replace(self, caller=caller, path=path, query=query, body=body)


def _is_name(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _renamed(kind: str | None, text: str, rename: Rename) -> str:
    """Return a text of a path or query with its id, or several of them, replaced."""
    if kind is None or text == _ME:
        return text
    return ",".join(
        str(rename(kind, int(each) if kind == "users" and each.isdigit() else each)) for each in text.split(",")
    )


@cache
def kinds_of(operation: str) -> Mapping[str, str]:
    """Return the kind of thing that each parameter of an operation names; body fields have the prefix ``body ``."""
    declared = API[operation]
    found = {each.name: each.names for each in declared.path_parameters if each.names}
    found |= {each.name: each.names for each in declared.query_parameters if each.names}
    found |= {name: kind for name, kind in _UNDECLARED.items() if name in declared.query_names}
    if declared.for_client:
        found["for_client"] = "clients"
    type_ = struct_of(declared.body.type) if declared.body is not None else None
    for field in () if type_ is None else msgspec.structs.fields(type_):
        kind = named(without_none(field.type))[1]
        if kind:
            found[f"body {field.encode_name}"] = kind
    return found

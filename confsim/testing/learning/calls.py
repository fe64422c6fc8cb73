"""A call as both sides get it: an operation, the caller, and arguments in the words of the model."""

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

#: Maps a value that names a thing of a kind to another.
Rename = Callable[[str, Any], Any]
#: Bodies that are bare lists of ids, by operation.
_ID_LISTS = {"batch_delete_channel_media": "media", "batch_delete_client_media": "media"}
#: Parameters that name something without a declaration that says so.
_UNDECLARED = {"meetingId": "meeting_ids"}
#: Values of ``{userId}`` for the caller.
_ME = "me"


class Call(Struct, frozen=True):
    """One call. ``caller`` is a token of the model's, None for nobody; ``path`` and ``query`` are texts by name.

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
        """The operation."""
        return API[self.operation]

    @property
    def arguments(self) -> dict[str, str]:
        """Path and query parameters together."""
        return {**self.path, **self.query}

    def names(self) -> Iterator[tuple[str, Any]]:
        """The things that it names: kind and value, as they stand in path, query and body."""
        found: list[tuple[str, Any]] = []

        def note(kind: str, value: Any) -> Any:
            found.append((kind, value))
            return value

        replace(self, caller=None).renamed(note)
        return iter(found)

    def renamed(self, rename: Rename) -> Call:
        """The same call of other things."""
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
    """A text of a path or query that may name a thing, or several."""
    if kind is None or text == _ME:
        return text
    return ",".join(
        str(rename(kind, int(each) if kind == "users" and each.isdigit() else each)) for each in text.split(",")
    )


@cache
def kinds_of(operation: str) -> Mapping[str, str]:
    """The kind of thing that each parameter of an operation names; fields of the body stand behind ``body ``."""
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

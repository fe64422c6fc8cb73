"""What a call is about: the record in its path or its body, by its label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from confsim.contract.operation import Operation
from confsim.kernel.world import Change, World

from .label import Named, channel_label, find, named, user_label

#: Fields of a body that name the thing that a call creates or changes, the best first.
_NAMES = ("name", "handle", "fullName", "label", "email", "url", "number")


def about(worlds: tuple[World, ...], operation: Operation | None, path: str, body: Any, client: str) -> Named | None:
    """Return the record that a call is about; None for one that names nothing.

    It is the first record of the path, else of the body, in the first of the worlds that has it. A thing that has no
    record, such as one whose creation was refused, has only a label. ``client`` is that of the caller, "" for none.
    """
    ids = [*in_path(operation, path)]
    fields = body if isinstance(body, Mapping) else {}
    for world in worlds:
        change = world.change(0)
        for id in ids:
            found = find(change, id, client)
            if found is not None:
                return named(change, found)
        pair = _presence(change, fields)
        if pair is not None:
            return pair
    texts = [each for name in _NAMES if isinstance(each := fields.get(name), str) and each]
    own = texts[0] if texts else None
    return None if own is None else Named(kind="", id="", client=client, label=own[:80])


def in_path(operation: Operation | None, path: str) -> Iterator[str]:
    """Yield the path parameters of a call, as texts."""
    if operation is not None:
        declared, given = operation.path.split("/"), path.split("/")
        for pattern, text in reversed([*zip(declared[::-1], given[::-1], strict=False)]):
            if pattern.startswith("{"):
                yield unquote(text)


def _presence(change: Change, fields: Mapping[str, Any]) -> Named | None:
    """Return the user and the channel of a body that names both, as a label, or the one that it names."""
    user, channel = fields.get("userId"), fields.get("channel")
    there = find(change, channel) if isinstance(channel, str) else None
    who = find(change, user) if isinstance(user, int) else None
    if there is not None and who is not None and isinstance(user, int):
        called = f"{user_label(change, who.client, user)} in {channel_label(change, there.client, there.id)}"
        return Named(kind=there.table.name, id=there.id, client=there.client, label=called)
    one = who or there
    return None if one is None else named(change, one)

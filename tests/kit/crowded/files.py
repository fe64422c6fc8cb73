"""World files for crowded worlds: the demo world with clients of several depths, or with a hostile text in every name.

Both keep the ids, tokens and addresses of the demo world, so that calls written for it can be made in them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kit.crowded.texts import HOSTILE, LONG_NAME, LONG_TOKEN

_DEMO = Path(__file__).resolve().parents[3] / "fixtures" / "demo.json"
#: The longest names and handles that the documents allow.
_NAME, _HANDLE = 80, 40
#: Levels of clients below the customer of the demo world.
_DEPTH = 3


def demo() -> dict[str, Any]:
    """Return the demo world as plain values."""
    found: dict[str, Any] = json.loads(_DEMO.read_text())
    return found


def crowded() -> dict[str, Any]:
    """Return the demo world with a line of clients below its customer, whose users have long names and tokens."""
    file = demo()
    parent = "Demo Customer"
    for depth in range(1, _DEPTH + 1):
        name = f"{LONG_NAME[: _NAME - 8]} {depth}"
        owner = f"{LONG_NAME[: _HANDLE - 8]} {depth}"
        file["clients"].append(
            {
                "name": name,
                "parent": parent,
                "reseller": depth < _DEPTH,
                "users": [
                    {"handle": owner, "fullName": LONG_NAME[:_NAME], "token": f"{LONG_TOKEN}{depth}"},
                    {"handle": "W" * _HANDLE, "levels": ["customer-admin"], "token": f"t{depth}"},
                ],
                "channels": [{"name": "W" * _NAME, "owners": [owner], "description": LONG_NAME[:200]}],
                "apiTokens": [{"token": f"{LONG_TOKEN}api{depth}", "label": LONG_NAME[:_NAME]}],
            }
        )
        parent = name
    return file


def hostile() -> dict[str, Any]:
    """Return the demo world in which every name, handle, label and description is a hostile text of its own."""
    file = demo()
    texts = _Texts()
    names: dict[str, str] = {}
    for client in file["clients"]:
        for user in client["users"]:
            names[user["handle"]] = user["handle"] = texts.next(_HANDLE)
            user["fullName"] = texts.next(_NAME)
            if "originId" in user:
                user["originId"] = texts.next(_NAME)
        for channel in client.get("channels", ()):
            names[channel["name"]] = channel["name"] = texts.next(_NAME)
            channel["description"] = texts.next(_NAME)
            for role in ("owners", "operators"):
                channel[role] = [names[each] for each in channel[role]]
        for user in client["users"]:
            if "channel" in user:
                user["channel"] = names[user["channel"]]
        for token in client.get("apiTokens", ()):
            token["label"] = texts.next(_NAME)
        for validator in client.get("validators", ()):
            validator["name"] = texts.next(_NAME)
        names[client["name"]] = client["name"] = texts.next(_NAME)
        if "parent" in client:
            client["parent"] = names[client["parent"]]
    return file


class _Texts:
    """Gives one hostile text after the other, each with a number that makes it unique."""

    def __init__(self) -> None:
        self._count = 0

    def next(self, length: int) -> str:
        """Return the next text, at most so long."""
        texts = tuple(HOSTILE.values())
        text = texts[self._count % len(texts)]
        self._count += 1
        return f"{self._count}{text[: length - 3]}"

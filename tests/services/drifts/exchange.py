"""One exchange that passes the proxy: what was asked, and the answer, which drifts change."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any
from urllib.parse import parse_qs


class Memory:
    """What drifts remember of earlier exchanges, and the chance of those that come now and then."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.stored: dict[Any, Any] = {}

    def sometimes(self, one_in: int) -> bool:
        """Whether it comes this time."""
        return self.chance.randrange(one_in) == 0


class Exchange:
    """A request and the server's answer. ``path`` is below the version; ``body`` the JSON of the answer, if it is."""

    def __init__(self, method: str, target: str, sent: bytes, memory: Memory) -> None:
        path, _, query = target.partition("?")
        self.method = method
        self.path = re.sub(r"^.*?/v1_0(?=/|$)", "", path)
        self.query = {name: values[0] for name, values in parse_qs(query, keep_blank_values=True).items()}
        self.target = target
        self.sent = sent
        self.memory = memory
        self.status = 0
        self.headers: list[tuple[str, str]] = []
        self.raw = b""
        self.body: Any = None

    def answered(self, status: int, headers: list[tuple[str, str]], raw: bytes) -> None:
        """Take the server's answer."""
        self.status, self.headers, self.raw = status, headers, raw
        try:
            self.body = json.loads(raw)
        except ValueError:
            self.body = None

    def asks(self, method: str, pattern: str) -> bool:
        """Whether this is the operation: ``{}`` in the pattern stands for one segment of the path."""
        form = re.escape(pattern).replace(r"\{\}", "[^/]+")
        return self.method == method and re.fullmatch(form, self.path) is not None

    @property
    def ok(self) -> bool:
        """Whether the server did what it was asked."""
        return 200 <= self.status < 300

    def told(self, method: str, pattern: str, field: str) -> Iterator[dict[str, Any]]:
        """The objects with a field that a successful answer holds: itself, its results, or its elements."""
        if self.ok and self.asks(method, pattern):
            yield from (each for each in objects(self.body) if each.get(field) is not None)

    def listed(self, method: str, pattern: str) -> list[Any]:
        """The list that a successful answer to the operation is or holds; an empty one where it has none."""
        if not (self.ok and self.asks(method, pattern)):
            return []
        found = self.body.get("results") if isinstance(self.body, dict) else self.body
        return found if isinstance(found, list) else []

    def has_header(self, name: str) -> bool:
        """Whether the answer has a header."""
        return any(each.lower() == name.lower() for each, _ in self.headers)

    def set_header(self, name: str, value: str | None) -> None:
        """Change a header, or take it away."""
        self.headers = [(each, text) for each, text in self.headers if each.lower() != name.lower()]
        if value is not None:
            self.headers.append((name, value))

    def text(self) -> str:
        """Status, headers and JSON as they would be written: true is not 1 there."""
        return json.dumps([self.status, self.headers, self.body])

    def encode(self) -> None:
        """Write the changed JSON as the body of the answer."""
        self.raw = json.dumps(self.body, ensure_ascii=False).encode()


def objects(body: Any) -> Iterator[dict[str, Any]]:
    """The objects that a body is, or that stand in its list."""
    if isinstance(body, dict) and isinstance(body.get("results"), list):
        body = body["results"]
    for each in body if isinstance(body, list) else [body]:
        if isinstance(each, dict):
            yield each

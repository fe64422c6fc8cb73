"""Routes as a tree of segments, made from the catalogues: literal segments win over parameters, from left to right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from confsim.contract.decode import decoded
from confsim.contract.operation import Operation
from confsim.kernel.refusal import Misuse


#: An operation, and the place in the path of each of its parameters where they are not in its own order.
_Answer = tuple[Operation, tuple[int, ...] | None]


class _Node:
    __slots__ = ("literals", "methods", "parameter")

    def __init__(self) -> None:
        self.literals: dict[str, _Node] = {}
        self.parameter: _Node | None = None
        self.methods: dict[str, _Answer] = {}


class Found:
    """The operation behind a path, and the decoded texts of its path parameters."""

    __slots__ = ("operation", "texts")

    def __init__(self, operation: Operation, texts: tuple[str, ...]) -> None:
        self.operation = operation
        self.texts = texts


class Routes:
    """All routes of one mount. A profile may put an operation on another route (``route.<operation>``).

    ``faces`` are pairs of a path prefix and the operations below it. Misuse when two operations would share a route.
    """

    def __init__(self, faces: Iterable[tuple[str, Iterable[Operation]]], profile: Mapping[str, Any]) -> None:
        self._root = _Node()
        for prefix, operations in faces:
            for operation in operations:
                entry = operation.route_entry
                route = profile.get(entry.id, entry.default) if entry else f"{operation.method} {operation.path}"
                method, path = route.split(" ", 1)
                self._add(operation, method, prefix + path)

    def _add(self, operation: Operation, method: str, path: str) -> None:
        node, names = self._root, []
        for segment in path.strip("/").split("/"):
            if segment.startswith("{"):
                names.append(segment[1:-1])
                node.parameter = node.parameter or _Node()
                node = node.parameter
            else:
                node = node.literals.setdefault(segment, _Node())
        places = tuple(names.index(name) for name in operation.placeholders)
        answer = (operation, None if places == tuple(range(len(places))) else places)
        if node.methods.setdefault(method, answer) is not answer and not operation.variant_of:
            raise Misuse(f"{operation.name} and {node.methods[method][0].name} would share the route {method} {path}")

    def find(self, method: str, segments: list[str]) -> Found | tuple[str, ...]:
        """What answers the method at the raw path segments, or the methods that the path does answer (none: 404).

        Refusal INVALID_INPUT when an escape in the path is broken.
        """
        texts: list[str] = []
        allowed: dict[str, None] = {}
        hit = self._match(self._root, method, segments, 0, texts, allowed)
        if hit is None:
            return tuple(sorted(allowed))
        operation, places = hit
        values = tuple(decoded(text, "path") if "%" in text else text for text in texts)
        return Found(operation, values if places is None else tuple(values[place] for place in places))

    def _match(
        self, node: _Node, method: str, segments: list[str], at: int, texts: list[str], allowed: dict[str, None]
    ) -> _Answer | None:
        if at == len(segments):
            allowed.update(dict.fromkeys(node.methods))
            return node.methods.get(method)
        segment = segments[at]
        literal = node.literals.get(segment)
        if literal is not None:
            hit = self._match(literal, method, segments, at + 1, texts, allowed)
            if hit is not None:
                return hit
        if node.parameter is not None and segment:
            texts.append(segment)
            hit = self._match(node.parameter, method, segments, at + 1, texts, allowed)
            if hit is not None:
                return hit
            texts.pop()
        return None

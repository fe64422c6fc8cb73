"""Routes as a tree of path segments. Literal segments take precedence over parameters, from left to right.

Own code, as Werkzeug's ``Map`` takes a hundred milliseconds to build, which every start would pay, and notes no
assumptions; a test holds this one against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from confsim.assumptions.protocol import transport
from confsim.assumptions.register import Context, ask, in_force, note
from confsim.contract.operation import Operation
from confsim.contract.text_values import percent_decoded
from confsim.kernel.refusal import Misuse
from confsim.values.urls import normalised


class _Endpoint:
    """An operation, the positions of its parameters in the path, and the operations that share its route.

    A variant is chosen by the query parameter that it requires. ``places`` is None when the parameters are in order;
    ``route`` has the segments before it, ``ambiguous`` says whether a parameter may match a literal segment.
    """

    __slots__ = ("ambiguous", "operation", "order", "places", "route", "variants")

    def __init__(self, operation: Operation, places: tuple[int, ...], order: int, route: list[str]) -> None:
        self.operation = operation
        self.places = None if places == tuple(range(len(places))) else places
        self.order = order
        self.route = route
        self.ambiguous = False
        self.variants: dict[str, Operation] = {}

    def chosen(self, query: str) -> Operation:
        """Return the operation for a request with this query."""
        for item in normalised(query).split("&") if self.variants and query else ():
            variant = self.variants.get(item.partition("=")[0])
            if variant is not None:
                return variant
        return self.operation


class _Node:
    __slots__ = ("literals", "methods", "parameter")

    def __init__(self) -> None:
        self.literals: dict[str, _Node] = {}
        self.parameter: _Node | None = None
        self.methods: dict[str, _Endpoint] = {}


class Found:
    """The operation of a path, and its decoded path parameters."""

    __slots__ = ("operation", "texts")

    def __init__(self, operation: Operation, texts: tuple[str, ...]) -> None:
        self.operation = operation
        self.texts = texts


class Routes:
    """All routes of one mount. A profile may move an operation to another route (``route.<operation>``).

    ``mounted`` has pairs of a path prefix and the operations below it. Raises Misuse when two operations share a route.
    """

    def __init__(self, mounted: Iterable[tuple[str, Iterable[Operation]]], profile: Mapping[str, Any]) -> None:
        self._root = _Node()
        self._answers: list[_Endpoint] = []
        self._methods: set[str] = set()
        self._words: set[str] = set()
        self._fold = in_force(profile, transport.CASE) == "ignore"
        variants: list[Operation] = []
        answers: dict[str, _Endpoint] = {}
        for prefix, operations in mounted:
            for operation in operations:
                if operation.variant_of:
                    variants.append(operation)
                else:
                    method, path = operation.route(profile)
                    answers[operation.name] = self._add(operation, method, prefix + path)
                    slash = operation.slash
                    if slash is not None and profile.get(slash.id, slash.default) == "either":
                        self._add(operation, method, prefix + path, [""])
        for answer in self._answers:
            answer.ambiguous = self._is_ambiguous(answer.route)
        for variant in variants:
            required = next(parameter.name for parameter in variant.query_parameters if parameter.required)
            answers[variant.variant_of].variants[required] = variant

    @property
    def methods(self) -> tuple[str, ...]:
        """Return the methods of all paths, sorted."""
        return tuple(sorted(self._methods))

    def _add(self, operation: Operation, method: str, path: str, more: list[str] | None = None) -> _Endpoint:
        node, names = self._root, []
        route = path.strip("/").split("/") + (more or [])
        for segment in route:
            if segment.startswith("{"):
                names.append(segment[1:-1])
                node.parameter = node.parameter or _Node()
                node = node.parameter
            else:
                self._words.add(segment.lower())
                node = node.literals.setdefault(segment.lower() if self._fold else segment, _Node())
        places = tuple(names.index(name) for name in operation.placeholders)
        answer = _Endpoint(operation, places, len(self._answers), route)
        self._answers.append(answer)
        self._methods.add(method)
        if node.methods.setdefault(method, answer) is not answer:
            other = node.methods[method].operation
            raise Misuse(f"{operation.name} and {other.name} would share the route {method} {path}")
        return answer

    def _is_ambiguous(self, route: list[str]) -> bool:
        """Return whether some node of the route has both a literal segment of it and a parameter."""
        node, found = self._root, False
        for segment in route:
            if segment.startswith("{"):
                assert node.parameter is not None
                node = node.parameter
            else:
                found = found or node.parameter is not None
                node = node.literals[segment.lower() if self._fold else segment]
        return found

    def match(self, context: Context, method: str, segments: list[str], query: str = "") -> Found | tuple[str, ...]:
        """Return the operation for the method and raw path segments (R001, R249), or the path's methods (none: 404).

        A literal path does not inherit the methods of a template that matches too, unless the profile lets the first
        declaration win (G064). Raises Refusal INVALID_INPUT when an escape in the path is invalid.
        """
        texts: list[str] = []
        node = self._match(segments, texts)
        if node is None:
            return ()
        allowed: Iterable[str] = node.methods
        answer = node.methods.get(method)
        nodes = self._all(segments) if answer is None or answer.ambiguous else []
        if len(nodes) > 1:
            matching = [(each.methods[method], taken) for each, taken in nodes if method in each.methods]
            if (answer is None or len(matching) > 1) and ask(context, transport.PRECEDENCE) == "declared":
                if matching:
                    answer, texts = min(matching, key=lambda match: match[0].order)
                allowed = {name for each, _ in nodes for name in each.methods}
        if answer is None:
            return tuple(sorted(allowed))
        for text in texts:
            if text.lower() in self._words:  # a literal in other case, or the literal itself as a value (G062)
                note(context, transport.CASE)
        values = tuple([percent_decoded(text, "path", context) if "%" in text else text for text in texts])
        if answer.places is not None:
            values = tuple(values[place] for place in answer.places)
        return Found(answer.chosen(query) if answer.variants else answer.operation, values)

    def _match(self, segments: list[str], texts: list[str]) -> _Node | None:
        """Return the first node with methods that the segments lead to; add the parameters to ``texts``."""
        node, at, fold, length = self._root, 0, self._fold, len(segments)
        others: list[tuple[_Node, int, int]] = []  # parameters skipped for a literal: node, depth, texts before it
        while True:
            if at == length:
                if node.methods:
                    return node
            else:
                segment = segments[at]
                literal = node.literals.get(segment.lower() if fold else segment)
                at += 1
                if node.parameter is not None and segment:
                    others.append((node.parameter, at, len(texts)))
                if literal is not None:
                    node = literal
                    continue
            if not others:
                return None
            node, at, before = others.pop()
            texts[before:] = [segments[at - 1]]

    def _all(self, segments: list[str]) -> list[tuple[_Node, list[str]]]:
        """Return every node with methods that the segments lead to, with the texts of the parameters (G064)."""
        found: list[tuple[_Node, list[str]]] = []
        pending: list[tuple[_Node, int, list[str]]] = [(self._root, 0, [])]
        while pending:
            node, at, taken = pending.pop()
            if at == len(segments):
                if node.methods:
                    found.append((node, taken))
                continue
            segment = segments[at]
            literal = node.literals.get(segment.lower() if self._fold else segment)
            if literal is not None:
                pending.append((literal, at + 1, taken))
            if node.parameter is not None and segment:
                pending.append((node.parameter, at + 1, [*taken, segment]))
        return found

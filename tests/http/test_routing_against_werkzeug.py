"""Werkzeug's routing as the referee of ours: a ``Map`` of every declaration, asked the same questions."""

from __future__ import annotations

import itertools
import re

import pytest
from werkzeug.exceptions import MethodNotAllowed, NotFound
from werkzeug.routing import Map, Rule

from confsim.api.catalogue import API
from confsim.assumptions.register import ProfileContext
from confsim.control.catalogue import CONTROL
from confsim.control.declare import PREFIX
from confsim.http.routing import Found, Routes
from confsim.service.document import FILES

MOUNTED = [("/v1_0", API), ("", FILES), (PREFIX, CONTROL)]
OPERATIONS = {
    f"{operation.method} {prefix}{operation.path}": operation
    for prefix, operations in MOUNTED
    for operation in operations
    if not operation.variant_of
}
ROUTE_OF = {id(operation): route for route, operation in OPERATIONS.items()}
ROUTES, DEFAULTS = Routes(MOUNTED, {}), ProfileContext({})
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH")


@pytest.fixture(scope="module")
def referee():
    """Match a method and a path by a Map: what answers with its texts, or the methods that the path has."""
    rules = [
        Rule(re.sub(r"\{(\w+)\}", r"<\1>", route.partition(" ")[2]), endpoint=route, methods=[operation.method])
        for route, operation in OPERATIONS.items()
    ]
    adapter = Map(rules, strict_slashes=False, merge_slashes=False, redirect_defaults=False).bind("localhost")

    def match(method, path):
        try:
            route, values = adapter.match(path, method)
        except MethodNotAllowed as refused:
            return tuple(sorted(set(refused.valid_methods) - {"HEAD"}))
        except NotFound:
            return ()
        return route, *(values[name] for name in OPERATIONS[route].placeholders)

    return match


def ours(method, path):
    """The same by our routes."""
    found = ROUTES.match(DEFAULTS, method, path.split("/")[1:])
    return (ROUTE_OF[id(found.operation)], *found.texts) if isinstance(found, Found) else found


def with_texts(route):
    """The path of a route with a text in the place of each parameter."""
    numbers = itertools.count()
    return re.sub(r"\{\w+\}", lambda _: f"~{next(numbers)}", route.partition(" ")[2])


def paths():
    """Every route with texts that are no word of any, with words that stand at their place elsewhere, and cut short."""
    routes = sorted({with_texts(route) for route in OPERATIONS})
    words = {(place, word) for path in routes for place, word in enumerate(path.split("/")) if "~" not in word}
    for path in routes:
        yield path
        yield path.rpartition("/")[0] or "/"
        yield f"{path}/more"
        segments = path.split("/")
        for place, word in sorted(words):
            if place < len(segments) and "~" in segments[place]:
                yield "/".join([*segments[:place], word, *segments[place + 1 :]])


def test_every_operation_is_where_the_referee_finds_it(referee):
    """All operations of the API, of the files and of the control plane, with the texts of their parameters."""
    assert len(OPERATIONS) > 290
    found = {route: (ours(each.method, with_texts(route)), each) for route, each in OPERATIONS.items()}
    assert [route for route, (answer, _) in found.items() if answer[0] != route] == []
    wrong = [r for r, (answer, each) in found.items() if answer != referee(each.method, with_texts(r))]
    assert wrong == []


def test_any_other_path_is_judged_alike(referee):
    """Also where literal words stand for parameters.

    The one difference: where a literal path has not the method, the Map goes on to a templated one and so lends it its
    methods; ours answers 405.
    """
    wrong, borrowed = [], 0
    for path, method in itertools.product(set(paths()), METHODS):
        answer, expected = ours(method, path), referee(method, path)
        if answer == expected:
            continue
        is_405 = bool(answer) and answer[0] in METHODS
        if is_405 and method not in answer and (expected[0] in OPERATIONS or set(answer) < set(expected)):
            borrowed += 1
        else:
            wrong.append((method, path, answer, expected))
    assert wrong == []
    assert borrowed > 10

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim.api.catalogue import API
from confsim.arazzo.exchange import StepExchange
from confsim.arazzo.expressions import (
    Expression,
    ExpressionScope,
    Unresolved,
    as_text,
    at_pointer,
    evaluated,
    expressions,
)
from confsim.kernel.refusal import Misuse
from confsim.service.messages import Response
from confsim.transport.address import request_of
from kit.each import each

CALL = request_of(
    API["get_user"],
    ("7",),
    {"imgSize": "small"},
    {},
    {"authorization": "Bearer t"},
    b'{"a": [1, {"b/c": "deep"}]}',
)
RESPONSE = Response(200, [("X-Trace", "abc")], b'{"id": 7, "tags": ["x", "y"], "none": null, "in": {"ner": true}}')
SCOPE = ExpressionScope(
    inputs={"name": "Ada", "list": [1, 2], "a": {"b": "c"}},
    steps={"first": {"id": 41, "all": {"k": ["v"]}}},
    workflows={"other": {"inputs": {"i": 1}, "outputs": {"o": 2}}},
    sources={"api": "http://here/openapi.json"},
    outputs={"token": "secret"},
    exchange=StepExchange("http://here/v1_0/users/7?imgSize=small", CALL, RESPONSE),
)


@each(
    "text, value",
    [
        ("$url", "http://here/v1_0/users/7?imgSize=small"),
        ("$method", "GET"),
        ("$statusCode", 200),
        ("$request.header.Authorization", "Bearer t"),
        ("$request.query.imgSize", "small"),
        ("$request.path.userId", "7"),
        ("$request.body#/a/1/b~1c", "deep"),
        ("$response.header.X-Trace", "abc"),
        ("$response.body", {"id": 7, "tags": ["x", "y"], "none": None, "in": {"ner": True}}),
        ("$response.body#/tags/1", "y"),
        ("$response.body#", {"id": 7, "tags": ["x", "y"], "none": None, "in": {"ner": True}}),
        ("$response.body#/none", None),
        ("$inputs.name", "Ada"),
        ("$inputs.a.b", "c"),
        ("$inputs.list#/0", 1),
        ("$steps.first.outputs.id", 41),
        ("$steps.first.outputs.all.k.0", "v"),
        ("$steps.first.outputs.all#/k/0", "v"),
        ("$workflows.other.outputs.o", 2),
        ("$workflows.other.inputs.i", 1),
        ("$outputs.token", "secret"),
        ("$sourceDescriptions.api.url", "http://here/openapi.json"),
    ],
)
def test_an_expression_names_a_value(text, value):
    """Each source of the specification is there, with its type."""
    assert Expression(text).value(SCOPE) == value


@each(
    "text",
    [
        "$response.body#/tags/2",
        "$response.body#/tags/x",
        "$response.body#/id/deeper",
        "$response.header.Location",
        "$inputs.nobody",
        "$steps.second.outputs.id",
        "$request.query.limit",
    ],
)
def test_what_is_not_there_is_missing(text):
    """The expression raises, and is no null."""
    with pytest.raises(Unresolved, match=r"names nothing that is there"):
        Expression(text).value(SCOPE)


@each(
    "text, problem",
    [
        ("$components.parameters.x", "no expression that can be used here"),
        ("$steps.first.id", "not of the form"),
        ("$steps.first", "not of the form"),
        ("$workflows.other.o", "not of the form"),
        ("$response", "names none of"),
        ("$response.query.x", "names none of"),
        ("$response.header", "names none of"),
        ("$inputs", "lacks a name"),
        ("$url.host", "a name too many"),
        ("$sourceDescriptions.api", "not of the form"),
        ("$response.body#id", "slash"),
    ],
)
def test_what_is_no_expression_is_refused_by_name(text, problem):
    """A wrong form is Misuse before anything runs."""
    with pytest.raises(Misuse, match=problem):
        list(expressions(text))


@each(
    "value, result",
    [
        ("$inputs.list", [1, 2]),
        ("Bearer {$inputs.name}", "Bearer Ada"),
        ("{$steps.first.outputs.id}", "41"),
        ("{$inputs.name}/{$statusCode}/{$inputs.list}", "Ada/200/1,2"),
        ({"deep": ["$statusCode", "{$inputs.a}"]}, {"deep": [200, '{"b":"c"}']}),
        ("$5 and {braces} and {$", "$5 and {braces} and {$"),
        ("$dollar", "$dollar"),
        (None, None),
        (True, True),
    ],
)
def test_values_are_filled(value, result):
    """An expression alone keeps its type, embedded it becomes text, and everything else stays as it is."""
    assert evaluated(value, SCOPE) == result


@pytest.mark.parametrize(("value", "text"), [(True, "true"), (None, "null"), ([1, "a"], "1,a"), ([[1]], "[[1]]")])
def test_a_value_in_a_text(value, text):
    """Lists are written as the API reads them, everything else as JSON."""
    assert as_text(value) == text


PLAIN = st.text(alphabet="ab/~0 1", max_size=4)


@given(st.lists(PLAIN, max_size=4), st.integers())
def test_a_pointer_finds_what_it_was_made_for(names, value):
    """RFC 6901: any name can be at_pointer at, once ~ and / are escaped."""
    whole = value
    for name in reversed(names):
        whole = {name: whole}
    pointer = "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in names)
    assert at_pointer(whole, pointer) == value


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_what_holds_no_expression_stays(value):
    """Filling changes nothing but expressions; no text makes it fail."""
    if "$" not in repr(value):
        assert evaluated(value, SCOPE) == value

from __future__ import annotations

import msgspec
import pytest

from confsim.api.catalogue import API
from confsim.arazzo import conditions
from confsim.arazzo.conditions import BoundCriterion
from confsim.arazzo.document import Criterion
from confsim.arazzo.exchange import StepExchange
from confsim.arazzo.expressions import ExpressionScope
from confsim.kernel.refusal import Misuse
from confsim.service.messages import Response
from confsim.transport.address import address
from kit.each import each

BODY = {"name": "Demo", "count": 3, "open": True, "none": None, "list": [{"id": 1}, {"id": 2}], "it's": "x"}


def scope(body=BODY, status=200):
    """What a step sees that was answered so."""
    response = Response(status, [("Content-Type", "application/json")], msgspec.json.encode(body))
    exchange = StepExchange("http://here", address(API["get_me"], {}, {}), response)
    return ExpressionScope(inputs={"wanted": "demo"}, exchange=exchange)


def holds(condition, **more):
    """Whether a criterion holds for the answer above."""
    return BoundCriterion(Criterion(condition=condition, **more)).holds(scope())


@each(
    "condition",
    [
        "$statusCode == 200",
        "$statusCode != 404",
        "$statusCode >= 200 && $statusCode < 300",
        "$response.body#/name == 'Demo'",
        "$response.body#/name == 'dEMO'",
        "$response.body#/name == $inputs.wanted",
        "$response.body#/count > 2.5",
        "$response.body#/open",
        "$response.body#/open == true",
        "!($response.body#/open == false)",
        "!$response.body#/none",
        "$response.body#/none == null",
        "$response.body#/nothing == null",
        "$response.body#/list/0/id == 1",
        "$response.body.list[1].id == 2",
        "$response.body['count'] == 3",
        "$response.body['it''s'] == 'x'",
        "$statusCode == 404 || $response.body#/count <= 3 && true",
        "($statusCode == 404 || true) && $response.body#/count == 3.0",
        "$response.header.Content-Type == 'application/json'",
        "'a' < 'b'",
        "-1 < 0",
    ],
)
def test_conditions_that_hold(condition):
    """Comparisons, logic, grouping, indexes and names, as the specification has them."""
    assert holds(condition)


@each(
    "condition",
    [
        "$statusCode == 404",
        "$statusCode == '200'",
        "$response.body#/open == 1",
        "$response.body#/name > 3",
        "$response.body#/nothing > 3",
        "$response.body#/nothing",
        "$response.body.list[7].id == 2",
        "$response.body#/name == 'Demo' && false",
        "!true",
    ],
)
def test_conditions_that_do_not_hold(condition):
    """Types are not bent, and what is not there is null."""
    assert not holds(condition)


@each(
    "condition, problem",
    [
        ("$statusCode == ", "missing at its end"),
        ("$statusCode = 200", "cannot be read from '= 200'"),
        ("($statusCode == 200", "not closed"),
        ("$statusCode == 200 200", "one too many"),
        ("== 200", "out of place"),
        ("$response.body[$inputs.wanted]", "one number or text"),
        ("$nobody == 1", "no expression"),
        ("$statusCode == 'open", "cannot be read"),
        ("", "missing at its end"),
    ],
)
def test_a_condition_that_cannot_be_read(condition, problem):
    """It is refused, with what is wrong, before anything runs."""
    with pytest.raises(Misuse, match=problem):
        BoundCriterion(Criterion(condition=condition))


@each(
    "condition, context, held",
    [
        ("^De", "$response.body#/name", True),
        ("^de", "$response.body#/name", False),
        (r"^\d{3}$", "$statusCode", True),
        ("id", "$response.body#/list", True),
        (".", "$response.body#/nothing", False),
    ],
)
def test_regular_expressions(condition, context, held):
    """They are searched for in the text of what the context gives; in nothing there is nothing."""
    assert holds(condition, context=context, type="regex") is held


@each(
    "path, found",
    [
        ("$.name", True),
        ("$.nobody", False),
        ("$['name']", True),
        ("$.list[0].id", True),
        ("$.list[-1]", True),
        ("$.list[2]", False),
        ("$.list[*].id", True),
        ("$.*", True),
        ("$..id", True),
        ("$..nobody", False),
        ("$.list[?@.id == 2]", True),
        ("$.list[?@.id > 2]", False),
        ("$..[?@.id == 2]", True),
        ("$.list[?(@.id == 1 || @.id == 7) && @.id != 2].id", True),
        ("$.list[?!@.name]", True),
        ("$.list[?@.name]", False),
        ("$.list[?@.id == '2']", False),
        ("$.list[?@.id >= 'a']", False),
        ('$[?@ == "Demo"]', True),
        ("$[?@ == true]", True),
        ("$.list[?@.id == true]", False),
        ("$", True),
        ("$.list[0:1]", True),
        ("$.list[2:]", False),
        ("$['nobody', 'name']", True),
        ("$[?count(@[*]) > 1]", True),
        ("$[?length(@) == 4]", True),
        ("$.list[?@.id == $.list[1].id]", True),
        ("$['it\\'s']", True),
        ("$[?@ > 3]", False),
        ("$[?@.x <= null]", False),
        ("$[?@ <= null]", True),
    ],
)
def test_json_paths(path, found):
    """A path holds when it finds anything (RFC 9535)."""
    assert holds(path, context="$response.body", type="jsonpath") is found


@each("path", ["name", "$.", "$[?'a']", "$[true]", "$.a b", "$[", "$.list[01]", "$.list[-0]", "$.it-s", "$[?@ === 1]"])
def test_paths_that_are_not_read(path):
    """Nonsense is refused with the place."""
    with pytest.raises(Misuse, match=r"JSONPath .*, line 1, column \d"):
        BoundCriterion(Criterion(condition=path, context="$response.body", type="jsonpath"))


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"type": "xpath", "context": "$response.body"}, "'xpath': confsim knows simple, regex and jsonpath"),
        ({"type": "regex"}, "needs a context"),
        ({"type": "regex", "context": "response"}, "needs a context"),
        ({"type": "regex", "context": "$response.body", "condition": "("}, "no regular expression"),
    ],
)
def test_criteria_that_are_not_supported(more, problem):
    """They are refused by name."""
    with pytest.raises(Misuse, match=problem):
        BoundCriterion(msgspec.convert({"condition": "x", **more}, Criterion))


def test_a_kind_may_name_its_version():
    """The long form of a kind is read as the short one."""
    kind = {"type": "jsonpath", "version": "draft-goessner-dispatch-jsonpath-00"}
    criterion = msgspec.convert({"condition": "$.name", "context": "$response.body", "type": kind}, Criterion)
    assert BoundCriterion(criterion).holds(scope())


def test_a_regular_expression_that_does_not_end_is_stopped(monkeypatch):
    """One in a scenario of a server would keep it from answering anybody."""
    monkeypatch.setattr(conditions, "_PATIENCE", 0.05)
    criterion = BoundCriterion(Criterion(condition="^(a|aa)+$", context="$response.body", type="regex"))
    with pytest.raises(Misuse, match=r"it takes more than 0.05 s in a text of 2000 characters"):
        criterion.holds(scope("a" * 1999 + "!"))

"""Queries: from a text to values by name, and from those to the arguments of an operation."""

from __future__ import annotations

from typing import Annotated

import pytest

from confsim import Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.contract import gates
from confsim.contract.headers import contain, container_type
from confsim.contract.operation import Catalogue
from confsim.contract.query import arguments, decode_query, unknown_parameters
from confsim.contract.types import ImageSize, Limit, Page, SortOrder
from confsim.kernel.refusal import Refusal
from kit import CUSTOMER, PARTNER

CATALOGUE = Catalogue("test")


@CATALOGUE.operation("GET /things", gate=gates.PUBLIC, for_client=True)
def list_things(
    call,
    *,
    limit: Limit = 50,
    order: SortOrder = SortOrder.ASC,
    sort: SortOrder | None = None,
    imgSize: ImageSize | None = None,
    ids: list[int] | None = None,
    name: Annotated[str, "A name."] = "",
) -> None:
    """List."""


@CATALOGUE.operation("GET /thing", gate=gates.PUBLIC)
def find_thing(call, *, from_: int, to: int = 9) -> None:
    """Find."""


def outcome(act, **chosen):
    """What an act returns under a profile, or what its refusal says."""
    profile = {id.replace("__", ".").replace("_", "-"): value for id, value in chosen.items()}
    try:
        return act(ProfileContext(profile))
    except Refusal as refusal:
        if refusal.reason is Reason.INVALID_INPUT:
            return f"{refusal.facts['where']}: {refusal.facts['problem']}"
        return refusal.reason.name, dict(refusal.facts)


@pytest.mark.parametrize(
    ("text", "profile", "expected"),
    [
        ("", {}, {}),
        ("a=1&b=2", {}, {"a": "1", "b": "2"}),
        ("a&b=", {}, {"a": "", "b": ""}),
        ("=1&&a=1", {}, {"a": "1"}),
        ("a=b=c", {}, {"a": "b=c"}),
        ("a+b=c+d%2B", {}, {"a b": "c d+"}),
        ("a=c+d", {"parse__plus": "plus"}, {"a": "c+d"}),
        ("a=1&a=2", {}, {"a": "1"}),
        ("a=1&a=2", {"parse__repeated_query": "last"}, {"a": "2"}),
        ("a=1&a=2&a=3", {"parse__repeated_query": "join"}, {"a": "1,2,3"}),
        ("a=1&a=1", {"parse__repeated_query": "refuse"}, "query a: it is given twice"),
        ("%zz=1", {}, "query: a percent sign without two hexadecimal digits"),
        ("a=%zz", {}, "query a: a percent sign without two hexadecimal digits"),
        ("a=%zz", {"parse__broken_escapes": "replace"}, {"a": "%zz"}),
    ],
)
def test_a_query_string_is_values_by_name(text, profile, expected):
    """Form encoding; the first value of a name counts, unless a profile says otherwise."""
    assert outcome(lambda context: decode_query(context, text), **profile) == expected


@pytest.mark.parametrize(
    ("values", "profile", "expected"),
    [
        ({}, {}, {}),
        ({"limit": "7", "order": "desc"}, {}, {"limit": 7, "order": SortOrder.DESC}),
        ({"for_client": "x"}, {}, {}),
        ({"other": "x"}, {}, {}),
        ({"other": "x"}, {"parse__unknown_query": "refuse"}, "query other: no such parameter"),
        ({"limit": "", "ids": "", "name": ""}, {"parse__empty_query": "absent"}, {"name": ""}),
        ({"limit": ""}, {}, "query limit: '' is not a whole number"),
        ({"name": ""}, {}, {"name": ""}),
        ({"ids": ""}, {}, "query ids: it is empty"),
        ({"ids": "1,2"}, {}, {"ids": [1, 2]}),
        ({"limit": "-1"}, {}, "query limit: -1 is less than 0"),
        ({"order": "up"}, {}, "query order: 'up' is none of asc, desc"),
        ({"order": "up", "sort": "up"}, {"parse__bad_sort": "absent"}, {}),
        ({"sort": "up"}, {}, "query sort: 'up' is none of asc, desc"),
        ({"limit": "x"}, {"parse__bad_sort": "absent"}, "query limit: 'x' is not a whole number"),
        ({"imgSize": "huge"}, {"images__unknown_size": "default"}, {}),
        ({"imgSize": "huge"}, {"parse__bad_sort": "absent"},
         "query imgSize: 'huge' is none of small, medium, large, xlarge, xxlarge, unfurl"),
    ],
)  # fmt: skip
def test_values_are_the_arguments_of_an_operation(values, profile, expected):
    """What is left out has its default; what cannot be read is refused, unless a profile is lenient."""
    assert outcome(lambda context: arguments(context, CATALOGUE["list_things"], values), **profile) == expected


def test_a_required_parameter():
    """It is missed, with 400 or with 404; its name on the wire may be a keyword of Python."""
    found = CATALOGUE["find_thing"]
    assert outcome(lambda context: arguments(context, found, {"from": "3"})) == {"from_": 3}
    for values, chosen in (({}, {}), ({"from": ""}, {"parse__empty_query": "absent"})):
        refused = outcome(lambda context, values=values: arguments(context, found, values), **chosen)
        assert refused == "query from: it is missing"
    missing = outcome(lambda context: arguments(context, found, {}), parse__missing_query="404")
    assert missing == ("NOT_FOUND", {"what": "query from", "id": ""})
    assert found.contract.required_query
    assert not CATALOGUE["list_things"].contract.required_query


def test_names_that_an_operation_does_not_declare():
    """In the order of the query; for_client only where it is taken."""
    values = {"z": "", "limit": "", "for_client": "", "a": ""}
    assert unknown_parameters(CATALOGUE["list_things"], values) == ["z", "a"]
    assert unknown_parameters(CATALOGUE["find_thing"], values) == ["z", "limit", "for_client", "a"]


class Thing:
    """An element of a list."""

    def __init__(self, id):
        self.id = id


ONE, TWO = Thing(1), Thing(2)


@pytest.mark.parametrize(
    ("container", "several", "single", "type_"),
    [
        ("array", [ONE, TWO], [ONE], list[Thing]),
        ("page", Page(total=2, results=[ONE, TWO]), Page(total=1, results=[ONE]), Page[Thing]),
        ("by-id", {"1": ONE, "2": TWO}, {"1": ONE}, dict[str, Thing]),
        ("single", [ONE, TWO], ONE, Thing | list[Thing]),
        ("keys", {"keys": [ONE, TWO]}, {"keys": [ONE]}, dict[str, list[Thing]]),
    ],
)
def test_elements_in_a_container(container, several, single, type_):
    """Of a list or a page, as a profile chooses."""
    for elements, expected in (([ONE, TWO], several), ([ONE], single)):
        assert contain(container, elements) == expected
        assert contain(container, Page(total=len(elements), results=elements)) == expected
    assert container_type(container, list[Thing]) == container_type(container, Page[Thing]) == type_


def test_values_in_a_container():
    """They are an object already; a page keeps the total that it has."""
    assert contain("values", {"a": 1}) == {"a": 1}
    assert contain("page", Page(total=9, results=[ONE])).total == 9
    assert contain("single", []) == []


@pytest.mark.rule("R037")
@pytest.mark.parametrize(("choice", "status"), [("refuse", 400), ("ignore", 200)])
def test_for_client_never_means_the_own_client_by_mistake(choice, status):
    """A call that does not know it is refused and changes nothing, or by assumption ignores it."""
    sim = Simulator(profile={"parse.for-client": choice})
    before = sim.call("get_client_terms", clientId=PARTNER).body["version"]
    answer = sim.client("demo-partner-admin").post(
        f"/terms/new?for_client={CUSTOMER}", json={"url": "https://terms.example/2"}
    )
    assert answer.status_code == status
    after = sim.call("get_client_terms", clientId=PARTNER).body["version"]
    assert (after == before) is (choice == "refuse")

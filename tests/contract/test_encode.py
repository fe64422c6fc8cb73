"""Results to responses: status, media type and body, under every choice of a profile."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest

from confsim.assumptions.register import ProfileContext
from confsim.assumptions.telephony import LIST_CONTAINER
from confsim.contract import gates
from confsim.contract.annotations import big_numbers, optional_fields
from confsim.contract.encode import NO_CONTENT, NoContent, Raw, encode
from confsim.contract.gates import Grant
from confsim.contract.headers import Header, WithHeaders, header_lines
from confsim.contract.operation import Catalogue
from confsim.contract.types import Int, Long, Page, Wire

CATALOGUE = Catalogue("test")
JSON = [("Content-Type", "application/json")]
HEADERS = {"X-Count": Header("How many.", int, required=True), "X-Last": Header("Whether it is the last.", bool)}


class Part(Wire):
    """A part of an answer."""

    size: Int | None = None


class Answer(Wire):
    """An answer with options."""

    id: Long
    share: float | None = None
    part: Part | None = None
    parts: list[Part] | None = None
    more: dict[str, Any] | None = None


@CATALOGUE.operation("GET /answer", gate=gates.PUBLIC)
def get_answer(call) -> Answer | NoContent | Raw:
    """Read."""


@CATALOGUE.operation("POST /answers", gate=gates.PUBLIC)
def create_answer(call) -> Answer:
    """Make."""


@CATALOGUE.operation("POST /answers/{id}", gate=gates.PUBLIC)
def change_answer(call, id: int) -> None:
    """Change."""


@CATALOGUE.operation("GET /answers", gate=gates.PUBLIC, container=LIST_CONTAINER)
def list_answers(call) -> list[Answer]:
    """List."""


@CATALOGUE.operation("GET /counted", gate=gates.PUBLIC, headers=HEADERS)
def get_counted(call) -> WithHeaders[Part]:
    """Read with headers."""


def sent(name, result, **chosen):
    """Status, header lines and JSON (or bytes) of an answer under a profile."""
    profile = {id.replace("__", ".").replace("_", "-"): value for id, value in chosen.items()}
    status, lines, body = encode(ProfileContext(profile), CATALOGUE[name].contract, result)
    return status, lines, json.loads(body) if lines == JSON else body


FULL = Answer(id=2**31, share=1.0, part=Part(), parts=[Part(size=1)], more={"a": -(2**31) - 1, "b": [2**31 - 1]})


@pytest.mark.parametrize(
    ("name", "result", "chosen", "expected"),
    [
        ("get_answer", Answer(id=1), {}, (200, JSON, {"id": 1})),
        ("get_answer", NO_CONTENT, {}, (204, [], b"")),
        ("get_answer", Raw("text/plain", b"x", (("ETag", "1"),)), {},
         (200, [("Content-Type", "text/plain"), ("ETag", "1")], b"x")),
        ("create_answer", Answer(id=1), {}, (200, JSON, {"id": 1})),
        ("create_answer", Answer(id=1), {"status__created": 201}, (201, JSON, {"id": 1})),
        ("get_answer", Answer(id=1), {"status__created": 201}, (200, JSON, {"id": 1})),
        ("change_answer", None, {}, (200, [], b"")),
        ("change_answer", None, {"encode__empty": "200 {}"}, (200, JSON, {})),
        ("change_answer", None, {"encode__empty": "204"}, (204, [], b"")),
        ("change_answer", None, {"encode__empty": "200 true"}, (200, JSON, True)),
        ("get_counted", WithHeaders(Part(size=3), {"X-Last": True, "X-Count": 3}), {},
         (200, [*JSON, ("X-Count", "3"), ("X-Last", "true")], b'{"size":3}')),
        ("list_answers", [Answer(id=1)], {"numbers__container": "array"}, (200, JSON, [{"id": 1}])),
        ("list_answers", [Answer(id=1)], {"numbers__container": "page"},
         (200, JSON, {"total": 1, "results": [{"id": 1}]})),
    ],
)  # fmt: skip
def test_an_answer_is_sent(name, result, chosen, expected):
    """JSON, bytes, nothing, header lines; 201 for what is made, where a profile says so."""
    assert sent(name, result, **chosen) == expected


@pytest.mark.parametrize(
    ("absent", "expected"),
    [
        ("omit", {"id": 1, "part": {}}),
        ("null", {"id": 1, "share": None, "part": {"size": None}, "parts": None, "more": None}),
        (["share"], {"id": 1, "share": None, "part": {}}),
        (["size", "more"], {"id": 1, "part": {"size": None}, "more": None}),
    ],
)
def test_options_without_a_value(absent, expected):
    """Left out, null, or null where they are listed; at any depth."""
    assert sent("get_answer", Answer(id=1, part=Part()), encode__absent=absent)[2] == expected


def test_options_in_lists_and_objects():
    """What stands in a list or an object has options, too."""
    given = Answer(id=1, parts=[Part()], more={"a": Part(), "b": (Part(),)})
    found = sent("get_answer", given, encode__absent=["size"])[2]
    assert found == {"id": 1, "parts": [{"size": None}], "more": {"a": {"size": None}, "b": [{"size": None}]}}


def test_large_numbers_as_texts():
    """Decimals and what needs more than 32 bits, at any depth; texts, booleans and small numbers stay."""
    expected = {
        "id": str(2**31), "share": "1.0", "part": {}, "parts": [{"size": 1}],
        "more": {"a": str(-(2**31) - 1), "b": [2**31 - 1]},
    }  # fmt: skip
    assert sent("get_answer", FULL, encode__numbers="texts")[2] == expected
    edge = Answer(id=-(2**31), more={7: True, "n": None, "t": "x"})
    reported = {"id": -(2**31), "more": {"7": True, "n": None, "t": "x"}}
    assert sent("get_answer", edge, encode__numbers="texts")[2] == reported
    assert sent("get_answer", FULL)[2]["id"] == 2**31


def test_what_of_an_answer_profiles_can_change():
    """Whether it has options, and numbers that 32 bits may not hold."""
    assert list(optional_fields(list[Answer])) == ["share", "part", "size", "parts", "size", "more"]
    assert list(optional_fields(Page[Part])) == ["size"]
    assert list(big_numbers(Part)) == []
    assert list(big_numbers(Answer)) == [int, float]
    assert list(big_numbers(Annotated[float, "A share."] | None)) == [float]
    assert CATALOGUE["get_answer"].contract.has_options
    assert CATALOGUE["get_answer"].contract.has_big_numbers
    assert not CATALOGUE["get_counted"].contract.has_big_numbers


@pytest.mark.parametrize("values", [{}, {"X-Count": "3"}, {"X-Count": 3, "X-Other": 1}, {"X-Count": 3, "X-Last": 1}])
def test_header_lines_are_as_declared(values):
    """A required one that is missing, a value of another type, one that is not declared: a defect of the operation."""
    with pytest.raises(TypeError, match="response header"):
        header_lines(HEADERS, values)


def test_the_words_of_gates():
    """They stand in profiles and in the document."""
    assert list(Grant) == [
        "public", "signed-in", "user", "registered", "self", "api-token", "customer-admin", "partner-admin", "access",
        "operator", "owner",
    ]  # fmt: skip
    assert str(gates.REGISTERED.assumed("G1")) == str(gates.REGISTERED) == "registered or api-token"

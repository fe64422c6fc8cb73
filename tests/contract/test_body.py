"""Bodies: what is said of those that are refused, and what a profile lets pass."""

from __future__ import annotations

from inspect import Parameter, Signature, signature
from typing import Any

import pytest

from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.contract import gates
from confsim.contract.decode import Body
from confsim.contract.operation import Catalogue, Source
from confsim.contract.types import Int, Name, Wire
from confsim.kernel.refusal import Refusal


class Thing(Wire):
    """A body for the tests."""

    name: Name
    count: Int | None = None
    more: Any = None


class Options(Wire):
    """A body without a required field."""

    count: Int | None = None


THING, OPTIONS, ANY, BYTES = Body(Thing), Body(Options), Body(Any), Body(bytes)


def outcome(body, raw, **chosen):
    """The value of a body under a profile, or what its refusal says."""
    try:
        return body.read(
            ProfileContext({id.replace("__", ".").replace("_", "-"): each for id, each in chosen.items()}), raw
        )
    except Refusal as refusal:
        if refusal.reason is Reason.INVALID_INPUT:
            return f"{refusal.facts['where']}: {refusal.facts['problem']}"
        return f"{refusal.reason.name}: {refusal.facts['problem']}".replace("BODY_MALFORMED", "malformed")


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "malformed: it is empty"),
        (b" \n", "malformed: it is empty"),
        (b"{", "malformed: it ends too early, or a string in it holds half a surrogate pair"),
        (b'{"name": "n"} x', "malformed: trailing characters (byte 15)"),
        (b'{"name": "\xff"}', "malformed: the bytes are not UTF-8 (byte 10)"),
        (b"[" * 100_000, "malformed: it is nested deeper than 100 levels"),
        (b"{}", "body: Object missing required field `name`"),
        (b'{"name": 1}', "body name: Expected `str`, got `int`"),
        (b'{"name": "n", "count": "5"}', "body count: Expected `int | null`, got `str`"),
        (b'{"name": "a", "name": "b"}', "body name: it is given twice"),
        (b'{"name": " "}', "body name: it is blank"),
    ],
)
def test_what_is_said_of_a_bad_body(raw, said):
    """The first problem, and where it is."""
    assert outcome(THING, raw) == said


@pytest.mark.parametrize(
    ("raw", "chosen", "expected"),
    [
        (b'{"name": "n", "x": 1}', {}, Thing(name="n")),
        (b'{"name": "n", "x": 1}', {"parse__unknown_fields": "refuse"}, "body x: no such field"),
        (b'{"name": "n", "count": null}', {"parse__unknown_fields": "refuse"}, Thing(name="n")),
        (b'{"name": "n", "count": null}', {"parse__null": "refuse"}, "body count: it is null"),
        (b'{"name": "n", "x": null}', {"parse__null": "refuse"}, Thing(name="n")),
        (b'{"name": "null", "count": 1}', {"parse__null": "refuse"}, Thing(name="null", count=1)),
        (b'{"name": "a", "name": "b"}', {"parse__duplicate_keys": "last"}, Thing(name="b")),
        (b'{"name": "n", "count": 5.0}', {}, Thing(name="n", count=5)),
        (
            b'{"name": "n", "count": 5.0}',
            {"parse__numbers": "strict"},
            "body count: Expected `int | null`, got `float`",
        ),
        (b'{"name": "n", "count": "5"}', {"parse__numbers": "coerce"}, Thing(name="n", count=5)),
        (b'{"name": "n", "count": "x"}', {"parse__numbers": "coerce"}, "body count: Expected `int | null`, got `str`"),
    ],
)  # fmt: skip
def test_what_a_profile_lets_pass(raw, chosen, expected):
    """Unknown fields, null, repeated keys, numbers that are written otherwise."""
    assert outcome(THING, raw, **chosen) == expected


def test_a_body_may_be_left_out():
    """Where no field is required, and no profile asks for one; bytes and any JSON are as they are."""
    assert outcome(OPTIONS, b"") == Options()
    assert outcome(OPTIONS, b" ") == Options()
    assert outcome(OPTIONS, b"", parse__no_body="refuse") == "malformed: it is empty"
    strict = {"parse__unknown_fields": "refuse", "parse__null": "refuse"}
    assert outcome(OPTIONS, b" ", **strict) == Options()
    assert outcome(BYTES, b"") == b""
    assert outcome(ANY, b'{"a": [1, null]}') == {"a": [1, None]}
    assert (OPTIONS.optional, THING.optional, ANY.optional, BYTES.is_json) == (True, False, False, False)


def test_fields_that_are_ignored():
    """Those that the type does not have, sorted; none of what is no object."""
    assert THING.ignored_fields(b'{"z": 1, "name": "n", "a": 2}') == ["a", "z"]
    for raw in (b"", b"[1]", b"{", b"\xff"):
        assert THING.ignored_fields(raw) == []
    assert ANY.ignored_fields(b'{"z": 1}') == []


def test_what_an_operation_is_unless_its_declaration_says_otherwise():
    """Documented, replayed, under the lock; made by its method, its path and its docstring."""
    catalogue = Catalogue("test", "/v1")

    @catalogue.operation("GET /things/{id}/parts/{part}", gate=gates.PUBLIC)
    def read_part(call, id: int, part: str) -> None:
        """Read a part.

        Of a thing.
        """

    @catalogue.operation("POST /things", gate=gates.OWNER)
    def create_thing(call) -> None:
        pass

    @catalogue.operation("DELETE /things", gate=gates.OWNER)
    def drop_things(call) -> None:
        """Drop."""

    @catalogue.operation("GET /created", gate=gates.OWNER)
    def create_nothing(call) -> None:
        """Read."""

    one, two, three, four = catalogue
    assert (one.summary, one.description, two.summary) == ("Read a part.", "Of a thing.", "")
    assert (one.line, one.rules, one.gaps, one.area, one.variant_of) == ("", (), (), "", "")
    assert (one.source, one.gate_entry, one.route_entry) == (Source.DOCUMENTED, None, None)
    assert (one.for_client, one.runtime, one.revokes_access, one.moves_clock, one.waits) == (False,) * 5
    assert (one.replayed, one.beside) == (True, False)
    assert (one.slash, one.container, one.upload) == (None, None, None)
    assert [each.changes for each in catalogue] == [False, True, True, False]
    assert [each.creates for each in catalogue] == [False, True, False, False]
    assert [each.public for each in catalogue] == [True, False, False, False]
    assert one.placeholders == ("id", "part")
    assert one.route({}) == ("GET", "/things/{id}/parts/{part}")
    assert [(each.name, each.inside, each.is_text, each.where) for each in one.path_parameters] == [
        ("id", False, False, "path id"),
        ("part", False, True, "path part"),
    ]
    assert (three.body, four.query_names, repr(two)) == (None, frozenset(), "<create_thing POST /things>")
    assert len(catalogue) == 4
    assert catalogue.find("read_part") is one is catalogue["read_part"]
    assert catalogue.find("nothing") is None


@pytest.mark.parametrize("names", [("other",), ("id", "part", "more"), ("id", "other"), ("part", "id"), ()])
def test_parameters_are_those_of_the_path(names):
    """An operation that takes plain values under other names, or another number of them, is an error."""
    catalogue = Catalogue("test")

    def read_part(call):
        """Read."""

    kinds = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in ("call", *names)]
    read_part.__signature__, read_part.__annotations__ = Signature(kinds), dict.fromkeys(names, int)
    catalogue.operation("GET /things/{id}/parts/{part}", gate=gates.PUBLIC)(read_part)
    with pytest.raises(TypeError, match=f"^read_part takes {', '.join(names)}, its path id, part$"):
        _ = catalogue["read_part"].path_parameters


def test_a_thing_of_the_path_is_named_for_what_it_is():
    """On the wire it keeps the name of the placeholder at its place."""
    operation = API["get_channel_property"]
    assert list(signature(operation.function).parameters) == ["call", "channel", "value"]
    assert [(each.name, each.where) for each in operation.path_parameters] == [
        ("uuid", "path uuid"),
        ("key", "path key"),
    ]

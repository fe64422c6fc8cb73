"""A catalogue of operations: declared by modules, put in order by its roof."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Annotated

import pytest

from confsim.assumptions.register import REGISTER, Assumption
from confsim.contract import gates
from confsim.contract.operation import Catalogue, Words
from confsim.contract.types import Chosen, Inside, Names, Page, StatedUnit, Wire


def declared(catalogue, name, module):
    """An operation of this name that is declared in a module of this name."""

    def function(call):
        """Do it."""

    function.__name__, function.__module__ = name, module
    catalogue.operation(f"POST /{name}", gate=gates.PUBLIC)(function)


def test_the_order_is_that_of_the_areas_whatever_was_imported_first(monkeypatch):
    """Within an area the order of its modules holds, within a module the order of declaration."""
    catalogue = Catalogue("test")
    for name, module in (("four", "x.d"), ("two", "x.b"), ("three", "x.c"), ("one", "x.a"), ("five", "x.d")):
        declared(catalogue, name, module)
    for name in ("x.a", "x.b", "x.c", "x.d"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    catalogue.arrange("x", {"first": "a b", "second": "c", "third": "d"})
    assert list(catalogue.operations) == ["one", "two", "three", "four", "five"]
    assert [operation.area for operation in catalogue] == ["first", "first", "second", "third", "third"]


def test_a_module_that_no_area_lists_is_refused():
    """An operation without an area would stand nowhere in the reference."""
    catalogue = Catalogue("test")
    declared(catalogue, "lost", "elsewhere")
    with pytest.raises(ValueError, match="'lost' is declared in elsewhere"):
        catalogue.arrange("x", {})


def test_a_name_is_taken_once():
    """Two operations of one name are a mistake of the declarations."""
    catalogue = Catalogue("test")
    declared(catalogue, "twice", "a")
    with pytest.raises(ValueError, match="'twice' is declared twice"):
        declared(catalogue, "twice", "b")


def test_a_family_states_what_its_operations_share():
    """An operation states what differs: a word of its own wins. One for which nobody states a gate is refused."""
    catalogue = Catalogue("test")
    operation = catalogue.family(gate=gates.OWNER, line="P2 Runtime", runtime=True)

    @operation("GET /one")
    def one(call):
        """Get it."""

    @operation("GET /two", gate=gates.PUBLIC, line="P2 L354", rings=True)
    def two(call):
        """Get it."""

    first, second = catalogue
    assert (first.gate, first.line, first.runtime, first.rings) == (gates.OWNER, "P2 Runtime", True, False)
    assert (second.gate, second.line, second.runtime, second.rings) == (gates.PUBLIC, "P2 L354", True, True)
    with pytest.raises(ValueError, match="'three' states no gate, nor does its family"):

        @catalogue.family(line="P2 Runtime")("GET /three")
        def three(call):
            """Get it."""


#: The words whose attribute is not what was given, but made of it.
_SPLIT = {"rules": ("R001", "R002"), "gaps": ("G001", "G002")}


@pytest.mark.parametrize("word", sorted(Words.__annotations__))
def test_each_word_of_a_declaration_is_an_attribute(word, monkeypatch):
    """As it was given; it has a value where nothing was given, too."""
    monkeypatch.setattr(REGISTER, "entries", dict(REGISTER.entries))  # a route that is assumed joins it
    catalogue, value = Catalogue("test"), " ".join(_SPLIT[word]) if word in _SPLIT else object()

    def plain(call):
        """Do it."""

    def worded(call):
        """Do it, too."""

    given = {"gate": gates.PUBLIC} if word == "gate" else {"gate": gates.PUBLIC, word: value}
    catalogue.operation("POST /plain", gate=gates.PUBLIC)(plain)
    catalogue.operation("POST /worded", **given)(worded)
    assert hasattr(catalogue["plain"], word)
    assert getattr(catalogue["worded"], word) == _SPLIT.get(word, given[word])


def test_an_answer_shows_what_is_marked_at_any_depth():
    """In fields, lists and unions, in the types that a profile chooses, inside of texts, and as declared."""

    class Part(Wire):
        owner: Annotated[int, Names("users")]
        at: Annotated[int, StatedUnit("epoch-ms")]
        link: Annotated[str, Inside(("images", "media"))]

    entry = Assumption("toy.form", "G001", "Form.", "one", ("other",))
    chosen = Chosen(entry, {"one": int, "other": list[Annotated[str, Names("channels")]]})

    def get_part(call):
        """Get it."""

    get_part.__annotations__["return"] = Annotated[Page[Part] | None, chosen]
    catalogue = Catalogue("test")
    catalogue.operation("GET /part", gate=gates.PUBLIC, identifies={"id": "rooms"})(get_part)
    (operation,) = catalogue
    assert operation.shows == {"users", "instants", "images", "media", "channels", "rooms"}
    deciding = Assumption("toy.ids", "G001", "Ids.", "one", operations="other", decides="media")
    assert catalogue.concerned(deciding) == ("other", "get_part")

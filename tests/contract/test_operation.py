"""A catalogue of operations: declared by modules, put in order by its roof."""

from __future__ import annotations

from types import ModuleType

import pytest

from confsim.contract import gates
from confsim.contract.operation import Catalogue


def declared(catalogue, name, module):
    """An operation of this name that is declared in a module of this name."""

    def function(call):
        """Do it."""

    function.__name__, function.__module__ = name, module
    catalogue.operation(f"POST /{name}", gate=gates.PUBLIC)(function)


def test_the_order_is_that_of_the_areas_whatever_was_imported_first():
    """Within an area the order of its modules holds, within a module the order of declaration."""
    catalogue = Catalogue("test")
    for name, module in (("four", "d"), ("two", "b"), ("three", "c"), ("one", "a"), ("five", "d")):
        declared(catalogue, name, module)
    a, b, c, d = map(ModuleType, "abcd")
    catalogue.arrange({"first": (a, b), "second": (c,), "third": (d,)})
    assert list(catalogue.operations) == ["one", "two", "three", "four", "five"]
    assert [operation.area for operation in catalogue] == ["first", "first", "second", "third", "third"]


def test_a_module_that_no_area_lists_is_refused():
    """An operation without an area would stand nowhere in the reference."""
    catalogue = Catalogue("test")
    declared(catalogue, "lost", "elsewhere")
    with pytest.raises(ValueError, match="'lost' is declared in elsewhere"):
        catalogue.arrange({})


def test_a_name_is_taken_once():
    """Two operations of one name are a mistake of the declarations."""
    catalogue = Catalogue("test")
    declared(catalogue, "twice", "a")
    with pytest.raises(ValueError, match="'twice' is declared twice"):
        declared(catalogue, "twice", "b")

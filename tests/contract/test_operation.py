"""Catalogues of operations."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event

import pytest

from confsim.contract import gates
from confsim.contract.operation import Catalogue


def get_thing(call) -> str:
    """Get something."""


def test_threads_that_ask_first_at_once_see_every_operation():
    """Whoever comes while the modules are imported waits for the whole."""
    begun, go_on = Event(), Event()

    def modules():
        begun.set()
        assert go_on.wait(5)
        catalogue.operation("GET /thing", gate=gates.PUBLIC)(get_thing)
        return ()

    catalogue = Catalogue("a catalogue", modules)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(list, catalogue)
        assert begun.wait(5)
        second = threads.submit(list, catalogue)
        wait([second], 0.05)
        go_on.set()
        assert [each.name for each in first.result()] == [each.name for each in second.result()] == ["get_thing"]


def test_a_module_may_ask_while_it_is_imported():
    """It sees what there is so far."""
    seen = []

    def modules():
        seen.append(dict(catalogue.operations))
        return ()

    catalogue = Catalogue("a catalogue", modules)
    assert (catalogue.operations, seen) == ({}, [{}])


def test_an_import_that_fails_is_tried_again():
    """The next who asks meets the failure too, and not half a catalogue."""

    def modules():
        raise ImportError("as asked")

    catalogue = Catalogue("a catalogue", modules)
    for _ in range(2):
        with pytest.raises(ImportError, match="as asked"):
            list(catalogue)

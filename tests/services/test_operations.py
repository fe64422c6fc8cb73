"""Every operation is called, with success, in every style."""

from __future__ import annotations

import pytest

from services.calls.client import Api
from services.calls.tours import TOURS
from services.conferencing.context import ROUTES


@pytest.mark.parametrize("style", ["a", "b", "c"])
def test_every_operation_is_called(style: str) -> None:
    """The tours through all areas call every operation with success, in every style."""
    called: set[str] = set()
    for tour in TOURS:
        api = Api(style)
        tour(api)
        called |= api.called
    assert {route.name for route in ROUTES} - called == set()

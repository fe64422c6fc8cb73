"""The world of the tests of events."""

from __future__ import annotations

import pytest

from kit.things.listening import listening


@pytest.fixture
def heard():
    """The demo world in which somebody listens to what happens to the customer."""
    return listening()

"""What the tests of recordings share."""

from __future__ import annotations

import pytest

from kit.things.recordings import simulator


@pytest.fixture
def sim():
    """The demo world, its clock standing still, somebody in the demo room."""
    return simulator()

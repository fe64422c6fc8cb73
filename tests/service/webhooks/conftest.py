"""What the tests of webhooks share."""

from __future__ import annotations

import pytest

from kit.things.webhooks import listening


@pytest.fixture
def sim():
    """The demo world with an endpoint that receives its events."""
    return listening()

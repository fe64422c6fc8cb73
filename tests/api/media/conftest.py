"""What the tests of media share."""

from __future__ import annotations

import pytest

from kit.things.media import POOLS, pool_of


@pytest.fixture(params=POOLS)
def pool(sim, request):
    """The pool of a channel, then that of the client."""
    return pool_of(sim, request.param)

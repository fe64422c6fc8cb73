"""What the tests of the conferencing service share."""

from __future__ import annotations

import pytest

from services.calls.client import Api


@pytest.fixture(params=["a", "b", "c"])
def api(request: pytest.FixtureRequest) -> Api:
    """The service in each style, in this process."""
    return Api(request.param)

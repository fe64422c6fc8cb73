"""Delays of real time that a test does not wait for."""

from __future__ import annotations

import pytest

from confsim.service import waiting


class RealTime:
    """The clock by which responses are delayed: that of the machine, and what it was moved ahead."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.ahead = 0.0
        clock = waiting.monotonic
        patch.setattr(waiting, "monotonic", lambda: clock() + self.ahead)

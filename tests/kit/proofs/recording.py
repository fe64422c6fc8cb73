"""A plugin of pytest that notes what every test sends, for the flip test: ``-p kit.proofs.recording --through wsgi``.

The file named by the environment variable ``CONFSIM_JOURNEYS`` gains the longest journeys of each test.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from .journeys import Recorder, store

#: Journeys of one test that are stored: a property makes hundreds.
MOST = 3


@pytest.fixture(autouse=True)
def _recorded(request: pytest.FixtureRequest) -> Iterator[None]:
    recorder = Recorder()
    with recorder.installed():
        yield
    found = recorder.take(request.node.nodeid)
    found.sort(key=lambda journey: len(journey.requests))
    store(found[-MOST:], Path(os.environ["CONFSIM_JOURNEYS"]))

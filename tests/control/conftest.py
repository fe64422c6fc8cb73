"""The control plane as its callers see it."""

from __future__ import annotations

import json

import pytest

from confsim.service.messages import Request
from confsim.service.waiting import wait_for


@pytest.fixture
def plane(sim):
    """Calls the control plane of the world: method, path, JSON body; answers status and JSON."""

    def call(method, path, body=None, **headers):
        target, _, query = f"/_confsim{path}".partition("?")
        raw = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        response = wait_for(sim.app(Request(method, target, query, given, raw)))
        return response.status, json.loads(response.body) if response.body else None

    return call

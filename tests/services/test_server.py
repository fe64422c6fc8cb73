"""The service as a process: one command, one line, served over HTTP."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from services import conferencing

ROLES = {"partner-admin", "customer-admin", "owner", "operator", "user", "guest", "api-token", "other-admin"}


@pytest.fixture(params=["a", "b", "c"])
def line(request: pytest.FixtureRequest) -> Any:
    """What the command prints when it serves, in each style."""
    folder = Path(conferencing.__file__).parents[2]
    command = [sys.executable, "-m", "services.conferencing", "--style", request.param, "--bug", "wall-without-gate"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        yield told
        process.terminate()


def test_a_running_service(line: Any) -> None:
    """The command prints where it serves, and every seeded account can call it over HTTP."""
    assert set(line["tokens"]) == ROLES
    parts = urlsplit(line["base_url"])
    assert parts.path.endswith("/v1_0")
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port)

    def call(role: str, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        carried = line["headers"]["api" if role == "api-token" else "user"]
        headers = {carried["name"]: carried["scheme"] + line["tokens"][role], "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body)
        connection.request(method, parts.path + path, body=data, headers=headers)
        response = connection.getresponse()
        raw = response.read()
        return response.status, json.loads(raw) if raw else None

    for role in sorted(ROLES - {"api-token"}):
        status, told = call(role, "GET", "/users/me")
        assert (status, told["id"]) == (200, line["seeded"]["users"][role])
    assert call("api-token", "GET", "/settings")[0] == 200
    assert call("owner", "POST", "/channels/create", {"name": "Studio"})[0] in (200, 201)
    assert call("user", "POST", f"/channels/{line['seeded']['channel']}/settings/wall/disable")[0] in (200, 204)
    assert call("owner", "GET", "/channels")[1]["total"] == 3
    before = call("owner", "POST", "/staging/clock", {"advanceSeconds": 0})[1]["now"]
    after = call("owner", "POST", "/staging/clock", {"advanceSeconds": 3600})[1]["now"]
    assert 3_600_000 <= after - before < 3_610_000

"""Documents in the making, and a transport whose responses are written down beforehand."""

from __future__ import annotations

import msgspec
import pytest

from confsim.arazzo import compiler, document, runner
from confsim.control.scenarios import source_catalogues
from confsim.service.messages import Response

API = {"name": "api", "url": "http://127.0.0.1:8080/openapi.json"}
CONTROL = {"name": "control", "url": "http://127.0.0.1:8080/_confsim/openapi.json"}


@pytest.fixture
def written():
    """Write a document of workflows, each given as a list of steps or as a whole."""

    def writing(*workflows, **more):
        whole = [
            each if isinstance(each, dict) else {"workflowId": f"w{place}", "steps": each}
            for place, each in enumerate(workflows, 1)
        ]
        info = {"title": "A test", "version": "1"}
        return {"arazzo": "1.0.1", "info": info, "sourceDescriptions": [API, CONTROL], "workflows": whole, **more}

    return writing


@pytest.fixture
def compiled():
    """Read and check a document."""
    return lambda values, profile=None: compiler.compile_document(
        document.read(values, "test"), source_catalogues(profile or {}), "test"
    )


class Script:
    """A transport with given responses; ``calls`` and ``waited`` hold what it was asked."""

    root = "http://there"

    def __init__(self, *answers):
        self.answers = list(answers)
        self.calls = []
        self.waited = []

    @property
    def sent(self):
        """The requests as they go over the wire."""
        return [call.request for call in self.calls]

    def send(self, call):
        """The next answer, the last one for ever."""
        self.calls.append(call)
        status, body = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        raw = body if isinstance(body, bytes) else b"" if body is None else msgspec.json.encode(body)
        return Response(status, [("Content-Type", "application/json"), ("X-Trace", "t-1")], raw)

    def wait(self, seconds):
        """Note how long."""
        self.waited.append(seconds)


@pytest.fixture
def play(written, compiled):
    """Run workflows, or a whole document, against written answers; answers the report and the transport."""

    def playing(workflows, *answers, inputs=None, profile=None):
        transport = Script(*(answers or ((200, {}),)))
        values = workflows if isinstance(workflows, dict) else written(*workflows)
        return runner.run(compiled(values, profile), transport, inputs), transport

    return playing

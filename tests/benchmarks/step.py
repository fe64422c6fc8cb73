"""One simulated call beside one of the bare app."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import measure
import yardstick

from confsim import Simulator

BODY = b'{"url":"https://terms.example/2"}'
CLOCK = "2026-02-01T00:00:00Z"


def environ(method: str, path: str, body: bytes = b"") -> dict[str, Any]:
    """A WSGI environment as a server makes it."""
    return {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": "",
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8080",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_HOST": "127.0.0.1:8080",
        "HTTP_ACCEPT": "*/*",
        "HTTP_USER_AGENT": "benchmark",
        "HTTP_AUTHORIZATION": "Bearer demo-api-token",
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body),
    }


def through(app: Callable[..., Any], path: str) -> Callable[[], object]:
    """One POST through a WSGI app, checked to succeed."""

    def check(status: str, headers: object) -> None:
        if not status.startswith("200"):
            raise SystemExit(f"{path}: {status}")

    return lambda: b"".join(app(environ("POST", path, BODY), check))


def times() -> list[float]:
    """Seconds of a call: of the bare app, of a POST through WSGI and through Simulator.call, of a GET through that."""
    sim = Simulator(clock=CLOCK)
    body = {"url": "https://terms.example/2"}
    return measure.turns(
        through(yardstick.app, yardstick.PATH),
        through(sim.wsgi, "/v1_0/terms"),
        lambda: sim.call("update_terms_url", "demo-api-token", body=body),
        lambda: sim.call("get_me", "demo-owner"),
    )

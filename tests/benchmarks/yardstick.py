"""The yardstick: a bare Werkzeug app of 200 rules, JSON in and out, and nothing behind it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Request, Response

MAP = Map([Rule(f"/v1_0/thing{n}/<id>/part/{n % 7}", endpoint=str(n), methods=["GET", "POST"]) for n in range(200)])
PATH = "/v1_0/thing150/abc/part/3"


def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Route the request, read its JSON, answer JSON."""
    endpoint, values = MAP.bind_to_environ(environ).match()
    request = Request(environ)
    body = json.loads(request.get_data()) if request.method == "POST" else {}
    response = Response(json.dumps({"endpoint": endpoint, **values, **body}), content_type="application/json")
    return response(environ, start_response)


def main() -> None:
    """Serve the yardstick on werkzeug's own server, threaded, on the port that is given."""
    import logging

    from werkzeug.serving import run_simple

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    run_simple("127.0.0.1", int(sys.argv[1]), app, threaded=True)


if __name__ == "__main__":
    main()

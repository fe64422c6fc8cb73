"""Run the service: python -m services.conferencing --port N --style a|b|c [--bug NAME ...]."""

from __future__ import annotations

import argparse
import json

from services.conferencing import BUGS, STYLES, create_app
from services.conferencing.server import serve


def main() -> None:
    """Start the server, print where it is and serve until stopped."""
    parser = argparse.ArgumentParser(prog="conferencing", description="A web-conferencing service in three styles.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free one")
    parser.add_argument("--style", choices=sorted(STYLES), default="a")
    parser.add_argument("--bug", action="append", default=[], choices=sorted(BUGS), metavar="NAME")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bugs", action="store_true", help="list the bugs and stop")
    options = parser.parse_args()
    if options.bugs:
        for name, sentence in BUGS.items():
            print(f"{name}: {sentence}")  # noqa: T201  (this is its output)
        return
    application = create_app(options.style, options.bug, options.seed)
    server = serve(application, options.host, options.port)
    port = server.port
    auth = STYLES[options.style].auth
    line = {
        "base_url": f"http://{options.host}:{port}{STYLES[options.style].base_path}",
        "tokens": application.tokens,
        "client": application.client,
        "headers": {
            "user": {"name": auth.user_header, "scheme": auth.user_scheme},
            "api": {"name": auth.api_header, "scheme": auth.api_scheme},
        },
        "seeded": application.seeded,
    }
    print(json.dumps(line), flush=True)  # noqa: T201  (this is its output)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()

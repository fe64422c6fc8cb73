"""Run the proxy: python -m services.drifts --upstream URL [--port N] [--drift NAME ...] [--seed N]."""

from __future__ import annotations

import argparse
import json
import sys
from urllib.parse import urlsplit

from werkzeug.serving import make_server

from services.drifts.proxy import Proxy, to_url
from services.drifts.registry import DRIFTS


def main() -> None:
    """Start the proxy, print where it is and serve until stopped."""
    parser = argparse.ArgumentParser(prog="drifts", description="A proxy whose answers drift.")
    parser.add_argument("--upstream", help="the base URL of a server")
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free one")
    parser.add_argument("--drift", action="append", default=[], choices=sorted(DRIFTS), metavar="NAME")
    parser.add_argument("--seed", type=int, default=0, help="of drifts that come now and then")
    parser.add_argument("--drifts", action="store_true", help="list the drifts and stop")
    options = parser.parse_args()
    if options.drifts:
        sys.stdout.writelines(f"{each.name} ({each.kind}): {each.sentence}\n" for each in DRIFTS.values())
        return
    if not options.upstream:
        parser.error("--upstream is the base URL of a server, such as http://127.0.0.1:8080/v1_0")
    server = make_server("127.0.0.1", options.port, Proxy(to_url(options.upstream), options.drift, options.seed))
    base_url = f"http://127.0.0.1:{server.port}{urlsplit(options.upstream).path}"
    sys.stdout.write(json.dumps({"base_url": base_url}) + "\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()

"""A live server while its world grows under load: how long calls wait, and the longest pause."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

from over_http import HERE, free_port, until_served

ROOMS = 100_000
CONNECTIONS = 16


def grows() -> Iterator[tuple[str, str]]:
    """100,000 rooms made over 16 connections, while another asks for a page of them and a user."""
    port = free_port()
    with subprocess.Popen(
        [sys.executable, "-m", "confsim", "serve", "-q", "-p", str(port)], stdout=subprocess.DEVNULL
    ) as process:
        try:
            until_served(port)
            load = [sys.executable, str(HERE / "growing_load.py"), str(port), str(ROOMS), str(CONNECTIONS)]
            reported = json.loads(subprocess.run(load, check=True, capture_output=True, text=True).stdout)
        finally:
            process.terminate()
    yield f"{ROOMS:,} rooms over {CONNECTIONS} connections", f"{reported['rate']:,.0f}/s"
    for name in ("POST", "GET"):
        p99, worst = reported[name]
        yield f"a {name} while the world grows", f"p99 {p99:.1f} ms, worst {worst:.1f} ms"
    yield "the longest pause without an answer", f"{reported['pause']:.1f} ms"

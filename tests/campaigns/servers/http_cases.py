"""Raw bytes of HTTP/1 to a live server: read as the RFCs say, with a reason wherever h11 reads them otherwise."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from confsim.http.limits import Limits
from confsim.http.live.server import LiveServer
from kit.proofs.http_cases import CASES, LIMIT, WAITS, Reader, agree, problem, read_by_h11, read_by_server

BAD = ("not as they are to be",)


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument("--all", action="store_true", help="print every case with its verdict")


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Send every case, print what is wrong, and return the figures."""
    reader, wrong = Reader(), 0
    verdicts: Counter[str] = Counter()
    alike = 0
    with LiveServer(reader, limits=Limits(body=LIMIT, url=LIMIT, headers=LIMIT)) as server:
        for case in CASES:
            ours, theirs = (
                read_by_server(reader, server.port, case.raw, waits=case.verdict == WAITS),
                read_by_h11(case.raw),
            )
            found = problem(case, ours, theirs)
            wrong += bool(found)
            alike += agree(ours, theirs)
            verdicts[str(ours.verdict)] += 1
            if found or chosen.all:
                print(f"{case.name}: {found or f'{ours.verdict} ({case.source}) {case.h11}'}")  # noqa: T201  (its output)
    return {
        "cases": len(CASES),
        "verdicts": dict(sorted(verdicts.items())),
        "read alike by h11": alike,
        "read otherwise by h11, each with a reason": sum(bool(case.h11) for case in CASES),
        "not as they are to be": wrong,
    }

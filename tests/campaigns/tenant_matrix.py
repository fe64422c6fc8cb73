"""Every operation at every place of an id: another tenant's and a deleted one answer exactly as one that never was.

And every operation without a token, with an unknown and an expired one, and by somebody of too low a role, in the order
of the checks that is declared.
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from confsim.api.catalogue import API
from kit.proofs.tenants import IMPOSSIBLE, Found, collected, credentials, roles, tenants

NAMES = tuple(API.operations)
BAD = ("operations that never succeeded", "cells not tried", "cells that are not as they are to be")


def add_options(options: argparse.ArgumentParser) -> None:
    """Declare the options."""
    options.add_argument(
        "--only", nargs="*", default=[], metavar="NAME", choices=NAMES, help="operations; without them all"
    )


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Try every cell, print those that are wrong, and return the figures."""
    wanted = [name for name in API.operations if not chosen.only or name in chosen.only]
    cases = {name: case for name, case in collected().items() if name in wanted}
    found: list[Found] = []
    for case in cases.values():
        found += [*tenants(case), *credentials(case), *roles(case)]
    for each in found:
        if each.tried and each.problem:
            print(f"{each.operation}, {each.cell}: {each.problem}")  # noqa: T201  (this is its output)
    cells = Counter(each.cell for each in found if each.tried)
    untried = Counter(each.cell for each in found if not each.tried)
    named = {cell: count for cell, count in untried.items() if cell in IMPOSSIBLE}
    for cell in named:
        print(f"impossible, {cell}: {IMPOSSIBLE[cell]}")  # noqa: T201
    return {
        "operations": len(cases),
        "operations that never succeeded": [name for name in wanted if name not in cases],
        **dict(sorted(cells.items())),
        "impossible, named with why": sum(named.values()),
        "cells not tried": sorted(untried.keys() - named.keys()),
        "cells": sum(cells.values()),
        "cells that are not as they are to be": sum(each.tried and bool(each.problem) for each in found),
    }

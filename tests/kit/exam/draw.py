"""What the exam draws by its seed: forty bugs of all that the service has, and the half that is held in reserve.

Bugs that are not drawn are spares: another seed would draw them. Whoever builds a tool that learns looks at the items
in reserve only as a figure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from random import Random

from services import conferencing
from services.conferencing import bugs

#: The seed of the exam, which draws the bugs and all that is in reserve.
SEED = 37
#: How many bugs are drawn.
BUGS = 40


def kinds() -> dict[str, list[str]]:
    """The bugs of the service by the kind of mistake, as its register has them."""
    return {name: list(found) for name, found in vars(bugs).items() if name.isupper() and name != "BUGS"}


@cache
def areas() -> dict[str, str]:
    """The module of the service in which each bug is made."""
    found: dict[str, str] = {}
    root = Path(conferencing.__file__).parent
    for path in sorted(root.rglob("*.py")):
        for name in re.findall(r'\bbug\("([a-z0-9-]+)"\)', path.read_text()):
            found.setdefault(name, path.stem)
    return found


@cache
def drawn(seed: int = SEED) -> tuple[str, ...]:
    """The forty bugs, spread evenly over kinds and, within a kind, over areas."""
    chance = Random(seed)
    left = {kind: chance.sample(names, len(names)) for kind, names in kinds().items()}
    used: Counter[str] = Counter()
    chosen: list[str] = []
    while len(chosen) < BUGS:
        for kind in chance.sample(sorted(left), len(left)):
            if left[kind] and len(chosen) < BUGS:
                name = min(left[kind], key=lambda bug: used[areas()[bug]])
                left[kind].remove(name)
                used[areas()[name]] += 1
                chosen.append(name)
    return tuple(sorted(chosen))


def reserved(names: Iterable[str], seed: int = SEED) -> frozenset[str]:
    """The half of these that is held in reserve."""
    ordered = sorted(names)
    return frozenset(Random(f"{seed} reserve").sample(ordered, len(ordered) // 2))

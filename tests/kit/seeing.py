"""Makes ``confsim/reference/seen.json``: by which call each assumption could be told. ``python -m kit.seeing [SEED…]``.

Calibrate runs beside a service under the defaults, with all accounts of the demo world, once for each seed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import confsim.reference
from kit.beside import Beside

#: Portions of a run.
JOURNEYS = 30
FILE = Path(confsim.reference.__file__).parent / "seen.json"


def main(seeds: list[int]) -> None:
    """Run, and write what was seen, beside what was seen before."""
    seen: dict[str, str] = json.loads(FILE.read_text()) if FILE.exists() else {}
    for seed in seeds:
        report = Beside().calibrator(journeys=JOURNEYS, seed=seed).run()
        assert not report.contradicted, report.contradicted
        assert not report.learned, report.learned
        seen = {**report.shown, **seen}
        FILE.write_text(json.dumps(dict(sorted(seen.items())), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]] or [0, 1, 2])

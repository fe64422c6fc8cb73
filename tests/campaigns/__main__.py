"""Campaigns: long searches for defects that no gate runs. ``python tests/campaigns NAME [options]``.

Each module beside this one, in ``mutation/`` and in ``servers/`` is a campaign: ``add_options`` declares its options,
and ``run`` returns its figures by name. ``--json FILE`` writes them; the exit code is 1 unless those that ``BAD`` names
are 0.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Without the folder of this file, whose modules are named for what they search: one of them as a package that it uses.
sys.path[:] = [str(HERE.parent), str(HERE.parents[1]), *(each for each in sys.path if Path(each).resolve() != HERE)]

#: The module of each campaign, by its name.
_MODULES = {
    path.stem: ".".join(path.relative_to(HERE.parent).with_suffix("").parts) for path in HERE.rglob("[a-z]*.py")
}
NAMES = sorted(_MODULES)


def main(arguments: list[str]) -> int:
    """Run one campaign and print its figures."""
    parser = argparse.ArgumentParser("python tests/campaigns", description=(__doc__ or "").partition("\n")[0])
    names = parser.add_subparsers(dest="name", required=True, metavar="NAME")
    for name in NAMES:
        campaign = import_module(_MODULES[name])
        options = names.add_parser(name, help=(campaign.__doc__ or "").partition("\n")[0], description=campaign.__doc__)
        options.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file")
        campaign.add_options(options)
    chosen = parser.parse_args(arguments)
    part = getattr(chosen, "part", "1/1")
    number, slash, parts = part.partition("/")
    if not slash or not number.isdecimal() or not parts.isdecimal() or not 1 <= int(number) <= int(parts):
        names.choices[chosen.name].error(f"argument --part: {part!r} is not I/N, such as 1/4 to 4/4")
    campaign = import_module(_MODULES[chosen.name])
    figures = campaign.run(chosen)
    for name, figure in figures.items():
        print(f"{name}: {figure}")  # noqa: T201  (this is its output)
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=2) + "\n")
    return int(any(figures[name] for name in campaign.BAD))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The guides: Markdown files of this package, shown by the inspector and by ``confsim guide``.

The examples in them run in the tests; a block of ``text`` is output, or a command for
something elsewhere, which the tests of that feature run against what plays it, or check by its options.
"""

from __future__ import annotations

from functools import cache

import msgspec

from confsim import shipped


class Guide(msgspec.Struct, frozen=True):
    """A guide: its name, the title in its first line, its whole text."""

    name: str
    title: str
    text: str


#: Names of the guides, in reading order.
NAMES = (
    "about",
    "first-test",
    "inspector",
    "choosing",
    "fuzz",
    "sso",
    "mail",
    "webhooks",
    "lobby",
    "recordings",
    "phones",
    "faults",
    "parallel",
    "languages",
    "browsers",
    "contract",
    "verify",
    "calibrate",
    "observe",
    "campaign",
    "coverage",
    "sharing",
    "assistants",
    "containers",
    "command-line",
    "upgrading",
    "changelog",
)


@cache
def list_() -> tuple[Guide, ...]:
    """Return every guide, in reading order."""
    return tuple(_read(name) for name in NAMES)


def get(name: str) -> Guide:
    """Return the guide of this name. Raises KeyError, whose argument is a sentence with the nearest name."""
    for each in list_():
        if each.name == name:
            return each
    from difflib import get_close_matches

    close = get_close_matches(name, NAMES, 1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(NAMES)}"
    raise KeyError(f"there is no guide {name!r}; {hint}")


def _read(name: str) -> Guide:
    text = shipped.text(f"guides/{name}.md")
    return Guide(name, text.splitlines()[0].removeprefix("# "), text)

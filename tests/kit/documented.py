"""What the guides show and do not run by themselves: commands for a service, a cluster or another program elsewhere."""

from __future__ import annotations

import re
import shlex

from confsim import guides

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
#: The language of a block that is output, or a command that the guide's own test does not run.
SHOWN = "text"


def shown(name: str) -> list[str]:
    """The lines of a guide that are only shown."""
    blocks = BLOCK.findall(guides.get(name).text)
    return [line for language, text in blocks if language == SHOWN for line in text.splitlines()]


def command(name: str, program: str, **instead: str) -> list[str]:
    """The words after a program in the one line of a guide that is only shown and has it.

    ``instead`` are words by the option before them. Raises ValueError unless there is one such line with those options.
    """
    (line,) = [line for line in shown(name) if f"{program} " in f"{line} "]
    words = shlex.split(f"{line} ".partition(f"{program} ")[2])
    for option, value in instead.items():
        words[words.index(f"-{option}" if len(option) == 1 else f"--{option.replace('_', '-')}") + 1] = value
    return words

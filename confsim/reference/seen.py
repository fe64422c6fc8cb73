"""By which call of the API an assumption can be told, as calibrate found it beside a service under the defaults.

``seen.json`` is made by ``python -m kit.seeing`` of the tests. What is missing needs time, people in a room, a phone, a
key that only the makers of a service hold, or a state that no account reaches, or it was not found.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def seen() -> Mapping[str, str]:
    """The operation, who called it, and the status, in words, by the id of the assumption."""
    made: dict[str, str] = json.loads((files(__package__) / "seen.json").read_text("utf-8"))
    return made

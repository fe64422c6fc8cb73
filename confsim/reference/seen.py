"""The calls of the API that show the value of each assumption, as calibrate found them in a service under the defaults.

``seen.json`` is made by ``python -m kit.seeing`` of the tests. An assumption is missing if it needs time, people in a
room, a phone, a key that only the makers of a service have, or an unreachable state, or if no call was found.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def seen() -> Mapping[str, str]:
    """Return, by the id of the assumption, the operation, the caller and the status in words."""
    made: dict[str, str] = json.loads((files(__package__) / "seen.json").read_text("utf-8"))
    return made

"""The bounds of control calls: what each declares, by its name in the OpenAPI document.

Each number is stated where it is enforced; a call beyond it is refused (413 for the body) and changes nothing. The path
and the query of a call are bounded as those of all requests (``size.request-url``).
"""

from __future__ import annotations

from confsim.arazzo import limits as scenario
from confsim.assumptions.register import MOST_CHOICES
from confsim.service import history, journal, worlds
from confsim.service.faults import holding, injection
from confsim.service.messages import LARGEST_BODY

#: Most characters of a path in which * stands for any text: each is looked for in every call of the journal.
LONGEST_PATTERN = 2000

#: Most ids whose labels one call asks for.
MOST_LABELS = 1000

#: The name of the bound of a body.
BODY = "bytes of the body"
#: Bytes of a body with a few names and numbers, of one with a record or a pattern, of one with faults, and of one with
#: a whole document, which may be as large as any.
SMALL, RECORD, LARGE, DOCUMENT = 64 * 2**10, 2 * 2**20, 16 * 2**20, LARGEST_BODY

FAULTS = {"faults of the world": injection.MOST}
HELD = {"held calls of the world": holding.MOST}
SNAPSHOTS = {"snapshots of the world": history.MOST}
WAITERS = {"waiting calls of the server": worlds.MOST_WAITING}
NAMES = {"host names of the server": worlds.MOST_NAMES}
WORLDS = {"worlds of the server": worlds.MOST_EVER}
JOURNAL = {"calls in the journal": journal.MOST_EVER}
PROFILE = {"keys and list items of the profile": MOST_CHOICES}
LABELS = {"ids whose labels are asked for": MOST_LABELS}
PATTERN = {"characters of a path pattern": LONGEST_PATTERN}
SCENARIO = {
    "workflows and steps of a scenario": scenario.MAX_STEPS,
    "fields and list items of a scenario": scenario.MAX_FIELDS,
    "characters of a condition": scenario.LONGEST_CONDITION,
    "characters of all conditions": scenario.MOST_CONDITIONS,
}

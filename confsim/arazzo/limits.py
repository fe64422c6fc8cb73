"""The limits of a scenario: a server that compiles or runs one serves nobody else meanwhile."""

from __future__ import annotations

#: Workflows and steps of a document, and attempts at steps in a run, which stop one that goes round for ever.
MAX_STEPS = 2000
#: Depth of workflows that call workflows.
MAX_DEPTH = 50
#: Fields and items of lists of a document, without those of payloads, values and the schemas of inputs.
MAX_FIELDS = 100_000
#: Characters of one condition, regular expression or JSONPath, and of all of them together.
LONGEST_CONDITION = 2000
MOST_CONDITIONS = 100_000

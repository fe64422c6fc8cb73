"""The register of assumptions: every choice that the documents of the API leave open.

Each choice is an ``Assumption`` with an id in words. ``ask`` returns the value in force and notes that the
call used it; a profile (TOML) chooses alternatives. The modules are named for the packages of ``domain``;
``protocol`` holds what belongs to none of them, with the refusals. All entries whose ids share a prefix, the part
before the first dot, stand in one module. The rooms above import here what asks the register and what refuses.
"""

from .protocol.initial import note_shown
from .protocol.refusals import CODE, STATUS, Reason, not_found
from .register import (
    REGISTER,
    Assumption,
    Context,
    ProfileKey,
    ask,
    assumption,
    context_of,
    in_force,
    note,
    text,
    value_of,
)

__all__ = [
    "CODE",
    "REGISTER",
    "STATUS",
    "Assumption",
    "Context",
    "ProfileKey",
    "Reason",
    "ask",
    "assumption",
    "context_of",
    "in_force",
    "not_found",
    "note",
    "note_shown",
    "text",
    "value_of",
]

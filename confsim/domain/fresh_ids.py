"""Ids of things that have no number."""

from __future__ import annotations

from confsim.assumptions.channels import THING_IDS
from confsim.assumptions.register import ask
from confsim.kernel.world import Change


def fresh_id(change: Change) -> str:
    """A fresh id, in the form of the profile (G132)."""
    return change.uuid() if ask(change, THING_IDS) == "uuid" else change.draw(12).hex()

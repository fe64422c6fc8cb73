"""The reasons of refusals in sentences made of their facts, with the names of what they are about."""

from __future__ import annotations

from confsim.service.entries import JournalEntry
from confsim.service.service import Service


def sentence(service: Service, entry: JournalEntry) -> str:
    """Return why a call was refused, as a sentence."""
    if entry.refusal is None:
        return "" if entry.response.status < 400 else f"The answer was {entry.response.status}."
    return str(entry.refusal.reason.value.message.format_map(entry.refusal.facts))

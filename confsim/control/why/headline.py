"""An entry of the journal in a sentence: who did what to what."""

from __future__ import annotations

from confsim.control.journal_view import about_entry
from confsim.control.labels.label import caller_label
from confsim.control.labels.timer import of_entry
from confsim.service.entries import ControlCall, JournalEntry, Noted, TimerEntry
from confsim.service.masking import Mask

from .past import Past


def actor(entry: Noted) -> str:
    """Return who or what did something, and how: "by Olaf Owner with create_channel (r9)"."""
    if isinstance(entry, JournalEntry):
        who = caller_label(entry.before.change(0), entry.caller)
        return f"by {who} with {entry.operation} ({entry.id})" if who else f"by {entry.operation} ({entry.id})"
    if isinstance(entry, ControlCall):
        return f"by the control plane with {entry.operation} ({entry.id})"
    return f"by the timer {entry.id}"


def headline(past: Past, entry: Noted) -> str:
    """Return what happened, without a full stop: "Olaf Owner calls create_channel, Board daily (r9)"."""
    if isinstance(entry, TimerEntry):
        return f"{of_entry(entry).text} ({entry.id})"
    if isinstance(entry, ControlCall):
        called = f"The control plane does {entry.operation}"
    else:
        mask = Mask(past.service.profile, entry.after)
        what = entry.operation or f"{entry.request.method} {mask.path(entry.request.target)}"
        who = caller_label(entry.before.change(0), entry.caller)
        called = f"{who} calls {what}" if who else f"{what} is called"
    found = about_entry(past.service, entry)
    return f"{called}{f', {found.label}' if found is not None else ''} ({entry.id})"

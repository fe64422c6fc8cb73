"""An entry of the journal in a sentence: who did what to what."""

from __future__ import annotations

from confsim.api.catalogue import API
from confsim.control.declare import CONTROL
from confsim.control.labels.call import about
from confsim.control.labels.label import caller_label
from confsim.control.labels.timer import of_entry
from confsim.service.entries import ControlCall, JournalEntry, Noted
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
    from confsim.control.journal_view import read_body

    if isinstance(entry, JournalEntry):
        path = Mask(past.service.profile, entry.after).path(entry.request.target)
        client = "" if entry.caller is None else entry.caller.client.id
        body = read_body(entry.request.body, 64 << 10)
        found = about((entry.after, entry.before), API.find(entry.operation), path, body, client)
        what = entry.operation or f"{entry.request.method} {path}"
        who = caller_label(entry.before.change(0), entry.caller)
        called = f"{who} calls {what}" if who else f"{what} is called"
    elif isinstance(entry, ControlCall):
        worlds = () if entry.worlds is None else entry.worlds[::-1]
        found = about(worlds, CONTROL[entry.operation], "/".join(entry.path), read_body(entry.body, 64 << 10), "")
        called = f"The control plane does {entry.operation}"
    else:
        return f"{of_entry(entry).text} ({entry.id})"
    return f"{called}{f', {found.label}' if found is not None else ''} ({entry.id})"

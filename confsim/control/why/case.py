"""A refused call as its explanation sees it: the refusal, the world before it, and what it was about."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct

from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import Reason
from confsim.control.declare import CONTROL
from confsim.control.labels.call import about, in_path
from confsim.control.labels.label import Held, Named, caller_label, find, label
from confsim.control.matching import read_body
from confsim.kernel.world import Change, World
from confsim.service.entries import ControlCall, JournalEntry, Noted
from confsim.service.masking import Mask

from .past import Gone, Past


class Finding(Struct, frozen=True):
    """What an explanation has found: a sentence, and the records and entries that it rests on.

    ``there`` is the record in the way, or probably meant; ``gone`` the one that is missing since it was removed.
    ``nearest`` is an id, name, token or route that was probably meant. ``see`` says what can be done.
    """

    sentence: str
    there: Held | None = None
    gone: Gone | None = None
    nearest: str = ""
    see: tuple[str, ...] = ()


def path_of(entry: Noted) -> tuple[str, ...]:
    """Return the path parameters of a call, as texts; nothing for a timer."""
    if isinstance(entry, ControlCall):
        return entry.path
    operation = API.find(entry.operation) if isinstance(entry, JournalEntry) else None
    if operation is None or not isinstance(entry, JournalEntry):
        return ()
    return tuple(in_path(operation, entry.request.target))


class Case:
    """A refused call of the API or of the control plane."""

    def __init__(self, past: Past, entry: JournalEntry | ControlCall) -> None:
        self.past = past
        self.entry = entry
        self.service = past.service

    @cached_property
    def reason(self) -> Reason | None:
        """The reason of the refusal; None where a fault, confsim or the control plane itself refused."""
        refusal = self.entry.refusal
        if refusal is None:
            return None
        if isinstance(self.entry, ControlCall):
            code = refusal.facts.get("code")
            return Reason.__members__.get(code.upper()) if isinstance(code, str) else None
        reason = refusal.reason  # type: ignore[union-attr]
        return reason if isinstance(reason, Reason) else None

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """The facts of the refusal, without credentials."""
        refusal = self.entry.refusal
        if refusal is None:
            return {}
        if isinstance(self.entry, ControlCall):
            return refusal.facts
        return Mask(self.service.profile, self.before).refusal(refusal).facts  # type: ignore[arg-type]

    @cached_property
    def before(self) -> World:
        """The world before the call."""
        entry = self.entry
        worlds = (entry.before, entry.after) if isinstance(entry, JournalEntry) else entry.worlds
        return self.service.world if worlds is None else worlds[0]

    @cached_property
    def change(self) -> Change:
        """A change of the world before the call, for reading."""
        return self.before.change(self.entry.at)

    @cached_property
    def client(self) -> str:
        """The client whose things the call reached; "" for none."""
        if isinstance(self.entry, ControlCall):
            return "" if self.subject is None else self.subject.client
        caller = self.entry.caller
        return "" if caller is None else caller.client.id

    @cached_property
    def caller(self) -> str:
        """What people call the caller; "" for none."""
        return caller_label(self.change, self.entry.caller) if isinstance(self.entry, JournalEntry) else ""

    @cached_property
    def body(self) -> Any:
        """The body as a JSON value or a text."""
        body = self.entry.body if isinstance(self.entry, ControlCall) else self.entry.request.body
        return read_body(body, 64 << 10)

    @cached_property
    def path(self) -> tuple[str, ...]:
        """The path parameters, as texts."""
        return path_of(self.entry)

    @cached_property
    def subject(self) -> Named | None:
        """The record that the call was about."""
        entry = self.entry
        if isinstance(entry, ControlCall):
            operation, target, client = CONTROL[entry.operation], "/".join(entry.path), ""
        else:
            operation, target, client = API.find(entry.operation), entry.request.target, self.client  # type: ignore[assignment]
        return about((self.before,), operation, target, self.body, client)

    def named(self, id: object) -> str:
        """Return what people call the record of an id, else the id."""
        found = find(self.change, id if isinstance(id, int) else str(id), self.client)
        return str(id) if found is None else label(self.change, found)

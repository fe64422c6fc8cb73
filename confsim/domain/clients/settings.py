"""Settings of a client: the flags that new channels start with."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from confsim.assumptions.protocol.refusals import Reason
from confsim.domain import repeats
from confsim.kernel.machine import Toggle
from confsim.kernel.rows import OnOff
from confsim.kernel.world import Change

from .clients import CLIENTS, Client


class Default(Enum):
    """A feature flag of a client, the default of new channels (P2 Legacy client settings)."""

    SPEECH2TEXT = "speech2text"
    DIAL_IN = "dial_in"
    DIAL_OUT = "dial_out"
    MIDI = "midi"


_SOURCE = "P2 L112, L354, R315, G537"

#: New channels start with the value; existing ones keep theirs (R316).
MACHINES: Mapping[Default, Toggle[OnOff, Client]] = {
    flag: Toggle(
        f"client default {flag.value}",
        "A feature flag of a client, which only seeds new channels (R088, R315, R316, G297).",
        CLIENTS,
        flag.value,
        OnOff,
        refused=Reason.INVALID_STATE,
        sources=(_SOURCE, _SOURCE),
    )
    for flag in Default
}


def switch_default(change: Change, client: Client, flag: Default, trigger: str) -> Client:
    """Enable or disable a flag that new channels of the client start with."""
    return repeats.turn(change, MACHINES[flag].to(trigger), client, state=trigger)

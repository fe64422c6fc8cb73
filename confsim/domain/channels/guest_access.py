"""Whether a channel admits guests."""

from __future__ import annotations

from confsim.assumptions.protocol.refusals import Reason
from confsim.domain import repeats
from confsim.kernel.machine import Toggle
from confsim.kernel.rows import OnOff
from confsim.kernel.world import Change

from .channels import Channel, table_of

MACHINE = Toggle(
    "guest access",
    "Whether a channel admits guests; those inside stay when it does no more (R274, G227).",
    table_of,
    "guest_access",
    OnOff,
    initial=OnOff.ON,
    refused=Reason.STATE_HOLDS,
    sources=("P1 L247, G565, G537", "P1 L247, G227, G565, G537"),
)


def set_access(change: Change, channel: Channel, trigger: str) -> Channel:
    """Enable or disable guest access. Refusal STATE_HOLDS where repeating a state is refused (G537)."""
    return repeats.turn(change, MACHINE.to(trigger), channel, state=trigger)

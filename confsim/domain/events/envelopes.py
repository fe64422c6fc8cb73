"""The envelope of an event: the JSON sent to an endpoint (G533)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from confsim.assumptions import events as assumed
from confsim.assumptions.events import EventKind
from confsim.assumptions.register import ask
from confsim.kernel.world import Change


def enveloped(change: Change, client: str, kind: EventKind, message: str, payload: Mapping[str, Any]) -> Any:
    """The JSON value of an event of this instant; ``message`` is the id of the event."""
    envelope = ask(change, assumed.ENVELOPE)
    if envelope == "data-alone":
        return dict(payload)
    if envelope == "standard-webhooks":
        at = datetime.fromtimestamp(change.now // 1000, UTC).replace(microsecond=change.now % 1000 * 1000)
        return {
            "type": kind.value,
            "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "data": dict(payload),
        }
    return {
        "id": message,
        "kind": kind.value,
        "time": change.now,
        "clientId": client,
        "channel": payload.get("channel"),
        "data": dict(payload),
    }

"""How each assumption can be seen in a service: by a call of a probe, or by a raw request."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from .probes import seen_in_calls
from .raw_probes import RAW_PROBES


@cache
def seen() -> Mapping[str, str]:
    """Return, by the id of the assumption, the call or the request that shows its value, in words."""
    raw = {id: probe.seen for probe in reversed(RAW_PROBES) for id in probe.tells}
    return dict(sorted({**raw, **seen_in_calls()}.items()))

"""The acts of the exploration, by what they are about; ``every`` finds one by its sentence."""

from __future__ import annotations

from .act import Act


def every() -> dict[str, Act]:
    """Return all acts by their sentences. Raises ValueError for a sentence that two acts have."""
    from . import breakout, clients, config, events, identity, members, runtime, telephony

    found: dict[str, Act] = {}
    for module in (breakout, clients, config, events, identity, members, runtime, telephony):
        for act in module.ACTS:
            if act.sentence in found:
                raise ValueError(f"two acts are called {act.sentence!r}")
            found[act.sentence] = act
    return found

"""Calls by callers without permission."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from confsim.assumptions.protocol.refusals import CODE, Reason
from confsim.testing.learning.calls import ModelCall
from confsim.testing.verifying.candidates import Candidates
from confsim.testing.verifying.novelty import FOREIGN, NOT_FOR_THIS_CALLER


def refused(candidates: Candidates, call: ModelCall) -> Iterator[ModelCall]:
    """Yield the call by a caller of another client, and by one with too low a role."""
    foreign: list[tuple[int, ModelCall]] = []
    near: list[tuple[int, ModelCall]] = []
    for caller in candidates.things.callers:
        other = replace(call, caller=caller.token)
        predicted = candidates.imagined(other)
        if predicted is None or predicted.reply.status not in (401, 403, 404):
            continue
        if caller.role == "other-admin" or candidates.role(other).endswith(FOREIGN):
            foreign.append((caller.role != "other-admin", other))
        elif NOT_FOR_THIS_CALLER.intersection(predicted.used):
            near.append((CODE[Reason.ROLE_MISSING].id not in predicted.used, other))
    if any(named in candidates.things for named in call.names()):
        yield from (each for _, each in sorted(foreign, key=lambda each: each[0])[:1])
    yield from (each for _, each in sorted(near, key=lambda each: each[0])[:1])

"""The journey over the whole API: one rule for each operation, seeds, the environment, and invariants."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from confsim.api.catalogue import API
from confsim.contract.operation import Operation

from . import environment, invariants, seeds
from .bundles import ApiJourney, ids_in
from .samples import Arguments
from .strategies import journey_arguments, weighted


@cache
def api_journey(base: type[ApiJourney] = ApiJourney, leave_out: frozenset[str] = frozenset()) -> type[ApiJourney]:
    """Return ``base`` with one rule for each operation of the API, rules for its environment, and invariants.

    People come and go, phones ring, time passes (``environment``); after each step what the documents say of channels,
    sessions, recordings and validators holds (``invariants``). ``leave_out`` names operations, of the API or of the
    control plane, that get no rule: because a subclass has better ones, or the targets have no control plane.
    """
    rules: dict[str, Any] = {operation.name: _rule(base, operation) for operation in API}
    rules |= environment.rules(base) | seeds.rules(base)
    chosen = {name: each for name, each in rules.items() if name not in leave_out}
    return type("ApiJourney", (base,), {**chosen, **invariants.invariants()})


def _rule(base: type[ApiJourney], operation: Operation) -> Callable[..., Any]:
    field, kind = next(iter(operation.identifies.items()), ("", ""))
    target: dict[str, Any] = {"target": getattr(base, kind)} if kind else {}

    def step(self: ApiJourney, caller: str | None, arguments: Arguments) -> Any:
        outcome = self.call(operation.name, caller, **arguments.keywords)
        return ids_in(outcome, field) if kind else None

    step.__name__ = step.__qualname__ = operation.name
    step.__doc__ = operation.summary
    apt = [base.likely.get(grant, next(iter(base.likely.values()))) for grant in operation.gate.grants]
    callers = weighted(st.sampled_from(apt) | base.tokens, st.just("no-such-token"), st.none())
    drawn = journey_arguments(operation, lambda kind: getattr(base, kind))
    declare: Callable[[Callable[..., Any]], Callable[..., Any]] = rule(caller=callers, arguments=drawn, **target)
    return declare(step)

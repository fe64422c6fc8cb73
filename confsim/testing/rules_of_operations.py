"""The journey over the whole API: one rule for each operation, seed data, the environment, and invariants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, initialize, rule

from confsim.api.catalogue import API
from confsim.assumptions.register import ProfileKey
from confsim.contract.operation import Operation
from confsim.kernel.refusal import Misuse
from confsim.transport.in_process import in_effect

from . import environment, invariants, seeds
from .bundles import ApiJourney, ids_in
from .samples import UNKNOWN_ID, Arguments
from .strategies import journey_arguments, weighted


@cache
def api_journey(base: type[ApiJourney] = ApiJourney, leave_out: frozenset[str] = frozenset()) -> type[ApiJourney]:
    """Return ``base`` with one rule for each operation of the API, rules for its environment, and invariants.

    The environment (``environment``) is people who join and leave, phones, and time. After each step the ``invariants``
    of channels, sessions, recordings and validators are checked. ``leave_out`` names operations, of the API or of the
    control plane, without a rule: a subclass has its own, or the targets have no control plane. Arguments are drawn
    for the ``profile`` of ``base``. Raises Misuse for a base of another kind.
    """
    if not (isinstance(base, type) and issubclass(base, ApiJourney)):
        raise Misuse(f"api_journey takes a subclass of ApiJourney, not {base!r}")
    bundles = {kind: _bundle(base, kind) for kind in _kinds()}
    rules: dict[str, Any] = _rules(
        tuple(bundles.items()), tuple(base.likely.items()), ProfileKey(in_effect(base.profile))
    )
    rules = rules | environment.rules(base) | seeds.rules(base)
    chosen = {name: each for name, each in rules.items() if name not in leave_out}
    made_later = [bundle for kind, bundle in bundles.items() if kind not in ApiJourney.in_the_demo_world]
    first = initialize(targets=made_later)(_unknown_ids)
    return type("ApiJourney", (base,), {**bundles, "unknown_ids": first, **chosen, **invariants.invariants()})


@cache
def _kinds() -> tuple[str, ...]:
    """Return the kinds of things that operations name in their parameters or answers."""
    kinds = {kind for operation in API for kind in operation.identifies.values()}
    for operation in API:
        kinds |= {each.names for each in operation.path_parameters if each.names}
        kinds |= {each.names for each in operation.query_parameters if each.names}
    return tuple(sorted(kinds | set(ApiJourney.in_the_demo_world)))


def _bundle(base: type[ApiJourney], kind: str) -> Bundle[Any]:
    """Return the bundle of a kind, which is one for all bases without their own."""
    found: Bundle[Any] | None = getattr(base, kind, None)
    return _bundle_of(kind) if found is None else found


@cache
def _bundle_of(kind: str) -> Bundle[Any]:
    return Bundle(kind)


def _unknown_ids(self: ApiJourney) -> str:
    """Return an id that names nothing, so that every call has an argument before the first thing is made."""
    return UNKNOWN_ID


@cache
def _rules(
    bundles: tuple[tuple[str, Bundle[Any]], ...], likely: tuple[tuple[str, str], ...], key: ProfileKey
) -> dict[str, Callable[..., Any]]:
    """Return the rule of each operation. Bases with the same bundles share them: strategies are made once."""
    return {operation.name: _rule(operation, dict(bundles), dict(likely), key.profile) for operation in API}


def _rule(
    operation: Operation, bundles: Mapping[str, Bundle[Any]], likely: Mapping[str, str], profile: Mapping[str, Any]
) -> Callable[..., Any]:
    field, kind = next(iter(operation.identifies.items()), ("", ""))
    target: dict[str, Any] = {"target": bundles[kind]} if kind else {}

    def step(self: ApiJourney, caller: str | None, arguments: Arguments) -> Any:
        outcome = self.call(operation.name, caller, **arguments.keywords)
        return ids_in(outcome, field) if kind else None

    step.__name__ = step.__qualname__ = operation.name
    step.__doc__ = operation.summary
    apt = [likely.get(grant, next(iter(likely.values()))) for grant in operation.gate.grants]
    callers = weighted(st.sampled_from(apt) | bundles["tokens"], st.just("no-such-token"), st.none())
    drawn = journey_arguments(operation, bundles.__getitem__, profile)
    declare: Callable[[Callable[..., Any]], Callable[..., Any]] = rule(caller=callers, arguments=drawn, **target)
    return declare(step)

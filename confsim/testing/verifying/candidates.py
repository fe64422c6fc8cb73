"""Calls that could be made: drawn at random, by callers who may hold what they need, and tried in the model."""

from __future__ import annotations

import random as chance
from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from confsim.assumptions.members import API_TOKEN_PASSES
from confsim.assumptions.register import in_force
from confsim.contract.gates import Grant
from confsim.contract.operation import Operation
from confsim.kernel.refusal import Misuse
from confsim.kernel.world import World
from confsim.testing.learning.calls import ModelCall, kinds_of
from confsim.testing.learning.model import Model, Prediction
from confsim.testing.learning.names import RunNames
from confsim.testing.learning.run import Run
from confsim.testing.learning.scope import RunScope
from confsim.testing.learning.things import RunCaller, Things

from .arguments import Drawing
from .novelty import FOREIGN

#: A call and its prediction.
Step = tuple[ModelCall, Prediction]
#: Roles with each grant, likeliest first.
LIKELY: Mapping[str, tuple[str, ...]] = {
    Grant.OWNER: ("owner", "api-token"),
    Grant.OPERATOR: ("owner", "operator", "api-token"),
    Grant.ACCESS: ("owner", "user", "api-token"),
    Grant.CUSTOMER_ADMIN: ("customer-admin", "api-token"),
    Grant.PARTNER_ADMIN: ("partner-admin",),
    Grant.API_TOKEN: ("api-token",),
    Grant.SELF: ("guest", "customer-admin", "api-token"),
    Grant.USER: ("owner", "guest"),
    Grant.REGISTERED: ("owner", "user"),
    Grant.SIGNED_IN: ("owner", "api-token"),
    Grant.PUBLIC: ("nobody",),
}
_USER = frozenset({Grant.USER, Grant.REGISTERED, Grant.ACCESS, Grant.SELF})
#: The grants that callers of a role can hold, by role; an API token holds also what the profile says.
HELD: Mapping[str, frozenset[Grant]] = {
    "operator": _USER | {Grant.OPERATOR},
    "owner": _USER | {Grant.OPERATOR, Grant.OWNER},
    "user": _USER,
    "guest": frozenset({Grant.USER, Grant.SELF, Grant.ACCESS}),
    "customer-admin": frozenset({Grant.CUSTOMER_ADMIN}),
    "partner-admin": frozenset({Grant.PARTNER_ADMIN, Grant.CUSTOMER_ADMIN}),
    "api-token": frozenset({Grant.API_TOKEN}),
}
#: Parameters that say how an answer is shown, not of what.
_OF_LISTS = frozenset({"limit", "offset", "sort", "order", "for_client"})
NOBODY = RunCaller(None, "nobody")
#: A caller with a token that the service never issued.
STRANGER = RunCaller("no-such-token", "stranger")


class Candidates:
    """Draws calls and tries them in the model. ``home`` is the client in which they are made."""

    def __init__(
        self, model: Model, things: Things, scope: RunScope, names: RunNames, random: chance.Random, numbers: list[str]
    ) -> None:
        self.random = random
        self.model = model
        self.things = things
        self.scope = scope
        self.home = things.accounts_client
        self.journey = 0
        #: Operations that are no longer called.
        self.set_aside: set[str] = set()
        #: The world in which calls are tried, None for the one in force.
        self.world: World | None = None
        self._on_trial: Callable[[ModelCall, Prediction, tuple[Step, ...]], object] | None = None
        self.names = names
        self._numbers = numbers
        self._drawing = Drawing(random, things, names, model.profile, numbers)

    def go_on_with(self, run: Run) -> None:
        """Continue with another model of the same service."""
        self.model, self.things, self.scope, self.names = run.model, run.things, run.scope, run.names
        self._numbers = run.numbers
        self._drawing = Drawing(self.random, run.things, run.names, run.profile, run.numbers)

    def move_to(self, home: str) -> None:
        """Draw calls in this client from now on."""
        self.home = home

    def begin_journey(self, number: int) -> None:
        """Draw calls of this journey from now on: -1 for none."""
        self.journey = number

    def observe_trials(self, note: Callable[[ModelCall, Prediction, tuple[Step, ...]], object]) -> None:
        """Call ``note`` with each call that is tried in its world, its prediction, and the step before it, if any."""
        self._on_trial = note

    def copy(self) -> Candidates:
        """Return others whose things, names and world change by themselves."""
        things = self.things.copy()
        scope, names = self.scope.copy(things), self.names.copy()
        other = Candidates(self.model, things, scope, names, self.random, self._numbers)
        other.journey, other.home, other.set_aside = self.journey, self.home, self.set_aside
        other.world = self.model.world
        return other

    def go_on_in(self, world: World) -> None:
        """Try calls in this world from now on."""
        self.world = world

    def served(self, operation: str) -> bool:
        """Return whether an operation is called."""
        return self.scope.served(operation) and operation not in self.set_aside

    def drawn(
        self, operation: Operation, caller: RunCaller, *, right: bool = False, names_unknown: bool = False
    ) -> ModelCall | None:
        """Draw a call of an operation, without mistakes if ``right`` is set.

        Where nothing of a kind was made that it has to name, it names an unknown thing if ``names_unknown`` is set,
        and None is returned otherwise.
        """
        call = self._drawing.call(operation, caller, self.home, self.journey, right=right, names_unknown=names_unknown)
        return None if call is None else self.scope.narrowed(call)

    def anybody(self) -> RunCaller:
        """Return any caller; sometimes none, or one whom the service does not know."""
        roll = self.random.random()
        if roll < 0.06:
            return NOBODY
        if roll < 0.1:
            return STRANGER
        return self.random.choice(self.things.callers)

    def likely(self, operation: Operation) -> RunCaller:
        """Return a caller with a grant of the operation, of the journey's client if there is one."""
        grants = operation.gate.grants
        roles = [role for grant in grants for role in LIKELY[grant]]
        return self.caller_of(self.random.choice(roles))

    def caller_of(self, role: str) -> RunCaller:
        """Return a caller of this role, of the journey's client if there is one."""
        if role == "nobody":
            return NOBODY
        found = [each for each in self.things.callers if each.role == role and each.home == self.home]
        if not found and role != "partner-admin":
            found = [each for each in self.things.callers if each.role == "api-token" and each.home == self.home]
        found = found or [each for each in self.things.callers if each.role == role] or self.things.callers
        found = [each for each in found if each.user is not None] or found
        if role == "api-token" and self.random.random() < 0.8:
            return found[0]  # the client of the accounts, or the first that the run made
        return self.random.choice(found[-2:])

    def imagined(self, call: ModelCall, world: World | None = None) -> Prediction | None:
        """Return the model's prediction; None for a call that is not allowed or cannot be sent."""
        predicted = self.imagined_unseen(call, world)
        if predicted is not None and world is None and self._on_trial is not None:
            self._on_trial(call, predicted, ())
        return predicted

    def imagined_unseen(self, call: ModelCall, world: World | None = None) -> Prediction | None:
        """Return the prediction as ``imagined`` does, without a trial being observed."""
        if not self.scope.allows(call):
            return None
        try:
            return self.model.imagine(call, self.world if world is None else world)
        except Misuse:
            return None

    def imagined_after(self, step: Step, call: ModelCall) -> Prediction | None:
        """Return the model's prediction for a call that follows another that was tried; None as ``imagined``."""
        predicted = self.imagined(call, step[1].after)
        if predicted is not None and self._on_trial is not None:
            self._on_trial(call, predicted, (step,))
        return predicted

    def role(self, call: ModelCall) -> str:
        """Return the relation of the caller to what is called: the role, and whether it is of the same client."""
        caller = NOBODY if call.caller is None else self.things.caller(call.caller) or STRANGER
        named = next((found for each in call.names() if (found := self.things.find(*each)) is not None), None)
        foreign = named is not None and caller.home and named.home != caller.home
        return f"{caller.role} {FOREIGN}" if foreign else caller.role


def about(read: ModelCall, call: ModelCall) -> ModelCall:
    """Return a read of what a call names, and of what it chose by parameters that both have."""
    kinds, there = kinds_of(read.operation), {}
    for name, kind in kinds_of(call.operation).items():
        if name in call.path:
            there[kind] = call.path[name]
    path = {name: there.get(kinds.get(name, ""), text) for name, text in read.path.items()}
    query = {name: there.get(kinds.get(name, ""), text) for name, text in read.query.items()}
    if not read.declared.changes:
        chosen = call.declared.query_names & read.declared.query_names - _OF_LISTS
        query = {name: text for name, text in query.items() if name not in chosen}
        query |= {name: text for name, text in call.query.items() if name in chosen}
    return replace(read, path=path, query=query)


def sole_grant(operation: Operation, role: str, profile: Mapping[str, Any]) -> Grant | None:
    """Return the grant of an operation that callers of a role hold alone; None when it has several for them or none."""
    held: frozenset[str] = HELD.get(role, frozenset())
    if role == "api-token":
        passes: tuple[str, ...] = in_force(profile, API_TOKEN_PASSES)
        held |= {Grant(each) for each in passes}
    found = [each for each in operation.gate.grants if each in held]
    return found[0] if len(found) == 1 else None

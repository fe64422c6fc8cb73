"""An act: a sentence, a condition, and a call whose arguments are made from the present world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from confsim import Simulator
from confsim.kernel.refusal import Misuse
from kit.exploration.view import Finder, View

#: The caller of an act that is no call of the API.
CONTROL = "the control plane"
#: The caller of a call without a token.
PUBLIC = ""
#: The operation of the act that lets time pass.
NEXT_TIMER = "advance_clock"
#: The status of a call of the control plane that succeeds.
DONE = 200
#: The status of a call that ended with an exception.
ERROR = 500


class Answer(Struct, frozen=True):
    """The answer to an act: its status and body."""

    status: int
    body: Any = None

    @property
    def refused(self) -> bool:
        """Whether the act was refused."""
        return self.status >= 400


class Call(Struct, frozen=True):
    """The call that an act makes in one world: who calls, and the arguments."""

    caller: str
    values: dict[str, Any]


class Act(Struct, frozen=True):
    """Something that somebody can do in a world.

    ``caller`` is a token, or a finder of one, or CONTROL. ``values`` are the arguments: values or finders of values
    (those of the path of a control call are the list "path"). The act is not possible where ``when`` does not hold, or
    where a finder finds None.
    """

    sentence: str
    operation: str
    caller: Any
    values: Mapping[str, Any]
    when: Finder | None = None

    def call(self, view: View) -> Call | None:
        """Return the call of this act in a world; None where it is impossible."""
        if self.when is not None and not self.when(view):
            return None
        if self.operation == NEXT_TIMER and not view.world.timers.live:
            return None
        caller, values = _made(self.caller, view), {name: _made(value, view) for name, value in self.values.items()}
        missing = [name for name, value in values.items() if value is None and self.values[name] is not None]
        return None if caller is None or missing else Call(caller, values)

    def perform(self, sim: Simulator, call: Call) -> Answer:
        """Make a call of this act in the present world of a simulator."""
        values = dict(call.values)
        if self.caller != CONTROL:
            operation: Any = self.operation
            answer = sim.call(operation, call.caller or None, **values)
            return Answer(answer.status, answer.body if answer.content else None)
        try:
            body = sim.control(self.operation, *values.pop("path", ()), **values)
        except Misuse as misuse:
            return Answer(misuse.status, {"message": str(misuse), **misuse.facts})
        return Answer(DONE, body)


def _made(value: Any, view: View) -> Any:
    """Return a value with what its finders find; None if one of them finds nothing."""
    if callable(value):
        return value(view)
    if isinstance(value, dict):
        inner = {name: _made(part, view) for name, part in value.items()}
        return None if None in inner.values() else inner
    if isinstance(value, list):
        parts = [_made(part, view) for part in value]
        return None if None in parts else parts
    return value


def api(sentence: str, operation: str, caller: Any, *, when: Finder | None = None, **values: Any) -> Act:
    """Return the act of calling an operation of the API."""
    return Act(sentence, operation, caller, values, when)


def control(sentence: str, operation: str, *, when: Finder | None = None, **values: Any) -> Act:
    """Return the act of calling an operation of the control plane: what people do outside the API."""
    return Act(sentence, operation, CONTROL, values, when)


#: Time passes until the next timer fires.
WAIT = control("time passes until the next timer", NEXT_TIMER, until="next")

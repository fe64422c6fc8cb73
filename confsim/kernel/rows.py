"""Rows of machines: states, guards, effects, and the field of a record that holds the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from inspect import Parameter, signature
from operator import attrgetter
from typing import Any, Protocol, TypeAlias

from msgspec.structs import replace

from .world import Change

#: The arguments of a trigger by name: whether a call may omit it.
Arguments: TypeAlias = "dict[str, bool]"


class Absence(Enum):
    """The state of a record that is not in its table."""

    ABSENT = "absent"


class Existence(Enum):
    """The state of a record that is in its table, if it has no other."""

    EXISTS = "exists"


class OnOff(Enum):
    """The states of most things that are switched."""

    ON = "on"
    OFF = "off"


class Enabled(Enum):
    """The states of things that are enabled or disabled."""

    ENABLED = "enabled"
    DISABLED = "disabled"


ABSENT = Absence.ABSENT
EXISTS = Existence.EXISTS


def _of_trigger(*_: Any) -> None:
    """Stands for the effect of the trigger, in a row that names none."""


#: The effect of a row that names none: that of its trigger.
OF_TRIGGER: Callable[..., Any] = _of_trigger


class AnyTrigger(Protocol):
    """A trigger of any machine, as rows see it."""

    creates: bool
    effect: Callable[..., Any] | None
    machine: Any
    name: str
    parameters: Arguments


def arguments_of(function: Callable[..., Any], others: int, trigger: AnyTrigger | None = None) -> Arguments:
    """The arguments that a function takes after so many others.

    Raises ValueError unless the function takes all arguments of the trigger or none, if one is given.
    """
    found = list(signature(function).parameters.values())[others:]
    arguments = {parameter.name: parameter.default is not Parameter.empty for parameter in found}
    if trigger is not None and arguments and [*arguments.items()] != [*trigger.parameters.items()]:
        wanted, taken = _in_words(trigger.parameters), _in_words(arguments)
        raise ValueError(f"{trigger.machine.name}: {trigger.name!r} takes {wanted}, but a function {taken}")
    return arguments


def _in_words(arguments: Arguments) -> str:
    return ", ".join(f"{name} or nothing" if optional else name for name, optional in arguments.items()) or "none"


class Guard:
    """A named condition of a row, which finds out by itself what it asks for. ``~guard`` is its negation.

    ``test(change, record, argument…)`` takes all arguments of the trigger, or none; the record is None when it is
    absent.
    """

    __slots__ = ("holds", "name", "takes", "test")

    def __init__(self, name: str, test: Callable[..., bool], holds: bool = True) -> None:
        self.name = name
        self.test = test
        self.holds = holds
        self.takes = bool(arguments_of(test, 2))

    def __invert__(self) -> Guard:
        return Guard(self.name, self.test, not self.holds)

    def admits(self, change: Change, record: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
        """Whether the condition holds for the record and the arguments of the trigger."""
        test = self.test
        return bool(test(change, record, *args, **kwargs) if self.takes else test(change, record)) is self.holds

    def __str__(self) -> str:
        return self.name if self.holds else f"not {self.name}"


class Deadline:
    """The instant at which a trigger fires by itself: ``due(record)`` in epoch milliseconds, None for never.

    A record in a state of a row with this deadline has a timer. ``timer``
    is the kind of the timer in the world, whose subject in public is the key of the record, or the field ``subject``.
    When it is not ``announced``, an advance of the clock does not list it.
    """

    __slots__ = ("announced", "due", "subject", "timer")

    def __init__(
        self, timer: str, due: Callable[[Any], int | None], *, subject: str | None = None, announced: bool = True
    ) -> None:
        self.timer = timer
        self.due = due
        self.subject = subject
        self.announced = announced


class Row:
    """One transition of a machine: from a state of ``on`` to ``then`` by the trigger ``when``, if ``only_if`` holds.

    ``effect(change, record, argument…)`` performs the side effects and returns the record with its other changes; it
    takes all arguments of the trigger, or none. That of a row into ABSENT returns nothing and is called before the
    record is removed. Without one, the row has the effect of its trigger, with None no effect. With ``move_to_end`` the
    record becomes the latest of its table, as if it were created now. A row with a deadline ``at`` is also applied when
    that falls due; it has to lead to another state or instant. ``source`` cites the document part and lines, or the
    rule and gap numbers. The ``needs`` and ``couplings`` of ``influence`` that belong to the row are in order of
    registration, those that only store what is sent first.
    """

    __slots__ = (
        *("at", "effect", "move_to_end", "on", "only_if", "source", "takes", "then", "when"),
        *("couplings", "needs"),
    )

    def __init__(
        self,
        when: Any,
        on: Enum | tuple[Enum, ...],
        then: Enum,
        *,
        only_if: Guard | None = None,
        effect: Callable[..., Any] | None = OF_TRIGGER,
        at: Deadline | None = None,
        move_to_end: bool = False,
        source: str,
    ) -> None:
        self.when = when
        self.on: tuple[Enum, ...] = on if isinstance(on, tuple) else (on,)
        self.then = then
        self.only_if = only_if
        self.effect = when.effect if effect is OF_TRIGGER else effect
        if only_if is not None:
            arguments_of(only_if.test, 2, when)
        self.takes = self.effect is not None and bool(arguments_of(self.effect, 1 if when.creates else 2, when))
        if when.creates and self.on != (ABSENT,):
            raise ValueError(f"{when.machine.name}: {when.name!r} creates, and has a row that is not from ABSENT")
        self.at = at
        self.move_to_end = move_to_end
        self.source = source
        self.needs: tuple[Any, ...] = ()
        self.couplings: tuple[Any, ...] = ()

    def apply(self, change: Change, record: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Return the record that the effect makes of this one; None stands for a record that is absent."""
        change.applied.append(self)
        effect = self.effect
        if self.when.creates:
            return args[0] if effect is None else effect(change, *args, **kwargs)
        if effect is None:
            return record
        return effect(change, record, *args, **kwargs) if self.takes else effect(change, record)

    def couple(self, coupling: Any) -> None:
        """Let a coupling follow each of its transitions; one that fires nothing precedes those that do."""
        first = [each for each in self.couplings if each.fires is None]
        rest = self.couplings[len(first) :]
        self.couplings = (*first, coupling, *rest) if coupling.fires is None else (*first, *rest, coupling)


class Field:
    """The state of a machine as a field of its record that holds the member of the Enum.

    ``read(record)`` returns the state of the record.
    """

    __slots__ = ("name", "read")

    def __init__(self, name: str, read: Callable[[Any], Enum] | None = None) -> None:
        self.name = name
        self.read: Callable[[Any], Enum] = attrgetter(name) if read is None else read

    def write(self, record: Any, state: Enum) -> Any:
        """The record in this state."""
        return replace(record, **{self.name: state})


class Flag(Field):
    """The state of a machine as a boolean field: true is the state ``on``, false is ``off``."""

    __slots__ = ("on",)

    def __init__(self, name: str, on: Enum, off: Enum) -> None:
        super().__init__(name, lambda record: on if getattr(record, name) else off)
        self.on = on

    def write(self, record: Any, state: Enum) -> Any:
        """The record in this state."""
        return replace(record, **{self.name: state is self.on})


class Filled(Field):
    """The state of a machine as whether a field has a value: None is the state ``off``, any other value is ``on``."""

    __slots__ = ("off",)

    def __init__(self, name: str, on: Enum, off: Enum) -> None:
        super().__init__(name, lambda record: off if getattr(record, name) is None else on)
        self.off = off

    def write(self, record: Any, state: Enum) -> Any:
        """The record without the value. Raises AssertionError for ``on``: the effect of the row sets the value."""
        assert state is self.off, f"the effect did not set {self.name}"
        return replace(record, **{self.name: None})


class Computed(Field):
    """The state of a machine as a function of several fields of its record.

    The effects of the rows must lead to the states that the rows name.
    """

    __slots__ = ()

    def __init__(self, function: Callable[[Any], Enum]) -> None:
        super().__init__("", function)

    def write(self, record: Any, state: Enum) -> Any:
        """Raises AssertionError: the effect of the row should have put the record into this state."""
        raise AssertionError(f"the effect did not lead to {state} but to {self.read(record)}")

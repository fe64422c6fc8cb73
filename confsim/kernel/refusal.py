"""The exceptions that are raised on purpose, Refusal and Misuse. Any other exception is a bug."""

import copyreg
from collections.abc import Iterable
from enum import Enum
from typing import Any, Self

#: Most characters of the list of all names in a message when none is similar.
_LISTED = 400
#: Most characters of an unknown name for which a similar one is sought.
_LONGEST_NAME = 100


class Refusal(Exception):
    """The refusal of a call by the simulated service.

    ``reason`` is a member of the one Enum of reasons; ``facts`` fill its message and reach the caller as details.
    """

    def __init__(self, reason: Enum, **facts: object) -> None:
        super().__init__(reason.name, facts)
        self.reason = reason
        self.facts = facts

    def __reduce__(self) -> tuple[Any, ...]:
        return copyreg.__newobj__, (type(self), *self.args), vars(self)  # type: ignore[attr-defined]

    def __str__(self) -> str:
        facts = ", ".join(f"{name}={value!r}" for name, value in self.facts.items())
        return f"{self.reason.name.lower()}({facts})"

    def without_frames(self) -> Self:
        """Forget where it was raised and return it: those frames hold the call, which may hold the refusal."""
        self.__context__ = self.__cause__ = None
        return self.with_traceback(None)


class NotYet(Refusal):
    """The refusal of a call for a resource that is not ready yet; unlike for others, the change is committed."""


class Misuse(Exception):
    """Incorrect use of the simulator itself: an unknown scenario, an invalid duration, an unknown choice.

    The message is returned to the caller in full, never as an answer of the simulated API. ``status`` is the HTTP
    status with which the caller is told; ``facts`` are members of that problem document.
    """

    def __init__(self, message: str, status: int = 400, **facts: object) -> None:
        super().__init__(message)
        self.status = status
        self.facts = facts


def require_at_most(count: int, most: int, what: str, status: int = 400) -> None:
    """Raise Misuse if there are more than ``most`` of something; ``what`` names it: "faults of the world"."""
    if count > most:
        raise Misuse(f"there are at most {most:,} {what}, not {count:,}", status, most=most)


def suggest_near(given: object, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the similar known one; "" when none is similar."""
    from difflib import get_close_matches

    text = str(given)
    close = get_close_matches(text, list(known), 1) if len(text) <= _LONGEST_NAME else []
    return f"; did you mean {close[0]!r}?" if close else ""


def suggest(given: object, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the similar known one, or a short list of all.

    Returns "" when none is similar and the list is long.
    """
    names = list(known)
    meant = suggest_near(given, names)
    if meant:
        return meant
    listed = ", ".join(names)
    return f"; there are {listed}" if names and len(listed) <= _LISTED else ""

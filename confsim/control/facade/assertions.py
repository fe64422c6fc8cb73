"""Assertions about calls, mails and deliveries, with the differences when one fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from typing import Any, TypeVar

import msgspec

from confsim.control.operations.mail import MailInfo
from confsim.domain.mail import MailKind
from confsim.kernel.refusal import Misuse, suggest

T = TypeVar("T", bound=msgspec.Struct)

#: The methods of HTTP (RFC 9110, RFC 5789).
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH")

#: Most items that the message of a failed assertion compares, nearest first.
_SHOWN = 3
#: Characters of two values that are compared.
_COMPARED = 100


def require(
    found: Sequence[T],
    noun: str,
    wanted: Mapping[str, object],
    times: int | None,
    dropped: int = 0,
    why: Callable[[T], str] = lambda _: "",
) -> list[T]:
    """Return the items that have every wanted value that is not None.

    A text may contain ``*`` for any text; of an object only the wanted fields are compared, of a list each item. Raises
    AssertionError unless exactly ``times`` items match (None: at least one); its message shows how the nearest ones
    differ. ``noun`` names an item, ``why`` says why one was refused. With ``dropped`` earlier items, which are unknown,
    no exact number holds.
    """
    if times is not None and (isinstance(times, bool) or not isinstance(times, int) or times < 0):
        raise Misuse(f"times is a whole number from 0, not {times!r}")
    given = {name: value for name, value in wanted.items() if value is not None}
    compared = [(list(_differences(given, msgspec.to_builtins(each))), each) for each in found]
    matching = [each for differences, each in compared if not differences]
    if (len(matching) == times and not dropped) or (times is None and matching):
        return matching
    pattern = ", ".join(f"{name}={value!r}" for name, value in given.items()) or "anything"
    verdict = "which may not be all" if len(matching) == times else f"not {_expected(times)}"
    lines = [f"{len(matching)} of {counted(len(found), noun)} with {pattern}, {verdict}"]
    if dropped:
        lines.append(f"  the journal has dropped the {counted(dropped, f'oldest {noun}')}; it can keep more")
    if len(matching) < (1 if times is None else times):
        others = _nearest_first(compared)
        for place, (differences, other) in enumerate(others[:_SHOWN]):
            lines.append(f"  {'' if place else 'nearest: '}{_title(other)}:")
            lines += [f"    {difference}" for difference in differences]
            lines += [f"    why: {reason}" for reason in [why(other)] if reason]
        if len(others) > _SHOWN:
            lines.append(f"  and {counted(len(others) - _SHOWN, f'other {noun}')}")
    elif len(matching) != times:
        lines += [f"  {_title(each)}" for each in matching]
    raise AssertionError("\n".join(lines))


def _nearest_first(compared: Iterable[tuple[list[str], T]]) -> list[tuple[list[str], T]]:
    """Return the items that differ, those of the wanted operation first; of equally near ones the newest first."""

    def distance(item: tuple[list[str], T]) -> tuple[bool, float]:
        return item[0][0].startswith("operation:"), sum(map(_unlike, item[0]))

    return sorted((item for item in reversed(list(compared)) if item[0]), key=distance)


def _unlike(difference: str) -> float:
    """Return how far apart the values of a difference are as texts, from 0 for equal ones to 1."""
    given, _, wanted = difference.partition(": ")[2].rpartition(", not ")
    return 1 - SequenceMatcher(None, given[:_COMPARED], wanted[:_COMPARED]).ratio()


def require_place(place: int | slice, length: int, noun: str) -> None:
    """Raise IndexError for an index out of range, with the number of items."""
    __tracebackhide__ = True
    if isinstance(place, int) and not -length <= place < length:
        raise IndexError(f"[{place}] of {length} {noun}")


def known(name: str, text: str | None, words: Iterable[str]) -> None:
    """Raise Misuse when a text is none of these words; ``*`` in it stands for any text."""
    words = [str(each) for each in words]
    if text is not None and not any(_equal(text, each) for each in words):
        raise Misuse(f"{name}: there is no {text!r}{suggest(text, words)}")


def _expected(times: int | None) -> str:
    return "at least one" if times is None else str(times)


def counted(number: int, noun: str) -> str:
    """A number of things in words: "1 call", "2 calls"."""
    plural = {"delivery": "deliveries", "other delivery": "other deliveries"}.get(noun, f"{noun}s")
    return f"{number} {noun if number == 1 else plural}"


def _title(thing: Any) -> str:
    """Return one line about a call, a mail or a delivery."""
    if isinstance(thing, MailInfo):
        return f"to {thing.to}: {thing.subject!r}"
    if hasattr(thing, "payload"):
        return f"{thing.id} {thing.kind}"
    return f"{thing.id} {thing.method} {thing.path} [{thing.operation or 'no operation'}] -> {thing.status}"


def _differences(wanted: object, given: object, place: str = "") -> Iterator[str]:
    """Yield the differences of a value from the wanted one, a line for each place."""
    if isinstance(wanted, Mapping) and isinstance(given, Mapping):
        for name, value in wanted.items():
            where = f"{place}.{name}" if place else str(name)
            if name not in given:
                yield f"{where}: missing, not {value!r}"
            else:
                yield from _differences(value, given[name], where)
    elif isinstance(wanted, list | tuple) and isinstance(given, list | tuple) and len(wanted) == len(given):
        for number, (one, other) in enumerate(zip(wanted, given, strict=True)):
            yield from _differences(one, other, f"{place}[{number}]")
    elif not _equal(wanted, given):
        yield f"{place}: {given!r}, not {wanted!r}"


def _equal(wanted: object, given: object) -> bool:
    if isinstance(wanted, str) and isinstance(given, str) and "*" in wanted:
        return fnmatchcase(given, wanted)
    return wanted == given and isinstance(wanted, bool) is isinstance(given, bool)


class Mails(list[MailInfo]):
    """The mails of a world, newest last."""

    def assert_sent(
        self,
        to: str | None = None,
        *,
        subject: str | None = None,
        text: str | None = None,
        kind: str | None = None,
        times: int | None = None,
    ) -> list[MailInfo]:
        """Return the mails that match; ``*`` stands for any text.

        Raises AssertionError unless there are exactly ``times`` (default: at least one), and Misuse for an unknown
        kind.
        """
        known("kind", kind, (*MailKind, *(each.kind for each in self)))
        return require(self, "mail", {"to": to, "subject": subject, "text": text, "kind": kind}, times)

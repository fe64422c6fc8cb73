"""Texts of parameters to typed values: numbers, words, lists, times to live, limited texts, percent encoding."""

import re
from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from typing import Annotated, Any, get_args, get_origin
from urllib.parse import unquote_to_bytes

from msgspec import Meta

from confsim.assumptions import Context, Reason, ask, context_of, not_found, note
from confsim.assumptions.protocol import durations, parsing, sizes
from confsim.kernel import Refusal
from confsim.values.urls import HOST_NAME, uri

from .types import AbsoluteUrl, AtMost, Sized, TextForm, Ttl

#: Reads a value from the text of a parameter. Arguments: context, place (for the refusal), text.
TextReader = Callable[[Context, str, str], Any]
#: Refuses a text that breaks a limit. Arguments as for a TextReader.
TextCheck = Callable[[Context, str, str], None]

_DIGITS = re.compile(r"-?[0-9]{1,19}\Z", re.ASCII)
_TTL = re.compile(r"([0-9]{1,12})(?:\.([0-9]{1,9}))?([A-Za-z]+)\Z", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
#: Most URLs match this and need not be parsed, which saves two fifths of update_terms_url; that the latest are
#: remembered, and therefore only short ones tried, saves a tenth of it (``python tests/benchmarks operations``).
_PLAIN_URL = re.compile(rf"https?://{HOST_NAME}(?:/[A-Za-z0-9/._~=&-]*)?\Z")
_plain_url = lru_cache(maxsize=256)(_PLAIN_URL.match)
_WEB = re.compile("https?://", re.IGNORECASE)
_SHORT = 200


def invalid_input(where: str, problem: str) -> Refusal:
    """Return the refusal INVALID_INPUT with the place and the problem."""
    return Refusal(Reason.INVALID_INPUT, where=where, problem=problem)


def percent_decoded(text: str, where: str, context: Context | None = None) -> str:
    """Return the text of a percent-encoded one (G057).

    Raises Refusal INVALID_INPUT for broken escapes and bytes that are not UTF-8.
    """
    raw = unquote_to_bytes(text)
    broken = _BROKEN_ESCAPE.search(text) is not None
    if not broken:
        try:
            return raw.decode()
        except UnicodeDecodeError:
            pass
    if context is not None and ask(context, parsing.ESCAPES) == "replace":
        return raw.decode(errors="replace")
    raise invalid_input(where, "a percent sign without two hexadecimal digits" if broken else "the bytes are not UTF-8")


def split_list(context: Context, where: str, text: str) -> list[str]:
    """Return the items of a separated list, trimmed; empty ones are dropped or refused (G055, G075)."""
    items = [item.strip() for item in text.split(ask(context, parsing.LIST_SEPARATOR))]
    if "" in items:
        if text and ask(context, parsing.EMPTY_ITEMS) == "refuse":
            raise invalid_input(where, "an item of the list is empty")
        return [item for item in items if item]
    return items


def text_reader(annotation: Any) -> TextReader:
    """Return the reader of parameters of a type. Raises TypeError for a type that no parameter can have."""
    base, marks = annotation, []
    if get_origin(annotation) is Annotated:
        base, *marks = get_args(annotation)
    if base is Ttl:
        return _ttl
    if base is bool:
        return _boolean
    if get_origin(base) is list:
        return _items(text_reader(get_args(base)[0]), marks)
    if isinstance(base, type) and issubclass(base, Enum):
        return _enum(base)
    if base is int:
        return _limited_integer(marks) if marks else integer
    if base is str:
        form = next((mark.read for mark in marks if isinstance(mark, TextForm)), None)
        if form is not None:
            return lambda context, where, text: form(context, text)
        sized = next((mark for mark in marks if isinstance(mark, Sized)), None)
        if sized is None:
            return lambda context, where, text: text
        check = text_check(sized)

        def read(context: Context, where: str, text: str) -> str:
            check(context, where, text)
            return trimmed(context, text) if sized.trims else text

        return read
    raise TypeError(f"no parameter can be of type {annotation!r}")


def _items(of: TextReader, marks: list[Any]) -> TextReader:
    limit = next((mark for mark in marks if isinstance(mark, AtMost)), None)

    def read(context: Context, where: str, text: str) -> list[Any]:
        items = [of(context, where, item) for item in split_list(context, where, text)]
        if limit is not None and len(items) > (most := ask(context, limit.entry)):
            raise invalid_input(where, f"it has more than {most} {limit.items}")
        return items

    return read


def _limited_integer(marks: list[Any]) -> TextReader:
    """Return the reader of integers that refuses those beyond the limits of a ``Meta`` or an ``AtMost``."""
    fixed = [mark for mark in marks if isinstance(mark, Meta)]
    least = max((mark.ge for mark in fixed if mark.ge is not None), default=-(2**63))
    most = min((mark.le for mark in fixed if mark.le is not None), default=2**63 - 1)
    limit = next((mark for mark in marks if isinstance(mark, AtMost)), None)

    def read(context: Context, where: str, text: str) -> int:
        number = integer(context, where, text)
        if number < least:
            raise invalid_input(where, f"{text} is less than {least}")
        if number > most:
            raise invalid_input(where, f"{text} {'does not fit 32 bits' if most == 2**31 - 1 else f'is beyond {most}'}")
        assumed = None if limit is None else limit.under(context_of(context).profile)
        if limit is not None and assumed is not None and number > assumed:
            note(context, limit.entry)
            note(context, limit.by or limit.entry)
            raise invalid_input(where, f"it is more than {assumed}")
        return number

    return read


#: Whole numbers below this are within every limit of ``sizes.WHOLE_NUMBER``.
_SHORT = 2**31


def integer(context: Context, where: str, text: str, problem: str = "not a whole number") -> int:
    """Return the integer of at most 64 bits in a text of digits, with or without a minus (G060).

    Raises Refusal INVALID_INPUT, or NOT_FOUND for a text in a path that is no number, if the profile says so.
    """
    if _DIGITS.match(text):
        number = int(text)
        if -_SHORT <= number < _SHORT:
            return number
        most = ask(context, sizes.WHOLE_NUMBER)
        if number > most or number < -most - 1:
            raise invalid_input(where, f"{text} {'does not fit 64 bits' if most == 2**63 - 1 else f'is beyond {most}'}")
        return number
    if where.startswith("path") and ask(context, parsing.PATH_NUMBERS) == "404":
        not_found(where.removeprefix("path "), text[:40])
    if len(text) > 19 and text.removeprefix("-").isdecimal() and text.isascii():
        problem = "too long a number"
    raise invalid_input(where, f"{text[:40]!r} is {problem}")


def _boolean(context: Context, where: str, text: str) -> bool:
    words = ask(context, parsing.BOOLEANS)
    try:
        return words[text]
    except KeyError:
        raise invalid_input(where, f"{text[:40]!r} is none of {', '.join(words)}") from None


def _ttl(context: Context, where: str, text: str) -> Ttl:
    units = ask(context, parsing.TTL_UNITS)
    match = _TTL.match(text)
    if match is None or match[3] not in units:
        raise invalid_input(where, f"{text[:40]!r} is no number followed by one of {', '.join(units)}")
    whole, fraction, unit = int(match[1]), match[2] or "", units[match[3]]
    if fraction and ask(context, parsing.TTL_NUMBER) == "whole":
        raise invalid_input(where, f"{text[:40]!r} has no whole number")
    span = whole * unit + int(fraction or 0) * unit // 10 ** len(fraction)
    if span == 0:
        raise invalid_input(where, "a time to live of zero")
    if span > durations.LONGEST:
        raise invalid_input(where, f"{text} is too long a time")
    return Ttl(span)


def _enum(type_: type[Enum]) -> TextReader:
    words = {str(member.value): member for member in type_}
    expected = ", ".join(words)

    def read(context: Context, where: str, text: str) -> Enum:
        member = words.get(text)
        if member is None and text.lower() in words and ask(context, parsing.STATE_CASE) == "ignore":
            member = words[text.lower()]
        if member is None:
            if where.startswith("path"):
                raise Refusal(Reason.INVALID_STATE, given=text, expected=expected)
            raise invalid_input(where, f"{text[:40]!r} is none of {expected}")
        return member

    return read


def form_check(form: TextForm) -> TextCheck:
    """Return the function that refuses texts that are not of the form."""

    def check(context: Context, where: str, text: str) -> None:
        form.read(context, text)

    return check


def trimmed(context: Context, text: str) -> str:
    """Return the text of a name without outer blanks, unless the profile keeps them."""
    bare = text.strip()
    return bare if bare == text or ask(context, parsing.OUTER_BLANKS) == "removed" else text


def text_check(sized: Sized) -> TextCheck:
    """Return the function that refuses texts beyond the limits: INVALID_INPUT for the first that is broken."""
    is_url, allow_blank = isinstance(sized, AbsoluteUrl), sized.allow_blank
    free = sized.free if isinstance(sized, AbsoluteUrl) else None

    def check(context: Context, where: str, text: str) -> None:
        plain = is_url and len(text) <= _SHORT and _plain_url(text) is not None
        if not plain and _CONTROL.search(text):
            raise invalid_input(where, "control characters are not allowed")
        if not (plain or allow_blank or text.strip()):
            raise invalid_input(where, "it is blank")
        most = ask(context, sized.max_length)
        if len(text) > most:
            raise invalid_input(where, f"it is longer than {most} characters")
        if is_url and not plain and (wrong := url_problem(text)) and not (free and ask(context, free) == "any"):
            raise invalid_input(where, f"{text[:80]!r} is not {wrong}")

    return check


def url_problem(text: str) -> str:
    """Return what a text is not, and why; "" for an absolute http or https URL, in ASCII or not (RFC 3987)."""
    if not _WEB.match(text):
        return "an absolute http or https URL (expected e.g. https://hooks.example/path)"
    if " " in text:
        return "a valid URL: it has a space (expected %20)"
    try:
        uri(text)
    except ValueError as error:
        return f"a valid URL: {error}"
    return ""

"""Rendering: pages as HTML from templates, in which every value is escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from confsim import shipped
from confsim.assumptions.register import REGISTER

from .words import date, day, grouped, instant, lapse, since, time_of_day

#: Most characters of a value in a table.
_SHORT = 120
#: The places at which a line may end: around spaces, after a comma, before a slash but not in ``://`` or ``</``.
_LINE_ENDS = re.compile(r"(?<=\S)(?=\s)|(?<=\s)(?=\S)|(?<=,)(?=\S)|(?<=[^\s/:<])(?=/)")
#: The places at which a browser would end a line too.
_BREAKING = re.compile(r"[-?](?=.)")
#: Most characters of a text whose lines are ended by us.
_LONG = 100_000
#: A text in JSON, and the colon that makes it the name of a field.
_TEXT = re.compile(r'("(?:[^"\\]|\\.)*")(?=(\s*:)?)')
#: A rule or a gap of the documents.
_NUMBERED = re.compile(r"\b[RG]\d{3}\b")


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(lambda name: shipped.text(f"inspector/templates/{name}")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
        optimized=False,  # templates have few constants to fold, and the first page compiles a sixth faster
    )
    texts = around, breakable, called, capitalized, code, coloured, marked, numbered, others, pretty, short, spaced
    words = date, day, grouped, time_of_day, instant, lapse, since
    environment.filters |= {each.__name__: each for each in (*texts, *words)} | {"json": as_json}
    environment.globals["alternatives"] = alternatives
    return environment


def _shown(value: Any) -> Any:
    """Return what a page shows of a value that has no text of its own: that of an enumeration, yes or no, nothing."""
    if isinstance(value, Enum):
        return value.value
    if value is None:
        return ""
    return ("no", "yes")[value] if isinstance(value, bool) else value


def page(template: str, **values: Any) -> str:
    """Return a page by the name of its template."""
    return _environment().get_template(f"{template}.html").render(values)


def called(record: Any) -> str:
    """The name of a record, or its handle; an empty text where it has none."""
    found = record.get("name") or record.get("handle") if isinstance(record, dict) else None
    return found if isinstance(found, str) else ""


def spaced(name: str) -> str:
    """The name of a field in words."""
    return name.replace("_", " ")


def capitalized(text: str) -> str:
    """A text with a capital letter at its begin; the others stay."""
    return text[:1].upper() + text[1:]


def others(entry: Any) -> list[str]:
    """The values that an assumption can take beside the one in force, as texts."""
    return alternatives(entry.id, entry.value)


def alternatives(id: str, in_force: Any) -> list[str]:
    """The values that an assumption of this id can take beside the one in force, as texts."""
    declared = REGISTER.entries[id]
    values = [value for value in (declared.default, *declared.candidates()) if value != in_force]
    return [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values]


def marked(text: str, wanted: str) -> Markup:
    """A text in which what was searched for is marked, in any case, and whose lines end as in ``breakable``."""
    found = re.finditer(re.escape(wanted), text, re.IGNORECASE) if wanted else ()
    return _in_parts(text, [place.span() for place in found])


def breakable(text: str) -> Markup:
    """A text whose lines end at a space, after a comma and before a slash, but not after a hyphen or a question mark.

    The lines of a very long one end where the browser ends them.
    """
    return _in_parts(text, []) if len(text) <= _LONG else escape(text)


def _in_parts(text: str, marks: list[tuple[int, int]]) -> Markup:
    parts: list[Markup] = []
    begin = 0
    for end in (*(place.start() for place in _LINE_ENDS.finditer(text)), len(text)):
        part = text[begin:end]
        shown = _with_marks(part, [(start - begin, stop - begin) for start, stop in marks])
        parts.append(Markup('<span class="whole">{}</span>').format(shown) if _BREAKING.search(part) else shown)
        if end < len(text) and not part[-1:].isspace() and not text[end].isspace():
            parts.append(Markup("<wbr>"))
        begin = end
    return Markup().join(parts)


def _with_marks(text: str, marks: list[tuple[int, int]]) -> Markup:
    shown, done = Markup(), 0
    for start, stop in marks:
        first, last = max(start, done), min(stop, len(text))
        if first < last:
            shown += escape(text[done:first]) + Markup("<mark>{}</mark>").format(text[first:last])
            done = last
    return shown + escape(text[done:])


def coloured(value: Any) -> Markup:
    """A JSON value on several lines, in which names and texts have their colours; a text is shown as it is."""
    text = pretty(value)
    if isinstance(value, str) or len(text) > _LONG:
        return breakable(text)
    parts, begin = list[Markup](), 0
    for found in _TEXT.finditer(text):
        kind = "s" if found[2] is None else "k"
        shown = Markup('<span class="{}">{}</span>').format(kind, breakable(found[1]))
        parts += [escape(text[begin : found.start()]), shown]
        begin = found.end()
    return Markup().join([*parts, escape(text[begin:])])


def numbered(text: str, link: Callable[..., str]) -> Markup:
    """A text in which the numbers of rules and gaps lead to what they say, whose lines end as in ``breakable``."""
    return Markup(
        _NUMBERED.sub(
            lambda found: f'<a href="{escape(link("explain", found[0]))}">{found[0]}</a>', str(breakable(text))
        )
    )


def code(answer: Any) -> str:
    """Return the error code of an answer; an empty text when it has none."""
    found = answer.get("code") if isinstance(answer, dict) else None
    return found if isinstance(found, str) else ""


def pretty(value: Any) -> str:
    """Return a JSON value on several lines; a text unchanged."""
    return value if isinstance(value, str) else as_json(value)


def as_json(value: Any) -> str:
    """Return a value as JSON on several lines."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    """Return a value that JSON does not have in JSON: that of an enumeration, else its text."""
    return value.value if isinstance(value, Enum) else str(value)


def short(value: Any) -> str:
    """Return a JSON value on one line, cut off when it is long."""
    text = _on_one_line(value)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def _on_one_line(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=_plain)


def around(value: Any, wanted: str) -> str:
    """Return a JSON value on one line, cut so that the text that was searched for is visible."""
    text = _on_one_line(value)
    place = text.lower().find(wanted.lower()) if wanted else -1
    if place + len(wanted) <= _SHORT:
        return short(text)
    begin = max(0, place - _SHORT // 3)
    return f"…{short(text[begin:])}"

"""Rendering: pages as HTML from templates, in which every value is escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from enum import Enum
from functools import lru_cache
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from confsim import shipped
from confsim.assumptions.register import REGISTER

#: Most characters of a value in a table.
_SHORT = 120
#: Milliseconds of the epoch that are taken for an instant: those of the years 2001 to 2128.
_INSTANTS = range(10**12, 5 * 10**12)
#: The places at which a line may end: around spaces, after a comma, before a slash.
_LINE_ENDS = re.compile(r"(?<=\S)(?=\s)|(?<=\s)(?=\S)|(?<=,)(?=\S)|(?<=\S)(?=/)")
#: The places at which a browser would end a line too.
_BREAKING = re.compile(r"[-?](?=.)")
#: Most characters of a text whose lines are ended by us.
_LONG = 100_000
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
    )
    filters = around, breakable, brief, called, code, date, fields, instant, marked, numbered, others, pretty, short
    environment.filters |= {each.__name__: each for each in filters} | {"json": as_json}
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


def instant(milliseconds: int) -> str:
    """Return an instant (epoch milliseconds) as date and time in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


def date(value: Any) -> str:
    """The date of a value that can only be an instant; an empty text for any other."""
    return instant(value) if type(value) is int and value in _INSTANTS else ""


def brief(record: dict[str, Any], id: str) -> dict[str, Any]:
    """The fields of a record that distinguish it from others of its kind: those with a value, except key and client."""
    return {
        name: value
        for name, value in record.items()
        if name != "client" and value not in (None, "", [], {}, False) and str(value) != id
    }


def fields(record: dict[str, Any]) -> str:
    """Fields on one line, cut off where it is long."""
    return short(" · ".join(f"{name} {date(value) or short(value)}" for name, value in record.items()))


def called(record: Any) -> str:
    """The name of a record, or its handle; an empty text where it has none."""
    found = record.get("name") or record.get("handle") if isinstance(record, dict) else None
    return found if isinstance(found, str) else ""


def others(entry: Any) -> list[str]:
    """The values that an assumption can take beside the one in force, as texts."""
    declared = REGISTER.entries[entry.id]
    values = [value for value in (declared.default, *declared.candidates()) if value != entry.value]
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

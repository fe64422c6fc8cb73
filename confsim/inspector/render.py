"""Rendering: pages as HTML from templates, in which every value is escaped."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

#: Most characters of a value in a table.
_SHORT = 120


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("confsim.inspector"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"around": around, "instant": instant, "pretty": pretty, "short": short, "json": as_json}
    return environment


def page(template: str, **values: Any) -> str:
    """Return a page by the name of its template."""
    return _environment().get_template(f"{template}.html").render(values)


def instant(milliseconds: int) -> str:
    """Return an instant (epoch milliseconds) as date and time in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


def pretty(value: Any) -> str:
    """Return a JSON value on several lines; a text unchanged."""
    if isinstance(value, str):
        return value
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


def as_json(value: Any) -> str:
    """Return a value as JSON on several lines."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


def short(value: Any) -> str:
    """Return a JSON value on one line, cut off when it is long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def around(value: Any, wanted: str) -> str:
    """Return a JSON value on one line, cut so that the text that was searched for is visible."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    place = text.lower().find(wanted.lower()) if wanted else -1
    if place + len(wanted) <= _SHORT:
        return short(text)
    begin = max(0, place - _SHORT // 3)
    return f"…{short(text[begin:])}"

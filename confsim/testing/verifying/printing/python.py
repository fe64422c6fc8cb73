"""Values with marks as Python expressions."""

from __future__ import annotations

from typing import Any

from .symbols import MARK, Place, without_quotes


def expression(value: Any) -> str:
    """Return the expression of a value of JSON, or of bytes, in which symbols are variables."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {expression(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(expression, value)) + "]"
    if isinstance(value, bytes) and MARK.search(text := value.decode("latin-1")):
        return f"{_text(without_quotes(text))}.encode('latin-1')"
    return repr(value)


def at(place: Place, body: str = "answer.body") -> str:
    """Return the expression of what is at a place of a body, that of the answer by default."""
    return body + "".join(f"[{expression(part)}]" for part in place)


def element(rows: str, name: str) -> str:
    """Return the expression of the element of a list that names a thing."""
    return f"next(each for each in {rows} if str({name}) in str(each))"


def _text(text: str) -> str:
    whole = MARK.fullmatch(text)
    if whole is not None:
        return whole[2]
    if not MARK.search(text):
        return repr(text)
    return "f" + MARK.sub(r"{\2}", repr(text.replace("{", "{{").replace("}", "}}")))

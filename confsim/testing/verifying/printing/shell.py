"""Values with marks as words of a shell, and places as filters of jq."""

from __future__ import annotations

import json
import re
import shlex

from .symbols import MARK, Place, without_quotes


def variable(symbol: str) -> str:
    """Return the name of the variable of a symbol."""
    return symbol.upper()


def quoted(text: str, start: str = "") -> str:
    """Return a text in double quotes, with variables for the marks; ``start`` is put before it as it is."""
    escaped = re.sub(r'(["\\$`])', r"\\\1", text)
    filled = MARK.sub(lambda found: f"${{{variable(found[2])}}}", escaped)
    return f'"{start}{filled}"'


def piped(body: bytes) -> tuple[str, str]:
    """Return the command before curl, "" for none, and the option of curl by which a body is sent."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" not in text:
        return "", f"--data-binary {quoted(without_quotes(text))}"
    octal = "".join(chr(each) if chr(each).isalnum() and each < 128 else f"\\{each:03o}" for each in body)
    return f"printf '{octal}' | ", "--data-binary @-"


def filter_of(place: Place) -> str:
    """Return the filter of jq, quoted, that gives what is at a place."""
    text = "".join(map(_part, place))
    return shlex.quote(text if text.startswith(".") else f".{text}")


def _part(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if re.fullmatch(r"[A-Za-z_]\w*", part, re.ASCII) else f"[{json.dumps(part)}]"

"""Values as Python source: small ones to be read, large and deep ones as cheap texts.

The source needs ``import json`` and ``from base64 import b64decode`` for what is large.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from keyword import iskeyword
from typing import Any, TypeVar

import msgspec

Text = TypeVar("Text", str, bytes)

#: Longer JSON, in bytes, is not written as a literal.
LONGEST = 20_000
#: Longer bytes that are not ASCII text are written in Base64.
_LONGEST_ESCAPED = 1000
#: Bytes or characters that are encoded at once, a multiple of three: the interpreter is nobody else's meanwhile.
_PIECE = 3 * 2**18
#: Python's parser refuses 200 nested brackets, and the call around the value has some.
_DEEPEST = 50
_WIDTH = 96


def bytes_literal(raw: bytes) -> str:
    """Return an expression for bytes; its length is at most about four times theirs."""
    if len(raw) <= _LONGEST_ESCAPED or raw.isascii():
        return "".join(map(repr, _pieces(raw))) or repr(raw)
    return f"b64decode('{in_base64(raw)}')"


def in_base64(raw: bytes) -> str:
    """Return bytes in Base64."""
    return "".join(b64encode(piece).decode() for piece in _pieces(raw))


def in_json(text: str) -> str | msgspec.Raw:
    """Return a text for a JSON document; a long one is encoded already."""
    if len(text) <= _PIECE:
        return text
    return msgspec.Raw(b"".join([b'"', *(msgspec.json.encode(piece)[1:-1] for piece in _pieces(text)), b'"']))


def _pieces(whole: Text) -> Iterator[Text]:
    """Yield a text, or bytes, in pieces."""
    return (whole[place : place + _PIECE] for place in range(0, len(whole), _PIECE))


def is_readable(raw: bytes, value: Any) -> bool:
    """Return whether the value of some JSON is small and flat enough to be written as a literal."""
    return len(raw) <= LONGEST and _is_flat(value, _DEEPEST)


def literal(value: Any, indent: str = "    ") -> str:
    """Return an expression for a plain value; what does not fit on a line has a line for each item."""
    if isinstance(value, dict) and value:
        opening, closing, items = "{", "}", [(f"{name!r}: ", part) for name, part in value.items()]
    elif isinstance(value, list | tuple) and value:
        opening, closing, items = "[", "]", [("", part) for part in value]
    else:
        return repr(value)
    deeper = f"{indent}    "
    parts = [name + literal(part, deeper) for name, part in items]
    line = ", ".join(parts)
    if len(line) <= _WIDTH and "\n" not in line:
        return f"{opening}{line}{closing}"
    lines = "".join([f"{deeper}{part},\n" for part in parts])
    return f"{opening}\n{lines}{indent}{closing}"


def keywords(words: Mapping[str, str]) -> str:
    """Return expressions as keyword arguments; those whose names are not identifiers in a mapping."""
    fit = [f"{name}={text}" for name, text in words.items() if _is_identifier(name)]
    rest = [f"{name!r}: {text}" for name, text in words.items() if not _is_identifier(name)]
    return ", ".join(fit + ([f"**{{{', '.join(rest)}}}"] if rest else []))


def json_literal(raw: bytes) -> str:
    """Return an expression for the value of some JSON."""
    value = msgspec.json.decode(raw)
    return literal(value) if is_readable(raw, value) else f"json.loads({bytes_literal(raw)})"


def _is_identifier(name: str) -> bool:
    """Return whether Python reads the name as it is: it changes some that are not ASCII (NFKC)."""
    return name.isascii() and name.isidentifier() and not iskeyword(name)


def _is_flat(value: Any, levels: int) -> bool:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels > 0 and all(_is_flat(part, levels - 1) for part in parts)

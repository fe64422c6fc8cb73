"""Arguments of a call made in Python, put where they stand on the wire."""

from __future__ import annotations

import json

import msgspec

from confsim.contract.operation import Operation
from confsim.kernel.refusal import Misuse


def places(operation: Operation, arguments: dict[str, object]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The arguments by their places on the wire, as texts: path and query. Misuse when one of the path is missing."""
    try:
        path = tuple(_text(arguments.pop(name)) for name in operation.placeholders)
    except KeyError as missing:
        raise Misuse(f"{operation.name} needs the path parameter {missing}") from None
    return path, in_query(arguments)


def in_query(arguments: dict[str, object]) -> dict[str, str]:
    """Arguments as texts in a query, by their names on the wire; None is left out."""
    return {name.removesuffix("_"): _text(value) for name, value in arguments.items() if value is not None}


def in_body(body: object) -> bytes:
    """Plain values as a JSON body; bytes as they are. Misuse for what JSON has not."""
    if isinstance(body, bytes):
        return body
    try:
        raw = msgspec.json.encode(body)
        if raw.find(b"null") >= 0:  # as which a number that JSON has not is encoded too
            json.dumps(msgspec.to_builtins(body, str_keys=True), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise Misuse(f"body: {error}") from None
    return raw


def _text(value: object) -> str:
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= each <= "\udfff" for each in value):
            raise Misuse(f"{value!r} holds half a surrogate pair, which cannot be sent")
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ",".join(_text(item) for item in value)
    try:
        return str(value)
    except ValueError as error:
        raise Misuse(f"a number cannot be sent: {error}") from None

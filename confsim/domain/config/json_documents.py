"""JSON documents of any shape: depth limit, merging, patching and splitting.

Documents are never modified: every function returns a new one, which may share parts with its arguments. Own code: a
merge patch (RFC 7396) is ten lines, and the other functions follow rules of the documents.
"""

from typing import Any

from confsim.assumptions import Reason, ask
from confsim.assumptions.protocol import sizes
from confsim.kernel import Change, Refusal

JsonObject = dict[str, Any]


def bounded(change: Change, value: Any) -> Any:
    """The JSON value unchanged. Refusal INVALID_INPUT when it is nested deeper than a stored value may be."""
    level, most = [value], ask(change, sizes.JSON_DEPTH)
    for _ in range(most):
        level = [inner for outer in level for inner in _inside(outer) if isinstance(inner, dict | list)]
        if not level:
            return value
    raise Refusal(Reason.INVALID_INPUT, where="body", problem=f"it is nested deeper than {most} levels")


def _inside(value: Any) -> list[Any]:
    """The arrays and objects directly inside a value; empty for a value that holds none."""
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def merged(base: JsonObject, over: JsonObject, how: str = "deep") -> JsonObject:
    """The document of ``base`` and ``over`` merged key by key, where ``over`` takes precedence (R437).

    ``deep`` merges objects at every depth and replaces other values; ``concatenate`` does so too, and appends arrays
    to arrays; ``top`` replaces the values of the first level.
    """
    result = dict(base)
    for key, value in over.items():
        before = result.get(key)
        if how != "top" and isinstance(before, dict) and isinstance(value, dict):
            result[key] = merged(before, value, how)
        elif how == "concatenate" and isinstance(before, list) and isinstance(value, list):
            result[key] = before + value
        else:
            result[key] = value
    return result


def patched(base: Any, patch: JsonObject) -> JsonObject:
    """The document after a merge patch (RFC 7396): null removes a key, an object patches, the rest replaces."""
    result = dict(base) if isinstance(base, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = patched(result.get(key), value) if isinstance(value, dict) else value
    return result


def split(document: JsonObject, key: str, *, strings: bool = False) -> tuple[JsonObject, JsonObject]:
    """The document in two parts: the values under the key, at any level of its objects, and everything else.

    With ``strings`` every value that is a string belongs to the first part too. Merged they give the document again.
    """
    under: JsonObject = {}
    rest: JsonObject = {}
    for name, value in document.items():
        if name == key or (strings and isinstance(value, str)):
            under[name] = value
        elif isinstance(value, dict):
            inner, remainder = split(value, key, strings=strings)
            if inner:
                under[name] = inner
            if remainder or not inner:
                rest[name] = remainder
        else:
            rest[name] = value
    return under, rest

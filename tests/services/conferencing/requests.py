"""Reading bodies, queries and path words as strictly as the style wants."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from services.conferencing.context import Context
from services.conferencing.errors import Failure, Fault, invalid

IMG_SIZES = {
    "small": "40x40",
    "medium": "80x80",
    "large": "100x100",
    "xlarge": "130x130",
    "xxlarge": "175x175",
    "unfurl": "600x600",
}


class Body:
    """The fields of a JSON object that were given; an explicit null is given too."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given

    def has(self, name: str) -> bool:
        """Whether the field was in the body, null or not."""
        return name in self.given

    def text(self, name: str) -> str:
        """The text of a required field."""
        return str(self.given[name])

    def option(self, name: str) -> Any:
        """The value of an optional field, or None."""
        return self.given.get(name)


def raw_json(ctx: Context, required: bool = True) -> Any:
    """The JSON value of the body."""
    rules = ctx.style.requests
    data = ctx.request.get_data()
    if not data.strip():
        if required:
            raise Failure("no_body")
        return {}
    if len(data) > rules.body_most:
        raise Failure("too_large", "body")
    if rules.content_type == "strict" and ctx.request.mimetype != "application/json":
        raise Failure("bad_type")
    try:
        value = json.loads(data, parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False).encode()  # half of a surrogate pair cannot be stored
        return value
    except (ValueError, RecursionError) as error:
        raise Failure("bad_json") from error


def _no_constant(word: str) -> Any:
    raise ValueError(word)


def body(ctx: Context, spec: str, required: bool = True) -> Body:
    """The fields named in the spec: NAME:TYPE each, with a ! after a required name."""
    value = raw_json(ctx, required)
    if not isinstance(value, dict):
        raise Failure("not_object")
    rules = ctx.style.requests
    faults: list[Fault] = []
    given: dict[str, Any] = {}
    names = {}
    for item in spec.split():
        name, _, kind = item.partition(":")
        names[name.rstrip("!")] = (kind, name.endswith("!"))
    for name, (kind, needed) in names.items():
        if name not in value or (value[name] is None and (needed or rules.null_field == "absent")):
            if needed:
                faults.append((name, "required"))
            elif name in value:
                given[name] = None
            continue
        ok, read = _typed(value[name], kind, rules.numbers_in_text)
        if ok:
            given[name] = read
        else:
            faults.append((name, kind))
    if rules.unknown_field == "reject":
        faults += [(name, "unknown") for name in value if name not in names]
    if faults:
        raise Failure("invalid", subject=faults[0][0], faults=faults)
    return Body(given)


def _typed(value: Any, kind: str, lenient: bool) -> tuple[bool, Any]:
    """Whether the value is of the type, and the value."""
    if kind == "text":
        return isinstance(value, str), value
    if kind == "flag":
        return isinstance(value, bool), value
    if kind == "texts":
        return isinstance(value, list) and all(isinstance(part, str) for part in value), value
    if lenient and isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,18}", value):
        return True, int(value)
    if lenient and isinstance(value, float) and value.is_integer():
        return True, int(value)
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 53, value


def texts(ctx: Context) -> list[str]:
    """A body that is an array of strings."""
    value = raw_json(ctx)
    if not isinstance(value, list):
        raise Failure("not_array")
    faults: list[Fault] = [(f"[{i}]", "text") for i, part in enumerate(value) if not isinstance(part, str)]
    if faults:
        raise Failure("invalid", subject=faults[0][0], faults=faults)
    return list(value)


def listed(ctx: Context, values: list[str]) -> list[str]:
    """A list of names as the style keeps it: with or without duplicates, as given or sorted."""
    rules = ctx.style.channels
    once = list(dict.fromkeys(values))
    if len(once) < len(values) and rules.list_duplicates == "fail":
        raise invalid("[]", "duplicate")
    kept = once if rules.list_duplicates == "drop" else values
    return sorted(kept) if rules.list_order == "sorted" else kept


def query(ctx: Context, name: str) -> str | None:
    """A query parameter; an empty one is absent."""
    return ctx.request.args.get(name) or None


def flag(ctx: Context, name: str) -> bool | None:
    """A boolean query parameter."""
    word = query(ctx, name)
    if word is None:
        return None
    known = ctx.style.requests.bool_words
    if word not in known:
        raise invalid(name, "flag", "bad_query")
    return known[word]


def whole(ctx: Context, name: str) -> int | None:
    """A number as query parameter."""
    word = query(ctx, name)
    if word is None:
        return None
    if not re.fullmatch(r"-?[0-9]{1,15}", word):
        raise invalid(name, "number", "bad_query")
    return int(word)


def state(ctx: Context, words: Mapping[str, bool], name: str = "state") -> bool:
    """The state word of the path."""
    word = ctx.path[name]
    if ctx.style.requests.state_any_case:
        word = word.lower()
    if word not in words:
        raise Failure("bad_state", name, faults=[(name, "choice")], words=", ".join(words))
    return words[word]


ON_OFF = {"enable": True, "disable": False}


def number(ctx: Context, name: str) -> int:
    """A number in the path."""
    word = ctx.path[name]
    if not re.fullmatch(r"[0-9]{1,18}", word):
        raise invalid(name, "number", "bad_path")
    return int(word)


def img_size(ctx: Context) -> str:
    """The size of images that was asked for, such as 80x80."""
    rules = ctx.style.requests
    word = query(ctx, "imgSize") or rules.default_img_size
    if word not in IMG_SIZES:
        if rules.bad_img_size == "reject":
            raise invalid("imgSize", "choice", "bad_query")
        word = rules.default_img_size
    return IMG_SIZES[word]


def ttl(ctx: Context, default: int) -> int:
    """The ttl parameter in milliseconds."""
    word = query(ctx, "ttl")
    if word is None:
        return default
    rules = ctx.style.auth
    match = re.fullmatch(r"([0-9]{1,6})([a-z]+)", word)
    if match is None or match[2] not in rules.ttl_units or int(match[1]) == 0:
        raise invalid("ttl", "ttl", "bad_query")
    span = int(match[1]) * rules.ttl_units[match[2]]
    if ctx.bug("ttl-days-are-hours") and match[2] == "d":
        span //= 24
    if span > rules.ttl_most:
        raise invalid("ttl", "range", "bad_query")
    return span

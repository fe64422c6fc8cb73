"""Failures of calls, and their bodies as the style writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from services.conferencing.clock import instant
from services.conferencing.style import Style

Fault = tuple[str, str]  # the name of a field or parameter, and the key of the reason


class Failure(Exception):
    """A call that fails: a kind known to the style, its subject and, for bad input, the faults."""

    def __init__(self, kind: str, subject: str = "", faults: Sequence[Fault] = (), **more: Any) -> None:
        super().__init__(kind)
        self.kind = kind
        self.subject = subject
        self.faults = list(faults)
        self.more = more


def invalid(name: str, reason: str, kind: str = "invalid") -> Failure:
    """Bad input in one field or parameter."""
    return Failure(kind, subject=name, faults=[(name, reason)])


def _fill(template: Any, values: Mapping[str, Any]) -> Any:
    """The template with every $name replaced by its value."""
    if isinstance(template, Mapping):
        return {key: _fill(part, values) for key, part in template.items()}
    if isinstance(template, str) and template.startswith("$"):
        return values[template[1:]]
    if isinstance(template, str) and "$code" in template:
        return template.replace("$code", str(values["code"]))
    return template


def _fields(style: Style, failure: Failure) -> Any:
    rules = style.errors
    faults = failure.faults if rules.every_field else failure.faults[:1]
    told = [(name, rules.reasons.get(reason, reason), reason) for name, reason in faults]
    if rules.field_form == "map":
        grouped: dict[str, list[str]] = {}
        for name, text, _ in told:
            grouped.setdefault(name, []).append(text)
        return grouped
    if rules.field_form == "names":
        return [name for name, _, _ in told]
    return [_fill(rules.field_item, {"field": n, "reason": t, "rule": r, "code": r}) for n, t, r in told]


def status_of(style: Style, failure: Failure) -> int:
    """The status of the failure in this style."""
    return style.errors.kinds[failure.kind].status


def body_of(style: Style, failure: Failure, path: str, now_ms: int) -> bytes:
    """The body of the failure in this style."""
    rules = style.errors
    kind = rules.kinds[failure.kind]
    values = {
        "code": kind.code,
        "status": kind.status,
        "text": kind.text.format(subject=failure.subject or "resource", **failure.more),
        "path": path,
        "at": instant(now_ms, rules.at_form),
        "fields": _fields(style, failure),
    }
    body = _fill(rules.envelope, values)
    if not failure.faults and not rules.fields_when_none:
        body = _without_fields(body, rules.envelope)
    return json.dumps(body, ensure_ascii=False).encode()


def _without_fields(body: Any, envelope: Any) -> Any:
    """The body without the place of the field list."""
    if not isinstance(body, dict):
        return body
    return {key: _without_fields(part, envelope[key]) for key, part in body.items() if envelope[key] != "$fields"}

"""Parts of an OpenAPI document: security schemes, the refusals of an operation, the schema of an error body."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from confsim.assumptions.protocol import wire
from confsim.assumptions.protocol.refusals import STATUS, Reason
from confsim.assumptions.register import in_force

from .gates import Grant
from .operation import Operation
from .schema import Profile, Schema


def status_of(reason: Reason, profile: Profile) -> int:
    """The status of a refusal under a profile."""
    entry = STATUS[reason]
    status: int = reason.value.status if entry is None else in_force(profile, entry)
    return status


def grants_of(operation: Operation, profile: Profile) -> tuple[Grant, ...]:
    """The grants that admit to an operation under a profile."""
    entry = operation.gate_entry
    grants: tuple[Grant, ...] = operation.gate.grants if entry is None else in_force(profile, entry)
    return grants


def refusals(operation: Operation, profile: Profile) -> Iterator[Reason]:
    """The reasons that follow from the declaration of an operation; its function may refuse for others."""
    public = Grant.PUBLIC in grants_of(operation, profile)
    if operation.path_parameters or operation.query_parameters or operation.body is not None or operation.for_client:
        yield Reason.INVALID_INPUT
    if not public:
        yield from (Reason.CREDENTIAL_MISSING, Reason.CREDENTIAL_INVALID, Reason.CREDENTIAL_EXPIRED)
        yield from (Reason.TERMS_NOT_ACCEPTED, Reason.ROLE_MISSING)
    if not public or operation.changes:
        yield Reason.SERVICE_DISABLED
    if operation.placeholders:
        yield Reason.NOT_FOUND
    if operation.changes:
        yield from _CONFLICTS
    if operation.body is not None:
        yield Reason.BODY_TOO_LARGE if operation.body.is_json else Reason.IMAGE_TOO_LARGE


_CONFLICTS = tuple(reason for reason in Reason if reason.value.status == 409)


def security_schemes(lines: tuple[str, ...]) -> dict[str, Any]:
    """The security schemes of the ways to present a token, each a line of ``auth.presentation``."""
    return {f"token{place}" if place else "token": _scheme(line) for place, line in enumerate(lines)}


def _scheme(line: str) -> dict[str, Any]:
    place, name, scheme = wire.presentation(line)
    if name.lower() == "authorization" and scheme:
        return {"type": "http", "scheme": scheme.lower()}
    described = {"description": f"The value is {f'{scheme} {{token}}'!r}."} if scheme else {}
    return {"type": "apiKey", "in": place, "name": name, **described}


def envelope(profile: Profile) -> Schema | None:
    """The schema of an error body by the template of the profile, None when errors have no body."""
    template = in_force(profile, wire.ERROR_BODY)
    if isinstance(template, str):
        template = wire.ERROR_BODIES[template]
    return None if template is None else _template_schema(template)


_PLACEHOLDERS: dict[str, Schema] = {
    "$status": {"type": "integer"},
    "$code": {"type": "string"},
    "$message": {"type": "string"},
    "$details": {"type": "array", "items": {"type": "object"}},
}


def _template_schema(template: Any) -> Schema:
    if isinstance(template, dict):
        # An empty list of details is left out.
        required = [name for name, part in template.items() if part not in ("$details", [])]
        return {
            "type": "object",
            "properties": {name: _template_schema(part) for name, part in template.items()},
            "required": required,
        }
    if isinstance(template, list):
        return {"type": "array", "prefixItems": [_template_schema(part) for part in template]}
    if isinstance(template, str) and template in _PLACEHOLDERS:
        return _PLACEHOLDERS[template]
    return {"const": template}

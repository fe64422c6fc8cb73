"""Refusals as responses: status, code and body by the table of refusals and the error template in force."""

from __future__ import annotations

from typing import Any

import msgspec

from confsim.assumptions.protocol import wire
from confsim.assumptions.protocol.refusals import CODE, STATUS, Reason
from confsim.assumptions.register import Context, ask
from confsim.kernel.refusal import Refusal

from .checks.credentials import challenge
from .messages import Response


def refused(context: Context, refusal: Refusal) -> Response:
    """Return the response for a refusal, with the API's error envelope (G034, G035)."""
    reason = refusal.reason
    assert isinstance(reason, Reason)
    entry = STATUS[reason]
    status = reason.value.status if entry is None else ask(context, entry)
    facts = refusal.facts
    headers = []
    if status == 401 and (wanted := challenge(ask(context, wire.PRESENTATION))) is not None:
        headers.append(("WWW-Authenticate", wanted))
    if "allowed" in facts:
        headers.append(("Allow", str(facts["allowed"])))
    if "upgrade" in facts:
        headers.append(("Upgrade", str(facts["upgrade"])))
    if "retryAfter" in facts:
        headers.append(("Retry-After", str(facts["retryAfter"])))
    body = envelope(
        context, status, ask(context, CODE[reason]), reason.value.message.format_map(facts), [facts] if facts else []
    )
    if body:
        headers.append(("Content-Type", "application/json"))
    return Response(status, headers, body)


def envelope(context: Context, status: int, code: str, message: str, details: Any) -> bytes:
    """Return the body of an error by the template in force."""
    template = ask(context, wire.ERROR_BODY)
    if isinstance(template, str):
        template = wire.ERROR_BODIES[template]
    if template is None:
        return b""
    values = {"$status": status, "$code": code, "$message": message, "$details": details}
    return msgspec.json.encode(_filled(template, values), enc_hook=str)


def _filled(template: Any, values: dict[str, Any]) -> Any:
    if isinstance(template, str):
        return values.get(template, template)
    if isinstance(template, dict):
        return {name: filled for name, part in template.items() if (filled := _filled(part, values)) != []}
    if isinstance(template, list):
        return [_filled(part, values) for part in template]
    return template

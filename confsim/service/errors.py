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

#: What the refusal of a secret says in the place of its problem.
_UNTOLD = "the reason is not told to callers"


def told(context: Context, refusal: Refusal) -> Refusal:
    """Return a refusal as its caller may hear it.

    For a secret that opens a public call it is the refusal of an unknown one, whatever is wrong with it (G196, G501).
    """
    reason = refusal.reason
    assert isinstance(reason, Reason)
    if not reason.value.unknown or ask(context, wire.SPENT_SECRETS) == "told":
        return refusal
    unknown = Reason[reason.value.unknown]
    return Refusal(unknown, problem=_UNTOLD) if "{problem}" in unknown.value.message else Refusal(unknown)


def refused(context: Context, refusal: Refusal) -> Response:
    """Return the response for a refusal, with the API's error envelope (G034, G035)."""
    reason, facts = refusal.reason, refusal.facts
    assert isinstance(reason, Reason)
    entry = STATUS[reason]
    status = reason.value.status if entry is None else ask(context, entry)
    headers = []
    if status == 401 and (wanted := challenge(ask(context, wire.PRESENTATION))) is not None:
        headers.append(("WWW-Authenticate", wanted))
    if "allowed" in facts:
        headers.append(("Allow", str(facts["allowed"])))
    if "upgrade" in facts:
        headers.append(("Upgrade", str(facts["upgrade"])))
    if "retryAfter" in facts:
        headers.append(("Retry-After", str(facts["retryAfter"])))
    code, message = ask(context, CODE[reason]), reason.value.message.format_map(facts)
    return error(context, status, headers, code, message, [facts] if facts else [])


def error(
    context: Context, status: int, headers: list[tuple[str, str]], code: str, message: str, details: Any
) -> Response:
    """Return the response for an error with these headers and a body by the template in force."""
    kind, template = wire.error_body(ask(context, wire.ERROR_BODY))
    if template is None:
        return Response(status, headers)
    values = {"$status": status, "$code": code, "$message": message, "$details": details}
    body = msgspec.json.encode(_filled(template, values), enc_hook=str)
    return Response(status, [*headers, ("Content-Type", kind)], body)


def _filled(template: Any, values: dict[str, Any]) -> Any:
    if isinstance(template, str):
        return values.get(template, template)
    if isinstance(template, dict):
        return {name: filled for name, part in template.items() if (filled := _filled(part, values)) != []}
    if isinstance(template, list):
        return [_filled(part, values) for part in template]
    return template


def as_one(message: str, errors: list[BaseException]) -> BaseException | None:
    """Return one exception for several: itself if it is the only one, else a group; None for none."""
    return BaseExceptionGroup(message, errors) if len(errors) > 1 else next(iter(errors), None)

"""A call of the control plane: decoded strictly, refused in RFC 9457 problem documents, never journaled."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import msgspec

from confsim.assumptions.refusals import Reason
from confsim.contract.encode import encode
from confsim.contract.operation import Operation
from confsim.contract.query import arguments, query_of
from confsim.kernel.refusal import Misuse, Refusal
from confsim.service.brought import foreign
from confsim.service.message import Request, Response
from confsim.service.pipeline import HOST, Service
from confsim.service.waiting import Later, steady
from confsim.service.worlds import Worlds

from .control import Control

#: Bodies that clients send where there is nothing to send.
_NOTHING = (b"", b"{}", b"null")
_HEADERS = [("Content-Type", "application/problem+json"), ("Cache-Control", "no-store")]


def perform(
    service: Service, worlds: Worlds, operation: Operation, path: tuple[str, ...], request: Request
) -> Response:
    """The answer to a call of the control plane, whatever happens in it; it may be one that is yet to come."""
    control = Control(service, worlds, request.headers.get("host", HOST))

    def result() -> object:
        _same_origin(request)
        with control.lock(operation):
            things = [
                parameter.read(control, parameter.where, text)
                for parameter, text in zip(operation.path_parameters, path, strict=True)
            ]
            named = arguments(control, operation, query_of(control, request.query))
            if operation.body is not None:
                named["body"] = operation.body.read(control, request.body)
            elif request.body.strip() not in _NOTHING:
                raise Misuse(f"{operation.name} takes no body")
            service.used = steady()
            done = operation.function(control, *things, **named)
            control.note(operation, path, request.body)
            return done

    return _answer(control, operation, request, result)


def _answer(control: Control, operation: Operation, request: Request, result: Callable[[], object]) -> Response:
    try:
        status, lines, body = encode(control, operation, result())
        return Response(status, [*lines, ("Cache-Control", "no-store")], body)
    except Later as later:
        again = later.again

        def until() -> Response | None:
            response = _answer(control, operation, request, again)
            return response if response.until is None else None

        return Response(503, list(_HEADERS), until=until)
    except Misuse as misuse:
        return problem(misuse.status, str(misuse), **misuse.facts)
    except Refusal as refusal:
        return refuse(refusal)
    except Exception as bug:
        bug.add_note(f"confsim failed while it answered {request.method} {request.target} of the control plane")
        control.service.bugs.append(bug)
        reference = f"{type(bug).__name__}: {bug}"
        return problem(500, f"confsim failed: {reference}", reference=reference)


def refuse(refusal: Refusal | Misuse) -> Response:
    """The problem document of a refusal; statuses are those of the table, whatever a profile says."""
    if isinstance(refusal, Misuse):
        return problem(refusal.status, str(refusal), **refusal.facts)
    reason = refusal.reason
    assert isinstance(reason, Reason)
    facts = refusal.facts
    told = {**facts, "code": reason.name.lower()}
    response = problem(reason.value.status, reason.value.message.format_map(facts), **told)
    if "allowed" in facts:
        response.headers.append(("Allow", str(facts["allowed"])))
    return response


def problem(status: int, detail: str, /, **facts: Any) -> Response:
    """An RFC 9457 problem document."""
    told: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    told |= {name: value for name, value in facts.items() if name not in told}
    return Response(status, list(_HEADERS), msgspec.json.encode(told, enc_hook=str))


def _same_origin(request: Request) -> None:
    """Refuse what a page of another site makes a browser send. Misuse (403)."""
    if foreign(request, HOST):
        where = request.headers.get("origin", "")[:200] or "another site"
        raise Misuse(f"the control plane does not answer to a page of {where}", status=403)

"""The checks of a call in order, followed by the operation and its response.

The order is that of G040: credential, terms, service, path, for_client, existence, role, query and body, state. By
``checks.order`` query and body may come first, or the role before existence. Existence is that of the objects in the
path. A secret or another input in the path, such as a PIN, is looked up after the role in every order: callers who are
refused learn nothing of it.
"""

from __future__ import annotations

from typing import Any, get_origin

import msgspec

from confsim.api import admission
from confsim.api.call import Call
from confsim.assumptions import members
from confsim.assumptions.protocol import parsing, sizes, transport, wire
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ask, note, value_of
from confsim.contract.annotations import without_none
from confsim.contract.decode import Body
from confsim.contract.encode import encode
from confsim.contract.gates import Grant
from confsim.contract.operation import Contract
from confsim.contract.query import arguments
from confsim.contract.text_values import invalid_input, split_list
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.identity import credentials
from confsim.kernel.refusal import Refusal
from confsim.service.incoming import Incoming
from confsim.service.messages import Request, Response

from .callers import Callers


def answer(call: Call, incoming: Incoming, callers: Callers) -> Response:
    """Return the response of the operation once every check has passed. Raises the Refusal of the first that fails.

    A call that is not public needs a credential (R243). It runs in the client of the credential, unless its declaration
    has for_client (R036, R037).
    """
    operation, change, values, named = call.operation, call.change, incoming.query, None
    contract = operation.contract
    has_input = values or contract.has_input
    if has_input and value_of(change, transport.CHECKS_ORDER) == "input first":
        named = _input(call, contract, values, incoming.request)
    gate = operation.gate_entry
    if gate is None:
        grants, public = operation.gate.grants, operation.public
    else:
        grants = ask(change, gate)
        public = Grant.PUBLIC in grants
    if not public:
        callers.identify(call, incoming.token)
    elif incoming.token and ask(change, wire.PUBLIC_CREDENTIALS) == "checked":
        credentials.authenticate(change, incoming.token)
    things = [*incoming.path]
    for place, parameter in contract.texts:
        things[place] = parameter.read(change, parameter.where, things[place])
    if operation.for_client and "for_client" in values:
        _enter_child(call, values["for_client"])
    if contract.names:
        _resolve(call, contract, things, public, grants)
    if not public:
        admission.admit(call, grants)
    elif operation.changes:
        admission.require_service(call, call.client)
    for place, find, inside in contract.inputs:
        things[place] = find(call, things[place], things[place - 1]) if inside else find(call, things[place])
    if named is None:
        named = _input(call, contract, values, incoming.request) if has_input else {}
    result = operation.run(call, things, named)
    status, headers, body = encode(change, contract, result)
    return Response(status, headers, body)


def is_refused_first(call: Call, incoming: Incoming, callers: Callers) -> bool:
    """Return whether ``answer`` refuses the caller, whatever the body."""
    operation, change = call.operation, call.change
    if value_of(change, transport.CHECKS_ORDER) == "input first":
        return False
    grants = operation.gate.grants if operation.gate_entry is None else value_of(change, operation.gate_entry)
    try:
        if Grant.PUBLIC not in grants:
            callers.identify(call, incoming.token)
        elif incoming.token and value_of(change, wire.PUBLIC_CREDENTIALS) == "checked":
            credentials.authenticate(change, incoming.token)
    except Refusal:
        return True
    return False


def _resolve(call: Call, contract: Contract, things: list[Any], public: bool, grants: tuple[Grant, ...]) -> None:
    """Replace the ids in the path by the objects that they name.

    When one does not exist, the gate is checked before NOT_FOUND is raised, if the profile says so.
    """
    try:
        for place, find, inside in contract.names:
            if inside:
                things[place] = find(call, things[place], things[place - 1] if place else None)
            else:
                things[place] = find(call, things[place])
                if public and type(things[place]) is Client:
                    admission.require_service(call, call.client)
    except Refusal:
        if not public and value_of(call.change, transport.CHECKS_ORDER) == "role first":
            admission.admit(call, grants)
        raise


def _enter_child(call: Call, id: str) -> None:
    """Run the call in a child of the caller's client, named by for_client (P1 Conventions 7, R033-R035)."""
    caller = call.require_caller()
    if not id:
        if ask(call.change, parsing.EMPTY_QUERY) == "absent":
            return
        raise invalid_input("query for_client", "it is empty")
    if not credentials.manages_children(call.change, caller):
        raise Refusal(Reason.ROLE_MISSING, operation="for_client", gate=Grant.PARTNER_ADMIN)
    clients.require_reseller(call.change, caller.client, "for_client")
    if id == caller.client.id and ask(call.change, members.FOR_CLIENT_OWN):
        return
    child = clients.CLIENTS.get(call.change, id)
    if child is None or not clients.is_below(call.change, child, caller.client):
        raise Refusal(Reason.FOR_CLIENT_REFUSED)
    call.client = child
    admission.require_service(call, child)


def _input(call: Call, contract: Contract, values: dict[str, str], request: Request) -> dict[str, Any]:
    """Return query and body as keyword arguments of the operation."""
    change, body, named = call.change, contract.body, {}
    if values or contract.required_query:
        named = arguments(change, call.operation, values)
    if body is None:
        return named
    raw = request.body
    if request.fault:  # of a request whose body was not read, since its caller was to be refused
        raise Refusal(Reason.REQUEST_MALFORMED, problem="its body was not read")
    if "content-encoding" in request.headers:
        check_coding(request)
    if body.is_json:
        if raw:
            most = ask(change, sizes.JSON_BODY)
            if len(raw) > most:
                raise Refusal(Reason.BODY_TOO_LARGE, limit=most)
            given = request.headers.get("content-type")
            if given is not None and given != "application/json":
                _check_json(call, given)
        elif values and ask(change, parsing.PLACES) == "query too":
            raw = _from_query(call, body, values)
    else:
        call.content_type, call.form = request.headers.get("content-type"), request.form
    named["body"] = body.read(change, raw)
    return named


def _from_query(call: Call, body: Body, values: dict[str, str]) -> bytes:
    """Return the body of a call that sent it as its query (G047); lists have their form in a query (R004, G055)."""
    given: dict[str, Any] = {name: values[name] for name in body.fields if name in values}
    for field in msgspec.structs.fields(body.type) if given else ():
        if field.encode_name in given and get_origin(without_none(field.type)) is list:
            given[field.encode_name] = split_list(call.change, f"query {field.encode_name}", given[field.encode_name])
    try:
        return msgspec.json.encode(msgspec.convert(given, body.type, strict=False))
    except msgspec.ValidationError:
        return msgspec.json.encode(given)


def check_coding(request: Request) -> None:
    """Refuse a body with a content coding, such as gzip; none is supported (RFC 9110, 8.4)."""
    coding = request.headers.get("content-encoding", "").strip()
    if request.body and coding.lower() not in {"", "identity"}:
        raise Refusal(Reason.UNSUPPORTED_MEDIA_TYPE, expected="it is, without a content coding", given=coding[:80])


def _check_json(call: Call, given: str) -> None:
    """Refuse a JSON body whose Content-Type is not JSON."""
    essence, *parameters = (part.strip() for part in given.lower().split(";"))
    charsets = {part[8:].strip('"') for part in parameters if part.startswith("charset=")}
    if essence == "application/json" and charsets <= {"utf-8", "utf8"}:
        return
    if ask(call.change, parsing.CONTENT_TYPE) == "refuse":
        raise Refusal(Reason.UNSUPPORTED_MEDIA_TYPE, expected="application/json", given=given[:80])


def receive(call: Call, incoming: Incoming) -> None:
    """Raise the Refusal of an unreadable query or token. A wrong token is ignored on a public call (G023)."""
    if incoming.query_used:
        call.change.carried.used.update(incoming.query_used)
    if incoming.query_refusal is not None:
        raise incoming.query_refusal
    public = call.operation.public
    if not public:
        note(call.change, wire.PRESENTATION)
    refusal = incoming.token_refusal
    if refusal is not None and not (public and ask(call.change, wire.PUBLIC_CREDENTIALS) == "ignored"):
        note(call.change, wire.PRESENTATION)
        raise refusal

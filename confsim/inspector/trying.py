"""The form that tries an operation: its fields from the declaration, and the call that it makes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from confsim.api.call import HOST
from confsim.assumptions.register import ProfileContext
from confsim.contract.operation import Operation
from confsim.contract.schema import Schema, Schemas
from confsim.service.service import Service
from confsim.transport.address import request_of

from .declared import resolved
from .inputs import Input, input_of, value_of

#: Prefixes of the names of fields, by where their values go.
PATH, QUERY, BODY = "path-", "query-", "body-"
#: The name of the field with a whole body, which takes the place of the fields of a body.
WHOLE = "body"


class TryForm(Struct, frozen=True):
    """The form of an operation. ``body`` are the fields of a JSON object; ``whole`` is the text of any other body."""

    path: list[Input]
    query: list[Input]
    body: list[Input]
    whole: str | None


def form_of(operation: Operation, profile: Mapping[str, Any], arguments: list[Any], call: Any) -> TryForm:
    """Return the form of an operation, filled in as a call of the journal was; None for an empty one.

    ``arguments`` are those of ``try_operation``, which suggest records.
    """
    schemas = Schemas(profile)
    suggested = {each.name: [(one.id, one.label) for one in each.suggestions] for each in arguments}

    def field(name: str, schema: Schema, *, required: bool, text: str = "", given: str = "") -> Input:
        suggestions = suggested.get(name, [])
        return input_of(
            name, schema, schemas.components, required=required, text=text, given=given, suggestions=suggestions
        )

    values = _values(operation, profile, call)
    path = [
        field(each.name, schemas.parameter(each.wire), required=True, text=each.description, given=values[each.name])
        for each in operation.path_parameters
    ]
    asked = {} if call is None else call.query
    query = [
        field(
            each.name,
            schemas.parameter(each.wire),
            required=each.required,
            text=each.description,
            given=asked.get(each.name, ""),
        )
        for each in operation.query_parameters
    ]
    sent = None if call is None else call.body
    whole = "" if sent is None else _text(sent)
    if operation.body is None:
        return TryForm(path, query, [], None)
    if not operation.body.is_json:
        return TryForm(path, query, [], whole)
    given = sent if isinstance(sent, dict) else {}
    body = [
        field(name, schema, required=required, given=_text(given[name]) if name in given else "")
        for name, schema, required in _properties(schemas.body(operation.body.type), schemas.components)
    ]
    return TryForm(path, query, body, None if body else whole)


def _values(operation: Operation, profile: Mapping[str, Any], call: Any) -> dict[str, str]:
    """Return the values of the path of a call by the names of the parameters; empty texts for no call."""
    names = [each.name for each in operation.path_parameters]
    template = operation.route(profile)[1].split("/")
    parts = [] if call is None else call.path.split("/")[-len(template) :]
    found = dict(zip(template, parts, strict=False))
    return {name: found.get(f"{{{name}}}", "") for name in names}


def _properties(body: Schema, components: Mapping[str, Schema]) -> Iterator[tuple[str, Schema, bool]]:
    """Yield the properties of a body that is an object, each with whether it is required."""
    whole = resolved(body, components)
    for name, schema in whole.get("properties", {}).items():
        yield name, schema, name in whole.get("required", ())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def send(service: Service, operation: Operation, form: Mapping[str, str]) -> str | None:
    """Call the API of a world as a form says; returns the id of the call, None for one that is held.

    It waits for no answer: a held call is released on the page of faults.
    """
    profile = service.profile
    path = tuple(form.get(PATH + each, "") for each in operation.placeholders)
    query = {
        each.name: text for each in operation.query_parameters if (text := form.get(QUERY + each.name, "").strip())
    }
    token = form.get("token") or form.get("other", "").strip()
    headers = {"host": HOST, **({"authorization": f"Bearer {token}"} if token else {})}
    body = _body(operation, profile, form)
    if body:
        headers["content-type"] = "application/json"
    call = request_of(operation, path, query, profile, headers, body)
    request = replace(call.request, target=service.address.mount + call.request.target)
    outcome = service.perform(service.incoming(request, operation, path, ProfileContext(profile), None))
    if isinstance(outcome, Future) and not outcome.done():
        return None
    newest = next(reversed([*service.journal]), None)
    return None if newest is None else newest.id


def _body(operation: Operation, profile: Mapping[str, Any], form: Mapping[str, str]) -> bytes:
    if operation.body is None:
        return b""
    if form.get(WHOLE, "").strip() or not operation.body.is_json:
        return form.get(WHOLE, "").encode()
    schemas = Schemas(profile)
    values = {
        name: value_of(text, schema, schemas.components)
        for name, schema, _ in _properties(schemas.body(operation.body.type), schemas.components)
        if (text := form.get(BODY + name, "")) != ""
    }
    return msgspec.json.encode(values)

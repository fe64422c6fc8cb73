"""The form that tries an operation: its fields from the declaration, suggestions from the records, and its values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import Struct

from confsim.api.catalogue import API
from confsim.contract.operation import Operation
from confsim.contract.schema import Schema, Schemas
from confsim.kernel.refusal import Misuse

from .declared import resolved
from .inputs import Input, input_of, value_of
from .page_request import PageRequest

#: Records that a field suggests.
_SUGGESTED = 20
#: Prefixes of the names of fields, by where their values go.
PATH, QUERY, BODY = "path-", "query-", "body-"
#: The name of the field with a whole body, and of the one that takes the place of the fields.
WHOLE = "body"


class TryForm(Struct, frozen=True):
    """The form of an operation. ``body`` are the fields of a JSON object; ``whole`` is there for any other body."""

    path: list[Input]
    query: list[Input]
    body: list[Input]
    whole: str | None
    is_file: bool


def form_of(asked: PageRequest, operation: Operation, call: Any) -> TryForm:
    """Return the form of an operation, filled in as a call of the journal was; None for an empty one."""
    profile = asked.control.context.service.profile
    schemas = Schemas(profile)
    path = [
        input_of(
            each.name,
            schemas.parameter(each.wire),
            schemas.components,
            required=True,
            text=each.description,
            given=given,
            suggestions=list(_suggested(asked, each.names)),
        )
        for each, given in zip(operation.path_parameters, _values(operation, profile, call), strict=True)
    ]
    sent = {} if call is None else call.query
    query = [
        input_of(
            each.name,
            schemas.parameter(each.wire),
            schemas.components,
            required=each.required,
            text=each.description,
            given=sent.get(each.name, ""),
        )
        for each in operation.query_parameters
    ]
    if operation.body is None:
        return TryForm(path, query, [], None, False)
    whole = "" if call is None or call.body is None else _text(call.body)
    if not operation.body.is_json:
        return TryForm(path, query, [], whole, True)
    body = schemas.body(operation.body.type)
    fields = list(_fields(body, schemas.components, None if call is None else call.body))
    return TryForm(path, query, fields, None if fields else whole, False)


def _suggested(asked: PageRequest, names: str | None) -> Iterator[tuple[str, str]]:
    """Yield records whose id a parameter takes, each with its label."""
    if names is not None:
        kind = names.replace("_", " ")
        try:
            found = asked.control("list_records", kind=kind, limit=_SUGGESTED).records
        except Misuse:  # no records have this name
            return
        yield from ((each.id, each.label) for each in found)


def _values(operation: Operation, profile: Mapping[str, Any], call: Any) -> list[str]:
    """Return the values of the path of a call, in the order of the operation's parameters; empty texts for none."""
    names = [each.name for each in operation.path_parameters]
    if call is None:
        return ["" for _ in names]
    _, template = operation.route(profile)
    parts = call.path.rsplit("/", template.count("/"))[-template.count("/") :]
    found = dict(zip(template.split("/")[1:], parts, strict=False))
    return [found.get(f"{{{name}}}", "") for name in names]


def _fields(body: Schema, components: Mapping[str, Schema], sent: Any) -> Iterator[Input]:
    """Yield a field for each property of a body that is an object."""
    whole = resolved(body, components)
    given = sent if isinstance(sent, dict) else {}
    for name, schema in whole.get("properties", {}).items():
        text = _text(given[name]) if name in given else ""
        yield input_of(name, schema, components, required=name in whole.get("required", ()), given=text)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def request_of(name: str, profile: Mapping[str, Any], form: Mapping[str, str]) -> tuple[str, dict[str, str], bytes]:
    """Return the path below the mount, the query and the body of a filled-in form. Raises Misuse for a missing part."""
    operation = API.find(name)
    if operation is None:
        raise Misuse(f"there is no operation {name[:80]!r}", status=404)
    _, path = operation.route(profile)
    for each in operation.path_parameters:
        path = path.replace(f"{{{each.name}}}", quote(form.get(PATH + each.name, ""), safe=""))
    query = {
        each.name: text for each in operation.query_parameters if (text := form.get(QUERY + each.name, "").strip())
    }
    return path, query, _body(operation, profile, form)


def _body(operation: Operation, profile: Mapping[str, Any], form: Mapping[str, str]) -> bytes:
    if operation.body is None:
        return b""
    if form.get(WHOLE, "").strip():
        return form[WHOLE].encode()
    schemas = Schemas(profile)
    whole = resolved(schemas.body(operation.body.type), schemas.components)
    values = {
        each: value_of(text, schema, schemas.components)
        for each, schema in whole.get("properties", {}).items()
        if (text := form.get(BODY + each, "")) != ""
    }
    return msgspec.json.encode(values) if operation.body.is_json else b""

"""Parts of an OpenAPI document: security schemes, uploads, headers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from confsim.assumptions.protocol import transport, wire
from confsim.assumptions.register import in_force
from confsim.contract.gates import Grant
from confsim.contract.operation import Operation
from confsim.contract.schema import Profile, Schema

_BINARY: Schema = {"type": "string", "format": "binary"}


def grants_of(operation: Operation, profile: Profile) -> tuple[Grant, ...]:
    """Return the grants that allow an operation under a profile."""
    entry = operation.gate_entry
    grants: tuple[Grant, ...] = operation.gate.grants if entry is None else in_force(profile, entry)
    return grants


def security_schemes(lines: tuple[str, ...]) -> dict[str, Any]:
    """Return the security schemes of the ways to present a token, one for each item of ``auth.presentation``."""
    return {f"token{place}" if place else "token": _scheme(line) for place, line in enumerate(lines)}


def _scheme(line: str) -> dict[str, Any]:
    place, name, scheme = wire.presentation(line)
    if name.lower() == "authorization" and scheme:
        return {"type": "http", "scheme": scheme.lower(), "description": f"The token of a user or of a server: {line}"}
    described = {"description": f"The value is {f'{scheme} {{token}}'!r}."} if scheme else {}
    return {"type": "apiKey", "in": place, "name": name, **described}


def uploads(operation: Operation, profile: Profile) -> dict[str, Any]:
    """Return the body of an operation that takes bytes: the file itself, or a form with it."""
    entry = operation.upload
    required = not any(parameter.name == "url" for parameter in operation.query_parameters)
    if entry is not None and in_force(profile, entry) == "multipart":
        part = {**_BINARY, "description": "The file; the first part with a file name is taken."}
        schema = {"type": "object", "properties": {"file": part}, "required": ["file"]}
        return {"required": required, "content": {"multipart/form-data": {"schema": schema}}}
    content = {kind: {"schema": _BINARY} for kind in ("application/octet-stream", "*/*")}
    return {"description": "The bytes of the file.", "required": required, "content": content}


def downloads(operation: Operation) -> dict[str, Any]:
    """Return the content of an answer of bytes: a JSON object or a text where its media type is one, else any file."""
    media = operation.media
    if not media:
        return {"application/octet-stream": {"schema": _BINARY}, "*/*": {}}
    return {media: {"schema": {"type": "object" if media.endswith("json") else "string"}}}


def common_headers(profile: Profile, refusals: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the headers that answers share, by name; those of refusals as far as they have them."""
    text: Schema = {"type": "string"}
    headers: dict[str, Any] = {
        "X-Confsim-Request-Id": {"description": "The id of the call in the journal.", "required": True, "schema": text},
        "Date": {"description": "The instant of the world's clock (RFC 9110, 6.6.1).", "schema": text},
        "WWW-Authenticate": {"description": "How a token is presented (RFC 9110, 11.6.1).", "schema": text},
        "Retry-After": {"description": "Seconds after which to try again.", "schema": {"type": "integer"}},
    }
    more = in_force(profile, transport.REQUEST_ID)
    if more:
        headers[more] = {"description": "The id of the call in the journal.", "schema": text}
    used = {name for each in refusals for name in each["headers"]} | set(header_references(profile))
    return {name: headers[name] for name in headers if name in used}


def header_references(profile: Profile) -> dict[str, Any]:
    """Return references to the headers that every answer has."""
    names = ["X-Confsim-Request-Id", "Date", *filter(None, [in_force(profile, transport.REQUEST_ID)])]
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def error_headers(status: int, profile: Profile) -> dict[str, Any]:
    """Return references to the headers of a refusal of this status."""
    more = {401: ["WWW-Authenticate"], 429: ["Retry-After"]}.get(status, [])
    return header_references(profile) | {name: {"$ref": f"#/components/headers/{name}"} for name in more}

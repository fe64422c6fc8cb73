"""Parts of an OpenAPI document: security schemes, uploads, headers, and how calls are read."""

from collections.abc import Iterable, Mapping
from typing import Any

from confsim.assumptions import Assumption, in_force
from confsim.assumptions.protocol import parsing, transport, wire
from confsim.contract.encode import Raw
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
    content = {"application/octet-stream": {"schema": _BINARY}}  # generators know no wildcard of a request
    text = "The bytes of the file." if required else "The bytes of the file; without them the query has its url."
    return {"description": text, "required": required, "content": content}


def downloads(operation: Operation) -> dict[str, Any]:
    """Return the content of an answer of bytes: a JSON object or a text where its media type is one, else any file."""
    media = operation.media
    if not media:
        return {"application/octet-stream": {"schema": _BINARY}, "*/*": {}}
    return {media: {"schema": {"type": "object" if media.endswith("json") else "string"}}}


def common_headers(profile: Profile, refusals: Iterable[Mapping[str, Any]], *, problems: bool) -> dict[str, Any]:
    """Return the headers that answers share, by name; those of refusals as far as they have them.

    With ``problems`` they are those of the control plane, whose calls have no ids in the journal.
    """
    text: Schema = {"type": "string"}
    headers: dict[str, Any] = {
        "X-Confsim-Request-Id": {"description": "The id of the call in the journal.", "required": True, "schema": text},
        "Date": {"description": "The instant of the world's clock (RFC 9110, 6.6.1).", "schema": text},
        "Cache-Control": {"description": "No cache may keep it (RFC 9111, 5.2.2.5).", "schema": text},
        "WWW-Authenticate": {"description": "How a token is presented (RFC 9110, 11.6.1).", "schema": text},
        "Retry-After": {"description": "Seconds after which to try again.", "schema": {"type": "integer"}},
    }
    more = in_force(profile, transport.REQUEST_ID)
    if more:
        headers[more] = {"description": "The id of the call in the journal.", "schema": text}
    used = {name for each in refusals for name in each["headers"]} | set(header_references(profile, problems=problems))
    return {name: headers[name] for name in headers if name in used}


def header_references(profile: Profile, *, problems: bool) -> dict[str, Any]:
    """Return references to the headers that every answer has."""
    names = ["Date"]
    if problems or in_force(profile, transport.CACHING) == "no-store":
        names.append("Cache-Control")
    if not problems:
        names += ["X-Confsim-Request-Id", *filter(None, [in_force(profile, transport.REQUEST_ID)])]
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def cacheable(operation: Operation, profile: Profile) -> bool:
    """Return whether answers of an operation have an entity tag, by which a condition asks for another (G010)."""
    reads = operation.method == "GET"
    return reads and (operation.result is Raw or in_force(profile, transport.CACHING) == "etag")


def conditional(operation: Operation, success: dict[str, Any]) -> dict[str, Any]:
    """Return the responses to a GET that can be conditional, made of the one with status 200; a file has ranges too."""
    own = {"ETag": _header("The entity tag of the answer (RFC 9110, 8.8.3).")}
    parts: dict[str, Any] = {}
    if operation.result is Raw:
        own["Accept-Ranges"] = _header("The unit of ranges: bytes (RFC 9110, 14.3).")
        own["Content-Disposition"] = _header("The name under which to save it (RFC 6266).")
        ranged = {**own, "Content-Range": _header("Which part it is, of how much (RFC 9110, 14.4).")}
        part = {"description": "The range that was asked for.", "headers": {**success["headers"], **ranged}}
        parts["206"] = {**part, "content": success["content"]}
    headers = {**success["headers"], **own}
    unchanged = {"description": "It is as the condition knows it; there is no body.", "headers": headers}
    return {"200": {**success, "headers": headers}, **parts, "304": unchanged}


def _header(text: str) -> dict[str, Any]:
    return {"description": text, "schema": {"type": "string"}}


def error_headers(status: int, profile: Profile, *, problems: bool) -> dict[str, Any]:
    """Return references to the headers of a refusal of this status."""
    more = [] if problems else {401: ["WWW-Authenticate"], 429: ["Retry-After"]}.get(status, [])
    return header_references(profile, problems=problems) | {
        name: {"$ref": f"#/components/headers/{name}"} for name in more
    }


#: Sentences by entry and value; a value without one is said by schemas.
_SENTENCES: tuple[tuple[Assumption[Any], Mapping[str, str]], ...] = (
    (
        parsing.UNKNOWN_QUERY,
        {
            "ignore": "Query parameters that an operation does not list are ignored.",
            "refuse": "Query parameters that an operation does not list are refused.",
        },
    ),
    (parsing.CONTENT_TYPE, {"ignore": "A body is read as JSON, whatever its Content-Type."}),
    (
        parsing.FOR_CLIENT,
        {
            "refuse": "The query parameter for_client is refused by operations that do not list it.",
            "ignore": "The query parameter for_client is ignored by operations that do not list it.",
        },
    ),
    (
        parsing.REPEATED_QUERY,
        {
            "first": "Of a query parameter that is given more than once the first value counts.",
            "last": "Of a query parameter that is given more than once the last value counts.",
            "join": "The values of a query parameter that is given more than once are joined by commas.",
            "refuse": "A query parameter that is given more than once is refused.",
        },
    ),
    (
        parsing.PLUS,
        {"space": "A plus sign in a query is a space.", "plus": "A plus sign in a query is a plus sign."},
    ),
    (
        parsing.ESCAPES,
        {
            "refuse": "Broken percent escapes are refused.",
            "replace": "Broken percent escapes are read as replacement characters.",
        },
    ),
    (
        parsing.NUMBERS,
        {"5.0 is 5": "In a body 5.0 is the integer 5.", "strict": "In a body 5.0 is no integer."},
    ),
    (
        parsing.DUPLICATE_KEYS,
        {
            "refuse": "A JSON object that has a key twice is refused.",
            "last": "Of a key that a JSON object has twice the last value counts.",
        },
    ),
    (
        parsing.OUTER_BLANKS,
        {
            "removed": "Leading and trailing blanks of names and handles are removed.",
            "kept": "Leading and trailing blanks of names and handles are kept.",
        },
    ),
    (parsing.PLACES, {"query too": "A call without a body takes the fields of the body from its query."}),
)


def readings(profile: Mapping[str, Any]) -> str:
    """Return how calls are read under a profile."""
    said = (sentences.get(in_force(profile, entry)) for entry, sentences in _SENTENCES)
    return " ".join(sentence for sentence in said if sentence is not None)

"""Hooks for Schemathesis, with which its command line tests a server of confsim.

    SCHEMATHESIS_HOOKS=confsim.testing.schemathesis st run http://127.0.0.1:8080/openapi.json

The served demo world is reset, and populated with something of every kind (``populated``). Each call starts from that
world, is sent by a caller whom the gate of its operation admits, and names existing things where the document says what
a parameter or a field names (``x-confsim-names``). Values that Schemathesis made wrong on purpose stay wrong, but for
header lines of the connection, such as Host, which are no part of a call. Calls of the stateful phase follow each
other: the world is restored before the first of them only.

The hooks change the one world of the server, so use one worker, which is Schemathesis' default.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from zlib import crc32

import schemathesis
from hypothesis.control import current_build_context
from msgspec import Struct
from schemathesis import AuthContext, Case, GenerationMode, HookContext
from schemathesis.core import NOT_SET
from schemathesis.core.failures import Failure
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.transport import Response
from schemathesis.generation.meta import CaseMetadata, TestPhase

from confsim.assumptions.protocol import wire
from confsim.assumptions.register import in_force
from confsim.service.checks.credentials import present
from confsim.service.files.profile import read_profile

from .expected_findings import expected
from .populated import PARTNER, Populated, populate
from .targets import Url

_SNAPSHOT = "schemathesis"
#: Matches the path prefix of a world at the start of its URLs.
_MOUNT = re.compile(r"https?://[^/]+(/w/[^/]+)?")
_NAMES = "x-confsim-names"
#: Header lines of the connection, not of a call: a server refuses wrong ones before it finds the operation.
_OF_THE_CONNECTION = frozenset(
    {"connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"}
)


class Described(Struct, frozen=True):
    """The document's description of an operation: its gate, and the kinds that its parameters and body fields name."""

    id: str
    gate: list[str]
    parameters: dict[str, str | None]
    fields: dict[str, str | None]
    #: The kind of thing that each element of a list body names.
    elements: str | None
    #: Fields of the answer, or of each of its elements, that are ids, with their kinds.
    identifies: dict[str, str]


class SchemathesisSession:
    """A run of Schemathesis: the server, the things in its world, the operations by method and path."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        url = document["servers"][0]["url"]
        mount = _MOUNT.match(url)
        root = url if mount is None else mount[0]
        self.operations = {(each[0], each[1]): described for *each, described in described_operations(document)}
        asked = Url(root)
        chosen = asked.control("get_info").body["profile"]
        asked.close()
        self.profile = read_profile(chosen)
        self.server = Url(root, chosen)
        self.server.control("reset_world")
        self.known: Populated = populate(self.server)
        self.server.control("take_snapshot", name=_SNAPSHOT)
        #: The current example of the stateful phase, and the ids in its answers, by kind.
        self.example: object = None
        self.made: set[tuple[str, str]] = set()

    def close(self) -> None:
        """Close the connection to the server."""
        self.server.close()

    def operation(self, case: Case[Any]) -> Described | None:
        """Return the document's description of the operation of a case."""
        return self.operations.get((case.operation.method.upper(), case.operation.path))

    def token(self, case: Case[Any]) -> str | None:
        """Return the token of a caller whom the gate of the operation admits, None for a public one."""
        described = self.operation(case)
        return None if described is None else self.known.token(described.id, described.gate)

    def present(self, case: Case[Any], token: str) -> None:
        """Add a token to the request of a case."""
        headers, query = present(in_force(self.profile, wire.PRESENTATION), token)
        case.headers.update(headers)
        if query:
            case.query.update(query)

    def prepare(self, case: Case[Any]) -> None:
        """Restore the populated world, put existing ids into the case; a Partner Admin acts for a child client."""
        described = self.operation(case)
        if described is None:
            return
        self.begin(case)
        for name in [name for name in case.headers if name.lower() in _OF_THE_CONNECTION]:
            del case.headers[name]
        self.fill(case, described)
        if case.query.get("for_client") == self.known.things["clients"]:
            token = self.known.token(described.id, described.gate)
            if token is not None and any(token in str(value) for value in case.headers.values()):
                self.present(case, PARTNER)

    def begin(self, case: Case[Any]) -> None:
        """Restore the populated world, unless the case continues its example."""
        if _stateful(case.meta):
            example = current_build_context()
            if example is self.example:
                return
            self.example, self.made = example, set()
        self.server.control("restore_snapshot", _SNAPSHOT)

    def fill(self, case: Case[Any], described: Described) -> None:
        """Put ids of existing things into every part of a case that is not meant to be wrong."""
        meta = case.meta  # computed once: it is computed anew after each change
        containers = ((ParameterLocation.PATH, case.path_parameters), (ParameterLocation.QUERY, case.query))
        for location, values in containers:
            for name in values or ():
                if name in described.parameters and not _wrong(meta, location, name):
                    drawn = values[name] if isinstance(values[name], list) else str(values[name])
                    found = self.value(described, meta, name, described.parameters[name], drawn)
                    values[name] = values[name] if found == drawn else found
        body = case.body
        if _wrong(meta, ParameterLocation.BODY):
            pass
        elif isinstance(body, dict):
            for name in body:
                if name in described.fields:
                    body[name] = self.value(described, meta, name, described.fields[name], body[name])
        elif isinstance(body, list) and described.elements is not None:
            body[:] = [self.value(described, meta, "", described.elements, each) for each in body]
        elif body is not NOT_SET and not isinstance(body, list):
            case.body = self.value(described, meta, "", None, body)
        # A replaced value must not count as an edit of the drawn one, which would be validated in its form on the wire.
        getattr(case, "_record_starting_state", lambda: None)()

    def value(self, described: Described, meta: CaseMetadata | None, name: str, kind: str | None, drawn: Any) -> Any:
        """Return the value to use instead of the drawn one: mostly an existing id, sometimes one that names nothing."""
        found = self.known.value(described.id, name, kind)
        if found is None or drawn is None or (kind is None and crc32(repr(drawn).encode()) % 4 == 0):
            return drawn
        if kind is not None and (kind, _text(drawn)) in self.made and _stateful(meta):
            return drawn
        return _like(found, drawn)

    def learn(self, case: Case[Any], answer: Any) -> None:
        """Note the ids in an answer."""
        described = self.operation(case)
        if described is None:
            return
        elements = answer if isinstance(answer, list) else [answer]
        if isinstance(answer, dict):
            elements = answer.get("results") or answer.get("rows") or [answer]
        for field, kind in described.identifies.items():
            self.made |= {(kind, str(each[field])) for each in elements if isinstance(each, dict) and field in each}


class HookState:
    """The state that the hooks of a process share: the session of the document loaded last."""

    def __init__(self) -> None:
        self.session: SchemathesisSession | None = None

    def start(self, document: Mapping[str, Any]) -> None:
        """Begin a session, and end an earlier one."""
        if self.session is not None:
            self.session.close()
        self.session = SchemathesisSession(document)


RUN = HookState()


@schemathesis.hook
def after_load_schema(context: HookContext, schema: Any) -> None:
    """Reset and populate the world of the document's server, and take a snapshot."""
    RUN.start(schema.raw_schema)


@schemathesis.hook
def before_call(context: HookContext, case: Case[Any], kwargs: dict[str, Any]) -> None:
    """Restore the populated world and put ids of existing things into the case."""
    if RUN.session is not None:
        RUN.session.prepare(case)


@schemathesis.hook
def after_call(context: HookContext, case: Case[Any], response: Response) -> None:
    """Note the ids in an answer of the stateful phase."""
    if RUN.session is not None and _stateful(case.meta) and _is_json(response):
        RUN.session.learn(case, response.json())


@schemathesis.hook
def filter_failure(context: HookContext, failure: Failure, case: Case[Any], response: Response) -> bool:
    """Drop expected failures (``expected_findings``)."""
    return not expected(failure, response)


@schemathesis.auth(refresh_interval=None)
class Tokens:
    """The authentication of cases: the token of a caller whom the gate admits, presented as in the profile."""

    def get(self, case: Case[Any], _context: AuthContext) -> str | None:
        """Return the token, None for a public operation."""
        return None if RUN.session is None else RUN.session.token(case)

    def set(self, case: Case[Any], data: str, _context: AuthContext) -> None:
        """Add the token to the request."""
        if RUN.session is not None:
            RUN.session.present(case, data)


def _stateful(meta: CaseMetadata | None) -> bool:
    return meta is not None and meta.phase.name is TestPhase.STATEFUL


def _wrong(meta: CaseMetadata | None, location: ParameterLocation, name: str = "") -> bool:
    """Return whether a part of a case, or one parameter of it, is meant to be wrong."""
    part = None if meta is None else meta.components.get(location)
    if meta is None or part is None or part.mode is not GenerationMode.NEGATIVE:
        return False
    data = meta.phase.data
    single = name and meta.phase.name is TestPhase.COVERAGE and location is data.parameter_location
    return not single or data.parameter == name


def _like(found: Any, drawn: Any) -> Any:
    """Return a value in the type of the drawn one: a list, a text, or unchanged."""
    if isinstance(drawn, list):
        return [_like(found, drawn[0])] if drawn else [found]
    return str(found) if isinstance(drawn, str) else found


def _is_json(response: Response) -> bool:
    return response.status_code < 300 and "application/json" in response.headers.get("content-type", [])


def _text(value: Any) -> str:
    return str(value[0] if isinstance(value, list) and value else value)


def described_operations(document: Mapping[str, Any]) -> Iterator[tuple[str, str, Described]]:
    """Yield the operations of a document by method and path."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            parameters = [_resolved(document, each) for each in operation.get("parameters", ())]
            content = operation.get("requestBody", {}).get("content", {})
            body = _resolved(document, content.get("application/json", {}).get("schema", {}))
            yield (
                method.upper(),
                path,
                Described(
                    operation["operationId"],
                    operation.get("x-confsim-gate", []),
                    {each["name"]: each.get(_NAMES) for each in parameters},
                    {name: _kind(each) for name, each in body.get("properties", {}).items()},
                    _kind(body),
                    operation.get("x-confsim-identifies", {}),
                ),
            )


def _kind(schema: Mapping[str, Any]) -> str | None:
    found: str | None = schema.get(_NAMES, schema.get("items", {}).get(_NAMES))
    return found


def _resolved(document: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a part of the document with its reference resolved."""
    if "$ref" not in part:
        return part
    found: Any = document
    for name in part["$ref"].removeprefix("#/").split("/"):
        found = found[name]
    resolved: Mapping[str, Any] = found
    return resolved

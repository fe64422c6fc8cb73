"""The invocation of control operations: one function for all callers, and its two callers.

``respond`` answers HTTP requests; ``ControlPlane`` serves callers in the same process.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

import msgspec

from confsim.api.call import HOST
from confsim.assumptions.protocol.refusals import Reason
from confsim.contract.decode import Body
from confsim.contract.encode import encode
from confsim.contract.operation import Catalogue, Operation
from confsim.contract.query import arguments, decode_query, suggest_field, suggest_parameter, unknown_parameters
from confsim.kernel.refusal import Misuse, Refusal, suggest, suggest_near
from confsim.service.checks.sites import cross_site
from confsim.service.messages import Outcome, Request, Response
from confsim.service.service import OfOneProcess, Service
from confsim.service.waiting import after, wait_for
from confsim.service.worlds import Worlds
from confsim.transport.address import encoded, in_query, request_of
from confsim.transport.results import result_of
from confsim.transport.transport import Transport

from .context import ControlContext
from .operations.bounds import BODY, SMALL
from .problems import misuse_of, problem, refuse

Result = TypeVar("Result")

_UNKNOWN_FIELD = re.compile(r"unknown field `([^`]*)`")
#: Bodies that some clients send when there is none.
_EMPTY_BODIES = (b"", b"{}", b"null")


def invoke(
    context: ControlContext, operation: Operation, path: Sequence[str], query: Mapping[str, str], body: bytes
) -> Any:
    """Run an operation and return its result, or the future of it if the operation waits.

    ``path`` has the path parameters and ``query`` the query parameters (texts by name), ``body`` is the JSON body.
    Decodes them, runs the function, and records the call in the journal, also a refused one. Raises Misuse, Refusal.
    """
    context = context.for_call()
    with context.lock(operation):
        found = [
            parameter.read(context, parameter.where, text)
            for parameter, text in zip(operation.path_parameters, path, strict=True)
        ]
        for name in unknown_parameters(operation, query) if query else ():
            raise _unknown(f"query {name}", "no such parameter", suggest_parameter(operation, name))
        unwanted = operation.body is None and body.strip() not in _EMPTY_BODIES
        belonging = _belonging(operation, body) if unwanted else ""
        if belonging:
            raise Misuse(f"{operation.name} takes no body{belonging}")
        named = arguments(context, operation, query) if query or operation.contract.required_query else {}
        if unwanted:
            raise Misuse(f"{operation.name} takes no body")
        if operation.body is not None:
            named["body"] = _read_body(context, operation, operation.body, body)
        context.service.usage.touch()
        before = context.service.world

        def record(refusal: Misuse | None = None) -> None:
            with context.service.lock:
                context.record(operation, tuple(path), query, body, before, refusal)

        return _recorded(lambda: operation.function(context, *found, **named), record)


def _recorded(call: Callable[[], Any], record: Callable[..., None]) -> Any:
    """Return the result of the call, and record the call once it is over. Raises what the call raises."""
    try:
        done = call()
    except (Misuse, Refusal) as refusal:
        misuse = misuse_of(refusal) if isinstance(refusal, Refusal) else refusal
        record(Misuse(str(misuse), misuse.status, **misuse.facts))  # without the frames that raised it
        raise
    if isinstance(done, Future):
        return after(done, lambda over: _recorded(over.result, record))
    record()
    return done


def _belonging(operation: Operation, raw: bytes) -> str:
    """The end of a message about a body that is not taken: one of its fields that belongs in the query, if there is."""
    try:
        given = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
        return ""
    names = sorted(given.keys() & operation.query_names) if isinstance(given, dict) else ()
    return f"; {names[0]!r}{suggest_field(operation, names[0]).removeprefix('; it')}" if names else ""


def _read_body(context: ControlContext, operation: Operation, declared: Body, raw: bytes) -> Any:
    """Return the decoded body. Raises the refusals of ``Body.read``, and Misuse for an undeclared field."""
    unknown = declared.ignored_fields(raw)
    if unknown:
        what = f"Object contains unknown field `{unknown[0]}`"
        raise _unknown("body", what, suggest_field(operation, unknown[0]))
    try:
        return declared.read(context, raw)
    except Refusal as refusal:
        where, problem = (str(refusal.facts.get(each, "")) for each in ("where", "problem"))
        nested = _UNKNOWN_FIELD.search(problem)
        meant = suggest_near(nested[1], _names_within(declared.type)) if nested else ""
        if not meant:
            raise
        raise _unknown(where, problem.rstrip("."), meant) from None


def _names_within(type_: Any) -> set[str]:
    """Return the names of the fields of a type, nested types included."""
    _, components = msgspec.json.schema_components([type_])
    return {name for each in components.values() for name in each.get("properties", {})}


def _unknown(where: str, problem: str, known: str) -> Misuse:
    """Return the Misuse for an undeclared name, with the ``known`` ones."""
    return Misuse(
        f"{where}: {problem}{known or '.'}", where=where, problem=problem, code=Reason.INVALID_INPUT.name.lower()
    )


# HTTP


def respond(service: Service, worlds: Worlds, operation: Operation, path: tuple[str, ...], request: Request) -> Outcome:
    """Return the response to a request of the control plane, or its future; never raises.

    In the journal, control calls are separate entries between the API calls.
    """
    start = service.address.start(request.headers, request.scheme)
    context = ControlContext(service, worlds, request.headers.get("host", HOST), start=start)

    def run() -> object:
        _check_origin(request, start)
        _check_size(operation, request.body)
        return invoke(context, operation, path, decode_query(context, request.query), request.body)

    answer = partial(_response, context, operation, request, run)
    return request.worker.do(answer) if operation.beside and request.worker is not None else answer()


def _response(context: ControlContext, operation: Operation, request: Request, run: Callable[[], object]) -> Outcome:
    try:
        result = run()
        if isinstance(result, Future):
            return after(result, lambda over: _response(context, operation, request, over.result))
        status, lines, body = encode(context, operation.contract, result)
        return Response(status, [*lines, ("Cache-Control", "no-store")], body)
    except (Misuse, Refusal) as refusal:
        return refuse(refusal)
    except Exception as bug:
        bug.add_note(f"confsim failed while it answered {request.method} {request.target} of the control plane")
        context.service.live.report_bug(bug)
        reference = f"{type(bug).__name__}: {bug}"
        return problem(500, f"confsim failed: {reference}", reference=reference)


def _check_origin(request: Request, public_url: str) -> None:
    """Raise Misuse (403) for a request that a page of another site made a browser send."""
    if cross_site(request, HOST, public_url):
        where = request.headers.get("origin", "")[:200] or "another site"
        ours = "if the page is of this server behind a proxy, set --public-url or --trust-proxy"
        instead = f"call it from the test runner; {ours}"
        raise Misuse(f"the control plane does not answer web pages of {where}; {instead}", status=403)


def _check_size(operation: Operation, body: bytes) -> None:
    """Raise Refusal BODY_TOO_LARGE for more bytes than the operation takes; it needs none where it takes no body."""
    most = operation.bounds.get(BODY, SMALL)
    if len(body) > most:
        raise Refusal(Reason.BODY_TOO_LARGE, limit=most)


# In process


class ControlPlane(OfOneProcess):
    """The control operations by name, for callers in the same process.

    ``control("set_clock", to=0)`` invokes an operation and returns its result. If there is a ``transport``, the call is
    sent through it; operations that wait are invoked here all the same, since nobody else could use its one connection.
    """

    __slots__ = ("catalogue", "context", "transport")

    def __init__(self, catalogue: Catalogue, context: ControlContext, transport: Transport | None = None) -> None:
        self.catalogue = catalogue
        self.context = context
        self.transport = transport

    def __repr__(self) -> str:
        return f"<control plane: {len(self.catalogue.operations)} operations>"

    def __call__(self, operation: str, /, *path: str, **arguments: object) -> Any:
        """Invoke an operation and return its result.

        ``path`` holds the path parameters; keyword arguments are the fields of the body, or the query parameters of an
        operation without a body. Raises Misuse for an unknown operation and for every refusal.
        """
        declared = self._operation(operation)
        if declared.body is None:
            return self.send(declared, path, in_query(arguments) if arguments else {}, b"")
        return self.send(declared, path, {}, encoded(arguments))

    def call(self, function: Callable[..., Result], /, *path: str, **arguments: object) -> Result:
        """Invoke the operation that a function declares, as by its name, and return its result."""
        result: Result = self(function.__name__, *path, **arguments)
        return result

    def unnoted(self) -> ControlPlane:
        """Return the same operations, of which the journal does not note those that only read."""
        here = self.context
        context = ControlContext(here.service, here.worlds, here.host, notes_reads=False, start=here.start)
        return ControlPlane(self.catalogue, context, self.transport)

    def with_body(self, operation: str, body: object) -> Any:
        """Invoke an operation with a body that is no JSON object, and return its result."""
        return self.send(self._operation(operation), (), {}, encoded(body))

    def send(self, operation: Operation, path: Sequence[str], query: dict[str, str], body: bytes) -> Any:
        """Invoke an operation with encoded arguments and return its result, for which it waits."""
        if len(path) != len(operation.placeholders):
            raise Misuse(f"{operation.name} needs {', '.join(operation.placeholders) or 'nothing'} in its path")
        if self.transport is not None and not operation.waits:
            call = request_of(operation, tuple(path), query, {}, {"host": self.context.host}, body)
            return result_of(operation, self.transport.send(call))
        try:
            return wait_for(invoke(self.context, operation, path, query, body))
        except Refusal as refusal:
            raise misuse_of(refusal) from None

    def _operation(self, name: str) -> Operation:
        operation = self.catalogue.find(name)
        if operation is None:
            raise Misuse(
                f"the control plane has no operation {name!r}{suggest(name, self.catalogue.operations)}", status=404
            )
        return operation

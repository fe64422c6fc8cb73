"""The making of worlds in this process, and calls by operation and arguments. Importing it imports most of confsim."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn, Protocol

from confsim.api.catalogue import API
from confsim.assumptions.protocol.transport import TIME_SOURCE
from confsim.assumptions.register import in_force
from confsim.domain.identity.credentials import suggest_token
from confsim.kernel.refusal import Misuse, suggest
from confsim.service.clock import Clock, Instant
from confsim.service.files.profile import read_profile
from confsim.service.files.world_file import load
from confsim.service.incoming import Incoming
from confsim.service.messages import Answer, Outcome, Request, StatusError
from confsim.service.service import Provenance, Service
from confsim.values.plain import shown

from .address import address, encoded, places, query_string, route
from .results import answer_of
from .transport import Transport
from .undeclared import fields_of, undeclared, warn_of_ignored

#: The alternatives that worlds made here follow over those of their profiles.
_OVERRIDES: ContextVar[Mapping[str, Any]] = ContextVar("overrides", default=MappingProxyType({}))


@contextmanager
def overriding(choices: Mapping[str, Any]) -> Iterator[None]:
    """Let each world that the block makes follow these alternatives, over those of the profile that it is given.

    Raises Misuse for a value that is none of its assumption's.
    """
    token = _OVERRIDES.set(read_profile(choices))
    try:
        yield
    finally:
        _OVERRIDES.reset(token)


def in_effect(profile: Mapping[str, Any] | str | Path | None) -> dict[str, Any]:
    """Return a profile with the alternatives that worlds made now follow over it. Raises Misuse for what is none."""
    return {**read_profile(profile), **_OVERRIDES.get()}


def clock_of(clock: Clock | Instant | None) -> Clock:
    """A clock that was given, or one that stands at an instant, None for one that follows the machine's.

    Raises Misuse for what is no instant.
    """
    return clock if isinstance(clock, Clock) else Clock(clock)


def make(
    world: str | Path | Mapping[str, Any],
    seed: int,
    clock: Clock | Instant | None,
    profile: Mapping[str, Any] | str | Path | None,
) -> Service:
    """Return a served world. Parameters and errors are those of ``Simulator``."""
    if not isinstance(seed, int):
        raise Misuse(f"seed is a whole number, not {shown(seed)}")
    chosen = in_effect(profile)
    when = clock_of(clock)
    if clock is None and in_force(chosen, TIME_SOURCE) == "standing":
        when.freeze()
    built = load(world, seed, chosen)
    made_from = Provenance(
        "" if isinstance(world, Mapping) else str(world),
        assumptions=() if clock is not None else (TIME_SOURCE.id,),
        built_on=built.assumptions,
    )
    return Service(built.world, when, chosen, made_from)


class Holder(Protocol):
    """An object with a token, such as a user of ``Simulator.demo`` or one that ``Simulator.make_user`` has made."""

    @property
    def token(self) -> str:
        """The token."""


#: The caller of an operation: a token, an object with one, or None.
Caller = str | Holder | None


def token_of(caller: Caller) -> str | None:
    """The token of a caller, None for none. Raises Misuse for any other value."""
    if caller is None or isinstance(caller, str):
        return caller
    token = getattr(caller, "token", None)
    if not isinstance(token, str):
        raise Misuse(f"caller is a token, or somebody who has one, not {shown(caller)}")
    return token


def _undeclared(operation: str) -> NoReturn:
    """Raise Misuse (404): there is no operation of this name."""
    raise Misuse(f"there is no operation {operation!r}{suggest(operation, API.operations)}", status=404)


def perform(
    service: Service,
    operation: str,
    arguments: Mapping[str, object],
    caller: Caller,
    body: object,
    content_type: str | None,
    warns: bool = True,
) -> Outcome:
    """Perform an operation as a caller, below HTTP. Misuse for what could not be sent as a request.

    Warns of what the operation does not declare, if it ``warns``.
    """
    declared = API.operations.get(operation) or _undeclared(operation)
    token = token_of(caller)
    path, query = places(declared, arguments)
    raw = b"" if body is None else encoded(body)
    unknown = isinstance(body, dict) and declared.body is not None and not declared.body.known.issuperset(body)
    if warns and (unknown or (query and not declared.query_names.issuperset(query))):
        warn_of_ignored(declared, query, body, service.profile)
    method, target = route(declared, path.texts, service.profile) if service.profile else path.route
    request = Request(method, target, query_string(query) if query else "", {}, raw)
    if content_type is not None:
        from confsim.http.inputs import parse_form

        request.headers = {"content-type": content_type}
        parse_form(request, declared)
    return service.pipeline.perform(Incoming(declared, path.texts, query, token, request))


def expected(
    service: Service,
    answer: Answer,
    expect: int | Collection[int],
    arguments: Mapping[str, object],
    caller: Caller,
    body: object,
) -> Answer:
    """The answer, if it has an expected status, as of ``Answer.expect``.

    The error of another names the token near to an unknown one, and what of the call the operation does not declare.
    """
    try:
        return answer.expect(expect)
    except StatusError as error:
        declared = API.operations[answer.operation]
        hints = [text for _, text in undeclared(declared, places(declared, arguments)[1], fields_of(body))]
        unknown = token_of(caller) if answer.status == HTTPStatus.UNAUTHORIZED else None
        meant = "" if unknown is None else suggest_token(service.change(), unknown)
        if meant:
            hints.append(f"the token is {unknown!r}{meant}")
        if not hints:
            raise
        raise StatusError("\n".join((str(error), *hints)), answer) from None


def send(
    transport: Transport,
    service: Service,
    operation: str,
    arguments: Mapping[str, object],
    caller: Caller,
    body: object,
    content_type: str | None,
) -> Answer:
    """Perform an operation as ``perform`` does, over a transport."""
    declared = API.operations.get(operation) or _undeclared(operation)
    profile, token = service.profile, token_of(caller)
    request = address(declared, arguments, profile, body=body, content_type=content_type, token=token)
    warn_of_ignored(declared, places(declared, arguments)[1], body, profile)
    return answer_of(operation, transport.send(request))

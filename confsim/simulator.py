"""The Simulator that people import: one world in process, with everything around it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from confsim.api.call import API
from confsim.assumptions.register import REGISTER
from confsim.contract.operation import Operation
from confsim.kernel.refusal import Misuse
from confsim.service.clock import Clock
from confsim.service.loading import load
from confsim.service.message import Request, Response
from confsim.service.pipeline import Service



class Answer:
    """What a call was answered: status code, headers, and the body as plain values (None when there is none)."""

    __slots__ = ("_response",)

    def __init__(self, response: Response) -> None:
        self._response = response

    @property
    def status(self) -> int:
        """The HTTP status code."""
        return self._response.status

    @property
    def ok(self) -> bool:
        """Whether the status is a success."""
        return self._response.status < 400

    @property
    def headers(self) -> dict[str, str]:
        """The header lines."""
        return dict(self._response.headers)

    @property
    def content(self) -> bytes:
        """The body as bytes."""
        return self._response.body

    @property
    def body(self) -> Any:
        """The JSON body as plain values, None when the body is empty."""
        return msgspec.json.decode(self._response.body) if self._response.body else None

    def __repr__(self) -> str:
        return f"<Answer {self.status} {self.content[:200]!r}>"


class Simulator:
    """A simulated world of the conferencing API in this process.

    ``world`` is the name of a shipped world, the path of a world file or its content as plain data; ``seed`` pins every
    id and token; ``clock`` is a ``Clock``, or an instant (epoch milliseconds or ISO 8601) at which it stands still;
    ``profile`` chooses alternatives of assumptions: a mapping, or the path of a TOML file.
    """

    def __init__(
        self,
        world: str | Path | Mapping[str, Any] = "demo",
        seed: int = 0,
        clock: Clock | int | str | None = None,
        profile: Mapping[str, Any] | str | Path | None = None,
    ) -> None:
        chosen = read_profile(profile)
        when = clock if isinstance(clock, Clock) else Clock(clock)
        self.service = Service(load(world, seed, chosen), when, chosen)

    def call(
        self, operation: str, caller: str | None = None, *, body: object = None, **arguments: object
    ) -> Answer:
        """Call an operation by name, as a request would, without HTTP.

        ``caller`` is a token; ``body`` is the JSON body as plain values, or bytes; every other argument is a path or
        query parameter by its name on the wire. Misuse for an unknown operation or argument.
        """
        declared = API.get(operation)
        if declared is None:
            raise Misuse(f"there is no operation {operation!r}", status=404)
        path, query = _places(declared, arguments)
        raw = b"" if body is None else body if isinstance(body, bytes) else msgspec.json.encode(body)
        request = Request(declared.method, _target(declared, path), "", {}, raw)
        return Answer(self.service.perform(declared, path, query, request, caller))


def read_profile(profile: Mapping[str, Any] | str | Path | None) -> dict[str, Any]:
    """The chosen alternatives by id. Misuse that names every unknown id and every bad value."""
    if profile is None:
        return {}
    API.operations  # noqa: B018  (gates and routes are assumptions of the operations)
    if isinstance(profile, Mapping):
        return REGISTER.profile(profile)
    import tomllib

    try:
        with open(profile, "rb") as file:
            return REGISTER.profile(tomllib.load(file), str(profile))
    except OSError as error:
        raise Misuse(f"profile {str(profile)!r}: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise Misuse(f"profile {str(profile)!r}: {error}") from None


def _places(operation: Operation, arguments: dict[str, object]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The arguments by their places on the wire, as texts."""
    if not arguments and not operation.placeholders:
        return (), {}
    try:
        path = tuple(_text(arguments.pop(name)) for name in operation.placeholders)
    except KeyError as missing:
        raise Misuse(f"{operation.name} needs the path parameter {missing}") from None
    return path, {name.removesuffix("_"): _text(value) for name, value in arguments.items() if value is not None}


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ",".join(_text(item) for item in value)
    return str(value)


def _target(operation: Operation, path: tuple[str, ...]) -> str:
    target = operation.path
    for name, text in zip(operation.placeholders, path, strict=True):
        target = target.replace(f"{{{name}}}", quote(text, safe=""), 1)
    return target



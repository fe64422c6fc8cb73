"""What takes webhooks in this process: a WSGI application, a function, a list."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import msgspec
from msgspec import Struct


class Message(Struct, frozen=True):
    """One webhook as it is sent: a POST of ``body`` to ``url``."""

    url: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as plain values."""
        return msgspec.json.decode(self.body)


class Outcome(Struct, frozen=True):
    """What became of a message: the status that it was answered, or the problem that there was."""

    status: int | None
    problem: str | None = None


#: Takes a message and tells what became of it.
Receiver = Callable[[Message], Outcome]


def receiver(target: Any) -> Receiver:
    """What takes messages in this process.

    A WSGI application (whatever is called with two arguments), a function of a message that answers a status or
    nothing for 200, or a list to which messages are appended. What a target raises is a problem, told in the attempt.
    """
    if hasattr(target, "append"):
        take: Callable[[Message], Outcome] = _appending(target)
    elif _arguments(target) == 2:
        take = _wsgi(target)
    else:
        take = _calling(target)

    def careful(message: Message) -> Outcome:
        try:
            return take(message)
        except Exception as error:
            return Outcome(None, f"{type(error).__name__}: {error}")

    return careful


def _arguments(target: Callable[..., Any]) -> int:
    """How many arguments a callable needs."""
    import inspect

    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    found = inspect.signature(target).parameters.values()
    return sum(1 for each in found if each.kind in kinds and each.default is each.empty)


def _appending(target: list[Message]) -> Receiver:
    def take(message: Message) -> Outcome:
        target.append(message)
        return Outcome(200)

    return take


def _calling(target: Callable[[Message], int | None]) -> Receiver:
    def take(message: Message) -> Outcome:
        status = target(message)
        return Outcome(200 if status is None else int(status))

    return take


def _wsgi(application: Callable[..., Iterable[bytes]]) -> Receiver:
    def take(message: Message) -> Outcome:
        statuses: list[str] = []

        def start_response(status: str, headers: object, exc_info: object = None) -> Callable[[bytes], object]:
            statuses.append(status)
            return lambda data: None

        parts = application(_environ(message), start_response)
        try:
            for _ in parts:
                pass
        finally:
            getattr(parts, "close", lambda: None)()
        return Outcome(int(statuses[-1].split()[0]))

    return take


def _environ(message: Message) -> dict[str, Any]:
    url = urlsplit(message.url)
    secure = url.scheme == "https"
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "POST",
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(url.path or "/").decode("latin-1"),
        "QUERY_STRING": url.query,
        "SERVER_NAME": url.hostname or "",
        "SERVER_PORT": str(url.port or (443 if secure else 80)),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": url.netloc.rpartition("@")[2],
        "CONTENT_LENGTH": str(len(message.body)),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": url.scheme,
        "wsgi.input": io.BytesIO(message.body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in message.headers.items():
        key = name.upper().replace("-", "_")
        environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value
    return environ

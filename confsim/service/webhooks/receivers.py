"""Receivers of webhooks in this process: a WSGI application, a function, or a list."""

from __future__ import annotations

import io
import sys
from base64 import b64encode
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import msgspec
from msgspec import Struct

from confsim.values.urls import encoded, uri


class Message(Struct, frozen=True):
    """A webhook that is sent: a POST of ``body`` to ``url``."""

    url: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as plain values."""
        return msgspec.json.decode(self.body)


class DeliveryResult(Struct, frozen=True):
    """Result of a delivery attempt: the response status, or the error."""

    status: int | None
    problem: str | None = None


#: A function that takes a message and returns the result of its delivery.
Receiver = Callable[[Message], DeliveryResult]


def receiver(target: Any) -> Receiver:
    """Return the receiver of messages for a target in this process.

    The target is a WSGI application (any callable with two required parameters), a function of a message that returns a
    status (or None for 200), or a list to which messages are appended. An exception of the target is the error of the
    attempt.
    """
    if hasattr(target, "append"):
        take: Receiver = _appending(target)
    elif _arguments(target) == 2:
        take = _wsgi(target)
    else:
        take = _calling(target)

    def careful(message: Message) -> DeliveryResult:
        try:
            return take(message)
        except Exception as error:
            return DeliveryResult(None, f"{type(error).__name__}: {error}")

    return careful


def _arguments(target: Callable[..., Any]) -> int:
    """Return the number of required positional arguments of a callable."""
    import inspect

    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    found = inspect.signature(target).parameters.values()
    return sum(1 for each in found if each.kind in kinds and each.default is each.empty)


def _appending(target: list[Message]) -> Receiver:
    def take(message: Message) -> DeliveryResult:
        target.append(message)
        return DeliveryResult(200)

    return take


def _calling(target: Callable[[Message], int | None]) -> Receiver:
    def take(message: Message) -> DeliveryResult:
        status = target(message)
        return DeliveryResult(200 if status is None else int(status))

    return take


def _wsgi(application: Callable[..., Iterable[bytes]]) -> Receiver:
    def take(message: Message) -> DeliveryResult:
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
        return DeliveryResult(int(statuses[-1].split()[0]))

    return take


def addressed(url: str) -> tuple[str, dict[str, str]]:
    """Return the URL to which a message for ``url`` is sent, in ASCII and without a user, and the header for the user.

    The header is that of RFC 7617. An invalid URL stays as it is.
    """
    try:
        parts = uri(url)
    except ValueError:
        return url, {}
    user, at, netloc = parts.netloc.rpartition("@")
    if not at:
        return url if url == encoded(url) else parts.geturl(), {}
    name, _, password = user.partition(":")
    credentials = b64encode(unquote_to_bytes(name) + b":" + unquote_to_bytes(password)).decode()
    return parts._replace(netloc=netloc).geturl(), {"Authorization": f"Basic {credentials}"}


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

"""Receivers of webhooks in this process: functions, coroutine functions, WSGI and ASGI applications, and lists."""

from __future__ import annotations

import io
import sys
from base64 import b64encode
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextvars import copy_context
from inspect import (
    Parameter,
    isasyncgenfunction,
    isawaitable,
    isclass,
    iscoroutinefunction,
    isgeneratorfunction,
    signature,
)
from threading import current_thread
from typing import Any, TypeVar
from urllib.parse import unquote_to_bytes, urlsplit

import msgspec
from msgspec import Struct

from confsim.kernel.refusal import Misuse
from confsim.service.errors import as_one
from confsim.service.worker import Thread
from confsim.values.urls import encoded, uri

T = TypeVar("T")


class Message(Struct, frozen=True):
    """A webhook that is sent: a POST of ``body`` to ``url``."""

    url: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as plain values."""
        return msgspec.json.decode(self.body)


#: Bytes of the body of an answer, and header lines, that are kept.
ANSWER_BYTES, ANSWER_LINES = 4096, 50


class DeliveryResult(Struct, frozen=True):
    """Result of a delivery attempt: the response status, or the error; headers and the beginning of the body."""

    status: int | None
    problem: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


#: A function that takes a message and returns the result of its delivery.
Take = Callable[[Message], DeliveryResult]


class Receiver(Struct, frozen=True):
    """A receiver of messages. ``waits`` says whether it runs code of its own, which may wait, or call the service."""

    take: Take
    waits: bool


class FailedAssertions:
    """Failed assertions of receivers, each with the world of its receiver, until somebody takes them."""

    def __init__(self) -> None:
        self._failed: deque[tuple[object, BaseException]] = deque(maxlen=100)

    def add(self, world: object, error: BaseException) -> None:
        """Add one; the oldest is forgotten when there are too many."""
        self._failed.append((world, error))

    def take(self, world: object = None) -> BaseException | None:
        """Remove and return those of a world, or all: one as it is, several as a group; None for none."""
        taken = [failed for failed in self._failed if world is None or failed[0] is world]
        for failed in taken:
            self._failed.remove(failed)
        return as_one("receivers of webhooks failed", [error for _, error in taken])


#: Those of all worlds in this process.
FAILED = FailedAssertions()


def receiver(target: Any, world: object) -> Receiver:
    """Return the receiver of messages for a target in this process.

    The target is a function or coroutine function of a message that returns a status (or None for 200), a WSGI
    application, an ASGI application, or a list to which messages are appended. An exception of the target is the error
    of the attempt; a failed assertion is added to ``FAILED`` too. Raises Misuse for any other target.
    """
    appends = not callable(target) and hasattr(target, "append")
    take = _appending(target) if appends else _KINDS[_arguments(target)](target)

    def careful(message: Message) -> DeliveryResult:
        __tracebackhide__ = True
        try:
            return take(message)
        except BaseException as error:
            if _is_failure(error):
                FAILED.add(world, error)
            elif not isinstance(error, Exception) and not isinstance(current_thread(), Thread):
                raise  # to the caller; a thread of confsim has none
            return DeliveryResult(None, f"{type(error).__name__}: {error}")

    return Receiver(careful, waits=type(target) not in _LISTS)


def _is_failure(error: BaseException) -> bool:
    """Return whether it is a failed assertion, one of ``pytest.fail`` included, or a group with one."""
    if isinstance(error, BaseExceptionGroup):
        return any(map(_is_failure, error.exceptions))
    fail = getattr(sys.modules.get("pytest"), "fail", None)
    return isinstance(error, AssertionError if fail is None else AssertionError | fail.Exception)


def _arguments(target: Any) -> int:
    """Return the number of positional arguments with which a target is called: 1 to 3. Raises Misuse for others."""
    try:
        parameters = [*signature(target).parameters.values()]
    except (TypeError, ValueError):  # some built-in functions do not tell, and no Mock with a spec does
        parameters = [Parameter("message", Parameter.POSITIONAL_ONLY)] if callable(target) else []
    needed = [each for each in parameters if each.default is each.empty and each.kind not in _SEVERAL]
    count = max(1, len(needed))
    called = (target, type(target).__call__) if callable(target) else ()  # an object is called by what its class says
    wrong = any(_is(kind, each) for kind in _NO_ANSWER.get(count, ()) for each in called)
    if wrong or count > 3 or not any(map(_is_positional, parameters)) or not all(map(_is_positional, needed)):
        what = getattr(target, "__qualname__", None) or f"{target!r:.80}"
        raise Misuse(
            f"{what} cannot receive webhooks: a receiver is a list, a function of one message, a WSGI application "
            "(environ, start_response) or an ASGI application (scope, receive, send)"
        )
    return count


def _is(kind: Callable[[Any], bool], called: Any) -> bool:
    try:
        return kind(called)
    except TypeError:  # a Mock with a spec passes for a function, and has no code
        return False


def _is_positional(parameter: Parameter) -> bool:
    return parameter.kind not in (Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD)


def _appending(target: list[Message]) -> Take:
    def take(message: Message) -> DeliveryResult:
        target.append(message)
        return DeliveryResult(200)

    return take


def _calling(target: Callable[[Message], Any]) -> Take:
    def take(message: Message) -> DeliveryResult:
        __tracebackhide__ = True
        status = target(message)
        if isawaitable(status):
            status = _result_of(status)
        return DeliveryResult(200 if status is None else _status(status))

    return take


def _status(value: Any) -> int:
    try:
        status = 0 if isinstance(value, bool) else int(value)
    except (TypeError, ValueError):
        status = 0
    if not 100 <= status <= 599:
        what = f"{value!r:.80}" if isinstance(value, int | str) else f"an object of {type(value).__name__}"
        raise ValueError(f"the receiver returned {what}, which is no status from 100 to 599")
    return status


def _last(started: Sequence[T]) -> T:
    if not started:
        raise ValueError("the application ended without starting a response")
    return started[-1]


def _wsgi(application: Callable[..., Iterable[bytes]]) -> Take:
    def take(message: Message) -> DeliveryResult:
        __tracebackhide__ = True
        started: list[tuple[str, Any]] = []
        body = bytearray()

        def start_response(status: str, headers: object, exc_info: object = None) -> Callable[[bytes], object]:
            started.append((status, headers))
            return lambda data: None

        parts = application(_environ(message), start_response)
        try:
            for part in parts:
                body += part[: ANSWER_BYTES - len(body)]
        finally:
            getattr(parts, "close", lambda: None)()
        status, headers = _last(started)
        lines = tuple((str(name), str(value)) for name, value in headers[:ANSWER_LINES])
        return DeliveryResult(int(status.split()[0]), None, lines, bytes(body))

    return take


def _asgi(application: Callable[..., Awaitable[object]]) -> Take:
    def take(message: Message) -> DeliveryResult:
        __tracebackhide__ = True
        import asyncio

        started: list[dict[str, Any]] = []
        body = bytearray()
        requests = [{"type": "http.request", "body": message.body, "more_body": False}]

        async def answer() -> None:
            answered = asyncio.Event()

            async def receive() -> dict[str, Any]:
                if requests:
                    return requests.pop()
                await answered.wait()
                return {"type": "http.disconnect"}

            async def send(event: dict[str, Any]) -> None:
                if event["type"] == "http.response.start":
                    started.append(event)
                    return
                body.extend(event.get("body", b"")[: ANSWER_BYTES - len(body)])
                if not event.get("more_body"):
                    answered.set()

            await application(_scope(message), receive, send)

        _result_of(answer())
        start = _last(started)
        found = list(start.get("headers", ()))[:ANSWER_LINES]
        lines = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in found)
        return DeliveryResult(start["status"], None, lines, bytes(body))

    return take


#: How a target is called, by the number of its arguments.
_KINDS: Mapping[int, Callable[[Any], Take]] = {1: _calling, 2: _wsgi, 3: _asgi}
#: What gives no answer when it is called, by the number of its arguments.
_NO_ANSWER: Mapping[int, tuple[Callable[[Any], bool], ...]] = {
    1: (isclass, isgeneratorfunction, isasyncgenfunction),
    2: (iscoroutinefunction, isasyncgenfunction),
    3: (isgeneratorfunction, isasyncgenfunction),
}
_SEVERAL = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
#: Types that append a message without code of users.
_LISTS = (list, deque)


def _result_of(promise: Awaitable[Any]) -> Any:
    """Return the result of an awaitable object, on an event loop of its own.

    The loop runs in this thread, or in another one if this thread already runs a loop.
    """
    import asyncio

    async def awaited() -> Any:
        return await promise

    def run() -> Any:
        with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:  # leaves the loop of the thread alone
            return runner.run(awaited())

    if sys.get_asyncgen_hooks().firstiter is None:  # every event loop sets it while it runs
        return run()
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(copy_context().run, run).result()


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


def _scope(message: Message) -> dict[str, Any]:
    environ = _environ(message)
    headers = {"Host": environ["HTTP_HOST"], "Content-Length": environ["CONTENT_LENGTH"], **message.headers}
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": environ["wsgi.url_scheme"],
        "path": environ["PATH_INFO"].encode("latin-1").decode(errors="replace"),
        "raw_path": urlsplit(message.url).path.encode() or b"/",
        "query_string": environ["QUERY_STRING"].encode(),
        "root_path": "",
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()],
        "client": None,
        "server": (environ["SERVER_NAME"], int(environ["SERVER_PORT"])),
    }

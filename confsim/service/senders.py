"""Ways by which a webhook leaves the process, or stays in it: over HTTP, to a WSGI application, a function, a list."""

from __future__ import annotations

import inspect
import io
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import ip_address
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


class Courier:
    """Carries messages over HTTP, on threads of its own that start with the first message.

    Messages go to loopback hosts, and to those that are ``allowed``; never through a proxy, never on to another
    address by a redirect.
    """

    #: Messages that are carried at a time.
    THREADS = 8

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self.allowed = frozenset(host.lower() for host in allowed)
        self._threads: ThreadPoolExecutor | None = None
        self._open: set[HTTPConnection] = set()
        self._lock = threading.Lock()
        self._closed = False

    def carry(self, message: Message, timeout: float, report: Callable[[Outcome], object]) -> None:
        """Send the message from another thread, which reports what became of it. ``timeout`` in seconds."""
        with self._lock:
            if self._closed:
                return
            if self._threads is None:
                self._threads = ThreadPoolExecutor(self.THREADS, thread_name_prefix="confsim-webhooks")
            self._threads.submit(self._carried, message, timeout, report)

    def close(self) -> None:
        """Carry nothing more; what is on its way is broken off, and nothing is reported of it."""
        with self._lock:
            self._closed = True
            for connection in self._open:
                if connection.sock is not None:
                    with suppress(OSError):
                        connection.sock.shutdown(2)
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)

    def _carried(self, message: Message, timeout: float, report: Callable[[Outcome], object]) -> None:
        outcome = self._post(message, timeout)
        if not self._closed:
            report(outcome)

    def _post(self, message: Message, timeout: float) -> Outcome:
        try:
            url = urlsplit(message.url)
            kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
            connection = kind(url.hostname or "", url.port, timeout=timeout)
        except (ValueError, HTTPException) as error:
            return Outcome(None, f"{type(error).__name__}: {error}")
        with self._lock:
            self._open.add(connection)
        try:
            target = (url.path or "/") + (f"?{url.query}" if url.query else "")
            connection.request("POST", target, message.body, message.headers)
            return Outcome(connection.getresponse().status)
        except Exception as error:  # whatever it is, the delivery must not hang on it
            return Outcome(None, f"{type(error).__name__}: {error}")
        finally:
            connection.close()
            with self._lock:
                self._open.discard(connection)


def barred(url: str, allowed: Iterable[str]) -> str | None:
    """Why nothing is sent to this URL, or None where something may be: its host is loopback, or allowed by name."""
    try:
        parts = urlsplit(url)
        host, _ = (parts.hostname or "").lower(), parts.port
    except ValueError as error:
        return f"{url[:80]!r} is no URL: {error}"
    if _loopback(host) or host in allowed:
        return None
    return f"the host {host!r} is not loopback; it can be allowed by --allow-webhooks, or PUT /_confsim/webhooks"


def _loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False

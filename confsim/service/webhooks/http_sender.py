"""The HTTP sender of webhooks: to loopback, and to other hosts only if allowed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from confsim.values.urls import host_name, is_loopback, uri

from .receivers import ANSWER_BYTES, ANSWER_LINES, DeliveryResult, Message

if TYPE_CHECKING:  # imported with the first message: these take longer than the rest of the package
    from concurrent.futures import ThreadPoolExecutor
    from http.client import HTTPConnection


class HttpSender:
    """Sends messages over HTTP, on threads of its own that start with the first message.

    Messages go to loopback hosts, and to those that are ``allowed``; never through a proxy, and redirects are not
    followed.
    """

    #: Messages that are sent at the same time.
    THREADS = 8

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self.allowed = frozenset(map(host_name, allowed))
        self._threads: ThreadPoolExecutor | None = None
        self._open: set[HTTPConnection] = set()
        self._lock = threading.Lock()
        self._closed = False

    def blocked_reason(self, url: str, allowed: frozenset[str]) -> str | None:
        """Return why a URL is blocked, None when it is allowed; ``allowed`` are hosts in lower case."""
        return blocked_reason(url, allowed | self.allowed)

    def send(self, message: Message, timeout: float, report: Callable[[DeliveryResult], object]) -> None:
        """Send the message in another thread, which reports the result. ``timeout`` in seconds."""
        with self._lock:
            if self._closed:
                return
            if self._threads is None:
                from concurrent.futures import ThreadPoolExecutor

                self._threads = ThreadPoolExecutor(self.THREADS, thread_name_prefix="confsim-webhooks")
            self._threads.submit(self._sent, message, timeout, report)

    def close(self) -> None:
        """Stop sending; messages under way are aborted without a report."""
        with self._lock:
            self._closed = True
            for connection in self._open:
                if connection.sock is not None:
                    with suppress(OSError):
                        connection.sock.shutdown(2)
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)

    def _sent(self, message: Message, timeout: float, report: Callable[[DeliveryResult], object]) -> None:
        result = self._post(message, timeout)
        if not self._closed:
            report(result)

    def _post(self, message: Message, timeout: float) -> DeliveryResult:
        from http.client import HTTPConnection, HTTPException, HTTPSConnection

        try:
            url = urlsplit(message.url)
            kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
            host, headers = url.hostname or "", message.headers
            if f".{host.removesuffix('.')}".endswith(".localhost"):  # not every resolver knows them (RFC 6761, 6.3)
                host, headers = "localhost", {"Host": url.netloc, **headers}
            connection = kind(host, url.port, timeout=timeout)
        except (ValueError, HTTPException) as error:
            return DeliveryResult(None, f"{type(error).__name__}: {error}")
        with self._lock:
            if self._closed:
                return DeliveryResult(None, "the sender has stopped")
            self._open.add(connection)
        try:
            target = (url.path or "/") + (f"?{url.query}" if url.query else "")
            connection.request("POST", target, message.body, headers)
            answer = connection.getresponse()
            lines = tuple(answer.getheaders()[:ANSWER_LINES])
            body = b""
            if answer.length:  # a body without a declared length may never end
                with suppress(OSError, HTTPException):
                    body = answer.read(min(answer.length, ANSWER_BYTES))
            return DeliveryResult(answer.status, None, lines, body)
        except Exception as error:  # any exception is reported: the delivery must not wait for ever
            return DeliveryResult(None, f"{type(error).__name__}: {error}")
        finally:
            connection.close()
            with self._lock:
                self._open.discard(connection)


def blocked_reason(url: str, allowed: Iterable[str]) -> str | None:
    """Return why a URL is blocked, None when it is allowed: its host is loopback, or allowed by name."""
    try:
        host = uri(url).hostname or ""
    except ValueError as error:
        return f"{url[:80]!r} is no URL: {error}"
    if is_loopback(host) or host.removesuffix(".") in allowed:
        return None
    return f"the host {host!r} is not loopback; it can be allowed by --allow-webhooks, or PUT /_confsim/webhooks"

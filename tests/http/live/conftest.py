"""An echo handler behind live servers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from confsim.http.limits import Limits
from confsim.http.live.server import LiveServer
from kit.wire.sockets import Client, Connect, Echo, ServerClock


@pytest.fixture
def echo() -> Echo:
    """A fresh echo handler."""
    return Echo()


@pytest.fixture
def server_clock(monkeypatch: pytest.MonkeyPatch) -> ServerClock:
    """The clock of servers that are started later, to be moved ahead: nobody waits for a deadline."""
    return ServerClock(monkeypatch)


@pytest.fixture
def connect(echo: Echo) -> Iterator[Connect]:
    """Give connections to a server of the echo handler, one server for each set of limits."""
    with ExitStack() as stack:
        servers: dict[Limits, LiveServer] = {}

        def connection(limits: Limits = Limits()) -> Client:  # noqa: B008 - a frozen value
            if limits not in servers:
                servers[limits] = stack.enter_context(LiveServer(echo, limits=limits))
            client = Client(servers[limits])
            stack.callback(client.close)
            return client

        yield connection

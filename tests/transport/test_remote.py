from __future__ import annotations

from contextlib import closing
from http.client import HTTPConnection
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from confsim import Simulator
from confsim.kernel.refusal import Misuse
from confsim.service.messages import Request
from confsim.testing.observing.proxy import Proxy
from confsim.transport import transport
from confsim.transport.remote import RemoteTransport
from kit import START_MS


@pytest.fixture
def server():
    """A live server whose clock stands still."""
    with Simulator(clock=START_MS).serve() as serving:
        yield serving


def test_a_confsim_server_is_not_waited_for(server):
    """Its clock moves on instead."""
    with closing(RemoteTransport(server.root)) as there:
        there.wait(90)
    assert server.worlds.default.clock.now() == START_MS + 90_000


def test_any_other_server_is(server, monkeypatch):
    """Where there is no control plane, time really passes."""
    waited = []
    monkeypatch.setattr(transport, "time", SimpleNamespace(sleep=waited.append))  # no other thread's
    with closing(RemoteTransport(f"{server.root}/elsewhere")) as there:
        there.wait(0.5)
    assert waited == [0.5]


@pytest.mark.parametrize("method", ["endheaders", "getresponse"])
def test_an_interrupted_request_leaves_a_transport_that_can_be_used(server, monkeypatch, method):
    """Nothing of it is sent with the next, and its answer is not taken for that to the next."""
    with closing(RemoteTransport(server.root)) as there:
        with monkeypatch.context() as patch:
            patch.setattr(HTTPConnection, method, Mock(side_effect=KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                there.exchange(Request("GET", "/nothing", "", {}))
        assert there.exchange(Request("GET", "/_confsim/health", "", {})).status == 200


@pytest.mark.parametrize(
    "root",
    [
        "ftp://127.0.0.1",
        "127.0.0.1:8080",
        "http://",
        "",
        "http://:8080",
        "http://127.0.0.1:65536",
        "http://127.0.0.1:port",
        "http://[::1",
        "http://loc alhost/v1_0",
        "http://127.0.0.1/v1_0?x=1",
        "http://127.0.0.1/v1_0#x",
    ],
)
def test_addresses_that_are_none(root):
    """They are refused by name."""
    with pytest.raises(Misuse, match="is not a server URL such as"):
        RemoteTransport(root)


@pytest.mark.parametrize("root", ["https://user:secret@127.0.0.1", "http://user:secret@127.0.0.1:99999"])
def test_a_password_in_an_address_is_refused_and_not_repeated(root):
    """Who calls is said by tokens."""
    for made in (RemoteTransport, lambda url: Proxy(url, lambda *_: None)):
        with pytest.raises(Misuse, match=r"127\.0\.0\.1") as caught:
            made(root)
        assert "secret" not in str(caught.value)


def test_a_server_that_is_gone(server):
    """It is Misuse, and no response is made up."""
    with closing(RemoteTransport(server.root)) as there:
        server.stop()
        with pytest.raises(Misuse, match="cannot be reached"):
            there.wait(1)

from __future__ import annotations

from contextlib import closing

import pytest

from confsim import Simulator
from confsim.arazzo import remote
from confsim.kernel.refusal import Misuse

START = 1769904000000  # 2026-02-01T00:00:00Z


@pytest.fixture
def server():
    """A live server whose clock stands still."""
    with Simulator(clock=START).serve() as serving:
        yield serving


def test_a_confsim_server_is_not_waited_for(server):
    """Its clock moves on instead."""
    with closing(remote.Http(server.root)) as way:
        way.wait(90)
    assert server.worlds.default.clock.now() == START + 90_000


def test_any_other_server_is(server, monkeypatch):
    """Where there is no control plane, time really passes."""
    waited = []
    monkeypatch.setattr(remote.time, "sleep", waited.append)
    with closing(remote.Http(f"{server.root}/elsewhere")) as way:
        way.wait(0.5)
    assert waited == [0.5]


@pytest.mark.parametrize("root", ["ftp://127.0.0.1", "127.0.0.1:8080", "http://", ""])
def test_addresses_that_are_none(root):
    """They are refused by name."""
    with pytest.raises(Misuse, match="no address such as"):
        remote.Http(root)


def test_a_server_that_is_gone(server):
    """It is told, and no answer is made up."""
    with closing(remote.Http(server.root)) as way:
        server.stop()
        with pytest.raises(Misuse, match="cannot be reached"):
            way.wait(1)

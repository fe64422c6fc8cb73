"""What a service had before its traffic was observed says nothing wrong about it."""

from __future__ import annotations

import tomllib

import pytest

from confsim import Simulator
from confsim.service.messages import Request
from confsim.testing.learning.accounts import accounts_of
from confsim.testing.observing.observer import Observer
from confsim.transport.wsgi import WsgiTransport
from kit import ADMIN, OWNER


@pytest.mark.parametrize(
    ("path", "token"),
    [
        ("/auth/profile", OWNER),
        ("/providers/auth/available", "demo-guest"),
        ("/channels", "demo-guest"),
        ("/clients/11111111-1111-4111-8111-111111111111", "demo-guest"),
        ("/clients/11111111-1111-4111-8111-111111111111/url/available?url=one", "demo-api-token"),
        ("/clients/33333333-3333-4333-8333-333333333333", "demo-other-admin"),
        ("/clients/33333333-3333-4333-8333-333333333333/origins", "demo-guest"),
        ("/clients/33333333-3333-4333-8333-333333333333/terms", "demo-other-admin"),
        ("/users/1002/origin", ADMIN),
        ("/providers/auth/users/me", OWNER),
    ],
)
def test_one_call_of_a_service_that_follows_the_defaults_teaches_nothing_else(path, token):
    """Whatever it was that the service had of before: other clients, a guest, identities of a provider."""
    simulator = Simulator()
    accounts = accounts_of(tomllib.loads(simulator.control("get_accounts").data.decode()))
    observer = Observer("http://confsim.test/v1_0", accounts)
    path, _, query = path.partition("?")
    request = Request("GET", f"/v1_0{path}", query, {"authorization": f"Bearer {token}"})
    observer.see(request, WsgiTransport(simulator.wsgi).exchange(request))
    report = observer.conclude()
    assert (report.seen, report.learned, report.contradicted) == (1, {}, [])

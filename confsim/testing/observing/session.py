"""The observation of a service through a proxy, and the profile that results."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from confsim.control.scenarios import mount_url
from confsim.service.messages import Request, Response
from confsim.testing.learning.accounts import Accounts
from confsim.transport.remote import parsed_root
from confsim.values.urls import normalised

from .observer import Observer
from .proxy import Proxy


@contextlib.contextmanager
def observe(
    upstream: str, accounts: Accounts, *, port: int = 0, say: Callable[[str], Any] | None = None
) -> Iterator[tuple[Proxy, Observer]]:
    """Serve a proxy for the service at a base URL until the end of the block; then the observer has every exchange."""
    observer = Observer(upstream, accounts, say=say)
    mount = mount_url(parsed_root(upstream, "https://service.example/v1_0").path, {})

    def below(request: Request) -> Request:
        target = normalised(request.target)
        return replace(request, target=target[len(mount) :]) if target.startswith(f"{mount}/") else request

    def notify(request: Request, response: Response | None) -> None:
        observer.see(below(request), response)

    def missed(why: str, request: Request | None) -> None:
        observer.miss(why, None if request is None else below(request))

    with Proxy(upstream, notify, missed=missed, port=port).serving() as proxy:
        yield proxy, observer

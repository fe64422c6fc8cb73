"""The observation of a service through a proxy, and the profile that results."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

from msgspec.structs import replace

from confsim.control.scenarios import mount_url
from confsim.service.messages import Request, Response
from confsim.testing.learning.accounts import Accounts

from .observer import Observer
from .proxy import Proxy


@contextlib.contextmanager
def observe(
    upstream: str, accounts: Accounts, *, port: int = 0, say: Callable[[str], Any] | None = None
) -> Iterator[tuple[Proxy, Observer]]:
    """Serve a proxy for the service at a base URL until the end of the block; then the observer has every exchange."""
    observer = Observer(upstream, accounts, say=say)
    mount = urlsplit(mount_url(upstream, {})).path

    def below(request: Request) -> Request:
        if request.target.startswith(mount):
            request = replace(request, target=request.target[len(mount) :])
        return request

    def notify(request: Request, response: Response | None) -> None:
        observer.see(below(request), response)

    def missed(why: str, request: Request | None) -> None:
        observer.miss(why, None if request is None else below(request))

    with Proxy(upstream, notify, missed=missed, port=port).serving() as proxy:
        yield proxy, observer

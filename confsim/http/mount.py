"""The mount of each world: its catalogues and their routes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from confsim.assumptions.protocol import transport
from confsim.assumptions.register import in_force
from confsim.contract.operation import Catalogue, Operation
from confsim.kernel.refusal import Misuse, Refusal
from confsim.service.messages import Request, Response
from confsim.service.service import Service
from confsim.service.worlds import Worlds

from .routing import Routes

#: Performs a control operation: service, worlds, operation, path texts, request.
Perform = Callable[[Service, Worlds, Operation, tuple[str, ...], Request], Response]


#: Most sets of routes that a mount caches, of about 0.25 MiB each.
MOST = 64


#: Answers a browser: service, worlds, request, the segments of its path from the control plane's prefix on.
Pages = Callable[[Service, Worlds, Request, Sequence[str]], Response]


class MountedApi:
    """A catalogue mounted beside the API: its path prefix, and the functions that perform and refuse its calls."""

    __slots__ = ("catalogue", "perform", "prefix", "refuse")

    def __init__(
        self, prefix: str, catalogue: Catalogue, perform: Perform, refuse: Callable[[Refusal | Misuse], Response]
    ) -> None:
        self.prefix = prefix
        self.catalogue = catalogue
        self.perform = perform
        self.refuse = refuse


class Mount:
    """The mount of a world: the API, its files, the control plane, and pages for browsers.

    Routes are built once for each set of ``route.*`` choices; the last ``MOST`` sets are cached, which bounds memory
    when worlds with different choices come and go.
    """

    def __init__(self, api: Catalogue, files: Catalogue, control: MountedApi, pages: Pages | None = None) -> None:
        self.api = api
        self.pages = pages
        self._files = files
        self.control = control
        self._default: Routes | None = None
        self._chosen = lru_cache(MOST)(self._made)

    def routes(self, profile: Mapping[str, Any]) -> Routes:
        """Return the routes under a profile; profiles with the same ``route.*`` choices share them."""
        if profile:
            chosen = tuple(sorted((id, value) for id, value in profile.items() if id.startswith("route.")))
            if chosen:
                return self._chosen(chosen)
        if self._default is None:
            self._default = self._made(())
        return self._default

    def _made(self, chosen: tuple[tuple[str, Any], ...]) -> Routes:
        profile = dict(chosen)
        mounted: list[tuple[str, Iterable[Operation]]] = [
            (in_force(profile, transport.PREFIX), self.api),
            ("", self._files),
            (self.control.prefix, self.control.catalogue),
        ]
        return Routes(mounted, profile)

"""The mount of each world: its catalogues and their routes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from confsim.assumptions.protocol import transport
from confsim.assumptions.register import in_force
from confsim.contract.operation import Catalogue, Operation
from confsim.kernel.refusal import Misuse, Refusal
from confsim.service.messages import Outcome, Request, Response
from confsim.service.service import Service
from confsim.service.worlds import ServerObserver, Worlds

from .routing import Routes

#: Performs a control operation: service, worlds, operation, path texts, request.
Perform = Callable[[Service, Worlds, Operation, tuple[str, ...], Request], Outcome]


#: Most sets of routes that a mount caches, of about 0.25 MiB each.
MOST = 64


#: Answers a browser: service, worlds, request, the segments of its path from the control plane's prefix on.
Pages = Callable[[Service, Worlds, Request, Sequence[str]], Outcome]


class MountedApi:
    """A catalogue mounted beside the API, and the functions that perform and refuse its calls."""

    __slots__ = ("catalogue", "perform", "refuse")

    def __init__(self, catalogue: Catalogue, perform: Perform, refuse: Callable[[Refusal | Misuse], Response]) -> None:
        self.catalogue = catalogue
        self.perform = perform
        self.refuse = refuse


class Mount(ServerObserver):
    """The mount of a world: the API, its files, the control plane, and pages for browsers.

    Routes are built once for each set of ``route.*`` choices; the last ``MOST`` sets are cached, which bounds memory
    when worlds with different choices come and go. The control plane, below ``control_prefix``, is loaded by
    ``load_control`` when it is first called: a server that is started for its API does not wait for it.
    """

    def __init__(
        self,
        api: Catalogue,
        files: Catalogue,
        control_prefix: str,
        load_control: Callable[[], MountedApi],
        pages: Pages | None = None,
    ) -> None:
        self.api = api
        self.pages = pages
        self._files = files
        self.control_prefix = control_prefix
        self._load_control = load_control
        self._default: Routes | None = None
        self._chosen = lru_cache(MOST)(self._made)

    def before_serve(self, service: Service) -> None:
        """Raise Misuse for a profile whose routes collide."""
        self.routes(service.profile)

    @cached_property
    def control(self) -> MountedApi:
        """The control plane."""
        return self._load_control()

    @cached_property
    def control_routes(self) -> Routes:
        """The routes of the control plane, on which no profile has an influence."""
        return Routes([(self.control_prefix, self.control.catalogue)], {})

    def routes_of(self, segments: Sequence[str], profile: Mapping[str, Any]) -> Routes:
        """Return the routes among which those of a path are: of the control plane, or of API and files."""
        if segments and f"/{segments[0]}" == self.control_prefix:
            return self.control_routes
        return self.routes(profile)

    def routes(self, profile: Mapping[str, Any]) -> Routes:
        """Return the routes of API and files under a profile; profiles with the same ``route.*`` choices share them.

        Raises Misuse when two operations would share a route, or the API would be below the control plane.
        """
        if profile:
            chosen = tuple(sorted((id, value) for id, value in profile.items() if id.startswith("route.")))
            if chosen:
                return self._chosen(chosen)
        if self._default is None:
            self._default = self._made(())
        return self._default

    def methods(self, profile: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the methods that some path of the mount has, sorted."""
        return tuple(sorted({*self.routes(profile).methods, *self.control_routes.methods}))

    def _made(self, chosen: tuple[tuple[str, Any], ...]) -> Routes:
        profile = dict(chosen)
        prefix = in_force(profile, transport.PREFIX)
        if prefix.startswith(f"{self.control_prefix}/"):
            raise Misuse(f"profile: {transport.PREFIX.id!r}: {prefix!r} is below the control plane")
        mounted: list[tuple[str, Iterable[Operation]]] = [(prefix, self.api), ("", self._files)]
        return Routes(mounted, profile)

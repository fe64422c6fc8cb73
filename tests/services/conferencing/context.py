"""What a call works with: the service, the request, the caller and the client in whose context it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from werkzeug.wrappers import Request

from services.conferencing import bugs
from services.conferencing.clock import Clock
from services.conferencing.store.db import Database
from services.conferencing.store.ids import Ids
from services.conferencing.store.models import ApiToken, Client, User
from services.conferencing.style import Style


@dataclass
class Reply:
    """An answer with a status of its own; without one, the style's status for the kind of call."""

    body: Any = None
    status: int | None = None
    location: str | None = None


@dataclass(frozen=True)
class Route:
    """One operation: its name, method, path and how its answer is made."""

    name: str
    method: str
    path: str
    query: tuple[str, ...]
    kind: str  # read, create, do or delete
    public: bool  # needs no token, and minds none
    optional: bool  # needs no token for some items
    work: Callable[[Context], Any]


ROUTES: list[Route] = []


def route(
    method: str,
    path: str,
    name: str,
    *,
    query: str = "",
    kind: str = "read",
    public: bool = False,
    optional: bool = False,
) -> Callable[[Callable[[Context], Any]], Callable[[Context], Any]]:
    """Register an operation. Path parameters are written in angle brackets, numbers as <number:name>."""

    def register(work: Callable[[Context], Any]) -> Callable[[Context], Any]:
        ROUTES.append(Route(name, method, path, tuple(query.split()), kind, public, optional, work))
        return work

    return register


@dataclass
class Caller:
    """Who calls: a user or an API token; neither on public calls."""

    client_id: str
    user: User | None = None
    api_token: ApiToken | None = None
    levels: frozenset[str] = frozenset()

    @property
    def id(self) -> str:
        """A name for the caller that is the same on every call."""
        if self.user is not None:
            return f"user:{self.user.id}"
        return f"api:{self.api_token.id}" if self.api_token is not None else "nobody"


@dataclass
class Service:
    """A running service: its style, clock, data and bugs."""

    style: Style
    bugs: frozenset[str]
    clock: Clock
    db: Database
    ids: Ids
    cache: dict[Any, Any] = field(default_factory=dict)

    def bug(self, name: str) -> bool:
        """Whether the bug of this name is switched on."""
        assert name in bugs.BUGS, name
        return name in self.bugs


@dataclass
class Context:
    """One call."""

    service: Service
    request: Request
    route: Route
    path: Mapping[str, str]
    caller: Caller
    client: Client  # the caller's, or the one of for_client; an empty one on public calls
    for_client: bool = False

    @property
    def style(self) -> Style:
        """The style that is running."""
        return self.service.style

    @property
    def db(self) -> Database:
        """The data."""
        return self.service.db

    @property
    def ids(self) -> Ids:
        """The source of identifiers."""
        return self.service.ids

    @property
    def now(self) -> int:
        """The present instant in epoch milliseconds."""
        return self.service.clock.now()

    def bug(self, name: str) -> bool:
        """Whether the bug of this name is switched on."""
        return self.service.bug(name)

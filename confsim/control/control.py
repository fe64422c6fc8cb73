"""The words that the control plane is written in: its catalogue, what a call of it gets, what its bodies are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

from msgspec import Struct

from confsim.assumptions.protocol import parsing
from confsim.assumptions.protocol import transport as assumed_transport
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import in_force
from confsim.contract import gates
from confsim.contract.operation import Catalogue, Operation
from confsim.domain.clients import clients
from confsim.domain.clients.clients import CLIENTS, Client
from confsim.domain.users import users
from confsim.domain.users.users import USERS, User
from confsim.kernel.refusal import Misuse, Refusal
from confsim.kernel.world import Change
from confsim.service.journal import Ordered
from confsim.service.pipeline import HOST, Service
from confsim.service.worlds import Worlds
from confsim.transport.transport import Transport

F = TypeVar("F", bound=Callable[..., Any])

#: Where the control plane stands below the mount of its world.
PREFIX = "/_confsim"
#: How the control plane reads its own calls, whatever the profile of the world says.
STRICT: Mapping[str, Any] = {parsing.UNKNOWN_QUERY.id: "refuse"}


#: Calls that no one who repeats a journal repeats: of the server and its other worlds, of the journal itself, of what
#: goes out of the world; and a reset, after which the journal begins anew.
STANDING_APART = frozenset(
    {
        "add_name",
        "clear_requests",
        "count_requests",
        "drop_name",
        "drop_world",
        "drop_worlds",
        "find_requests",
        "forget_request",
        "make_world",
        "reset_world",
        "set_address",
        "set_journal",
        "set_webhooks",
        "set_worlds_limit",
        "wait",
    }
)

#: Calls that take the locks of other worlds, and therefore not that of their own: two of them, each made in the world
#: that the other asks for, would wait for each other.
_OF_OTHERS = frozenset({"make_world"})


#: What themes declare their operations with; ``control.catalogue`` holds them all, in order.
CONTROL = Catalogue("confsim control plane", prefix=PREFIX)


def operation(route: str) -> Callable[[F], F]:
    """Declare an operation of the control plane; it needs no credential."""
    return CONTROL.operation(route, gate=gates.PUBLIC)


class Order(Struct, kw_only=True, forbid_unknown_fields=True):
    """A JSON body of the control plane: a field that is not listed is refused."""


class Control:
    """What an operation of the control plane gets beside its arguments: a world and those beside it.

    ``host`` is the name under which the caller reaches the server. Over a ``transport``, ``order`` sends what it is
    asked instead of doing it here.
    """

    __slots__ = ("host", "profile", "service", "transport", "used", "worlds")

    def __init__(self, service: Service, worlds: Worlds, host: str = HOST, transport: Transport | None = None) -> None:
        self.transport = transport
        self.service = service
        self.worlds = worlds
        self.host = host
        self.profile = STRICT
        self.used: dict[str, None] = {}

    @property
    def root(self) -> str:
        """The URL of the world's mount, without a slash at its end."""
        scheme = in_force(self.service.profile, assumed_transport.SCHEME)
        return f"{self.service.public_url or f'{scheme}://{self.host}'}{self.service.mount}"

    @property
    def base_url(self) -> str:
        """The URL below which the API of the world stands."""
        prefix = in_force(self.service.profile, assumed_transport.PREFIX)
        return self.root + prefix

    def lock(self, operation: Operation) -> AbstractContextManager[object]:
        """What a call of the operation is made under."""
        return nullcontext() if operation.name in _OF_OTHERS else self.service.lock

    def note(self, operation: Operation, path: tuple[str, ...], body: bytes) -> None:
        """Let the journal know of a call of the control plane that was done, when it is one that moves something."""
        if operation.changes and operation.name not in STANDING_APART:
            service = self.service
            service.journal.order(Ordered(service.journal.count, service.clock.now(), operation.name, path, body))

    def see(self) -> Change:
        """The world at this instant, to be read."""
        return self.service.change()

    @contextmanager
    def change(self) -> Iterator[Change]:
        """A change of the world that is in force when the block ends, and dropped when it raises."""
        with self.service.lock:
            change = self.service.change()
            yield change
            self.service.commit(change)


def client_of(change: Change, id: str) -> Client:
    """The client of this id. Refusal NOT_FOUND."""
    return clients.get(change, id)


def user_of(change: Change, id: int) -> User:
    """The user of this id in whichever client; ids are unique over the whole service. Misuse (404)."""
    for client in CLIENTS.of(change):
        if id in USERS.of(change, client.id):
            return users.get(change, client.id, id)
    raise Misuse(f"there is no user {id}", status=404)


@contextmanager
def by_the_rules() -> Iterator[None]:
    """A refusal by the rules of the API in this block becomes a Misuse (409) with its ``reason``.

    What cannot be read (400) and what is not there (404) is refused as it is.
    """
    try:
        yield
    except Refusal as refusal:
        reason = refusal.reason
        assert isinstance(reason, Reason)
        if reason.value.status in (400, 404):
            raise
        name = reason.name.lower()
        message = reason.value.message.format_map(refusal.facts)
        raise Misuse(message, 409, **{**refusal.facts, "reason": name, "code": name}) from None

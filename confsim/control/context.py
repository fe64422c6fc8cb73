"""The first argument of every control operation: the world that it works on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import islice
from typing import Any, TypeVar

from msgspec import Struct, field

from confsim.api.call import HOST
from confsim.assumptions.protocol import parsing, transport
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import Assumption, ProfileContext, context_of, in_force
from confsim.contract.operation import Operation
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.users import users
from confsim.domain.users.users import USERS, User
from confsim.kernel.refusal import Misuse, Refusal
from confsim.kernel.tables.writing import Written
from confsim.kernel.world import Change, World
from confsim.service.entries import ControlCall
from confsim.service.faults.interceptor import FaultHit, hits_in
from confsim.service.service import Service
from confsim.service.worlds import Worlds

from .problems import misuse_of

T = TypeVar("T")

#: Alternatives with which the control plane decodes its own calls, whatever the profile of the world.
STRICT: Mapping[str, Any] = {parsing.UNKNOWN_QUERY.id: "refuse"}


class ControlContext(Struct, eq=False):
    """A world, and the other worlds of its server.

    ``host`` is the Host name by which the caller reaches the server, ``start`` the start of URLs if it is another one,
    as that of a proxy. ``carried`` belongs to the decoding of the call.
    The changes on the world in this call used the assumptions ``asked``, wrote the records ``touched`` and had the
    faults ``hits``; ``instant`` is that of the last one. Without ``notes_reads`` the journal does not note calls that
    only read: pages of the inspector must not change what they show.
    """

    service: Service
    worlds: Worlds
    host: str = HOST
    notes_reads: bool = True
    start: str = ""
    carried: ProfileContext = field(default_factory=lambda: ProfileContext(STRICT))
    asked: dict[str, None] = {}
    touched: list[Written] = []
    hits: list[FaultHit] = []
    instant: int | None = None

    def for_call(self) -> ControlContext:
        """Return the context of one call, which notes what the call uses."""
        return ControlContext(self.service, self.worlds, self.host, self.notes_reads, self.start)

    def beside(self, service: Service) -> ControlContext:
        """Return the context of another world of the server."""
        return ControlContext(service, self.worlds, self.host, start=self.start)

    @property
    def root(self) -> str:
        """The URL of the world's mount, without a slash at its end."""
        scheme = self._in_force(transport.SCHEME)
        start = self.start or self.service.address.public_url or f"{scheme}://{self.host}"
        return start + self.service.address.mount

    @property
    def base_url(self) -> str:
        """The base URL of the world's API."""
        return self.root + self._in_force(transport.PREFIX)

    def _in_force(self, entry: Assumption[str]) -> str:
        """Return the value of an entry under the profile of the world, and note its use."""
        self.asked[entry.id] = None
        return in_force(self.service.profile, entry)

    def lock(self, operation: Operation) -> AbstractContextManager[object]:
        """Return the lock under which an operation runs: that of the world, unless it runs beside others."""
        return nullcontext() if operation.beside else self.service.lock

    def record(
        self,
        operation: Operation,
        path: tuple[str, ...],
        query: Mapping[str, str],
        body: bytes,
        before: World,
        refusal: Misuse | None = None,
    ) -> None:
        """Record a call in the journal, if a replay must repeat it, or if it used or wrote anything.

        ``before`` is the world before it; ``refusal`` says why it was refused.
        """
        status = 200 if refusal is None else refusal.status
        repeated = operation.changes and operation.replayed and status == 200
        if not (repeated or self.touched or self.hits or (self.asked and (operation.changes or self.notes_reads))):
            return
        service = self.service
        journal = service.journal
        call = ControlCall(
            journal.count,
            service.clock.now() if self.instant is None or operation.moves_clock else self.instant,
            operation.name,
            path,
            body,
            query,
            status,
            journal.next_between("c"),
            self.asked,
            self.touched,
            (before, service.world),
            tuple(self.hits),
            refusal,
        )
        if repeated:
            journal.add_control_call(call)
        else:
            journal.add_between(call)

    def view(self) -> Change:
        """Return a change at this instant, for reading; it is never committed."""
        with self.service.lock:
            change = self.service.change()
        context_of(change).collect_in(self.asked)
        self.instant = change.now
        return change

    @contextmanager
    def change(self) -> Iterator[Change]:
        """A change under the lock of the world; committed at the end of the block, dropped when the block raises."""
        with self.service.lock:
            change = self.view()
            try:
                yield change
            finally:
                self.hits += hits_in(change)
            self.service.commit(change)
            self.touched += change.touched


def newest(items: Iterator[T], limit: int | None, offset: int | None) -> list[T]:
    """Return ``limit`` items after the first ``offset``, or all after it, last item first."""
    first = offset or 0
    return list(islice(items, first, None if limit is None else first + limit))[::-1]


def get_client(change: Change, id: str) -> Client:
    """Return the client of this id. Raises Refusal NOT_FOUND."""
    return clients.get(change, id)


def get_user(change: Change, id: int) -> User:
    """Return the user of this id in any client; user ids are unique over all clients. Raises Misuse (404)."""
    client = USERS.find_client(change, id)
    if client is None:
        raise Misuse(f"there is no user {id}", status=404)
    return users.get(change, client, id)


@contextmanager
def refusals_as_conflicts() -> Iterator[None]:
    """Turn a refusal by the rules of the API into a Misuse (409) with the field ``reason``.

    Invalid input (400) and unknown things (404) stay refusals.
    """
    try:
        yield
    except Refusal as refusal:
        if refusal.reason.value.status in (400, 404):
            raise
        conflict = misuse_of(refusal)
        code = conflict.facts["code"]
        remedy = " Let the user join it first." if refusal.reason is Reason.NOT_PRESENT else ""
        raise Misuse(f"{conflict}{remedy}", 409, **{**refusal.facts, "reason": code, "code": code}) from None

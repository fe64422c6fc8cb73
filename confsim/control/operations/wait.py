"""Waiting for a call, a mail, a delivery or a record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import field

from confsim.contract.types import Int, Wire
from confsim.control.context import ControlContext
from confsim.control.declare import CommandBody, operation
from confsim.control.fields import Duration, Object
from confsim.control.journal_view import RequestInfo, describe
from confsim.control.labels.label import key_text
from confsim.control.matching import RequestPattern, matching, part_of
from confsim.control.operations import bounds
from confsim.domain.events.deliveries import DeliveryState
from confsim.kernel.refusal import Misuse
from confsim.kernel.tables.table import Table
from confsim.kernel.world import World
from confsim.service.waiting import monotonic
from confsim.values import spans

from .mail import MailInfo, matching_mail
from .webhooks import DeliveryInfo, matching_deliveries

#: The longest timeout, in milliseconds.
LONGEST = 60_000
#: Most bytes of a body, and characters of a text, in the answer to one that waits: many can wait for the same.
SHOWN = 256 * 2**10


class MailPattern(CommandBody):
    """A pattern of mails; a mail matches when it matches every field that is given."""

    to: Annotated[str | None, "The address that it was sent to."] = None
    kind: Annotated[str | None, "The kind of mail."] = None


class DeliveryPattern(CommandBody):
    """A pattern of deliveries; a delivery matches when it matches every field that is given."""

    endpoint: Annotated[str | None, "The id of the endpoint."] = None
    kind: Annotated[str | None, "The kind of the event."] = None
    delivered: Annotated[bool | None, "Whether it was delivered."] = None
    state: Annotated[DeliveryState | None, "The state of the delivery."] = None


class RecordPattern(CommandBody):
    """A pattern of records, in the words of ``GET /state``: of a table, of a client, with a key.

    ``record`` is an object; it matches a record with at least these fields.
    """

    table: Annotated[str, "The table of the record."]
    client: Annotated[str | None, "The client of the record."] = None
    key: Annotated[str | None, "The key of the record."] = None
    record: Annotated[Object, "Fields that the record must have."] = None


class WaitTarget(CommandBody):
    """The thing to wait for: exactly one of these fields."""

    ONE_OF: ClassVar = ("request", "mail", "delivery", "state")

    request: Annotated[RequestPattern | None, "A call to wait for."] = None
    mail: Annotated[MailPattern | None, "A mail to wait for."] = None
    delivery: Annotated[DeliveryPattern | None, "A delivery to wait for."] = None
    state: Annotated[RecordPattern | None, "A record to wait for."] = None


class WaitFor(CommandBody):
    """The thing to wait ``for``, their number (``count``), and a ``timeout`` in real time, at most a minute."""

    for_: Annotated[WaitTarget, "The thing to wait for."] = field(name="for")
    count: Annotated[Int, "Their number."] = 1
    timeout: Annotated[Duration, "The longest wait in real time, a minute at most."] = "5s"


class WaitResult(Wire):
    """The things that were found, oldest first, and the instant of the clock."""

    seen: Annotated[list[RequestInfo | MailInfo | DeliveryInfo | FoundRecord], "The matches, oldest first."]
    now: Annotated[int, "The instant of the clock, in epoch milliseconds."]


#: Yields for each match the function that describes it, None for others: a call that waits holds no description.
Search = Callable[[], Iterator[Callable[[], Any]]]


class FoundRecord(Wire):
    """A record of the world: its place, and all its fields."""

    table: Annotated[str, "The table of the record."]
    client: Annotated[str, "The client of the record; empty for none."]
    key: Annotated[str, "The key of the record."]
    record: Annotated[dict[str, Any], "Its fields."]


@operation(
    "POST /wait",
    replayed=False,
    waits=True,
    beside=True,
    most_bytes=bounds.RECORD,
    bounds=bounds.WAITERS | bounds.PATTERN | {"bytes of a body that is shown": SHOWN},
)
def wait(context: ControlContext, body: WaitFor) -> WaitResult | Future[WaitResult]:
    """Wait for a number of matching calls, mails, deliveries or records; earlier ones count.

    Other calls are served meanwhile, and due timers fire. A body of a call, or a text of a record, beyond its bound is
    described by its length. Raises Misuse (409, code not_seen) at the timeout, (409) if too many calls wait, and (404)
    if the operation or the table is unknown.
    """
    span = spans.span(body.timeout)
    if span > LONGEST:
        raise Misuse(f"timeout: nobody waits longer than {LONGEST // 1000}s")
    if body.count < 1:
        raise Misuse("count: there is nothing to wait for")
    waiting = _Waiting(context, body, _finder(context, body.for_), monotonic() + span / 1000)
    found = context.service.live.waiters.until(waiting.result)
    if isinstance(found, Future):
        context.worlds.count_waiting(found)
    return found


class _Waiting:
    """One who waits: what is searched for, and until when (``deadline``, seconds of a monotonic clock)."""

    def __init__(self, context: ControlContext, body: WaitFor, search: Search, deadline: float) -> None:
        self._context, self._body, self._search, self._deadline = context, body, search, deadline
        self._known: tuple[World, int, int] | None = None

    def result(self) -> WaitResult | None:
        """Search after every change, and once more at the deadline. Raises Misuse (409) then."""
        service, body = self._context.service, self._body
        over = monotonic() >= self._deadline
        with service.lock:
            now = service.change().world, service.journal.epoch, service.journal.count
        if not over and _same(self._known, now):
            return None
        self._known = now
        found = list(self._search())
        if len(found) >= body.count:
            return WaitResult(seen=[each() for each in found], now=service.clock.now())
        if over:
            wanted = msgspec.json.encode(_given(body.for_)).decode()
            message = f"after {body.timeout} there were {len(found)} of {body.count}: {wanted}"
            raise Misuse(message, 409, code="not_seen", found=len(found))
        return None


def _same(known: tuple[World, int, int] | None, now: tuple[World, int, int]) -> bool:
    """Return whether nothing can have changed: same world, no restart of the journal, no new call."""
    return known is not None and known[0] is now[0] and known[1:] == now[1:]


def _given(value: Any) -> Any:
    """Return the given fields of a body."""
    if isinstance(value, CommandBody):
        names = {name: getattr(value, name) for name in value.__struct_fields__}
        return {name: _given(each) for name, each in names.items() if each is not None}
    return value


def _finder(context: ControlContext, wanted: WaitTarget) -> Search:
    """Return the function that searches for the target. Raises Misuse unless exactly one kind of thing is given."""
    given = [name for name in wanted.__struct_fields__ if getattr(wanted, name) is not None]
    if len(given) != 1:
        raise Misuse(f"for: give one of {', '.join(wanted.__struct_fields__)}")
    request, mail, delivery, state = wanted.request, wanted.mail, wanted.delivery, wanted.state
    if request is not None:
        return lambda: (partial(describe, context, each, longest=SHOWN) for each in matching(context, request))
    if mail is not None:
        return lambda: map(_described, matching_mail(context, to=mail.to, kind=mail.kind))
    if delivery is not None:
        fields = delivery.endpoint, delivery.kind, delivery.delivered, delivery.state
        return lambda: map(_described, matching_deliveries(context, *fields))
    assert state is not None
    return lambda: _records(context, state)


def _described(info: Any) -> Callable[[], Any]:
    """Return the function that gives the description of a mail or a delivery."""
    return lambda: info


def _records(context: ControlContext, pattern: RecordPattern) -> Iterator[Callable[[], FoundRecord]]:
    table = Table.declared.get(pattern.table)
    if table is None:
        raise Misuse(f"there is no table {pattern.table!r}; there are {', '.join(Table.declared)}", status=404)
    world = context.view().world
    for (client, name), _ in world.tables():
        if name == pattern.table and pattern.client in (None, client):
            for record in table.seen(world, client).all:
                key = key_text(table.key(record))
                if pattern.key in (None, key) and (
                    pattern.record is None or part_of(pattern.record, msgspec.to_builtins(record, str_keys=True))
                ):
                    yield partial(_found_record, name, client, key, record)


def _found_record(table: str, client: str, key: str, record: Any) -> FoundRecord:
    return FoundRecord(
        table=table, client=client, key=key, record=_shortened(msgspec.to_builtins(record, str_keys=True))
    )


def _shortened(value: Any) -> Any:
    """Return a plain value in which remarks on their lengths stand for texts that are not shown."""
    if isinstance(value, dict):
        return {name: _shortened(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_shortened(part) for part in value]
    return f"<{len(value)} characters>" if isinstance(value, str) and len(value) > SHOWN else value

"""Waiting: until a call, a mail, a delivery or a state is seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec import field

from confsim.contract.types import Int, Json, Wire
from confsim.domain.events.deliveries import State
from confsim.kernel.refusal import Misuse
from confsim.kernel.table import Table
from confsim.kernel.world import World
from confsim.service import clock
from confsim.service.journal import Journal
from confsim.service.waiting import Later, steady

from .control import Control, Order, operation
from .journal import Pattern, key_text, matching, part_of, seen
from .mail import list_mail
from .webhooks import fitting, told

#: Nobody waits longer than this, in milliseconds.
LONGEST = 60_000


class MailPattern(Order):
    """Which mails are meant: those that are all of what is given."""

    to: str | None = None
    kind: str | None = None


class DeliveryPattern(Order):
    """Which deliveries are meant: those that are all of what is given."""

    endpoint: str | None = None
    kind: str | None = None
    delivered: bool | None = None
    state: State | None = None


class RecordPattern(Order):
    """Which records are meant, in the words of ``GET /state``.

    Those of a table, of a client, with a key; ``record`` is a part of the record: at least these fields.
    """

    table: str
    client: str | None = None
    key: str | None = None
    record: Json = None


class Wanted(Order):
    """What is waited for: exactly one of these."""

    request: Pattern | None = None
    mail: MailPattern | None = None
    delivery: DeliveryPattern | None = None
    state: RecordPattern | None = None


class Wait(Order):
    """``for`` what, how many of it (``count``), and how long: a duration of real time, at most a minute."""

    for_: Wanted = field(name="for")
    count: Int = 1
    timeout: Json = "5s"


class Waited(Wire):
    """What was seen, oldest first, and what the clock shows."""

    seen: list[Any]
    now: int


class FoundRecord(Wire):
    """A record of the world: where it stands, and all its fields."""

    table: str
    client: str
    key: str
    record: dict[str, Any]


@operation("POST /wait")
def wait(control: Control, body: Wait) -> Waited:
    """Wait until calls, mails, deliveries or records are seen, whether they are there already or come by then.

    Other calls go on meanwhile, and things fall due as on any call. Misuse (409, code not_seen) when the time is over;
    for an unknown operation or table (404).
    """
    span = clock.span(body.timeout)
    if span > LONGEST:
        raise Misuse(f"timeout: nobody waits longer than {LONGEST // 1000}s")
    if body.count < 1:
        raise Misuse("count: there is nothing to wait for")
    look = _look(control, body.for_)
    deadline = steady() + span / 1000
    known: tuple[World, Journal, int] | None = None

    def again() -> Waited:
        nonlocal known
        with control.service.lock:
            over = steady() >= deadline
            service = control.service
            now = service.change().world, service.journal, service.journal.count
            if over or not _same(known, now):
                known = now
                found = look()
                if len(found) >= body.count:
                    return Waited(seen=found, now=control.service.clock.now())
                if over:
                    wanted = msgspec.json.encode(_given(body.for_)).decode()
                    message = f"after {body.timeout} there were {len(found)} of {body.count}: {wanted}"
                    raise Misuse(message, 409, code="not_seen", found=len(found))
        raise Later(again)

    return again()


def _same(known: tuple[World, Journal, int] | None, now: tuple[World, Journal, int]) -> bool:
    """Whether nothing new can be there: the same world, the same journal, and no call since."""
    return known is not None and known[0] is now[0] and known[1] is now[1] and known[2] == now[2]


def _given(value: Any) -> Any:
    """What a body gave, without what it left out."""
    if isinstance(value, Order):
        names = {name: getattr(value, name) for name in value.__struct_fields__}
        return {name: _given(each) for name, each in names.items() if each is not None}
    return value


def _look(control: Control, wanted: Wanted) -> Callable[[], list[Any]]:
    """What gathers the things that are meant. Misuse when it is not one kind of them."""
    given = [name for name in wanted.__struct_fields__ if getattr(wanted, name) is not None]
    if len(given) != 1:
        raise Misuse(f"for: give one of {', '.join(wanted.__struct_fields__)}")
    request, mail, delivery, state = wanted.request, wanted.mail, wanted.delivery, wanted.state
    if request is not None:
        return lambda: [seen(control, each) for each in matching(control, request)]
    if mail is not None:
        return lambda: list_mail(control, to=mail.to, kind=mail.kind)
    if delivery is not None:
        return lambda: _deliveries(control, delivery)
    assert state is not None
    return lambda: list(_records(control, state))


def _deliveries(control: Control, pattern: DeliveryPattern) -> list[Any]:
    change = control.see()
    found = fitting(change, pattern.endpoint, pattern.kind, pattern.delivered, pattern.state)
    return [told(change, each) for each in found]


def _records(control: Control, pattern: RecordPattern) -> Iterator[FoundRecord]:
    table = Table.declared.get(pattern.table)
    if table is None:
        raise Misuse(f"there is no table {pattern.table!r}; there are {', '.join(Table.declared)}", status=404)
    world = control.see().world
    for (client, name), _ in world.tables():
        if name == pattern.table and pattern.client in (None, client):
            for record in table.seen(world, client).oldest():
                key = key_text(table.key(record))
                fields = msgspec.to_builtins(record, str_keys=True)
                if pattern.key in (None, key) and (pattern.record is None or part_of(pattern.record, fields)):
                    yield FoundRecord(table=name, client=client, key=key, record=fields)

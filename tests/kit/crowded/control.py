"""Every operation of the control plane, with right arguments and with every mistake that its declaration implies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import Struct

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.assumptions.events import EventKind
from confsim.contract.operation import Operation
from confsim.control.catalogue import CONTROL
from confsim.control.declare import PREFIX
from confsim.control.export.operation import ExportFormat
from confsim.control.matching import EntryKind
from confsim.domain.events.deliveries import DeliveryState
from confsim.domain.mail import MailKind
from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Misuse
from confsim.testing.samples import IdPool, invalid, valid
from confsim.transport.address import address, query_string
from kit import ADMIN, CUSTOMER, EVENT_ROOM, OWNER, ROOM, USER
from kit.crowded.answers import Answer
from kit.crowded.calls import send
from kit.crowded.happenings import EFFECTS, injected
from kit.crowded.texts import HOSTILE
from kit.declared import own_tables

#: Operations that take away what others need, in the order in which they are asked last.
_LAST = (
    *("leave_channel", "resume_clock", "run_clock", "set_clock", "advance_clock", "clear_faults", "put_faults"),
    *("restore_moment", "play_scenario", "forget_request", "set_journal", "put_state", "clear_requests", "drop_worlds"),
)
#: The operation that restores the world of the start: the very last one.
_RESET = "reset_world"
#: Operations that are asked elsewhere or not at all, with the reason.
LEFT_OUT: Mapping[str, str] = {"get_coverage": "it answers where coverage is counted: ``asks.coverage``"}


class Order(Struct, frozen=True):
    """A call of the control plane: texts for the path, and the query by name, or the JSON body."""

    path: tuple[str, ...] = ()
    query: Mapping[str, str] = {}
    body: Any = None


def orders(sim: Simulator, *, changing: bool) -> Iterator[Answer]:
    """Call every operation that reads, or every one that changes something, and yield the answers."""
    chosen = [each for each in CONTROL if _changes(each) is changing and each.name not in LEFT_OUT]
    for operation in sorted(chosen, key=_late):
        for order in right(sim, operation):
            yield _ordered(sim, operation, order)
        pool = IdPool(sim.service.world, CUSTOMER)
        for wrong in invalid(operation, pool):
            try:
                made = address(operation, {**wrong.path, **wrong.query}, {}).request
            except Misuse:  # it cannot be sent: the text would be another path
                continue
            body = wrong.raw() if operation.body is not None else b""
            yield _sent(sim, operation, made.target, made.query, body, wrong.about)


def _changes(operation: Operation) -> bool:
    return operation.changes and operation.name not in {"count_requests", "find_requests", "ask_what_if", "wait"}


def _late(operation: Operation) -> tuple[bool, int]:
    return operation.name == _RESET, _LAST.index(operation.name) if operation.name in _LAST else -1


def _ordered(sim: Simulator, operation: Operation, order: Order) -> Answer:
    target = operation.path
    for name, text in zip([each.name for each in operation.path_parameters], order.path, strict=True):
        target = target.replace(f"{{{name}}}", quote(text, safe=""), 1)
    body = b"" if operation.body is None else msgspec.json.encode(order.body)
    return _sent(sim, operation, f"{PREFIX}{target}", query_string(dict(order.query)), body, "")


def _sent(sim: Simulator, operation: Operation, target: str, query: str, body: bytes, about: str) -> Answer:
    response = send(sim, operation.method, target, query, body, content_type="application/json")
    question = f"{operation.name} {target}?{query} {body[:80].decode(errors='replace')} {about}".rstrip()
    return Answer(question, response.status, dict(response.headers).get("Content-Type", ""), response.body)


def right(sim: Simulator, operation: Operation) -> Iterator[Order]:
    """Yield calls of an operation that are right in the world: those written here, else samples of its declaration."""
    if operation.name in RIGHT:
        yield from RIGHT[operation.name](sim)
        return
    pool = IdPool(sim.service.world, CUSTOMER)
    for number in range(2):
        sample = valid(operation, pool, number)
        yield Order(tuple(sample.path.values()), sample.query, sample.body)


def _queries(*queries: Mapping[str, Any]) -> Callable[[Simulator], Iterator[Order]]:
    return lambda sim: (Order(query={name: str(value) for name, value in query.items()}) for query in queries)


def _bodies(*bodies: Any) -> Callable[[Simulator], Iterator[Order]]:
    return lambda sim: (Order(body=body) for body in bodies)


def _each(name: str, values: Any, **more: Any) -> tuple[dict[str, Any], ...]:
    return tuple({name: str(value), **more} for value in values)


def _newest_calls(sim: Simulator) -> Iterator[Order]:
    """The newest call, one of each status, a control call and a timer."""
    found = {each.status: each.id for each in sim.control("list_requests", kind="all")}
    found |= {each.kind: each.id for each in sim.control("list_requests", kind="all")}
    return (Order((id,)) for id in found.values())


def _records(sim: Simulator) -> Iterator[Order]:
    """The newest record of each kind, now and right after an early call."""
    early = [{"at": each.id} for each in sim.requests[:1]]
    for kind in {each.kind for each in sim.control("list_records", limit=0).kinds}:
        record = sim.control("list_records", kind=kind, limit=1).records[0]
        yield Order((kind, record.id))
        yield from (Order((kind, record.id), query) for query in early)


def _lists(sim: Simulator) -> Iterator[Order]:
    """Records of each kind, of each client, of hostile texts, of an early call."""
    yield Order()
    for table in own_tables():
        yield Order(query={"kind": table.name, "limit": "2"})
    for client in sim.control("get_info").clients:
        yield Order(query={"client": client.id, "limit": "500"})
    for text in list(HOSTILE.values())[::4]:
        yield Order(query={"search": text[:100]})
    for call in sim.requests[:1]:
        yield Order(query={"at": call.id})


def _exports(sim: Simulator) -> Iterator[Order]:
    """Each format: of all calls, of some, of one of each status."""
    ids = ",".join({each.status: each.id for each in sim.requests}.values())
    for form in ExportFormat:
        yield Order(query={"as": form})
        yield Order(query={"as": form, "status": "404", "limit": "5"})
        if ids:
            yield Order(query={"as": form, "ids": ids})


def _user(sim: Simulator) -> int:
    return int(sim.control("get_info").tokens[USER].userId)


def _of_call(sim: Simulator) -> Iterator[Order]:
    """A phone that rings now, where the world lets it, and the calls before it."""
    sim.call("dial_unregistered_user", OWNER, uuid=ROOM, body={"number": "+12025550198", "name": "Rings"})
    return (Order(body={"userId": each.userId}) for each in sim.control("list_calls")[:2])


def _present(sim: Simulator) -> Iterator[tuple[str, int]]:
    """Channel and user of everybody who is in a channel or waits."""
    for each in sim.control("list_records", kind="presences").records:
        yield each.record["channel"], each.record["user"]


def _in(**more: Any) -> Callable[[Simulator], Iterator[Order]]:
    return lambda sim: (Order(body={"channel": channel, "userId": id, **more}) for channel, id in [*_present(sim)])


def _changed_records(sim: Simulator) -> Iterator[Order]:
    yield Order(("user", str(_user(sim))), body={"reputation": 3})
    yield Order(("channel", EVENT_ROOM), body={"star": True, "populationLimit": 50})
    yield Order(("client", CUSTOMER), body={"termsRequired": False})


def _held(sim: Simulator) -> Iterator[Order]:
    actions = ({"action": "change", "do": {"status": 503}}, {"action": "release"}, {"action": "drop"})
    return (Order((each.id,), body=body) for each, body in zip(sim.control("list_held"), actions, strict=False))


def _dials(sim: Simulator) -> Iterator[Order]:
    meeting = sim.control("get_record", "channels", ROOM).record["meeting_id"]
    yield Order(body={"number": "+12025550123", "meetingId": str(meeting), "pin": "1234"})


def _codes(sim: Simulator) -> Iterator[Order]:
    """Codes of invitations in all states, the last of them new."""
    invited = sim.call("create_predefined_user", ADMIN, body={"name": "Just invited"}).body
    sim.call("create_invitation", ADMIN, userId=invited["id"])
    found = sim.control("list_records", kind="invitations", limit=500).records
    return (Order(body={"code": each.record["code"]}) for each in found)


def _waits(sim: Simulator) -> Iterator[Order]:
    yield Order(body={"for": {"state": {"table": "channels", "key": ROOM}}, "timeout": "1ms"})
    yield Order(body={"for": {"mail": {"to": "nobody@x.example"}}, "timeout": "1ms"})


def _assumed(sim: Simulator) -> Iterator[Order]:
    yield Order(body={"assumptions": {"encode.empty": "204"}})
    for call in sim.requests[-1:]:
        yield Order(body={"assumptions": {"channels.unique-names": "refuse"}, "from": call.id})


def _one_of_each_kind(sim: Simulator) -> Iterator[Any]:
    """A record of each kind."""
    kinds = dict.fromkeys(each.kind for each in sim.control("list_records", limit=0).kinds)
    for kind in kinds:
        yield from sim.control("list_records", kind=kind, limit=1).records


#: Right calls of the operations whose samples do not say enough.
RIGHT: Mapping[str, Callable[[Simulator], Iterator[Order]]] = {
    "get_explanation": lambda sim: (
        Order((name,))
        for name in ("R094", "G353", "auth.presentation", "handle_taken", "get_me", "P1 L236", "409", *Machine.declared)
    ),
    "list_assumptions": _queries({}, {"used": "true"}, {"operation": "create_channel"}),
    "list_records": _lists,
    "get_record": _records,
    "search": _queries(*_each("text", [text[:60] for text in list(HOSTILE.values())[::4]]), {"text": "e"}),
    "list_mail": _queries({}, *_each("kind", MailKind), {"to": "nobody@x.example"}, {"limit": 1, "offset": 1}),
    "list_deliveries": _queries(
        {},
        *_each("state", [state.value for state in DeliveryState]),
        *_each("kind", EventKind, limit=2),
        {"delivered": "false", "offset": 3},
    ),
    "list_requests": _queries(
        *_each("kind", EntryKind),
        {"operation": "create_channel"},
        {"status": 404, "limit": 3},
        {"path": "*channels*"},
        {"assumption": "errors.body"},
    ),
    "get_request": _newest_calls,
    "explain_request": lambda sim: (
        Order((each.id,)) for each in sim.control("get_journal", status="4xx", limit=300).rows
    ),
    "get_journal": _queries(
        {},
        *_each("kind", EntryKind),
        {"status": "4xx", "limit": 3},
        {"caller": "nobody"},
        {"text": "e", "path": "*channels*"},
    ),
    "get_history": lambda sim: (Order((each.kind, each.id), {"timeline": "true"}) for each in _one_of_each_kind(sim)),
    "get_difference": lambda sim: (Order(query={"from": each.id, "limit": "50"}) for each in sim.requests[-2:]),
    "find_labels": lambda sim: iter([Order(body={"ids": [each.id for each in _one_of_each_kind(sim)]})]),
    "try_operation": lambda sim: (Order((each.name,)) for each in API),
    "get_delivery": lambda sim: (Order((each.id,)) for each in sim.control("list_deliveries", limit=20)),
    "get_mail": lambda sim: (Order((each.id,)) for each in sim.control("list_mail", limit=20)),
    "restore_moment": lambda sim: (Order((each.id,)) for each in sim.requests[-1:]),
    "play_scenario": _bodies({"scenario": "api-token-rotation"}),
    "list_unmatched_requests": lambda sim: iter([Order()]),
    "list_moments": lambda sim: iter([Order(), *(Order(query={"at": each.id}) for each in sim.requests[:1])]),
    "list_presence": _queries({"channel": ROOM}, {"channel": EVENT_ROOM}),
    "list_timers": _queries({}, {"limit": 2}),
    "export_requests": _exports,
    "get_bundle": _queries({}, {"mask": "true"}),
    "ask_what_if": _assumed,
    "wait": _waits,
    "make_world": _bodies({"name": "w1", "seed": 7}, {"name": "w2", "from": "w1"}),
    "drop_world": lambda sim: iter([Order(("w1",))]),
    "take_snapshot": _bodies({"name": "s1"}),
    "restore_snapshot": lambda sim: iter([Order(("s1",))]),
    "drop_snapshot": lambda sim: iter([Order(("s1",))]),
    "put_state": lambda sim: iter([Order(body=sim.state)]),
    "set_clock": lambda sim: iter([Order(body={"to": sim.clock.now + 1})]),
    "advance_clock": _bodies({"by": "1m"}, {"until": "next"}, {"by": "400d"}),
    "run_clock": _bodies({"rate": 60}),
    "issue_token": lambda sim: iter(
        [Order(body={"userId": _user(sim), "ttl": "1h"}), Order(body={"clientId": CUSTOMER, "kind": "api"})]
    ),
    "make_user": lambda sim: (
        Order(body={"clientId": CUSTOMER, "handle": text[:30], "registered": False})
        for text in HOSTILE.values()
        if text.strip() and text.isprintable()
    ),
    "make_client": lambda sim: (Order(body={"name": text[:60], "parent": CUSTOMER}) for text in HOSTILE.values()),
    "redeem_invitation": _codes,
    "join_channel": lambda sim: iter([Order(body={"channel": EVENT_ROOM, "userId": _user(sim)})]),
    "admit_to_channel": _in(),
    "set_presenter": _in(presenter=True),
    "leave_channel": _in(),
    "dial_in": _dials,
    "answer_call": _of_call,
    "refuse_call": _of_call,
    "fail_call": _of_call,
    "hang_up": _of_call,
    "make_validator": _bodies(
        {"clientId": CUSTOMER, "validatorId": HOSTILE["HTML"][:40], "algorithm": "HS256", "key": "k" * 32}
    ),
    "issue_identity_token": _bodies({"clientId": CUSTOMER, "originId": "hr-1"}),
    "make_number": _bodies({"clientId": CUSTOMER, "number": "+12025550166", "code": "US"}),
    "change_record": _changed_records,
    "redeliver": lambda sim: (Order((each.id,)) for each in sim.control("list_deliveries", limit=20)),
    "add_fault": lambda sim: (
        Order(body={"on": 10**6, **fault})
        for fault in (*({"operation": "get_me", "do": do} for do in EFFECTS.values()), *injected())
    ),
    "put_faults": lambda sim: iter([Order(body=[{"operation": "get_me", "do": do} for do in EFFECTS.values()])]),
    "remove_fault": lambda sim: (Order((each.id,)) for each in sim.control("list_faults")[-1:]),
    "decide_held": _held,
    "set_webhooks": _bodies({"deliver": "list", "allow": [HOSTILE["HTML"], "x.example"]}),
    "forget_request": lambda sim: (Order((each.id,)) for each in sim.requests[-1:]),
    "set_journal": _bodies({"most": 100}),
    "set_address": _bodies({"url": "https://proxy.example/below"}),
    "add_name": _bodies({"name": "confsim.example"}),
    "drop_name": lambda sim: iter([Order(("confsim.example",))]),
    "freeze_clock": lambda sim: iter([Order()]),
    "count_requests": _bodies({}, {"operation": "get_me", "status": 200}, {"body": {"name": HOSTILE["HTML"]}}),
    "find_requests": _bodies({}, {"path": "*"}, {"body": {"name": HOSTILE["HTML"]}}),
}

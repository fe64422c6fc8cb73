"""Non-interference: what a tenant sees alone is, byte for byte, what it sees while others are at work beside it.

A story is run by several tenants in turn, then once more for each of them alone. What all tenants draw from together,
the counters behind ids, is set to what it was in the story; nothing else of the others is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from confsim import Misuse, Simulator
from confsim.api.catalogue import API
from confsim.kernel.maps import map_of
from confsim.kernel.world import World
from confsim.testing.samples import Arguments, IdPool, valid
from kit import CUSTOMER, OTHER, PARTNER, START

#: Calls that a story has less often than others, since they shut a tenant out.
RARE = frozenset({"promulgate_terms", "set_client_service_state", "delete_api_token", "remove_access_level"})
_OF_ONE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-")
#: The id of the access level of a customer admin in the demo worlds.
_ADMIN = 10


class Tenant(NamedTuple):
    """A family of clients that share nothing with others, and the tokens of callers in it."""

    clients: tuple[str, ...]
    callers: tuple[str, ...]


class Counters(NamedTuple):
    """What all tenants draw from: ids and tokens, the sequences that belong to nobody, the numbers of requests."""

    ids: int
    sequences: Mapping[str, int]
    requests: int


class Act(NamedTuple):
    """Something that a tenant does, or time that passes for all (``tenant`` is None)."""

    tenant: int | None
    what: str
    caller: str
    arguments: Arguments
    number: int
    counters: Counters


def beginning(more: int) -> tuple[Simulator, list[Tenant]]:
    """The demo world with so many further tenants, and all its tenants."""
    simulator = Simulator(clock=START)
    found = [
        Tenant((CUSTOMER, PARTNER), ("demo-owner", "demo-customer-admin", "demo-api-token", "demo-user")),
        Tenant((OTHER,), ("demo-other-admin",)),
    ]
    for number in range(more):
        client = simulator.make_client(f"Tenant {number}").id
        admin = simulator.make_user(client, f"Admin {number}", registered=True, levels=[_ADMIN])
        user = simulator.make_user(client, f"User {number}", registered=True)
        found.append(Tenant((client,), (admin.token, simulator.token(client=client), user.token)))
    return simulator, found


def reported(simulator: Simulator, tenants: list[Tenant], random: Random, length: int) -> tuple[list[Act], list[Any]]:
    """Run a story by all tenants; returns what was done and what each act was answered."""
    acts: list[Act] = []
    answers = []
    operations = list(API)
    for _ in range(length):
        counters = counted(simulator)
        if random.random() < 0.05:
            act = Act(None, "advance", "", Arguments(), random.choice((1, 1000, 60_000, 3_600_000)), counters)
        else:
            place = random.randrange(len(tenants))
            tenant, number = tenants[place], random.randrange(50) + 50 * place
            caller = random.choice(tenant.callers)
            if random.random() < 0.1:
                act = Act(place, random.choice(("join", "leave")), caller, Arguments(), number, counters)
            else:
                operation = random.choice(operations)
                if operation.name in RARE and random.random() < 0.9:
                    continue
                arguments = valid(operation, IdPool(simulator.service.world, tenant.clients[0]), number)
                act = Act(place, operation.name, caller, arguments, number, counters)
        acts.append(act)
        answers.append(done(simulator, tenants, act))
    return acts, answers


def done(simulator: Simulator, tenants: list[Tenant], act: Act) -> Any:
    """What an act is answered: status, headers and bytes; of presence, its result or its refusal."""
    if act.tenant is None:
        simulator.clock.advance(act.number)
        return None
    if act.what in {"join", "leave"}:
        channels = IdPool(simulator.service.world, tenants[act.tenant].clients[0]).list_ids("channels")
        if not channels:
            return None
        channel = str(channels[act.number % len(channels)])
        try:
            if act.what == "join":
                return repr(simulator.presence.join(channel, act.caller))
            me = simulator.call("get_me", act.caller)
            return me.content, repr(simulator.presence.leave(channel, me.body["id"]) if me.ok else None)
        except Misuse as misuse:
            return str(misuse)
    answer = simulator.call(act.what, act.caller, **act.arguments.keywords)
    return answer.status, sorted(answer.headers.items()), answer.content


def counted(simulator: Simulator) -> Counters:
    """The counters of a world as they are."""
    world = simulator.service.world
    shared = {name: count for name, count in world.sequences.items() if not _OF_ONE.search(name)}
    return Counters(world.id_counter, shared, simulator.service.journal.count)


def count_as(simulator: Simulator, counters: Counters) -> None:
    """Set the counters of a world."""
    service = simulator.service
    own = {name: count for name, count in service.world.sequences.items() if _OF_ONE.search(name)}
    sequences = map_of({**own, **counters.sequences})
    service.live.world = replace(service.world, id_counter=counters.ids, sequences=sequences)
    service.journal.count = counters.requests


def belongings(world: World, tenant: Tenant) -> bytes:
    """Everything of a tenant in a world, as JSON: its tables, and what is its own in those of the whole service."""
    found = []
    for (owner, table), state in world.tables():
        records = [record for _, record in state.rows.values()]
        if owner not in tenant.clients:
            mentioned = [client.encode() for client in tenant.clients]
            records = [each for each in records if not owner and any(name in _json(each) for name in mentioned)]
        found += [(owner, table, sorted(map(_json, records)))] if records else []
    return _json(sorted((owner, table, [each.decode() for each in records]) for owner, table, records in found))


def _json(value: Any) -> bytes:
    return msgspec.json.encode(value, order="deterministic", enc_hook=str)


def interferences(seed: int, length: int, more: int = 2) -> Iterator[str]:
    """Run the story of this seed; yields what a tenant sees in it and does not see alone. Calls are counted by none."""
    start, tenants = beginning(more)
    simulator = start.fork()
    acts, answers = reported(simulator, tenants, Random(seed), length)
    assert simulator.service.bugs == []
    for place, tenant in enumerate(tenants):
        alone = start.fork()
        for act, expected in zip(acts, answers, strict=True):
            if act.tenant not in (None, place):
                continue
            count_as(alone, act.counters)
            found = done(alone, tenants, act)
            if found != expected:
                yield f"tenant {place}, {act.what} {act.arguments}: alone {found}, else {expected}"
                break
        else:
            if belongings(alone.service.world, tenant) != belongings(simulator.service.world, tenant):
                yield f"tenant {place}: its things are others than alone"

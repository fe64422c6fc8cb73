"""No credential of one client sees or changes anything of another, nor notices that others are at work."""

from __future__ import annotations

import json
from collections.abc import Iterator
from unittest import mock

import msgspec
import pytest
from msgspec.structs import replace

from confsim.api.catalogue import API
from confsim.contract.gates import Grant
from confsim.kernel.tables.table import Table
from confsim.testing.samples import Arguments, IdPool, valid
from kit import CUSTOMER, OTHER, PARTNER
from kit.catalogue_walk import call
from kit.each import by_name, each
from kit.proofs.interference import interferences

CALLERS = ("demo-owner", "demo-customer-admin", "demo-api-token", "demo-partner-admin")
OPERATIONS = [operation for operation in API if Grant.PUBLIC not in operation.gate.grants]
SHARED = ""


def belongings(world, client):
    """Everything that belongs to the client: its tables, and what mentions it in the tables of the whole service."""
    found = {}
    for (owner, table), state in world.tables():
        if owner == client:
            found[table] = state
        elif owner == SHARED:
            records = [record for _, record in state.rows.values()]
            found[table] = [record for record in records if client.encode() in msgspec.json.encode(record)]
    return {table: things for table, things in found.items() if things}


def words(world, client):
    """The ids, names, handles and addresses by which the things of a client could be recognised."""
    found = set()
    for (owner, _), state in world.tables():
        if owner == client:
            for key, (_, record) in state.rows.items():
                found |= set(leaves(msgspec.to_builtins(record)))
                found |= set(key) if isinstance(key, tuple) else {key}
    texts = {word for word in found if isinstance(word, str) and len(word) >= 5}
    return texts | {
        user for (owner, table), state in world.tables() if (owner, table) == (client, "users") for user in state.rows
    }


def leaves(value) -> Iterator[object]:
    """Every scalar in a plain JSON value."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield name
            yield from leaves(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from leaves(each)
    else:
        yield value


@pytest.fixture(scope="module")
def theirs(lived):
    """What is theirs alone: words that occur nowhere among our own things."""
    world = lived.service.world
    ours = words(world, CUSTOMER) | words(world, PARTNER)
    return words(world, OTHER) - ours


def trespasses(operation, world) -> Iterator[Arguments]:
    """Our own arguments with something of theirs in one place, in each place; and theirs altogether."""
    for number in range(2):
        ours = valid(operation, IdPool(world, CUSTOMER), number)
        other = valid(operation, IdPool(world, OTHER), 40 + number)
        yield replace(other, about="everywhere")
        for name in ours.path:
            yield replace(ours, path={**ours.path, name: other.path[name]}, about=f"path {name}")
        for name in other.query:
            yield replace(ours, query={**ours.query, name: other.query[name]}, about=f"query {name}")
        if isinstance(ours.body, dict) and isinstance(other.body, dict):
            for name in other.body:
                yield replace(ours, body={**ours.body, name: other.body[name]}, about=f"body {name}")
        for arguments in (ours, other):
            yield replace(arguments, query={**arguments.query, "for_client": OTHER}, about="for_client")


@pytest.fixture(scope="module")
def before(lived):
    """What belongs to them."""
    return belongings(lived.service.world, OTHER)


@each("operation", OPERATIONS, ids=by_name)
def test_nobody_reaches_into_another_client(lived, theirs, before, operation):
    """Their records stay as they are, and no answer holds an id, a handle or a name of theirs that was not given."""
    world = lived.service.world
    for arguments in trespasses(operation, world):
        given = set(leaves([arguments.path, arguments.query, arguments.body])) | {OTHER}
        for caller in CALLERS:
            fork = lived.fork()
            answer = call(fork, operation, caller, arguments)
            assert fork.service.bugs == []
            after = fork.service.world
            assert after is world or belongings(after, OTHER) == before, (arguments.about, caller, answer)
            for word in reported(answer) & theirs:
                assert any(str(word) in str(each) for each in given), (arguments.about, caller, answer, word)


def reported(answer):
    """The scalars of an answer, and every word of a URL or a message in it."""
    try:
        found = set(leaves(json.loads(answer.content))) if answer.content else set()
    except ValueError:
        return set()
    texts = {each for each in found if isinstance(each, str)}
    parts = {part for text in texts for part in text.replace("'", "/").replace("?", "/").replace(" ", "/").split("/")}
    return {each for each in found if isinstance(each, str | int) and not isinstance(each, bool)} | parts


def test_there_is_something_to_trespass_on(lived, theirs):
    """The other client has things for most places that name one, or the property would prove nothing."""
    pool = IdPool(lived.service.world, OTHER)
    places = [
        (operation.name, parameter.name)
        for operation in OPERATIONS
        for parameter in operation.path_parameters
        if parameter.name.lower().endswith(("id", "uuid", "channel", "session", "room"))
    ]
    named = [
        place for place in places if valid(API[place[0]], pool, 40).path[place[1]] in {str(id) for id in pool.all()}
    ]
    assert len(named) >= 0.7 * len(places), sorted(set(places) - set(named))
    assert len(theirs) >= 15


@pytest.mark.parametrize("seed", range(3))
def test_no_tenant_sees_another_at_work(seed):
    """What a tenant sees alone, answers and records, is what it sees beside others. More: the campaigns."""
    assert list(interferences(seed, 150, 1)) == []


def test_a_shared_table_is_noticed():
    """If one table belonged to all, the others would show in it."""

    def shared(name):
        of_client = getattr(Table, name)

        def of_all(self, *arguments):
            *others, client = arguments
            return of_client(self, *others, CUSTOMER if self.name == "api tokens" else client)

        return of_all

    of_client = Table.put

    def put(self, change, client, record, *chosen, **named):
        client = CUSTOMER if self.name == "api tokens" else client
        of_client(self, change, client, record, *chosen, **named)

    reading = mock.patch.multiple(Table, **{name: shared(name) for name in ("of", "get")})
    with reading, mock.patch.object(Table, "put", put):
        assert list(interferences(0, 300))

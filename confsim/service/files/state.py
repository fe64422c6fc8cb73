"""State documents: worlds as the JSON of ``GET /_confsim/state``, and files of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from operator import attrgetter, itemgetter
from pathlib import Path

import msgspec

from confsim.kernel.document import StateDocument, decoded, decoded_parts, restored
from confsim.kernel.refusal import Misuse
from confsim.kernel.tables.table import Table
from confsim.kernel.world import Part, World
from confsim.version import __version__

from . import reading
from .formats import FORMAT, READABLE, current_document, current_world, readable
from .writing import replace_file

#: What messages call a state file.
FILE = "state file"


def document(world: World) -> bytes:
    """Return the whole world as one JSON document; the same world gives the same bytes."""
    return b"".join(pieces(world))


def pieces(world: World) -> Iterator[bytes]:
    """Yield the document in pieces of some hundreds of records."""
    return world.encoded(FORMAT)


def parts(world: World) -> Iterator[Part]:
    """Yield the pieces of the document, each with the table and the client of its records."""
    return world.parts(FORMAT)


def schema() -> bytes:
    """Return the JSON Schema of state documents: every table with the fields of its records."""
    import confsim.api.catalogue  # noqa: F401 its modules declare the tables

    tables = Table.declared
    (whole, *records), made = msgspec.json.schema_components(
        [StateDocument, *(each.record for each in tables.values())], ref_template="#/$defs/{name}"
    )
    document = {**made.pop(whole["$ref"].rpartition("/")[2]), "$id": f"urn:confsim:state:{FORMAT}", "$defs": made}
    document["properties"] |= {
        "version": {"const": FORMAT},
        "tables": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                name: {"type": "object", "additionalProperties": {"type": "array", "items": record}}
                for name, record in zip(tables, records, strict=True)
            },
        },
    }
    document["required"] = ["version", *document["required"]]
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **document}
    return msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n"


def world_of(values: object) -> World:
    """Return the world of a state document. Raises Misuse with the place of the first mistake."""
    if not isinstance(values, dict):
        raise Misuse("state: the document is no JSON object")
    rest = dict(values)
    version = rest.pop("version", None)
    if not isinstance(version, int) or not readable(version):
        known = f"this confsim, {__version__}, reads versions {READABLE}"
        if version is None:
            there = f"but {', '.join(map(repr, list(rest)[:5]))}" if rest else "as it is empty"
            raise Misuse(f"state: the document has no 'version', {there}; {known}. GET /_confsim/state gives one")
        raise Misuse(
            f"state: the document is of version {version!r}; {known}. "
            "Load it with the confsim that wrote it, or with a newer one"
        )
    world = current_world(restored(current_document(rest, version)), version)
    _check_names(world)
    return world


def world_from(body: bytes) -> World:
    """Return the world of a state document as JSON. Raises Misuse like ``world_of``, DecodeError for invalid JSON."""
    try:
        world = decoded(body, FORMAT)
    except (msgspec.DecodeError, Misuse):  # decode again in the slow way, which names the mistake and its place
        return world_of(msgspec.json.decode(body))
    _check_names(world)
    return world


def world_of_parts(read: Callable[[], Iterable[Part]]) -> World:
    """Return the world of a document whose parts ``read`` yields: ``world_from`` without having all of it in memory."""
    parts = iter(read())
    first = next(parts, ("", "", b""))
    rest = next(parts, None)
    if rest is None:
        return world_from(first[-1])
    try:
        world = decoded_parts(chain((first, rest), parts), FORMAT)
    except msgspec.DecodeError:  # decode again in the slow way, which names the mistake and its place
        return world_from(b"".join(part[-1] for part in read()))
    _check_names(world)
    return world


def _check_names(world: World) -> None:
    """Raise Misuse for a record that refers to a missing one, and for a client that is its own ancestor."""
    for (client, name), state in world.tables():
        for field, other in Table.declared[name].names.items():
            there, named = Table.declared[other].seen(world, client), attrgetter(field)
            records = (
                Table.declared[name].seen(world, client).all
            )  # in an order: a large map is walked at half the pace
            gone = {id for id in set(map(named, records)) if id not in there} - {None}
            if gone:
                record = max((row for row in state.rows.values() if named(row[1]) in gone), key=itemgetter(0))[1]
                where = f"{Table.declared[name].key(record)!r} of tables.{name}.{client}"
                raise Misuse(f"state: {where} has the {field} {getattr(record, field)!r}, which is not there")
    for client in world.client_tables:
        if client:
            _check_hosts(world, client)
    _check_lines({client.id: client.parent for client in Table.declared["clients"].seen(world, "").all})


def _check_hosts(world: World, client: str) -> None:
    """Raise Misuse for a host that contradicts the derived fields of the channel or the user."""
    channels, users, hosts = (world.state(Table.declared[name], client).rows for name in ("channels", "users", "hosts"))
    highest: dict[int, str] = {}
    for _, host in hosts.values():
        channel = channels[host.channel][1]
        if host.number != channel.number or host.name != channel.name:
            raise Misuse(f"state: {host.key!r} of tables.hosts.{client} has another number or name than its channel")
        if highest.get(host.user) != "owner":
            highest[host.user] = host.role.value
    for id, (_, user) in users.items():
        if user.hosting.value != highest.get(id, "none"):
            raise Misuse(f"state: {id} of tables.users.{client} is {user.hosting.value!r}, against tables.hosts")


def _check_lines(parents: Mapping[str, str | None]) -> None:
    """Raise Misuse for a client that is its own ancestor, since a walk to its root would never end."""
    known: set[str] = set()
    for id in parents:
        line: set[str] = set()
        above: str | None = id
        while above is not None and above not in known:
            if above in line:
                raise Misuse(f"state: the client {above!r} is above itself")
            line.add(above)
            above = parents[above]
        known |= line


def read(path: str | Path) -> World:
    """Return the world of a state file. Raises Misuse that names the file and the place in it."""
    whole = reading.content(path, FILE, reading.STORED)
    try:
        return world_from(whole)
    except (ValueError, RecursionError) as error:
        raise Misuse(f"{FILE} {str(path)!r}: it is not valid JSON: {reading.json_problem(error)}") from None
    except Misuse as misuse:
        raise Misuse(f"{FILE} {str(path)!r}: {misuse}") from None


def write(path: str | Path, world: World) -> None:
    """Write a state file, which has the secrets of its world and is private. Raises Misuse."""
    replace_file(path, FILE, pieces(world), private=True)

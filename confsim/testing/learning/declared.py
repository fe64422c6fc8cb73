"""Facts of the declarations for callers of a service: the things that operations make, remove and leave behind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from confsim.api.catalogue import API
from confsim.contract.annotations import mark_of
from confsim.contract.operation import Operation
from confsim.contract.types import SearchText


@cache
def made_by(operation: Operation) -> frozenset[str]:
    """Return the kinds of things that an operation makes: those that its answer identifies; none of a read."""
    return frozenset(operation.identifies.values()) if operation.changes else frozenset()


@cache
def path_kinds(operation: Operation) -> Mapping[str, str]:
    """Return the path parameters that name a thing, each with the kind of it."""
    return {each.name: each.names for each in operation.path_parameters if each.names}


@cache
def made_by_itself() -> frozenset[str]:
    """Return the kinds of things that the service makes by itself: only answers to reads identify them."""
    shown = frozenset(kind for each in API if not each.changes for kind in each.identifies.values())
    return shown.difference(*(made_by(each) for each in API))


def why_left_out(operation: Operation) -> str:
    """Return why an operation is not called at all, "" for one that is."""
    return operation.depends_on_outside or operation.disturbs_others


def left_out() -> Mapping[str, str]:
    """Return the operations that are not called, each with the reason."""
    return {each.name: why for each in API if (why := why_left_out(each))}


def ringing() -> list[str]:
    """Return the names of the operations that call a phone, sorted."""
    return sorted(each.name for each in API if each.rings)


@cache
def search_parameters(operation: Operation) -> tuple[str, ...]:
    """Return the names of the query parameters whose text is sought in the names of what is listed."""
    return tuple(each.name for each in operation.query_parameters if mark_of(each.annotation, SearchText) is not None)


@cache
def disrupts_client(operation: Operation) -> bool:
    """Return whether it can take the access of all callers of the client that its path names."""
    return operation.revokes_access and "clients" in path_kinds(operation).values()


# What is made and removed


def removals() -> Mapping[str, tuple[str, str]]:
    """Return how to remove things: by kind, the operation that needs only the thing, and its parameter.

    Credentials come last, as the other removals are made by those who hold them.
    """
    return _removals(tuple(API))


@cache
def _removals(operations: tuple[Operation, ...]) -> Mapping[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for operation in operations:
        kinds = path_kinds(operation)
        if [*kinds.values()] == [operation.removes]:
            found[operation.removes] = operation.name, next(iter(kinds))
    credentials = {kind for each in operations if each.makes_caller for kind in made_by(each)}
    return dict(sorted(found.items(), key=lambda item: item[0] in credentials))


def lasting() -> frozenset[str]:
    """Return the kinds of which something stays in a service, since no operation removes it."""
    return frozenset(kind for _, kind in _stays())


def makes_lasting(operation: Operation) -> frozenset[str]:
    """Return the kinds of things that an operation makes and none removes, not even with what they are in."""
    return frozenset(kind for name, kind in _stays() if name == operation.name)


def _stays() -> Iterator[tuple[str, str]]:
    """Yield the operations that make what stays, each with a kind of it."""
    removed = {each.removes for each in API} - {""}
    for operation in API:
        if not operation.expires and not removed.intersection(path_kinds(operation).values()):
            yield from ((operation.name, kind) for kind in made_by(operation) - removed)

"""The declaration of operations: the signature of a function is the contract, and everything else is derived from it.

Positional parameters are those of the path, in its order, ``body`` is the JSON body (or the raw bytes), keyword-only
parameters are the query, the return type is the response, the docstring is the reference page. Names in the route and
of the query are those on the wire; a parameter for a thing of the path is named for what it is.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from importlib import import_module
from operator import itemgetter
from types import MappingProxyType, NoneType
from typing import Any, Protocol, TypeVar, Unpack, get_args, get_origin, get_type_hints

from msgspec import Struct

from confsim.assumptions import Assumption, assumption, in_force, text
from confsim.assumptions.channels import THING_IDS
from confsim.assumptions.protocol import conventions
from confsim.assumptions.users.users import FIRST_USER_ID
from confsim.contract.headers import container_type, with_limits
from confsim.values.urls import encoded, normalised

from .annotations import annotated, big_numbers, marks_in, optional_fields, peeled
from .decode import Body, Finder, PathParameter, QueryParameter
from .gates import Grant
from .headers import Header, without_headers
from .types import Inside, InUnit, Names, Page, StatedUnit
from .words import Source, Words

F = TypeVar("F", bound=Callable[..., Any])

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_NONE: Mapping[str, Any] = MappingProxyType({})


class Contract(Struct, frozen=True, gc=False):
    """The facts of a declaration that every call needs, in one place.

    ``texts`` are the path parameters whose values are not their texts, by position, and ``names`` those that name
    objects: position, look-up, and whether it is inside the thing before. ``inputs`` are the same of secrets and other
    inputs, which are looked up once the caller's role is known. ``has_input`` says whether there is a body or
    a required query, ``empty`` whether there is no result, ``has_options`` whether the response has optional fields
    (G077), ``has_big_numbers`` whether it has decimals, or integers of more than 32 bits (G100). ``shown`` are the
    assumptions about the ids in the answer, by id.
    """

    texts: tuple[tuple[int, PathParameter], ...]
    names: tuple[tuple[int, Finder, bool], ...]
    inputs: tuple[tuple[int, Finder, bool], ...]
    required_query: bool
    has_input: bool
    body: Body | None
    empty: bool
    has_options: bool
    has_big_numbers: bool
    creates: bool
    container: Assumption[str] | None
    headers: Mapping[str, Header]
    shown: Mapping[str, None]


class Operation:
    """One operation, with everything that is derived from its declaration.

    ``area`` is its heading in the reference; ``line`` its place in the documents; ``rules`` and ``gaps`` their numbers.
    The attributes of the class are the words that a declaration leaves out. Attributes that need the types (parameters,
    body, result) are computed on first use.
    """

    source = Source.DOCUMENTED
    area = line = variant_of = media = removes = makes_caller = depends_on_outside = disturbs_others = ""
    for_client = runtime = revokes_access = moves_clock = waits = beside = rings = expires = of_whole_client = False
    about_caller = shows_identity = sets_faults = False
    replayed = True
    requires: Callable[..., None] | None = None
    slash: Assumption[str] | None = None
    container: Assumption[str] | None = None
    upload: Assumption[str] | None = None
    headers: Mapping[str, Header] = _NONE
    identifies: Mapping[str, str] = _NONE
    bounds: Mapping[str, int] = _NONE

    def __init__(self, route: str, function: Callable[..., Any], catalogue: Catalogue, **words: Unpack[Words]) -> None:
        self.method, self.path = route.split(" ")
        self.name = function.__name__
        self.function = function
        self.gate = words["gate"]
        self.public = Grant.PUBLIC in self.gate.grants
        self.changes = self.method != "GET"
        self.placeholders = tuple(_PLACEHOLDER.findall(self.path))
        #: Returns the values of several placeholders in a mapping as a tuple, that of a single one by itself.
        self.path_values = itemgetter(*self.placeholders or ("",))
        for word, value in words.items():
            setattr(self, word, value)
        self.rules = tuple(words.get("rules", "").split())
        self.gaps = tuple(words.get("gaps", "").split())
        self.catalogue = catalogue
        #: Whether it creates a thing and answers with it (G044).
        self.creates = self.changes and self.name.startswith(("create_", "add_"))
        self.gate_entry = self.gate.entry(self.name, route)
        self.route_entry = self._route_entry()
        #: The assumptions about its path.
        self.route_entries = tuple(each for each in (self.route_entry, self.slash) if each is not None)

    def __repr__(self) -> str:
        return f"<{self.name} {self.method} {self.path}>"

    @cached_property
    def summary(self) -> str:
        """The first line of the docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @cached_property
    def description(self) -> str:
        """The docstring after its first line."""
        return (inspect.getdoc(self.function) or "").partition("\n")[2].strip()

    @cached_property
    def hints(self) -> dict[str, Any]:
        """The types of the parameters and of the result ("return")."""
        found = get_type_hints(self.function, include_extras=True)
        return {**found, "return": get_args(found["return"])[0]} if self.waits else found

    @cached_property
    def path_parameters(self) -> tuple[PathParameter, ...]:
        """One for each placeholder, in order. Raises TypeError for others, or a value not named as on the wire."""
        taken = [p.name for p in self._parameters if p.kind is not p.KEYWORD_ONLY and p.name != "body"]
        found = tuple(map(PathParameter, self.placeholders, map(self.hints.get, taken)))
        fitting = all(each.resolve or each.name == name for each, name in zip(found, taken, strict=False))
        if not fitting or len(taken) != len(self.placeholders):
            raise TypeError(f"{self.name} takes {', '.join(taken)}, its path {', '.join(self.placeholders)}")
        return found

    @cached_property
    def query_parameters(self) -> tuple[QueryParameter, ...]:
        """One for each keyword-only parameter of the function."""
        return tuple(
            QueryParameter(p.name, self.hints[p.name], p.default) for p in self._parameters if p.kind is p.KEYWORD_ONLY
        )

    @cached_property
    def body(self) -> Body | None:
        """The body, None for an operation without one."""
        return Body(self.hints["body"]) if "body" in self.hints else None

    @cached_property
    def result(self) -> Any:
        """The type of the answer, without headers."""
        return without_headers(self.hints["return"])

    @cached_property
    def shows(self) -> frozenset[str]:
        """What its answer shows: the kinds of things by their ids (words of ``types.Names``), and ``instants``."""
        marks = tuple(marks_in(self.hints["return"]))
        named = {each.kind for each in marks if isinstance(each, Names)}
        inside = {kind for each in marks if isinstance(each, Inside) for kind in each.kinds}
        instants = {"instants"} if any(isinstance(each, InUnit | StatedUnit) for each in marks) else ()
        return frozenset({*named, *inside, *instants, *self.identifies.values()})

    @cached_property
    def query_names(self) -> frozenset[str]:
        """The names of its query parameters."""
        names = frozenset(parameter.name for parameter in self.query_parameters)
        return names | {"for_client"} if self.for_client else names

    @property
    def _parameters(self) -> list[inspect.Parameter]:
        return list(inspect.signature(self.function).parameters.values())[1:]

    @cached_property
    def contract(self) -> Contract:
        """The facts that every call needs."""
        path, body, result = tuple(enumerate(self.path_parameters)), self.body, self.result
        required = any(parameter.required for parameter in self.query_parameters)
        found = [(each, (place, each.resolve, each.inside)) for place, each in path if each.resolve is not None]
        return Contract(
            texts=tuple((place, each) for place, each in path if not each.is_text),
            names=tuple(finding for each, finding in found if not each.is_input),
            inputs=tuple(finding for each, finding in found if each.is_input),
            required_query=required,
            has_input=required or body is not None,
            body=body,
            empty=result is NoneType,
            has_options=any(optional_fields(result)),
            has_big_numbers=any(big_numbers(result)),
            creates=self.creates,
            container=self.container,
            headers=self.headers,
            shown={each.id: None for each in (THING_IDS, FIRST_USER_ID) if not self.shows.isdisjoint(each.decides)},
        )

    def run(self, call: Any, things: list[Any], named: Mapping[str, Any]) -> Any:
        """Return what its function does, if what its family requires is there. Raises Refusal otherwise."""
        if self.requires is not None:
            self.requires(call, *things)
        return self.function(call, *things, **named)

    def route(self, profile: Mapping[str, Any]) -> tuple[str, str]:
        """Return method and path under a profile."""
        entry, slash = self.route_entry, self.slash
        if entry is not None and entry.id in profile:
            method, path = profile[entry.id].split(" ", 1)
            return method, path
        current = slash is not None and profile.get(slash.id) == "current"
        return self.method, f"{self.path}/current" if current else self.path

    def answer(self, profile: Mapping[str, Any]) -> Any:
        """Return the type of the answer under a profile."""
        entry, result = self.container, self.result
        base, marks = peeled(result)
        if get_origin(base) is Page and in_force(profile, conventions.PAGE_FIELDS) == "with-limits":
            result = annotated(with_limits(base), marks)
        return result if entry is None or entry.id not in profile else container_type(profile[entry.id], result)

    def _route_entry(self) -> Assumption[str] | None:
        if self.source is Source.DOCUMENTED:
            return None

        def check(value: object) -> str:
            given = text(value)
            method, _, path = given.partition(" ")
            if method not in {"GET", "POST", "DELETE", "PUT", "PATCH"} or not re.fullmatch(r"/[^ ?#]*", path):
                raise ValueError(f"{given!r} is no route such as 'GET /users/me'")
            if sorted(_PLACEHOLDER.findall(path)) != sorted(self.placeholders):
                raise ValueError(f"{given!r} must have the parameters {', '.join(self.placeholders) or 'none'}")
            return f"{method} {normalised(encoded(path, '{}'))}"

        known = "know by name only" if self.source is Source.NAME_ONLY else "only imply"
        return assumption(
            f"route.{self.name}",
            " ".join(self.gaps),
            f"Method and path of {self.name}, which the documents {known}.",
            f"{self.method} {self.path}",
            ("another method and path with the same parameters",),
            self.name,
            check=check,
            samples=(f"{self.method} /moved{self.path}",),
        )


class Declare(Protocol):
    """Declares the decorated function as the operation of a route, with the words that its family leaves open."""

    def __call__(self, route: str, **words: Unpack[Words]) -> Callable[[F], F]:
        """``route`` is the method and the path below the prefix of the catalogue."""


class Catalogue:
    """The operations of one plane, by name; modules declare them with ``operation``, ``arrange`` puts them in order.

    ``prefix`` is their common path in a mount, or the assumption about it.
    """

    def __init__(self, title: str, prefix: str | Assumption[str] = "") -> None:
        self.title = title
        self._prefix = prefix
        self.operations: dict[str, Operation] = {}
        self._concerned: dict[str, tuple[str, ...]] = {}
        #: The description of each area: the first words of the first module that declares it.
        self.areas: dict[str, str] = {}

    def arrange(self, package: str, families: Mapping[str, str]) -> None:
        """Import the modules that declare operations, give each operation its area, and sort them by area.

        ``families`` has the modules of each area, by their names below ``package``. Raises ValueError for an operation
        that no listed module declares.
        """
        listed = {
            area: [import_module(f"{package}.{name}") for name in names.split()] for area, names in families.items()
        }
        places = {
            module.__name__: (place, area)
            for place, (area, module) in enumerate((area, each) for area in listed for each in listed[area])
        }
        self.areas = {area: (modules[0].__doc__ or "").partition("\n")[0] for area, modules in listed.items()}
        for operation in self:
            module = operation.function.__module__
            if module not in places:
                raise ValueError(f"operation {operation.name!r} is declared in {module}, which no area lists")
            operation.area = places[module][1]
        ordered = sorted(self, key=lambda each: places[each.function.__module__][0])
        self.operations = {each.name: each for each in ordered}

    def prefix_under(self, profile: Mapping[str, Any]) -> str:
        """Return the common path of the operations in a mount, under a profile."""
        return self._prefix if isinstance(self._prefix, str) else in_force(profile, self._prefix)

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.operations.values())

    def __getitem__(self, name: str) -> Operation:
        return self.operations[name]

    def find(self, name: str) -> Operation | None:
        """Return the operation of this name, or None."""
        return self.operations.get(name)

    def __len__(self) -> int:
        return len(self.operations)

    def concerned(self, entry: Assumption[Any]) -> tuple[str, ...]:
        """Return the operations that an assumption names, or that show what it decides; none for one about all."""
        if entry.id not in self._concerned:
            showing = (each.name for each in self if not each.shows.isdisjoint(entry.decides))
            self._concerned[entry.id] = tuple(dict.fromkeys((*entry.operations, *showing)))
        return self._concerned[entry.id]

    def family(self, **shared: Unpack[Words]) -> Declare:
        """Return what declares operations that share these words; each states what differs."""
        return partial(self.operation, **shared)

    def operation(self, route: str, **words: Unpack[Words]) -> Callable[[F], F]:
        """Declare an operation: the decorated function.

        ``route`` is the method and the path below the prefix of the catalogue. Raises ValueError for a name that is
        declared twice, and for an operation without a gate.
        """

        def declare(function: F) -> F:
            if "gate" not in words:
                raise ValueError(f"operation {function.__name__!r} states no gate, nor does its family")
            operation = Operation(route, function, self, **words)
            if operation.name in self.operations:
                raise ValueError(f"operation {operation.name!r} is declared twice")
            self.operations[operation.name] = operation
            return function

        return declare

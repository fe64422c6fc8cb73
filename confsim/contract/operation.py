"""An operation is declared once: its signature is the contract, and everything else is derived from it.

Path parameters come by name, ``body`` is the JSON body (or the raw bytes), keyword-only parameters are the query, the
return type is the response, the docstring is the reference page. Names of parameters are the names on the wire.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType, ModuleType
from typing import Any, TypeVar, get_type_hints

from confsim.assumptions.register import Entry, assumption, in_force, text

from .annotations import optional_fields
from .containers import container_type
from .decode import Body, PathParameter, QueryParameter
from .gates import Gate, Grant
from .headers import Header, without_headers

F = TypeVar("F", bound=Callable[..., Any])

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
#: No headers, no fields.
NONE: Mapping[str, Any] = MappingProxyType({})


class Source(StrEnum):
    """How much of an operation the documents show."""

    DOCUMENTED = "documented"  # method, path and payload
    NAME_ONLY = "name_only"  # the name alone: route and payload are assumptions
    IMPLIED = "implied"  # not even the name, only an effect that needs it


class Operation:
    """One operation, with everything that is derived from its declaration.

    ``area`` is its heading in the reference; ``line`` the place in the documents; ``rules`` and ``gaps`` the numbers it
    answers for; the other attributes are the words of ``Catalogue.operation``. What needs the types (parameters, body,
    result) is computed when it is first asked for.
    """

    def __init__(
        self,
        route: str,
        function: Callable[..., Any],
        *,
        gate: Gate,
        rules: str,
        source: Source,
        gaps: str,
        line: str,
        for_client: bool,
        runtime: bool,
        variant_of: str,
        slash: Entry[str] | None,
        container: Entry[str] | None,
        headers: Mapping[str, Header],
        identifies: Mapping[str, str],
        revokes_access: bool,
        replayed: bool,
        locks: bool,
        moves_clock: bool,
        waits: bool,
        catalogue: Catalogue,
    ) -> None:
        self.method, self.path = route.split(" ")
        self.name = function.__name__
        self.function = function
        self.gate = gate
        self.public = Grant.PUBLIC in gate.grants
        self.source = source
        self.rules = tuple(rules.split())
        self.gaps = tuple(gaps.split())
        self.line = line
        self.area = ""
        self.for_client = for_client
        self.runtime = runtime
        self.variant_of = variant_of
        self.slash = slash
        self.container = container
        self.headers = headers
        self.identifies = identifies
        self.revokes_access = revokes_access
        self.replayed = replayed
        self.locks = locks
        self.moves_clock = moves_clock
        self.waits = waits
        self.catalogue = catalogue
        self.changes = self.method != "GET"
        #: Whether it creates a thing and answers with it (G044).
        self.creates = self.changes and self.name.startswith(("create_", "add_"))
        self.placeholders = tuple(_PLACEHOLDER.findall(self.path))
        doc = inspect.getdoc(function) or ""
        self.summary, _, self.description = doc.partition("\n")
        self.description = self.description.strip()
        self.gate_entry = self._gate_entry()
        self.route_entry = self._route_entry()

    def __repr__(self) -> str:
        return f"<{self.name} {self.method} {self.path}>"

    @cached_property
    def hints(self) -> dict[str, Any]:
        """The types of the parameters and of the result ("return")."""
        return get_type_hints(self.function, include_extras=True)

    @cached_property
    def path_parameters(self) -> tuple[PathParameter, ...]:
        """One for each placeholder of the path. Raises TypeError when the function takes others."""
        declared = tuple(p.name for p in self._parameters if p.kind is not p.KEYWORD_ONLY and p.name != "body")
        if declared != self.placeholders:
            raise TypeError(f"{self.name} takes {declared}, its path {self.placeholders}")
        return tuple(PathParameter(name, self.hints[name]) for name in self.placeholders)

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
        """The type of the answer, without the headers that may come with it."""
        return without_headers(self.hints["return"])

    @cached_property
    def has_options(self) -> bool:
        """Whether the response has optional fields (G077)."""
        return any(optional_fields(self.result))

    @property
    def _parameters(self) -> list[inspect.Parameter]:
        return list(inspect.signature(self.function).parameters.values())[1:]

    def route(self, profile: Mapping[str, Any]) -> tuple[str, str]:
        """Method and path under a profile."""
        entry = self.route_entry
        if entry is None or entry.id not in profile:
            return self.method, self.path
        method, path = profile[entry.id].split(" ", 1)
        return method, path

    def answer(self, profile: Mapping[str, Any]) -> Any:
        """The type of the answer under a profile."""
        entry = self.container
        if entry is None or entry.id not in profile:
            return self.result
        return container_type(profile[entry.id], self.result)

    def _gate_entry(self) -> Entry[tuple[Grant, ...]] | None:
        if not self.gate.gaps:
            return None
        return assumption(
            f"gate.{self.name}",
            f"{self.gate.gaps} G147",
            f"Who may call {self.name} ({self.method} {self.path}).",
            self.gate.grants,
            tuple(Grant),
            self.name,
            check=_grants,
        )

    def _route_entry(self) -> Entry[str] | None:
        if self.source is Source.DOCUMENTED:
            return None

        def check(value: object) -> str:
            given = text(value)
            method, _, path = given.partition(" ")
            if method not in {"GET", "POST", "DELETE", "PUT", "PATCH"} or not path.startswith("/"):
                raise ValueError(f"{given!r} is no route such as 'GET /users/me'")
            if sorted(_PLACEHOLDER.findall(path)) != sorted(self.placeholders):
                raise ValueError(f"{given!r} must have the parameters {', '.join(self.placeholders) or 'none'}")
            return given

        return assumption(
            f"route.{self.name}",
            " ".join(self.gaps),
            f"Method and path of {self.name}, which the documents know by name only."
            if self.source is Source.NAME_ONLY
            else f"Method and path of {self.name}, which the documents only imply.",
            f"{self.method} {self.path}",
            ("another method and path with the same parameters",),
            self.name,
            check=check,
        )


def _grants(value: object) -> tuple[Grant, ...]:
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list | tuple):
        raise ValueError(f"{value!r} is no list of grants")
    known = ", ".join(Grant)
    try:
        return tuple(Grant(word) for word in words)
    except ValueError:
        raise ValueError(f"{value!r} holds a grant that is none of {known}") from None


class Catalogue:
    """The operations of one plane, by name; modules declare them with ``operation``, ``arrange`` puts them in order.

    ``prefix`` is the path below which they stand in a mount, or the assumption that says it.
    """

    def __init__(self, title: str, prefix: str | Entry[str] = "") -> None:
        self.title = title
        self._prefix = prefix
        self.operations: dict[str, Operation] = {}

    def arrange(self, families: Mapping[str, Sequence[ModuleType]]) -> None:
        """Give each operation the area whose modules declare it, and put the operations in the order of the areas.

        Raises ValueError for an operation that no listed module declares.
        """
        places = {
            module.__name__: (place, area)
            for place, (area, module) in enumerate((area, each) for area in families for each in families[area])
        }
        for operation in self.operations.values():
            module = operation.function.__module__
            if module not in places:
                raise ValueError(f"operation {operation.name!r} is declared in {module}, which no area lists")
            operation.area = places[module][1]
        self.operations = dict(sorted(self.operations.items(), key=lambda item: places[item[1].function.__module__][0]))

    def prefix_under(self, profile: Mapping[str, Any]) -> str:
        """The path below which the operations stand in a mount, under a profile."""
        return self._prefix if isinstance(self._prefix, str) else in_force(profile, self._prefix)

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.operations.values())

    def __getitem__(self, name: str) -> Operation:
        return self.operations[name]

    def get(self, name: str) -> Operation | None:
        """The operation of this name, or None."""
        return self.operations.get(name)

    def __len__(self) -> int:
        return len(self.operations)

    def operation(
        self,
        route: str,
        *,
        gate: Gate,
        rules: str = "",
        source: Source = Source.DOCUMENTED,
        gaps: str = "",
        line: str = "",
        for_client: bool = False,
        runtime: bool = False,
        variant_of: str = "",
        slash: Entry[str] | None = None,
        container: Entry[str] | None = None,
        headers: Mapping[str, Header] = NONE,
        identifies: Mapping[str, str] = NONE,
        revokes_access: bool = False,
        replayed: bool = True,
        locks: bool = True,
        moves_clock: bool = False,
        waits: bool = False,
    ) -> Callable[[F], F]:
        """Declare the operation that the decorated function is.

        ``route`` is the method and the path below the base address; ``rules`` and ``gaps`` the numbers it answers for;
        ``line`` the document part and section; ``for_client`` whether the query may name a child client;
        ``runtime`` whether it belongs to the running of a channel, which a disabled service refuses even to read;
        ``variant_of`` the operation whose route it shares: a required query parameter tells which is meant;
        ``slash`` the assumption by which the path may end with a slash too, where that is "either";
        ``container`` the assumption that says what holds the elements of a list or a page;
        ``headers`` the response headers, by name, that the function can set by returning a ``WithHeaders``;
        ``identifies`` the fields of the answer (or of each element of it) that are ids for later calls, each with the
        kind of thing, in the words of ``types.Names``;
        ``revokes_access`` whether it can take the access of callers away, so that a walk over all operations calls it
        last;
        ``replayed`` whether whoever repeats the calls of a journal repeats this one;
        ``locks`` whether it runs under the lock of its world;
        ``moves_clock`` whether all it does is to move or steer the clock;
        ``waits`` whether its answer may come only after other calls.
        """

        def declare(function: F) -> F:
            operation = Operation(
                route,
                function,
                gate=gate,
                rules=rules,
                source=source,
                gaps=gaps,
                line=line,
                for_client=for_client,
                runtime=runtime,
                variant_of=variant_of,
                slash=slash,
                container=container,
                headers=headers,
                identifies=identifies,
                revokes_access=revokes_access,
                replayed=replayed,
                locks=locks,
                moves_clock=moves_clock,
                waits=waits,
                catalogue=self,
            )
            if operation.name in self.operations:
                raise ValueError(f"operation {operation.name!r} is declared twice")
            self.operations[operation.name] = operation
            return function

        return declare

"""The things that a run made, the clients that it works in, and its callers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

from msgspec import Struct


class Thing(Struct, frozen=True):
    """A thing: its kind and its id in the model.

    ``home`` is its client; ``inside`` has the things that contain it, by kind; ``journey`` is the number of the journey
    that made it.
    """

    kind: str
    name: Any
    home: str
    inside: Mapping[str, Any] = {}
    journey: int = 0
    role: str = ""


class Stray(Struct, frozen=True):
    """What a call made in the service alone: its answer was not as the model's.

    ``name`` is its id in the service, None when the answer has none, as ``why`` then says; ``inside`` is that of a
    ``Thing``.
    """

    kind: str
    name: Any
    home: str
    inside: Mapping[str, Any] = {}
    why: str = ""


class RunCaller(Struct, frozen=True):
    """A caller: a token of the model (None for none), the role, the client and the user."""

    token: str | None
    role: str
    home: str = ""
    user: int | None = None
    made: bool = False


class Things:
    """The things that the run made, by kind; its clients; its callers; the users of the accounts.

    ``before`` has things by kind and id that the model has, though they were there before: they are never among these.
    """

    def __init__(self, accounts_client: str, before: frozenset[tuple[str, Any]] = frozenset()) -> None:
        self.accounts_client = accounts_client
        self._before = before
        self.own_clients: list[str] = []
        #: Those of the accounts and those whom the run made, in the order in which they came.
        self.callers: list[RunCaller] = []
        self._by_token: dict[str | None, RunCaller] = {}
        #: Ids of the API tokens with which the run reaches its own clients; they are not changed before the end.
        self.protected_tokens: list[str] = []
        self.known_users: dict[str, list[int]] = {}
        #: What the service made in another way than the model, which only the removal at the end concerns.
        self.strays: list[Stray] = []
        self._by_kind: dict[str, list[Thing]] = {}
        self._names: dict[tuple[str, Any], Thing] = {}
        self._abandoned: set[tuple[str, Any]] = set()

    def copy(self) -> Things:
        """Return another that has the same, and changes by itself."""
        other = Things(self.accounts_client, self._before)
        other.own_clients, other.callers = list(self.own_clients), list(self.callers)
        other._by_token = dict(self._by_token)
        other.protected_tokens = list(self.protected_tokens)
        other.strays = list(self.strays)
        other.known_users = {home: list(users) for home, users in self.known_users.items()}
        other._by_kind = {kind: list(things) for kind, things in self._by_kind.items()}
        other._names = dict(self._names)
        other._abandoned = set(self._abandoned)
        return other

    def __contains__(self, named: object) -> bool:
        """Return whether the run made the thing of this kind and id."""
        return named in self._names

    def there_before(self, named: Mapping[str, Any]) -> bool:
        """Return whether one of these things, by kind, was there before."""
        return not self._before.isdisjoint(named.items())

    def __iter__(self) -> Iterator[Thing]:
        return iter(self._names.values())

    def add(self, thing: Thing) -> None:
        """Add a thing that was made."""
        name = (thing.kind, thing.name)
        if name not in self._names and name not in self._before and name not in self._abandoned:
            self._names[name] = thing
            self._by_kind.setdefault(thing.kind, []).append(thing)

    def remove(self, kind: str, name: Any) -> None:
        """Remove a thing that is gone."""
        thing = self._names.pop((kind, name), None)
        if thing is not None:
            self._by_kind[kind].remove(thing)

    def abandon(self, thing: Thing, there: Any) -> None:
        """Use a thing no more, and do not add it again; ``there`` is its id in the service, by which it is removed."""
        self.remove(thing.kind, thing.name)
        self.strays.append(Stray(thing.kind, there, thing.home, thing.inside))
        self._abandoned.add((thing.kind, thing.name))

    def find(self, kind: str, name: Any) -> Thing | None:
        """Return the thing of this id, None when the run did not make it."""
        return self._names.get((kind, name))

    def list_kind(self, kind: str) -> list[Thing]:
        """Return the things of a kind, oldest first."""
        return self._by_kind.get(kind, [])

    def choose(self, random: Random, kind: str, home: str, journey: int) -> Thing | None:
        """Return a thing of a kind, preferably of this journey, then of this client; None when there is none."""
        found = self._by_kind.get(kind, [])
        here = [each for each in found if each.journey == journey]
        if here and random.random() < 0.9:
            return random.choice(here)
        local = [each for each in found if each.home == home]
        return random.choice(local or found) if found else None

    def add_caller(self, caller: RunCaller) -> None:
        """Add a caller."""
        self.callers.append(caller)
        self._by_token.setdefault(caller.token, caller)

    def keep_callers(self, wanted: Callable[[RunCaller], bool]) -> None:
        """Remove the callers for whom ``wanted`` is false."""
        self.callers = [each for each in self.callers if wanted(each)]
        self._by_token = {each.token: each for each in reversed(self.callers)}

    def caller(self, token: str | None) -> RunCaller | None:
        """Return the caller with this token, None for nobody's."""
        return self._by_token.get(token)

"""World files: a world as data that people write. The demo world ships with the package."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from confsim import shipped
from confsim.assumptions.register import ProfileContext, context_of
from confsim.domain import terms
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.clients.clients import CLIENTS, Client
from confsim.domain.identity import api_tokens, credentials, validators
from confsim.domain.members import roles
from confsim.domain.members.roles import Role
from confsim.domain.telephony import numbers
from confsim.domain.users import users
from confsim.domain.users.users import Account, AuthKind, Identity, Level, User
from confsim.kernel.refusal import Misuse, Refusal, suggest_near
from confsim.kernel.world import Change, World
from confsim.service.clock import instant
from confsim.values.plain import shown

from . import reading

T = TypeVar("T")

#: Worlds of one file and seed that are cached beside the newest.
_MOST_BUILDS = 31
_LEVELS = {"customer-admin": Level.CUSTOMER_ADMIN, "partner-admin": Level.PARTNER_ADMIN}


class _File(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Part of a world file; a field that is not listed is an error."""


class UserFile(_File):
    """A user. ``token`` is a fixed token that never expires; ``levels`` are customer-admin and partner-admin."""

    handle: str
    token: str | None = None
    account: Account = Account.REGISTERED
    levels: list[str] = []
    fullName: str | None = None
    email: str | None = None
    provider: str | None = None
    originId: str | None = None
    acceptedTerms: bool = True
    channel: str | None = None


class ChannelFile(_File):
    """A channel. ``owners`` and ``operators`` are handles of users of the same client."""

    name: str
    id: str | None = None
    description: str | None = None
    owners: list[str] = []
    operators: list[str] = []
    guestAccess: bool = True
    open: bool | None = None
    eventRoom: bool = False
    friendlyUrl: str | None = None


class ApiTokenFile(_File):
    """An API token with a fixed value."""

    token: str
    label: str | None = None


class ValidatorFile(_File):
    """A validator of identity tokens. ``key`` is a secret, a PEM or a JWK as text."""

    id: str
    algorithm: str
    key: str
    name: str | None = None
    issuer: str | None = None
    audience: str | None = None
    active: bool = False


class NumberFile(_File):
    """An inbound number. ``code`` is its country as ISO alpha-2, by default derived from the number."""

    number: str
    code: str | None = None
    isDefault: bool = False
    enabled: bool = True


class ClientFile(_File):
    """A client. ``parent`` is the name of an earlier client in the file."""

    name: str
    id: str | None = None
    parent: str | None = None
    reseller: bool = False
    termsUrl: str | None = None
    users: list[UserFile] = []
    channels: list[ChannelFile] = []
    apiTokens: list[ApiTokenFile] = []
    validators: list[ValidatorFile] = []
    numbers: list[NumberFile] = []


class WorldFile(_File):
    """A world file. ``at`` is the instant (ISO 8601) at which everything in it was made."""

    version: int
    at: str
    clients: list[ClientFile] = []


def schema() -> bytes:
    """Return the JSON Schema of world files, the content of fixtures/schema/world.json."""
    made = {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(WorldFile)}
    return msgspec.json.format(msgspec.json.encode(made), indent=2) + b"\n"


#: Names of the shipped worlds.
SHIPPED = ("demo", "empty")


def read(world: str | Path | Mapping[str, Any]) -> WorldFile:
    """Return a world file: a shipped one by name, or from a path or plain data. Raises Misuse with the mistake."""
    try:
        if isinstance(world, Mapping):
            return msgspec.convert(world, WorldFile)
        if isinstance(world, str | Path) and str(world).endswith(".json"):
            return msgspec.json.decode(reading.content(world, "world"), type=WorldFile)
        if world in SHIPPED:
            return msgspec.json.decode(shipped.read(f"fixtures/{world}.json"), type=WorldFile)
    except (ValueError, RecursionError) as error:
        raise Misuse(f"{_origin_of(world)}: {reading.json_problem(error)}") from None
    if not isinstance(world, str | Path):
        raise Misuse(f"a world is a name, a path or the content of a file, not {shown(world)}")
    meant, known = suggest_near(world, SHIPPED), ", ".join(SHIPPED)
    message = f"there is no world {str(world)!r}{meant}; shipped are {known}, or give the path of a .json file"
    raise Misuse(message, status=404)


def _origin_of(world: str | Path | Mapping[str, Any]) -> str:
    return "world" if isinstance(world, Mapping) else f"world {str(world)!r}"


class Built(Struct, frozen=True):
    """A world made from a file, and the sorted ids of the assumptions that it was built on."""

    world: World
    assumptions: tuple[str, ...]


def build(file: WorldFile, seed: int, profile: Mapping[str, Any]) -> Built:
    """Return the world that the file describes. Raises Misuse for a mistake, such as a reference to nothing."""
    import confsim.api.catalogue  # noqa: F401 its modules declare the couplings

    if file.version != 1:
        raise Misuse(f"it is a file of version {file.version}; this confsim reads version 1")
    try:
        at = instant(file.at)
    except Misuse as misuse:
        raise Misuse(f"at: {misuse}") from None
    tokens = [user.token for client in file.clients for user in client.users]
    tokens += [token.token for client in file.clients for token in client.apiTokens]
    rooms = [room.id for client in file.clients for room in client.channels]
    _once("clients: name", [client.name for client in file.clients])
    _once("clients: id", [client.id for client in file.clients])
    _once("channels: id", rooms)
    _once("users and apiTokens: token", tokens)
    change = World(seed).change(at, ProfileContext(profile))
    made: dict[str, Client] = {}
    for each in file.clients:
        try:
            made[each.name] = _client(change, each, made)
        except Refusal as refusal:
            raise Misuse(f"client {each.name!r}: {refusal}") from None
    return Built(change.commit(), tuple(sorted(context_of(change).used)))


def _once(what: str, values: Iterable[str | None]) -> None:
    """Raise Misuse when a value that must be unique occurs twice."""
    for value, count in Counter(values).items():
        if value is not None and count > 1:
            raise Misuse(f"{what} {value!r} is given {count} times")


def _grouped(named: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    found: dict[str, list[T]] = {}
    for name, thing in named:
        found.setdefault(name, []).append(thing)
    return found


def _named(what: str, things: Mapping[str, list[T]], name: str, where: str) -> T:
    """Return the one thing of the client with this name. Raises Misuse when there is none, or several."""
    found = things.get(name, [])
    if len(found) != 1:
        raise Misuse(f"{where}: the client has {f'several {what}s' if found else f'no {what}'} named {name!r}")
    return found[0]


def _client(change: Change, file: ClientFile, made: Mapping[str, Client]) -> Client:
    if file.parent is not None and file.parent not in made:
        raise Misuse(f"client {file.name!r}: no client named {file.parent!r} stands before it")
    parent = made[file.parent].id if file.parent is not None else None
    client = clients.create(
        change, file.name, parent, reseller=file.reseller, id=msgspec.UNSET if file.id is None else file.id
    )
    if file.termsUrl is not None:
        client = terms.link(change, client, file.termsUrl)
    ids = [room.id or change.uuid() for room in file.channels]
    rooms = _grouped((room.name, id) for room, id in zip(file.channels, ids, strict=True))
    people = _grouped((each.handle, _user(change, client, each, rooms)) for each in file.users)
    for room, id in zip(file.channels, ids, strict=True):
        _channel(change, client, room, id, people)
    for token in file.apiTokens:
        api_tokens.add(change, client, token.token, token.label)
    for validator in file.validators:
        added = validators.add(
            change,
            client,
            validator.id,
            validator.algorithm,
            validator.key,
            name=validator.name,
            issuer=validator.issuer,
            audience=validator.audience,
        )
        if validator.active:
            validators.enable(change, added)
    for number in file.numbers:
        _number(change, client, number)
    return CLIENTS.of(change)[client.id]


def _number(change: Change, client: Client, file: NumberFile) -> None:
    made = numbers.add(change, client, file.number, file.code, default=file.isDefault)
    if not file.enabled:
        numbers.STANDING.to("disable")(change, made)


def _user(change: Change, client: Client, file: UserFile, rooms: Mapping[str, list[str]]) -> User:
    for level in file.levels:
        if level not in _LEVELS:
            raise Misuse(f"user {file.handle!r}: level {level!r} is none of {', '.join(_LEVELS)}")
    if file.account not in users.CREATED_BY:
        sorts = ", ".join(account.value for account in users.CREATED_BY)
        raise Misuse(f"user {file.handle!r}: account {file.account.value!r} is none of {sorts}")
    channel = None if file.channel is None else _named("channel", rooms, file.channel, f"user {file.handle!r}")
    user = users.create(
        change,
        client.id,
        file.handle,
        file.account,
        full_name=file.fullName,
        email=file.email,
        origin_id=file.originId,
        levels=tuple(_LEVELS[level] for level in file.levels),
        accepted=client.terms.version if file.acceptedTerms else None,
        channel=channel,
        auth_kind=AuthKind.OAUTH if file.provider is not None else None,
        identity=Identity(file.provider, file.fullName or "", file.email or "") if file.provider is not None else None,
    )
    if file.token is not None:
        credentials.add(change, user, file.token)
    return user


def _channel(change: Change, client: Client, file: ChannelFile, id: str, people: Mapping[str, list[User]]) -> None:
    where = f"channel {file.name!r}"
    owners, operators = (
        [_named("user", people, handle, where) for handle in handles] for handles in (file.owners, file.operators)
    )
    settings: dict[str, Any] = {
        "guest_access": file.guestAccess,
        "event_room": file.eventRoom,
        "friendly_url": file.friendlyUrl,
    }
    if file.open is not None:
        settings["open"] = file.open
    channel = channels.load(change, client, id, file.name, file.description, settings)
    for user in owners:
        roles.appoint(change, channel, user, Role.OWNER)
    for user in operators:
        roles.appoint(change, channel, user, Role.OPERATOR)


@lru_cache(maxsize=32)
def _shipped(name: str, seed: int) -> _Builds:
    return _Builds(read(name), seed)


class _Builds:
    """The worlds built of one file with one seed. Profiles that agree in the assumptions it used share one."""

    def __init__(self, file: WorldFile, seed: int) -> None:
        self._file = file
        self._seed = seed
        #: The newest first, each with the choice of every assumption that was used (None for the default).
        self._built: list[tuple[dict[str, str | None], Built]] = []

    def under(self, profile: Mapping[str, Any]) -> Built:
        """Return the world under a profile."""
        chosen = {id: repr(value) for id, value in profile.items()}
        for choices, built in self._built:
            if all(chosen.get(id) == value for id, value in choices.items()):
                return built
        recording = _RecordingProfile(profile)
        built = build(self._file, self._seed, recording)
        self._built = [({id: chosen.get(id) for id in recording.ids}, built), *self._built[:_MOST_BUILDS]]
        return built


class _RecordingProfile(dict[str, Any]):
    """A profile that records the ids of the assumptions that are read from it, all of them by ``get``."""

    def __init__(self, profile: Mapping[str, Any]) -> None:
        super().__init__(profile)
        self.ids: set[str] = set()

    def __bool__(self) -> bool:
        return True  # a false profile is never read

    def get(self, id: str, default: Any = None) -> Any:
        """Return the value chosen for an assumption, and record its id."""
        self.ids.add(id)
        return super().get(id, default)


def load(world: str | Path | Mapping[str, Any], seed: int, profile: Mapping[str, Any]) -> Built:
    """Return the world of that name, path or data.

    A shipped world is built once for each seed and all profiles under which it is the same.
    """
    if isinstance(world, str) and not world.endswith(".json"):
        return _shipped(world, seed).under(profile)
    file = read(world)
    try:
        return build(file, seed, profile)
    except Misuse as misuse:
        raise Misuse(f"{_origin_of(world)}: {misuse}") from None

"""Discovery: reads the clients and users of the accounts, and makes a model that has them."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec import Struct

from confsim.api.telephony import numbers
from confsim.assumptions.identity import LEVELS
from confsim.assumptions.protocol import units
from confsim.assumptions.register import in_force
from confsim.assumptions.users.users import AUTH_KIND_WORDS
from confsim.domain import terms
from confsim.domain.channels import friendly_urls
from confsim.domain.clients import clients, settings
from confsim.domain.clients.clients import CLIENTS, Client, Terms
from confsim.domain.clients.settings import Default
from confsim.domain.config import documents
from confsim.domain.events import endpoints
from confsim.domain.users import handles, user_images, users
from confsim.domain.users.users import USERS, AuthKind, Level
from confsim.kernel.refusal import Misuse, Refusal
from confsim.kernel.world import Change
from confsim.service.clock import LATEST, Clock
from confsim.simulator import Simulator

from .accounts import Accounts
from .before import Before, copy_before
from .comparing.correspondence import MILLISECONDS, Correspondence
from .model import Model
from .parsing import (
    Acceptance,
    AccessLevel,
    Address,
    ClientTerms,
    ClientView,
    EventsStatus,
    Identity,
    InboundNumber,
    OwnChannel,
    Profile,
    Providers,
    Settings,
    Validator,
    elements,
    parse,
)
from .service import Reads, RealService, excerpt

V = TypeVar("V")

#: The role whose token is not used: the API does not say which channel it belongs to. The run creates guests instead.
UNUSED = frozenset({"guest"})
#: Roles that administer a client, and can read more of it.
_ADMINS = ("customer-admin", "api-token", "partner-admin")
#: Roles whose users belong to the client of the accounts.
_OF_CLIENT = ("customer-admin", "owner", "operator", "user")
#: The channel of the model that stands for all channels that the owner and the operator host already.
ELSEWHERE = "elsewhere"
#: The settings that channels of a client start with, by their fields in the answer.
_DEFAULTS = {
    "speech2text": Default.SPEECH2TEXT,
    "dialIn": Default.DIAL_IN,
    "dialOut": Default.DIAL_OUT,
    "midi": Default.MIDI,
}

#: The operations that list the inbound numbers of a client; the first lists most of them.
NUMBERED_BY = (numbers.list_inbound_numbers.__name__, numbers.list_available_dial_numbers.__name__)

#: The ids of the assumptions that say what the reads mean of which a model is made.
READ_UNDER = (units.PROMULGATED.id, LEVELS.id, AUTH_KIND_WORDS.id)


class _Person(Struct):
    """A user, as the service describes one; of those of the accounts with the token, levels and address.

    ``levels`` is None where they could not be read.
    """

    who: Identity
    profile: Profile
    token: str | None = None
    levels: list[AccessLevel] | None = None
    accepted: bool = False
    address: Address = Address()


class Discovery:
    """Reads the clients and users of the accounts, and makes the model's world of them.

    The reads in ``before`` are not made again.
    """

    def __init__(
        self,
        service: RealService,
        accounts: Accounts,
        profile: Mapping[str, Any],
        known: Correspondence,
        before: Discovery | None = None,
    ) -> None:
        self._service = service
        self._accounts = accounts
        self._profile = profile
        self._known = known
        #: The users of the accounts, by role.
        self._people: dict[str, _Person] = {}
        self._used: frozenset[str] = frozenset()
        #: Other users who are there, by id, as the service describes them.
        self.others: dict[int, dict[str, Any]] = {} if before is None else before.others
        #: Other things that were there and are described.
        self.before: Before = {} if before is None else before.before
        #: Answers of which no model can be made, in words.
        self.notes: list[str] = []
        #: The reads that were made.
        self.reads: Reads = Reads(service) if before is None else before.reads

    def again(self, profile: Mapping[str, Any], known: Correspondence, clock: Clock) -> Model:
        """Return the model under another profile, from the same reads."""
        return Discovery(self._service, self._accounts, profile, known, self).model(clock=clock)

    def model(self, seed: int = 0, clock: Clock | None = None) -> Model:
        """Return the model. Raises Misuse when the service is not this API, or a token is refused or for another role.

        What an answer says otherwise than declared is as in a new client, and noted.
        """
        for role, token in self._accounts.tokens.items():
            if role not in UNUSED and role != "api-token":
                self._people[role] = self._person(role, token)
        self._check_api_token()
        self._check_client()
        for person in self._people.values():
            self._describe(person)
        document, ids = self._world_file()
        try:
            simulator = Simulator(document, seed, clock if clock is not None else Clock(), dict(self._profile))
        except Misuse as misuse:
            raise Misuse(f"no model can be made of what the service says of its clients and users: {misuse}") from None
        simulator.service.webhooks.set_listed(True)
        change = simulator.service.change()
        for client_id in ids:
            self._copy_client(change, client_id)
        for person in (*self._people.values(), *self._others_of(ids)):
            self._copy_user(change, person)
        copy_before(change, self.before, self._known, self._profile)
        simulator.service.commit(change)
        change = simulator.service.change()
        for person in self._people.values():
            self._copy_acceptance(change, person)
        self._copy_config(change)
        simulator.service.commit(change)
        self._used = frozenset(change.used)
        return Model(simulator.service)

    def rests_on(self, model: Model) -> frozenset[str]:
        """Return the assumptions on which the start of the model that was made last depends."""
        return frozenset((*READ_UNDER, *model.service.assumptions_used(), *self._used))

    # Reads

    def _parsed(self, operation: str, body: Any, kind: type[V]) -> V | None:
        """Return the body of an answer as this type; None for no body, and for another one, which is noted."""
        try:
            return None if body is None else parse(body, kind)
        except ValueError as error:
            self._note(operation, error)
            return None

    def _rows(self, operation: str, body: Any) -> list[Any] | None:
        """Return the elements of a list; None for no body, and for another one, which is noted."""
        try:
            return None if body is None else elements(body)
        except ValueError as error:
            self._note(operation, error)
            return None

    def _elements(self, operation: str, body: Any, kind: type[V]) -> list[V]:
        """Return the elements of a list that are of this type; that others are not is noted."""
        rows = self._rows(operation, body) or ()
        return [each for row in rows if (each := self._parsed(operation, row, kind)) is not None]

    def _note(self, operation: str, error: ValueError) -> None:
        note = f"{operation} is not answered as declared, so that the model begins without: {error}"
        if note not in self.notes:
            self.notes.append(note)

    def _read_of(self, client_id: str, operation: str, **path: str) -> Any:
        """Return the body of the answer to the first who may read something of a client; None when all are refused."""
        for token in self._readers(client_id, **path):
            body = self.reads.body(operation, token, **path)
            if body is not None:
                return body
        return None

    def _person(self, role: str, token: str) -> _Person:
        """Return the user of a token. Raises Misuse when the token is refused or the answer is no user."""
        reply = self.reads.reply("get_me", token)
        if reply.status == 401:
            raise Misuse(f"the token of the {role} is refused: {excerpt(reply)}")
        who = _identity(reply.body) if reply.status < 400 else None
        if who is None:
            wrong = "the base URL is not this API"
            if reply.status == 403:
                wrong += ", or the token not one of a user"
            raise Misuse(f"{wrong}: get_me of the {role} is answered by {excerpt(reply)}")
        return _Person(who, self._parsed("get_me", reply.body, Profile) or Profile(), token)

    def _describe(self, person: _Person) -> None:
        """Add levels, accepted terms and address to a user of a token."""
        token, id = person.token, str(person.who.id)
        accepted = self.reads.body("get_user_terms", token)
        person.accepted = (
            accepted is None
            or (self._parsed("get_user_terms", accepted, Acceptance) or Acceptance(isCurrent=True)).isCurrent
        )
        address = self.reads.body("get_user_email", token, userId="me")
        if address is None:  # some services know me in few paths
            address = self.reads.body("get_user_email", token, userId=id)
        if address is None:  # some tell it to administrators alone
            address = self._read_of(person.who.clientId, "get_user_email", userId=id)
        if address is None and self._can_record(token):
            address = {"email": f"unknown-{id}@example.invalid", "verified": True}
        person.address = self._parsed("get_user_email", address, Address) or Address()
        levels = self._rows("list_own_access_levels", self.reads.body("list_own_access_levels", token))
        person.levels = self._parsed("list_own_access_levels", levels, list[AccessLevel])

    def _can_record(self, token: str | None) -> bool:
        """Return whether a user may record a channel of its own, as one who has a verified address may (R499)."""
        listed = self._elements("list_channels", self.reads.body("list_channels", token), OwnChannel)
        owned = [each.channelUuid for each in listed if each.isOwner]
        found = self.reads.body("check_record_possible", token, uuid=owned[0]) if owned else None
        return bool(found.get("possible") if isinstance(found, dict) else found)

    def _check_api_token(self) -> None:
        """Raise Misuse when nobody can be used, or the API token is one of a user, or the only one and refused."""
        token = self._accounts.tokens.get("api-token")
        if token is not None and (user := _identity(self.reads.body("get_me", token))) is not None:
            raise Misuse(f"the api-token of the accounts is no API token: it is that of the user {user.id}")
        if self._people:
            return
        if token is None:
            roles = ", ".join(self._accounts.tokens)
            raise Misuse(f"the accounts have no token that can be used: the channel of the {roles} is not known")
        reply = self.reads.reply("get_client", token, clientId=self._accounts.client)
        if reply.status == 401:
            raise Misuse(f"the token of the api-token is refused: {excerpt(reply)}")
        if reply.status >= 400 or not isinstance(reply.body, dict) or "clientId" not in reply.body:
            raise Misuse(
                f"the base URL is not this API, or the api-token not one of the client {self._accounts.client} of the "
                f"accounts: get_client is answered by {excerpt(reply)}"
            )

    def _check_client(self) -> None:
        """Raise Misuse when somebody who is to belong to the client of the accounts belongs to another."""
        for role in _OF_CLIENT:
            home = self._people[role].who.clientId if role in self._people else self._accounts.client
            if home != self._accounts.client:
                named = f"[client] id {self._accounts.client}"
                raise Misuse(f"the {role} of the accounts belongs to the client {home}, not to {named}")

    def _readers(self, client_id: str, **path: str) -> list[str]:
        """Return the tokens that may read something of a client, first those that can read most of one.

        Only where a path names the client, a Partner Admin of another can read it.
        """
        tokens, found = self._accounts.tokens, list[str]()
        for role in (*_ADMINS, "other-admin", "owner", "operator", "user"):
            home = self._people[role].who.clientId if role in self._people else None
            if role in tokens and client_id == (self._accounts.client if role == "api-token" else home):
                found.append(tokens[role])
        if "clientId" in path and "partner-admin" in tokens:
            found.append(tokens["partner-admin"])
        return list(dict.fromkeys(found))

    # The world

    def _world_file(self) -> tuple[dict[str, Any], list[str]]:
        """Return a world file with the clients, the users and their channels, and the ids of its clients."""
        views: dict[str, ClientView] = {}
        homes = [self._accounts.client, *(person.who.clientId for person in self._people.values())]
        for client_id in dict.fromkeys(homes):
            view = self._read_of(client_id, "get_client", clientId=client_id)
            views[client_id] = self._parsed("get_client", view, ClientView) or ClientView()
        partner = self._people["partner-admin"].who.clientId if "partner-admin" in self._people else None
        for client_id, seen in list(views.items()):
            parent = seen.parentId or (partner if client_id == self._accounts.client else None)
            seen.parentId = None if parent == client_id else parent
            if parent is not None and parent not in views:  # a client between the partner and the client, or at the top
                above = partner if partner != client_id == self._accounts.client else None
                views[parent] = ClientView(parentId=above)
        names: dict[str, str] = {}
        for number, (client_id, seen) in enumerate(views.items(), 1):
            name = seen.name or f"client {number}"
            names[client_id] = name if name not in names.values() else f"{name} {number}"
        ordered: list[str] = []
        for client_id in views:
            _after_parent(client_id, views, ordered)
        found = [self._client_file(each, views[each], names) for each in ordered]
        for client_id in ordered:
            self._known.pair("clients", client_id, client_id)
        return {"version": 1, "at": "2020-01-01T00:00:00Z", "clients": found}, ordered

    def _client_file(self, client_id: str, view: ClientView, names: Mapping[str, str]) -> dict[str, Any]:
        people = {role: each for role, each in self._people.items() if each.who.clientId == client_id}
        made: dict[str, Any] = {
            "id": client_id,
            "name": names[client_id],
            "reseller": "partner-admin" in people,
            "users": [
                *(self._user_file(role, each) for role, each in people.items()),
                *(_user_file(each) for each in self._others_of([client_id])),
            ],
        }
        if view.parentId:
            made["parent"] = names[view.parentId]
        hosts = {f"{role}s": [people[role].who.handle] for role in ("owner", "operator") if role in people}
        if hosts:
            made["channels"] = [{"name": ELSEWHERE, **hosts}]
        if client_id == self._accounts.client and "api-token" in self._accounts.tokens:
            made["apiTokens"] = [{"token": self._accounts.tokens["api-token"]}]
        made["numbers"] = self._numbers_of(client_id)
        listed = self._read_of(client_id, "list_validators")
        validators = self._elements("list_validators", listed, Validator)
        made["validators"] = [*{each.id: _validator_file(each) for each in validators}.values()]
        return made

    def _numbers_of(self, client_id: str) -> list[dict[str, Any]]:
        """Return the inbound numbers of a client; where nobody may list these, those that a channel can get."""
        for operation in NUMBERED_BY:
            listed = self._read_of(client_id, operation)
            if listed is not None:
                found = {
                    f"+{each.number.lstrip('+')}": each for each in self._elements(operation, listed, InboundNumber)
                }
                return [{"number": number, "isDefault": bool(each.isDefault)} for number, each in found.items()]
        return []

    def _others_of(self, client_ids: list[str]) -> list[_Person]:
        """Return the other users of these clients, without those who belong to the accounts."""
        known = {person.who.id for person in self._people.values()}
        found = []
        for id, each in self.others.items():
            who = self._parsed("get_user", each, Identity)
            if who is not None and id not in known and who.clientId in client_ids:
                found.append(_Person(who, self._parsed("get_user", each, Profile) or Profile()))
        return found

    def _user_file(self, role: str, person: _Person) -> dict[str, Any]:
        """Return a user of the accounts in the form of a world file."""
        levels = [role] if role in {"customer-admin", "partner-admin"} else []
        if role == "other-admin":
            levels = ["customer-admin"]
        if person.levels is not None:
            held = [each.id for each in person.levels]
            table: Any = in_force(self._profile, LEVELS)
            levels = [each.word for each in Level if table[each.word]["id"] in held]
        return {
            **_user_file(person),
            "token": person.token,
            "levels": levels,
            "email": person.address.email if person.address.verified else None,
            "acceptedTerms": False,  # the accepted version is found out later
        }

    def _copy_client(self, change: Change, client_id: str) -> None:
        """Copy terms, providers, hosts and settings of a client to the model, those that the accounts can read."""
        client, fields = CLIENTS.of(change)[client_id], dict[str, Any]()
        seen = self._parsed(
            "get_client_terms", self.reads.body("get_client_terms", None, clientId=client_id), ClientTerms
        )
        at = None if seen is None else seen.promulgated * MILLISECONDS[in_force(self._profile, units.PROMULGATED)]
        if seen is not None and at is not None and 0 <= at <= LATEST:  # else it may be in another unit
            fields["terms"] = Terms(seen.version, seen.url, at - (self._known.shift or 0), seen.required)
        providers = self._parsed(
            "list_client_auth_providers",
            self.reads.body("list_client_auth_providers", None, clientId=client_id),
            Providers,
        )
        if providers is not None:
            fields["providers"] = tuple(each.name for each in providers.providers)
            fields["default_provider"] = providers.defaultProvider
        for operation, field in (("list_origins", "origins"), ("list_domains", "domains")):
            listed = self._parsed(operation, self._read_of(client_id, operation, clientId=client_id), list[str])
            if listed is not None:
                fields[field] = tuple(listed)
        self._copy_switches(change, clients.update(change, client, **fields))

    def _copy_switches(self, change: Change, client: Client) -> None:
        """Copy what is enabled for a client to the model."""
        shown = self._read_of(client.id, "get_client_settings")
        seen = self._parsed("get_client_settings", shown, Settings) or Settings()
        if seen.uniqueUsersHandle not in (None, client.unique_handles):
            client = handles.require(change, client, not client.unique_handles)
        if seen.friendlyURLs not in (None, client.friendly_urls):
            client = friendly_urls.set_use(change, client, _trigger(not client.friendly_urls))
        for name, default in _DEFAULTS.items():
            held = getattr(client, default.value)
            if getattr(seen, name) not in (None, held):
                client = settings.switch_default(change, client, default, _trigger(not held))
        events = self._parsed("get_events_status", self._read_of(client.id, "get_events_status"), EventsStatus)
        if events is not None and events.enabled is not client.events:
            endpoints.set_interface(change, client, _trigger(not client.events))

    def _copy_user(self, change: Change, person: _Person) -> None:
        """Copy a user to the model."""
        who, seen = person.who, person.profile
        named = (each for each in USERS.of(change, who.clientId).all if each.handle == who.handle)
        user = next(each for each in named if not self._known.knows("users", each.id))
        words: Any = in_force(self._profile, AUTH_KIND_WORDS)
        if seen.imageUrl:
            user = user_images.adopt(change, user, "https://images.example/unknown")
        users.update(
            change,
            user,
            description=seen.description,
            languages=tuple(seen.languages.languages) if seen.languages else (),
            auth_kind=next((each for each in AuthKind if words[each] == seen.authKind), None),
            reputation=user.reputation if seen.reputation is None else seen.reputation,
        )
        self._known.pair("users", user.id, who.id)

    def _copy_acceptance(self, change: Change, person: _Person) -> None:
        """Copy to the model that a user has accepted the current terms, whatever version they are said to be."""
        if person.accepted:
            client_id = person.who.clientId
            client, user = CLIENTS.of(change)[client_id], self._known.model("users", person.who.id)
            terms.accept(change, client, USERS.of(change, client_id)[user], client.terms.version)

    def _copy_config(self, change: Change) -> None:
        """Copy the configuration of the service's client to the model's."""
        client_id = self._accounts.client
        document = self._parsed("get_config", self._read_of(client_id, "get_config"), dict[str, Any])
        if document:
            with contextlib.suppress(Refusal):  # of one that cannot be without a language
                documents.update(change, client_id, client_id, document)


def _identity(body: Any) -> Identity | None:
    """Return the user that an answer describes; None when it describes none."""
    try:
        return parse(body, Identity)
    except ValueError:
        return None


def _user_file(person: _Person) -> dict[str, Any]:
    """Return a user in the form of a world file."""
    account = "guest" if person.profile.unregistered else "registered"
    return {"handle": person.who.handle, "account": account, "fullName": person.profile.fullName}


def _validator_file(seen: Validator) -> dict[str, Any]:
    """Return a validator in the form of a world file."""
    return {
        "id": seen.id,
        "algorithm": "HS256",
        "key": "unknown-to-the-model-but-long-enough",
        "name": seen.name,
        "active": bool(seen.active),
    }


def _trigger(enabled: bool) -> str:
    """Return the trigger that leads to this state of a switch."""
    return "enable" if enabled else "disable"


def _after_parent(
    client_id: str, views: Mapping[str, ClientView], ordered: list[str], below: tuple[str, ...] = ()
) -> None:
    """Insert a client into the ordered list, after its parent, unless that is below it."""
    if client_id in ordered:
        return
    view = views[client_id]
    if view.parentId in below:
        view.parentId = None
    if view.parentId is not None:
        _after_parent(view.parentId, views, ordered, (*below, client_id))
    ordered.append(client_id)

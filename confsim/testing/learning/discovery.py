"""Discovery: reads the clients and users of the accounts, and makes a model that has them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

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
        self._people: dict[str, dict[str, Any]] = {}
        self._used: frozenset[str] = frozenset()
        #: Other users who are there, by id, as the service describes them.
        self.others: dict[int, dict[str, Any]] = {} if before is None else before.others
        #: Other things that were there and are described.
        self.before: Before = {} if before is None else before.before
        #: What no model could be made of, in words.
        self.notes: list[str] = []
        #: The reads that were made.
        self.reads: Reads = Reads(service) if before is None else before.reads

    def again(self, profile: Mapping[str, Any], known: Correspondence, clock: Clock) -> Model:
        """Return the model under another profile, from the same reads."""
        return Discovery(self._service, self._accounts, profile, known, self).model(clock=clock)

    def model(self, seed: int = 0, clock: Clock | None = None) -> Model:
        """Return the model. Raises Misuse when the service is not this API, or a token is refused or for another role.

        What the service says otherwise than declared is left as in a new client, and noted.
        """
        for role, token in self._accounts.tokens.items():
            if role not in UNUSED and role != "api-token":
                self._people[role] = self._person(role, token)
        self._check_api_token()
        self._check_client()
        self._people = {role: self._described(role, person) for role, person in self._people.items()}
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

    def _taken(self, operation: str, take: Callable[[], V]) -> V | None:
        """Return what is taken from the answer to a read; None, which is noted, if the answer is not as declared."""
        try:
            return take()
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            wrong = f"it has no {error}" if isinstance(error, KeyError) else str(error)
            note = f"{operation} is not answered as declared, so that the model begins without: {wrong}"
            if note not in self.notes:
                self.notes.append(note)
            return None

    def _read_of(self, client_id: str, operation: str, **path: str) -> Any:
        """Return the body of the answer to the first who may read something of a client; None when all are refused."""
        for token in self._readers(client_id, **path):
            body = self.reads.body(operation, token, **path)
            if body is not None:
                return body
        return None

    def _person(self, role: str, token: str) -> dict[str, Any]:
        """Return the user of a token. Raises Misuse when the token is refused or the answer is no user."""
        reply = self.reads.reply("get_me", token)
        if reply.status == 401:
            raise Misuse(f"the token of the {role} is refused: {excerpt(reply)}")
        body = reply.body
        if reply.status >= 400 or not _is_user(body):
            wrong = "the base URL is not this API"
            if reply.status == 403:
                wrong += ", or the token not one of a user"
            raise Misuse(f"{wrong}: get_me of the {role} is answered by {excerpt(reply)}")
        return dict(body)

    def _described(self, role: str, person: Mapping[str, Any]) -> dict[str, Any]:
        """Return a user of a token with levels, accepted terms and address."""
        token, id = self._accounts.tokens[role], str(person["id"])
        terms = self.reads.body("get_user_terms", token)
        if not isinstance(terms, dict):
            terms = {"isCurrent": True}
        address = self.reads.body("get_user_email", token, userId="me")
        if address is None:  # some services know me in few paths
            address = self.reads.body("get_user_email", token, userId=id)
        if address is None:  # some tell it to administrators alone
            address = self._read_of(str(person["clientId"]), "get_user_email", userId=id)
        if address is None and self._can_record(token):
            address = {"email": f"unknown-{id}@example.invalid", "verified": True}
        if not isinstance(address, dict):
            address = {}
        levels = _levels(self.reads.body("list_own_access_levels", token))
        return {**person, "levels": levels, "terms": terms, "address": address}

    def _can_record(self, token: str) -> bool:
        """Return whether a user may record a channel of its own, as one who has a verified address may (R499)."""
        channels = _rows(self.reads.body("list_channels", token))
        owned = self._taken("list_channels", lambda: [each["channelUuid"] for each in channels if each.get("isOwner")])
        found = self.reads.body("check_record_possible", token, uuid=str(owned[0])) if owned else None
        return bool(found.get("possible") if isinstance(found, dict) else found)

    def _check_api_token(self) -> None:
        """Raise Misuse when nobody can be used, or the API token is one of a user, or the only one and refused."""
        token = self._accounts.tokens.get("api-token")
        if token is not None and _is_user(user := self.reads.body("get_me", token)):
            raise Misuse(f"the api-token of the accounts is no API token: it is that of the user {user['id']}")
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
            home = self._people[role]["clientId"] if role in self._people else self._accounts.client
            if home != self._accounts.client:
                named = f"[client] id {self._accounts.client}"
                raise Misuse(f"the {role} of the accounts belongs to the client {home}, not to {named}")

    def _readers(self, client_id: str, **path: str) -> list[str]:
        """Return the tokens that may read something of a client, first those that can read most of one.

        Only where a path names the client, a Partner Admin of another can read it.
        """
        tokens, found = self._accounts.tokens, list[str]()
        for role in (*_ADMINS, "other-admin", "owner", "operator", "user"):
            home = self._accounts.client if role == "api-token" else self._people.get(role, {}).get("clientId")
            if home == client_id and role in tokens:
                found.append(tokens[role])
        if "clientId" in path and "partner-admin" in tokens:
            found.append(tokens["partner-admin"])
        return list(dict.fromkeys(found))

    # The world

    def _world_file(self) -> tuple[dict[str, Any], list[str]]:
        """Return a world file with the clients, the users and their channels, and the ids of its clients."""
        views: dict[str, dict[str, Any]] = {}
        homes = [self._accounts.client, *(str(person["clientId"]) for person in self._people.values())]
        for client_id in dict.fromkeys(homes):
            view = self._read_of(client_id, "get_client", clientId=client_id)
            views[client_id] = dict(view) if isinstance(view, dict) else {}
        partner = self._people.get("partner-admin", {}).get("clientId")
        for client_id, view in list(views.items()):
            parent = view.get("parentId") or (partner if client_id == self._accounts.client else None)
            view["parentId"] = None if parent == client_id else parent
            if parent is not None and parent not in views:  # a client between the partner and the client, or at the top
                above = partner if partner != client_id == self._accounts.client else None
                views[parent] = {"parentId": above}
        names: dict[str, str] = {}
        for number, (client_id, view) in enumerate(views.items(), 1):
            name = str(view.get("name") or f"client {number}")
            names[client_id] = name if name not in names.values() else f"{name} {number}"
        ordered: list[str] = []
        for client_id in views:
            _after_parent(client_id, views, ordered)
        found = [self._client_file(each, views[each], names) for each in ordered]
        for client_id in ordered:
            self._known.pair("clients", client_id, client_id)
        return {"version": 1, "at": "2020-01-01T00:00:00Z", "clients": found}, ordered

    def _client_file(self, client_id: str, view: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
        people = {role: each for role, each in self._people.items() if each["clientId"] == client_id}
        made: dict[str, Any] = {
            "id": client_id,
            "name": names[client_id],
            "reseller": "partner-admin" in people,
            "users": [
                *(self._user_file(role, each) for role, each in people.items()),
                *(_other_file(each) for each in self._others_of([client_id])),
            ],
        }
        if view.get("parentId"):
            made["parent"] = names[view["parentId"]]
        hosts = {f"{role}s": [str(people[role]["handle"])] for role in ("owner", "operator") if role in people}
        if hosts:
            made["channels"] = [{"name": ELSEWHERE, **hosts}]
        if client_id == self._accounts.client and "api-token" in self._accounts.tokens:
            made["apiTokens"] = [{"token": self._accounts.tokens["api-token"]}]
        made["numbers"] = self._numbers_of(client_id)
        validators = _rows(self._read_of(client_id, "list_validators"))
        made["validators"] = self._taken("list_validators", lambda: [*map(_validator_file, validators)]) or []
        return made

    def _numbers_of(self, client_id: str) -> list[dict[str, Any]]:
        """Return the inbound numbers of a client; where nobody may list these, those that a channel can get."""
        for operation in NUMBERED_BY:
            listed = self._read_of(client_id, operation)
            if listed is not None:
                return self._taken(operation, partial(list, map(_number_file, _rows(listed)))) or []
        return []

    def _others_of(self, client_ids: list[str]) -> list[dict[str, Any]]:
        """Return the other users of these clients, without those who belong to the accounts."""
        known = {person["id"] for person in self._people.values()}
        return [each for id, each in self.others.items() if id not in known and each["clientId"] in client_ids]

    def _user_file(self, role: str, person: Mapping[str, Any]) -> dict[str, Any]:
        """Return a user in the form of a world file."""
        levels = [role] if role in {"customer-admin", "partner-admin"} else []
        if role == "other-admin":
            levels = ["customer-admin"]
        if person["levels"] is not None:
            held = [each["id"] for each in person["levels"]]
            table: Any = in_force(self._profile, LEVELS)
            levels = [each.word for each in Level if table[each.word]["id"] in held]
        address = person["address"]
        return {
            "handle": str(person["handle"]),
            "token": self._accounts.tokens[role],
            "account": "guest" if person.get("unregistered") else "registered",
            "levels": levels,
            "fullName": person.get("fullName"),
            "email": address.get("email") if address.get("verified") else None,
            "acceptedTerms": False,  # the accepted version is found out later
        }

    def _copy_client(self, change: Change, client_id: str) -> None:
        """Copy terms, providers, hosts and settings of a client to the model, those that the accounts can read."""
        client, fields = CLIENTS.of(change)[client_id], dict[str, Any]()
        terms = self.reads.body("get_client_terms", None, clientId=client_id)
        if terms is not None:
            fields |= self._taken("get_client_terms", lambda: {"terms": self._terms(terms)}) or {}
        providers = self.reads.body("list_client_auth_providers", None, clientId=client_id)
        if providers is not None:
            fields |= self._taken("list_client_auth_providers", lambda: _providers(providers)) or {}
        for operation, field in (("list_origins", "origins"), ("list_domains", "domains")):
            listed = self._read_of(client_id, operation, clientId=client_id)
            if isinstance(listed, list):
                fields[field] = tuple(map(str, listed))
        self._copy_switches(change, clients.update(change, client, **fields))

    def _terms(self, shown: Mapping[str, Any]) -> Terms:
        """Return the terms that a client is said to have."""
        at = int(shown["promulgated"]) * MILLISECONDS[in_force(self._profile, units.PROMULGATED)]
        if not 0 <= at <= LATEST:
            raise ValueError(f"{shown['promulgated']} is no instant of terms")
        return Terms(int(shown["version"]), str(shown["url"]), at - (self._known.shift or 0), bool(shown["required"]))

    def _copy_switches(self, change: Change, client: Client) -> None:
        """Copy what is enabled for a client to the model."""
        shown = self._read_of(client.id, "get_client_settings")
        if not isinstance(shown, dict):
            shown = {}
        unique = bool(shown.get("uniqueUsersHandle", client.unique_handles))
        if unique is not client.unique_handles:
            client = handles.require(change, client, unique)
        friendly = bool(shown.get("friendlyURLs", client.friendly_urls))
        if friendly is not client.friendly_urls:
            client = friendly_urls.set_use(change, client, _trigger(friendly))
        for name, default in _DEFAULTS.items():
            held = getattr(client, default.value)
            if bool(shown.get(name, held)) is not held:
                client = settings.switch_default(change, client, default, _trigger(not held))
        events = self._read_of(client.id, "get_events_status")
        if isinstance(events, dict) and bool(events.get("enabled")) is not client.events:
            endpoints.set_interface(change, client, _trigger(not client.events))

    def _copy_user(self, change: Change, person: Mapping[str, Any]) -> None:
        """Copy a user to the model."""
        everybody = USERS.of(change, str(person["clientId"])).all
        named = (each for each in everybody if each.handle == person["handle"])
        user = next(each for each in named if not self._known.knows("users", each.id))
        words: Any = in_force(self._profile, AUTH_KIND_WORDS)
        if person.get("imageUrl"):
            user = user_images.adopt(change, user, "https://images.example/unknown")
        shown = self._taken("get_me", lambda: _fields_of_user(person, words))
        users.update(change, user, **(shown or {}))
        self._known.pair("users", user.id, person["id"])

    def _copy_acceptance(self, change: Change, person: Mapping[str, Any]) -> None:
        """Copy to the model that a user has accepted the current terms, whatever version they are said to be."""
        if person["terms"].get("isCurrent"):
            client_id = str(person["clientId"])
            client, user = CLIENTS.of(change)[client_id], self._known.model("users", person["id"])
            terms.accept(change, client, USERS.of(change, client_id)[user], client.terms.version)

    def _copy_config(self, change: Change) -> None:
        """Copy the configuration of the service's client to the model's."""
        client_id = self._accounts.client
        document = self._read_of(client_id, "get_config")
        if isinstance(document, dict) and document:
            with contextlib.suppress(Refusal):  # of one that cannot be without a language
                documents.update(change, client_id, client_id, document)


def _other_file(person: Mapping[str, Any]) -> dict[str, Any]:
    """Return a user of whom the service has said no more than a view, in the form of a world file."""
    account = "guest" if person.get("unregistered") else "registered"
    return {"handle": str(person["handle"]), "account": account, "fullName": person.get("fullName")}


def _trigger(enabled: bool) -> str:
    """Return the trigger that leads to this state of a switch."""
    return "enable" if enabled else "disable"


def _after_parent(client_id: str, views: Mapping[str, Mapping[str, Any]], ordered: list[str]) -> None:
    """Insert a client into the ordered list, after its parent."""
    if client_id in ordered:
        return
    parent = views[client_id].get("parentId")
    if parent is not None:
        _after_parent(parent, views, ordered)
    ordered.append(client_id)


def _rows(body: Any) -> list[Any]:
    """Return the elements of a list, whatever its container."""
    if isinstance(body, dict):
        inside = body.get("results", list(body.values()))
        return inside if isinstance(inside, list) else []
    return body if isinstance(body, list) else []


def _levels(body: Any) -> list[Any] | None:
    """Return the elements of a list, None where it could not be read."""
    rows = None if body is None else _rows(body)
    return rows if rows is None or all(isinstance(each, dict) and "id" in each for each in rows) else None


def _is_user(body: Any) -> bool:
    """Return whether an answer describes a user."""
    named = ("id", "handle", "clientId")
    return isinstance(body, dict) and all(isinstance(body.get(name), str | int) for name in named)


def _fields_of_user(shown: Mapping[str, Any], words: Mapping[AuthKind, str]) -> dict[str, Any]:
    """Return the fields of a user who is said to be so; ``words`` has those for the kinds of authentication."""
    fields: dict[str, Any] = {
        "description": _text(shown.get("description")),
        "languages": tuple((shown.get("languages") or {}).get("languages", ())),
        "auth_kind": next((each for each in AuthKind if words[each] == shown.get("authKind")), None),
    }
    return fields | ({"reputation": int(shown["reputation"])} if "reputation" in shown else {})


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _providers(shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a client that is said to have these providers."""
    names = tuple(str(each["name"]) for each in shown["providers"])
    return {"providers": names, "default_provider": shown.get("defaultProvider")}


def _validator_file(shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return a validator in the form of a world file."""
    return {
        "id": str(shown["id"]),
        "algorithm": "HS256",
        "key": "unknown-to-the-model-but-long-enough",
        "name": _text(shown.get("name")),
        "active": bool(shown.get("active")),
    }


def _number_file(shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return an inbound number in the form of a world file. Raises ValueError when it is none."""
    number = str(shown["number"])
    number = number if number.startswith("+") else f"+{number}"
    if not number[1:].isdigit():
        raise ValueError(f"{number} is no number")
    return {"number": number, "isDefault": bool(shown.get("isDefault"))}

"""Discovery: reads the clients and users of the accounts, and makes a model that has them."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from confsim.api.telephony import numbers
from confsim.assumptions.identity import LEVELS
from confsim.assumptions.protocol import units
from confsim.assumptions.register import context_of
from confsim.assumptions.users.users import AUTH_KIND_WORDS
from confsim.domain.config import documents
from confsim.kernel.refusal import Misuse, Refusal
from confsim.kernel.world import Change
from confsim.service.clock import Clock
from confsim.simulator import Simulator
from confsim.testing.learning.accounts import Accounts
from confsim.testing.learning.comparing.correspondence import Correspondence
from confsim.testing.learning.model import Model
from confsim.testing.learning.service import Reads, RealService, excerpt

from .before import Before, copy_before
from .copying import SeenClient, copy_acceptance, copy_client, copy_user
from .files import SeenUser, account_file, in_order, user_file, validator_file
from .parsing import (
    SeenAcceptance,
    SeenAddress,
    SeenChannel,
    SeenEvents,
    SeenIdentity,
    SeenLevel,
    SeenNumber,
    SeenProfile,
    SeenProviders,
    SeenSettings,
    SeenTerms,
    SeenValidator,
    SeenView,
    elements,
    parse,
)

V = TypeVar("V")

#: The role whose token is not used: the API does not say which channel it belongs to. The run creates guests instead.
UNUSED = frozenset({"guest"})
#: Roles that administer a client, and can read more of it.
_ADMINS = ("customer-admin", "api-token", "partner-admin")
#: Roles whose users belong to the client of the accounts.
_OF_CLIENT = ("customer-admin", "owner", "operator", "user")
#: The channel of the model that stands for all channels that the owner and the operator host already.
ELSEWHERE = "elsewhere"
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
        #: The users of the accounts, by role.
        self._people: dict[str, SeenUser] = {}
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
        self._people = {role: self._described(person) for role, person in self._people.items()}
        document, ids = self._world_file()
        try:
            simulator = Simulator(document, seed, clock if clock is not None else Clock(), dict(self._profile))
        except Misuse as misuse:
            raise Misuse(f"no model can be made of what the service says of its clients and users: {misuse}") from None
        simulator.service.webhooks.set_listed(True)
        change = simulator.service.change()
        for client_id in ids:
            copy_client(change, client_id, self._seen(client_id), self._profile, self._known.shift or 0)
        for person in (*self._people.values(), *self._others_of(ids)):
            copy_user(change, person, self._known, self._profile)
        copy_before(change, self.before, self._known, self._profile)
        simulator.service.commit(change)
        change = simulator.service.change()
        for person in self._people.values():
            copy_acceptance(change, person, self._known)
        self._copy_config(change)
        simulator.service.commit(change)
        self._used = frozenset(context_of(change).used)
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

    def _person(self, role: str, token: str) -> SeenUser:
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
        return SeenUser(who, self._parsed("get_me", reply.body, SeenProfile) or SeenProfile(), token)

    def _described(self, person: SeenUser) -> SeenUser:
        """Return a user of a token with levels, accepted terms and address."""
        token, id = person.token, str(person.who.id)
        seen = self._parsed("get_user_terms", self.reads.body("get_user_terms", token), SeenAcceptance)
        address = self.reads.body("get_user_email", token, userId="me")
        if address is None:  # some services know me in few paths
            address = self.reads.body("get_user_email", token, userId=id)
        if address is None:  # some tell it to administrators alone
            address = self._read_of(person.who.clientId, "get_user_email", userId=id)
        if address is None and self._can_record(token):
            address = {"email": f"unknown-{id}@example.invalid", "verified": True}
        rows = self._rows("list_own_access_levels", self.reads.body("list_own_access_levels", token))
        return SeenUser(
            person.who,
            person.profile,
            token,
            self._parsed("list_own_access_levels", rows, list[SeenLevel]),
            seen is None or seen.isCurrent,
            self._parsed("get_user_email", address, SeenAddress) or SeenAddress(),
        )

    def _can_record(self, token: str | None) -> bool:
        """Return whether a user may record a channel of its own, as one who has a verified address may (R499)."""
        listed = self._elements("list_channels", self.reads.body("list_channels", token), SeenChannel)
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
        """Raise Misuse when somebody who is to belong to the client of the accounts, or to another, does not."""
        other = self._people.get("other-admin")
        if other is not None and other.who.clientId == self._accounts.client:
            raise Misuse("the other-admin of the accounts belongs to their own client, not to another")
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
        views: dict[str, SeenView] = {}
        homes = [self._accounts.client, *(person.who.clientId for person in self._people.values())]
        for client_id in dict.fromkeys(homes):
            view = self._read_of(client_id, "get_client", clientId=client_id)
            views[client_id] = self._parsed("get_client", view, SeenView) or SeenView()
        partner = self._people["partner-admin"].who.clientId if "partner-admin" in self._people else None
        for client_id, seen in list(views.items()):
            parent = seen.parentId or (partner if client_id == self._accounts.client else None)
            views[client_id] = replace(seen, parentId=None if parent == client_id else parent)
            if parent is not None and parent not in views:  # a client between the partner and the client, or at the top
                above = partner if partner != client_id == self._accounts.client else None
                views[parent] = SeenView(parentId=above)
        views = in_order(views)
        names: dict[str, str] = {}
        for number, (client_id, seen) in enumerate(views.items(), 1):
            name = seen.name or f"client {number}"
            names[client_id] = name if name not in names.values() else f"{name} {number}"
        found = [self._client_file(client_id, view, names) for client_id, view in views.items()]
        for client_id in views:
            self._known.pair("clients", client_id, client_id)
        return {"version": 1, "at": "2020-01-01T00:00:00Z", "clients": found}, [*views]

    def _client_file(self, client_id: str, view: SeenView, names: Mapping[str, str]) -> dict[str, Any]:
        people = {role: each for role, each in self._people.items() if each.who.clientId == client_id}
        made: dict[str, Any] = {
            "id": client_id,
            "name": names[client_id],
            "reseller": "partner-admin" in people,
            "users": [
                *(account_file(role, each, self._profile) for role, each in people.items()),
                *(user_file(each) for each in self._others_of([client_id])),
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
        validators = self._elements("list_validators", listed, SeenValidator)
        made["validators"] = [*{each.id: validator_file(each) for each in validators}.values()]
        return made

    def _numbers_of(self, client_id: str) -> list[dict[str, Any]]:
        """Return the inbound numbers of a client; where nobody may list these, those that a channel can get."""
        for operation in NUMBERED_BY:
            listed = self._read_of(client_id, operation)
            if listed is not None:
                found = {f"+{each.number.lstrip('+')}": each for each in self._elements(operation, listed, SeenNumber)}
                return [{"number": number, "isDefault": bool(each.isDefault)} for number, each in found.items()]
        return []

    def _others_of(self, client_ids: list[str]) -> list[SeenUser]:
        """Return the other users of these clients, without those who belong to the accounts."""
        known = {person.who.id for person in self._people.values()}
        found = []
        for id, each in self.others.items():
            who = self._parsed("get_user", each, SeenIdentity)
            if who is not None and id not in known and who.clientId in client_ids:
                found.append(SeenUser(who, self._parsed("get_user", each, SeenProfile) or SeenProfile()))
        return found

    def _seen(self, client_id: str) -> SeenClient:
        """Return what the accounts can read of a client, beside its name."""

        def read(operation: str, kind: type[V], **path: str) -> V | None:
            return self._parsed(operation, self._read_of(client_id, operation, **path), kind)

        def read_without_token(operation: str, kind: type[V]) -> V | None:
            return self._parsed(operation, self.reads.body(operation, None, clientId=client_id), kind)

        return SeenClient(
            read_without_token("get_client_terms", SeenTerms),
            read_without_token("list_client_auth_providers", SeenProviders),
            read("list_origins", list[str], clientId=client_id),
            read("list_domains", list[str], clientId=client_id),
            read("get_client_settings", SeenSettings) or SeenSettings(),
            read("get_events_status", SeenEvents),
        )

    def _copy_config(self, change: Change) -> None:
        """Copy the configuration of the service's client to the model's."""
        client_id = self._accounts.client
        document = self._parsed("get_config", self._read_of(client_id, "get_config"), dict[str, Any])
        if document:
            with contextlib.suppress(Refusal):  # of one that cannot be without a language
                documents.update(change, client_id, client_id, document)


def _identity(body: Any) -> SeenIdentity | None:
    """Return the user that an answer describes; None when it describes none."""
    try:
        return parse(body, SeenIdentity)
    except ValueError:
        return None

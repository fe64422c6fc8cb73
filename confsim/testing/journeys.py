"""Journeys: rule-based state machines over the whole API, driven through several targets side by side.

``Journey`` holds the bundles and the comparison; ``api_journey()`` adds one rule for each operation. Subclass either
with rules of your own: ``self.call(operation, caller, Arguments(...))`` drives every target and compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, multiple, rule

from confsim.api.catalogue import API
from confsim.contract.decode import RESOLVERS
from confsim.contract.gates import Grant
from confsim.contract.operation import Operation
from confsim.kernel.world import World
from confsim.service.clock import Clock
from confsim.simulator import Simulator

from . import furniture, outside, promises
from .samples import HINTS, LISTS, NOWHERE, Arguments, Pool, as_text, spoilt
from .strategies import boundary_arguments, values
from .targets import Core, Outcome, Target, Wsgi

START = "2026-02-01T00:00:00Z"
NOBODY = Pool(World(), "22222222-2222-4222-8222-222222222222")

#: Which things a path parameter, a query parameter or a field of a body names, by its name on the wire.
NAMES = {
    "uuid": "channels",
    "channelUuid": "channels",
    "channelId": "channels",
    "channel": "channels",
    "channelIds": "channels",
    "userId": "users",
    "userIds": "users",
    "user": "users",
    "sipUserId": "users",
    "clientId": "clients",
    "for_client": "clients",
    "sessionId": "sessions",
    "channelSession": "sessions",
    "session": "sessions",
    "tokenId": "api_tokens",
    "templateId": "templates",
    "validatorId": "validators",
    "token": "reservations",
    "nonce": "reservations",
    "appSession": "app_sessions",
    "appSessionId": "app_sessions",
    "breakoutSession": "breakout_sessions",
    "breakoutRoom": "breakout_rooms",
    "recordingId": "recordings",
    "mediaId": "media",
    "destinationId": "destinations",
    "broadcastID": "broadcasts",
    "id": "endpoints",
    "jwtToken": "asset_tokens",
    "assetId": "assets",
    "code": "codes",
    "idToken": "codes",
}
#: What an operation's answer makes known: the bundle, and the field (of the answer, or of each element of it).
HARVEST = {
    "create_channel": ("channels", "channelUuid"),
    "create_client": ("clients", "id"),
    "create_guest": ("tokens", "token"),
    "exchange_identity_token": ("tokens", "token"),
    "regenerate_api_token": ("tokens", "token"),
    "create_api_token": ("api_tokens", "id"),
    "create_predefined_user": ("users", "id"),
    "create_user": ("users", "id"),
    "create_linked_user": ("users", "id"),
    "dial_unregistered_user": ("users", "id"),
    "reserve_handle": ("reservations", "reservationToken"),
    "create_template": ("templates", "id"),
    "create_app_session": ("app_sessions", "id"),
    "create_breakout_session": ("breakout_sessions", "id"),
    "create_breakout_room": ("breakout_rooms", "id"),
    "upload_channel_media": ("media", "id"),
    "upload_client_media": ("media", "id"),
    "add_broadcast_destination": ("destinations", "id"),
    "add_events_endpoint": ("endpoints", "id"),
    "list_sessions": ("sessions", "id"),
    "list_recordings": ("recordings", "id"),
    "list_broadcast_history": ("broadcasts", "id"),
    "get_recording_credentials": ("asset_tokens", "jwt"),
    "list_recording_assets": ("assets", "id"),
    "create_invitation": ("codes", "code"),
    "get_invitation": ("codes", "code"),
    "create_gateway_endpoint": ("sources", "uuid"),
}


class Journey(RuleBasedStateMachine):
    """Targets driven side by side: status, body and digest of the world are equal after every call.

    ``targets()`` makes them, by default the core and the WSGI app, each with a demo world of its own and a clock that
    stands still. ``digests`` says whether worlds are compared too.
    """

    tokens = Bundle("tokens")
    clients = Bundle("clients")
    users = Bundle("users")
    channels = Bundle("channels")
    sessions = Bundle("sessions")
    api_tokens = Bundle("api_tokens")
    reservations = Bundle("reservations")
    validators = Bundle("validators")
    templates = Bundle("templates")
    app_sessions = Bundle("app_sessions")
    breakout_sessions = Bundle("breakout_sessions")
    breakout_rooms = Bundle("breakout_rooms")
    recordings = Bundle("recordings")
    media = Bundle("media")
    destinations = Bundle("destinations")
    broadcasts = Bundle("broadcasts")
    endpoints = Bundle("endpoints")
    asset_tokens = Bundle("asset_tokens")
    assets = Bundle("assets")
    codes = Bundle("codes")
    sources = Bundle("sources")

    digests = True
    #: Tokens of callers with a grant, tried as often as all those of ``tokens`` together; for the rest the first.
    likely: Mapping[str, str] = {
        Grant.OWNER: "demo-owner",
        Grant.CUSTOMER_ADMIN: "demo-customer-admin",
        Grant.API_TOKEN: "demo-api-token",
        Grant.PARTNER_ADMIN: "demo-partner-admin",
    }
    #: The token with which invariants read; without rights in the targets' world they check nothing.
    api_token = "demo-api-token"

    def targets(self) -> Iterable[Target]:
        """The ways in that are driven side by side."""
        return Core(Simulator(clock=Clock(START))), Wsgi(Simulator(clock=Clock(START)))

    def __init__(self) -> None:
        super().__init__()
        self.seen: str | None = None  # the digest of the world that was last looked at
        self.ways = tuple(self.targets())
        if self.digests:
            for way in self.ways:  # what endpoints answer over HTTP would tell the worlds apart
                way.control("PUT", "/webhooks", {"deliver": "list"})

    def teardown(self) -> None:
        """Let go of the targets."""
        for way in self.ways:
            way.close()

    @initialize(
        targets=(
            sessions,
            api_tokens,
            reservations,
            templates,
            app_sessions,
            breakout_sessions,
            breakout_rooms,
            recordings,
            media,
            destinations,
            broadcasts,
            endpoints,
            asset_tokens,
            assets,
            codes,
            sources,
        )
    )
    def unknown_ids(self) -> str:
        """An id that names nothing, so that every call has something to try before the first thing is made."""
        return NOWHERE

    @initialize(target=tokens)
    def known_tokens(self) -> Any:
        """The fixed tokens of the demo world."""
        told = self.control("GET", "/info").body["tokens"]
        return multiple(*told)

    @initialize(target=clients)
    def known_clients(self) -> Any:
        """The clients of the demo world."""
        return multiple(*(each["id"] for each in self.control("GET", "/info").body["clients"]))

    @initialize(target=users)
    def known_users(self) -> Any:
        """The users of the demo world who have a token."""
        told = self.control("GET", "/info").body["tokens"]
        return multiple(*(each["userId"] for each in told.values() if each.get("userId") is not None))

    @initialize(target=channels)
    def known_channels(self) -> Any:
        """The channels that the owner of the demo world hosts."""
        found = self.call("list_channels", "demo-owner", Arguments()).body["results"]
        return multiple(*(each["channelUuid"] for each in found))

    @initialize(target=validators)
    def known_validators(self) -> Any:
        """The validators of the demo world."""
        return multiple(*(each["id"] for each in self.call("list_validators", "demo-customer-admin", Arguments()).body))

    def call(self, operation: str | Operation, caller: str | None, arguments: Arguments) -> Outcome:
        """Call an operation through every target; they must agree. Answers what they answered."""
        declared = API[operation] if isinstance(operation, str) else operation
        outcomes = [way.call(declared, caller, arguments) for way in self.ways]
        self._compare(f"{declared.name} by {caller} with {arguments}", outcomes)
        assert outcomes[0].status < 500, f"{declared.name} by {caller} with {arguments}: {outcomes[0]}"
        return outcomes[0]

    def look(self, operation: str, query: dict[str, str] | None = None, **path: str) -> Any:
        """What a GET with the API token answers in every target, None when it is refused; worlds are not compared."""
        arguments = Arguments(path=path, query=query or {})
        outcomes = [way.call(API[operation], self.api_token, arguments) for way in self.ways]
        for way, outcome in zip(self.ways, outcomes, strict=True):
            assert outcome == outcomes[0], f"{operation} with {arguments}: {outcomes[0]}, {way.name} {outcome}"
        return outcomes[0].body if outcomes[0].status == 200 else None

    def control(self, method: str, path: str, body: object = None) -> Outcome:
        """A request to the control plane of every target; they must agree."""
        outcomes = [way.control(method, path, body) for way in self.ways]
        if path != "/info":  # which tells where each of them is
            self._compare(f"{method} {path} with {body}", outcomes)
        return outcomes[0]

    def advance(self, by: str) -> None:
        """Let the same time pass in every target."""
        fired = [way.advance(by) for way in self.ways]
        assert all(each == fired[0] for each in fired), f"after {by} the targets fired {fired}"
        self._compare_worlds(f"advance by {by}")

    def _compare(self, what: str, outcomes: list[Outcome]) -> None:
        for way, outcome in zip(self.ways[1:], outcomes[1:], strict=True):
            assert outcome == outcomes[0], f"{what}: {self.ways[0].name} {outcomes[0]}, {way.name} {outcome}"
        self._compare_worlds(what)

    def _compare_worlds(self, what: str) -> None:
        if self.digests and len(self.ways) > 1:
            digests = {way.digest() for way in self.ways}
            assert len(digests) == 1, f"{what}: the worlds differ between {', '.join(way.name for way in self.ways)}"


def often(likely: st.SearchStrategy[Any], *seldom: st.SearchStrategy[Any], times: int = 8) -> st.SearchStrategy[Any]:
    """One strategy so many times as often as each of the others; ``one_of`` takes equal ones for one."""
    choices = [*([likely] * times), *seldom]
    return st.integers(0, len(choices) - 1).flatmap(lambda place: choices[place])


@cache
def api_journey(base: type[Journey] = Journey, leave_out: frozenset[str] = frozenset()) -> type[Journey]:
    """``base`` with one rule for each operation of the API, rules for what happens outside of it, and invariants.

    People come and go, phones ring, time passes (``outside``); after each step whatever the documents say of channels,
    sessions, recordings and validators holds (``promises``). ``leave_out`` names operations, of the API or of the
    control plane, that get no rule: because a subclass has better ones, or the targets have no control plane.
    """
    rules: dict[str, Any] = {operation.name: _rule(base, operation) for operation in API}
    rules |= outside.rules(base) | furniture.rules(base)
    chosen = {name: each for name, each in rules.items() if name not in leave_out}
    return type("ApiJourney", (base,), {**chosen, **promises.invariants()})


def _rule(base: type[Journey], operation: Operation) -> Callable[..., Any]:
    bundle, field = HARVEST.get(operation.name, ("", ""))
    target: dict[str, Any] = {"target": getattr(base, bundle)} if bundle else {}

    def step(self: Journey, caller: str | None, arguments: Arguments) -> Any:
        outcome = self.call(operation, caller, arguments)
        return _harvest(outcome, field) if bundle else None

    step.__name__ = step.__qualname__ = operation.name
    step.__doc__ = operation.summary
    apt = [base.likely.get(grant, base.likely[Grant.OWNER]) for grant in operation.gate.grants]
    callers = often(st.sampled_from(apt) | base.tokens, st.just("no-such-token"), st.none())
    declare: Callable[[Callable[..., Any]], Callable[..., Any]] = rule(
        caller=callers, arguments=_arguments(base, operation), **target
    )
    return declare(step)


def _harvest(outcome: Outcome, field: str) -> Any:
    body = outcome.body
    if outcome.status >= 400 or body is None:
        return multiple()
    page = isinstance(body, dict)
    elements: Any = body.get("results", body.get("rows", [body])) if page else body
    return multiple(*(each[field] for each in elements if field in each))


def _arguments(base: type[Journey], operation: Operation) -> st.SearchStrategy[Arguments]:
    """Arguments that name things of the bundles; now and then ones at the limits, or wrong somewhere."""
    path = {each.name: _text_of(base, each.name, each.annotation) for each in operation.path_parameters}
    query = {each.name: _text_of(base, each.name, each.wire) for each in operation.query_parameters}
    asked = {each.name: query.pop(each.name) for each in operation.query_parameters if each.required}
    more: st.SearchStrategy[dict[str, str]] = st.fixed_dictionaries({}, optional=query)
    if operation.for_client:
        more = often(more, st.fixed_dictionaries({"for_client": base.clients}), times=3)
    queries = st.builds(
        lambda these, others: {**these, **others}, st.fixed_dictionaries(asked), often(st.just({}), more)
    )
    apt = st.builds(Arguments, st.fixed_dictionaries(path), queries, _body(base, operation))
    # An empty text cannot stand in a path: over HTTP it is another route.
    wrong = [each for each in spoilt(operation, NOBODY) if all(each.path.values())]
    spoiled = [st.sampled_from(wrong)] if wrong else []
    return often(apt, boundary_arguments(operation, NOBODY), *spoiled)


def _text_of(base: type[Journey], name: str, annotation: Any) -> st.SearchStrategy[str]:
    kind = _kind(name, annotation)
    if kind is not None:
        named: st.SearchStrategy[Any] = getattr(base, kind)
        return named.map(str)
    if annotation in RESOLVERS:
        annotation = RESOLVERS[annotation][0]
    return _hinted(name, values(annotation)).map(as_text).filter(bool)


def _hinted(name: str, plain: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Mostly what the documents let a parameter or field of this name hold, where its type alone does not tell."""
    hints = HINTS.get(name)
    return often(st.sampled_from(hints), plain, times=4) if hints else plain


def _kind(name: str, annotation: Any) -> str | None:
    if name == "uuid" and annotation is str:
        return "sources"
    return NAMES.get(name)


def _body(base: type[Journey], operation: Operation) -> st.SearchStrategy[Any]:
    if operation.body is None:
        return st.none()
    type_ = operation.body.type
    plain = values(type_)
    if operation.name in LISTS:
        return often(st.just(LISTS[operation.name]), plain, times=2)
    fields = [name for name in getattr(type_, "__struct_encode_fields__", ()) if name != "id"]
    known = {name: getattr(base, NAMES[name]) for name in fields if name in NAMES}
    known |= {name: st.sampled_from(HINTS[name]) for name in fields if HINTS.get(name) and name not in NAMES}
    if not known:
        return plain
    apt = st.builds(lambda whole, ids: {**whole, **ids}, plain, st.fixed_dictionaries(known))
    return often(apt, plain, times=4)

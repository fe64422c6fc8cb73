"""Breakages that are written for one rule each: where what the sources say of it is also about much else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from copy import copy
from functools import wraps
from typing import Any
from unittest import mock

import msgspec

from confsim.api import things, values, views
from confsim.api.catalogue import API
from confsim.api.runtime import runtime as runtime_operations
from confsim.api.users import users as user_operations
from confsim.contract.gates import Gate, Grant
from confsim.domain import app_sessions, properties, terms
from confsim.domain.broadcast.broadcasts import BROADCASTS
from confsim.domain.channels.channels import CHANNELS
from confsim.domain.clients import clients
from confsim.domain.config import templates
from confsim.domain.identity import credentials
from confsim.domain.runtime import lobby, presence
from confsim.domain.users.users import USERS
from confsim.http.routing import Found, Routes
from confsim.kernel.refusal import Refusal
from confsim.service import service
from confsim.service.checks import checks

#: By the name of a breakage its rule, and what puts it into force inside a block.
WRITTEN: dict[str, tuple[str, Callable[[], AbstractContextManager[Any]]]] = {}


def breaks(rule: str, what: str) -> Callable[[Callable[[], AbstractContextManager[Any]]], Any]:
    """Declare a breakage of a rule."""

    def declare(block: Callable[[], AbstractContextManager[Any]]) -> Callable[[], AbstractContextManager[Any]]:
        WRITTEN[f"{rule}: {what}"] = rule, block
        return block

    return declare


def answering(names: str, alter: Callable[[Any], Any]) -> AbstractContextManager[Any]:
    """The JSON of the answers of these operations, altered; None stands for no body."""
    encode = checks.encode

    def altered(call: Any, contract: Any, result: Any) -> Any:
        status, headers, body = encode(call, contract, result)
        if call.operation.name in names.split() and status < 300:
            said = alter(msgspec.json.decode(body) if body else None)
            body = b"" if said is None else msgspec.json.encode(said)
        return status, headers, body

    return mock.patch.object(checks, "encode", altered)


def reading(name: str, place: int, read: Callable[[Any, str], Any]) -> AbstractContextManager[Any]:
    """Another value for a text of a path that the parameter of an operation refuses."""
    parameter = API[name].path_parameters[place]
    refusing = parameter.read

    def lenient(context: Any, where: str, text: str) -> Any:
        try:
            return refusing(context, where, text)
        except Refusal:
            return read(context, text)

    return mock.patch.object(parameter, "read", lenient)


def finding(name: str, place: int, find: Callable[[Any], Any]) -> AbstractContextManager[Any]:
    """Another thing for what the path of an operation names and nobody has."""
    operation = API[name]
    contract = operation.contract

    def lenient(resolve: Any) -> Any:
        @wraps(resolve)
        def found(call: Any, *named: Any) -> Any:
            try:
                return resolve(call, *named)
            except Refusal:
                return find(call)

        return found

    names = tuple((at, lenient(each) if at == place else each, inside) for at, each, inside in contract.names)
    return mock.patch.object(operation, "contract", msgspec.structs.replace(contract, names=names))


def joined(name: str, route: str, like: str) -> AbstractContextManager[Any]:
    """An operation that the documents do not have, in the catalogue."""
    operation = copy(API[like])
    operation.name = name
    operation.method, operation.path = route.split()
    return mock.patch.dict(API.operations, {name: operation})


@breaks("R006", "a parameter of the query is taken from the body")
def _query_in_the_body() -> AbstractContextManager[Any]:
    read = checks._input

    def taking(call: Any, contract: Any, given: Mapping[str, str], request: Any) -> Any:
        if request.body[:1] == b"{":
            sent = msgspec.json.decode(request.body)
            given = {**{key: sent[key] for key in call.operation.query_names & sent.keys()}, **given}
        return read(call, contract, given, request)

    return mock.patch.object(checks, "_input", taking)


@breaks("R009", "a parameter of the path is taken from the query")
def _path_in_the_query() -> AbstractContextManager[Any]:
    match = Routes.match

    def taking(routes: Any, context: Any, method: str, segments: list[str], query: str = "") -> Any:
        found = match(routes, context, method, segments, query)
        if isinstance(found, Found) or "=" not in query:
            return found
        more = match(routes, context, method, [*segments, query.partition("=")[2]], "")
        return more if isinstance(more, Found) else found

    return mock.patch.object(Routes, "match", taking)


@breaks("R053", "guests have an authKind")
@contextmanager
def _auth_kind_of_guests() -> Iterator[None]:
    kind = views.auth_kind
    with ExitStack() as stack:
        for module in (views, user_operations):
            stack.enter_context(mock.patch.object(module, "auth_kind", lambda *given: kind(*given) or "local"))
        yield


@breaks("R108", "what a client publishes counts for its children")
def _terms_of_children() -> AbstractContextManager[Any]:
    def wider(act: Any) -> Any:
        def acting(change: Any, client: Any, url: str) -> Any:
            for each in list(clients.CLIENTS.of(change).all):
                if each.id != client.id and clients.is_below(change, each, client):
                    act(change, each, url)
            return act(change, client, url)

        return acting

    return mock.patch.multiple(terms, link=wider(terms.link), promulgate=wider(terms.promulgate))


@breaks("R126", "a token is needed")
def _providers_for_users() -> AbstractContextManager[Any]:
    return mock.patch.multiple(
        API["list_client_auth_providers"], gate=Gate(Grant.SIGNED_IN), gate_entry=None, public=False
    )


@breaks("R135", "there is an answer")
def _terms_answered() -> AbstractContextManager[Any]:
    return answering("update_terms_url promulgate_terms", lambda _: {})


@breaks("R139", "a call makes validators")
def _validators_made() -> AbstractContextManager[Any]:
    return joined("create_validator", "POST /validators/create", "list_validators")


@breaks("R149", "a word names the first user")
def _user_by_word() -> AbstractContextManager[Any]:
    return reading("get_user", 0, lambda call, _: next(iter(USERS.of(call.change, call.client.id).all)).id)


@breaks("R176", "the channel does not matter")
def _any_channel() -> AbstractContextManager[Any]:
    every = lambda call: (CHANNELS.of(call.change, each.id).all for each in clients.CLIENTS.of(call.change).all)  # noqa: E731
    return finding("create_guest", 1, lambda call: next(channel for channels in every(call) for channel in channels))


@breaks("R182", "me is the caller")
@contextmanager
def _me() -> Iterator[None]:
    me = lambda call, text: call.user.id if text == "me" else 0  # noqa: E731
    with reading("create_invitation", 0, me), reading("get_invitation", 0, me):
        yield


@breaks("R187", "administrators look users up too")
def _look_up_by_administrators() -> AbstractContextManager[Any]:
    operation = API["find_predefined_user"]
    return mock.patch.object(operation, "gate", Gate(*operation.gate.grants, Grant.CUSTOMER_ADMIN))


@breaks("R189", "users of every client are found")
def _look_up_everywhere() -> AbstractContextManager[Any]:
    find = things.predefined.get

    def anywhere(change: Any, client: Any, origin_id: str) -> Any:
        for each in clients.CLIENTS.of(change).all:
            try:
                return find(change, each, origin_id)
            except Refusal:
                continue
        return find(change, client, origin_id)

    return mock.patch.object(things.predefined, "get", anywhere)


@breaks("R193", "users share their properties")
def _shared_properties() -> AbstractContextManager[Any]:
    return mock.patch.object(properties, "of_user", lambda user: properties.Owner(user.client, "user"))


@breaks("R193", "owners of a client share their properties")
def _shared_of_a_client() -> AbstractContextManager[Any]:
    find = properties._find

    def shared(change: Any, owner: Any, key: str) -> Any:
        rows = properties.PROPERTIES.of(change, owner.client).all
        return find(change, owner, key) or next((each for each in rows if each.key == key), None)

    return mock.patch.object(properties, "_find", shared)


@breaks("R210", "a level has a name")
def _level_by_name() -> AbstractContextManager[Any]:
    operation = next(each for each in API if each.path == "/acl/{userId}/level/{level}" and each.method == "POST")
    return reading(operation.name, 1, lambda call, _: 1)


@breaks("R219", "the value is unchanged")
def _unchanged_token() -> AbstractContextManager[Any]:
    return mock.patch.object(things.api_tokens, "regenerate", lambda change, token: token)


@breaks("R219", "the old value counts as well")
def _old_token() -> AbstractContextManager[Any]:
    regenerate = things.api_tokens.regenerate

    def keeping(change: Any, token: Any) -> Any:
        old = credentials.CREDENTIALS.of(change).get(token.value)
        made = regenerate(change, token)
        if old is not None:
            credentials.CREDENTIALS.of(change).put(old)
        return made

    return mock.patch.object(things.api_tokens, "regenerate", keeping)


@breaks("R230", "the array is not answered when it is set")
def _domains_not_answered() -> AbstractContextManager[Any]:
    return answering("set_domains", lambda _: None)


@breaks("R230", "what is read is no bare array")
def _domains_in_an_object() -> AbstractContextManager[Any]:
    return answering("get_domains list_domains", lambda said: {"domains": said})


@breaks("R231", "the origins are answered when they are set")
def _origins_answered() -> AbstractContextManager[Any]:
    return answering("set_origins", lambda _: [])


@breaks("R234", "a new client is below nobody")
def _client_below_nobody() -> AbstractContextManager[Any]:
    create = clients.create
    return mock.patch.object(clients, "create", lambda change, name, parent, **more: create(change, name, None, **more))


@breaks("R341", "those inside leave when the door closes")
def _door_that_throws_out() -> AbstractContextManager[Any]:
    turn = runtime_operations.turn

    def closing(change: Any, trigger: Any, channel: Any) -> Any:
        if trigger is lobby.DOOR.off:
            for each in list(presence.inside(change, channel)):
                presence.leave(change, channel, each.user)
        return turn(change, trigger, channel)

    return mock.patch.object(runtime_operations, "turn", closing)


@breaks("R410", "a text is reported")
def _value_as_text() -> AbstractContextManager[Any]:
    return mock.patch.object(values, "unpacked", lambda text: text)


@breaks("R430", "the latest is answered")
def _latest_app_session() -> AbstractContextManager[Any]:
    get = app_sessions.get

    def latest(change: Any, client: str, id: str) -> Any:
        get(change, client, id)
        return next(iter(app_sessions.APP_SESSIONS.of(change, client).all.descending))

    return mock.patch.object(app_sessions, "get", latest)


@breaks("R432", "one criterion is enough")
def _any_criterion() -> AbstractContextManager[Any]:
    find = app_sessions.list_app_sessions

    def any_of(change: Any, client: Any, caller: Any, wanted: Any) -> Any:
        given = {name: value for name, value in msgspec.structs.asdict(wanted).items() if value is not None}
        found = {
            run.id: run
            for name, value in given.items()
            for run in find(change, client, caller, app_sessions.AppSessionFilter(**{name: value}))
        }
        return list(found.values()) if given else find(change, client, caller, wanted)

    return mock.patch.object(app_sessions, "list_app_sessions", any_of)


@breaks("R448", "the first template is answered")
def _first_template() -> AbstractContextManager[Any]:
    return finding("get_template", 0, lambda call: templates.list_templates(call.change, call.client)[0])


@breaks("R448", "a template is answered in part")
def _template_in_part() -> AbstractContextManager[Any]:
    return answering("get_template", lambda said: {"id": said["id"]})


@breaks("R453", "settings are answered in part")
def _settings_in_part() -> AbstractContextManager[Any]:
    return answering("get_channel_settings", lambda said: {name: said[name] for name in list(said)[1:]})


@breaks("R522", "a call shows what comes in")
def _stream_shown() -> AbstractContextManager[Any]:
    return joined("get_gateway_stream", "GET /users/{userId}/source/{uuid}/stream", "get_gateway_endpoint")


@breaks("R529", "the broadcasts of all channels are found")
def _any_broadcast() -> AbstractContextManager[Any]:
    return finding("get_broadcast", 1, lambda call: next(iter(BROADCASTS.of(call.change, call.client.id).all)))


@breaks("R550", "a change is made with PUT")
def _put() -> AbstractContextManager[Any]:
    return mock.patch.object(API["rename_channel"], "method", "PUT")


@breaks("R555", "the oldest is the first unless asked otherwise")
def _oldest_media_first() -> AbstractContextManager[Any]:
    function = API["list_client_media"].function

    @wraps(function)
    def oldest(call: Any, *named: Any, **given: Any) -> Any:
        order = type(function.__kwdefaults__["order"])
        given.setdefault("order", next(each for each in order if each is not function.__kwdefaults__["order"]))
        return function(call, *named, **given)

    return mock.patch.object(API["list_client_media"], "function", oldest)


@breaks("R560", "a token may stand in the URL")
def _tokens_in_urls() -> AbstractContextManager[Any]:
    presentation = service.presentation

    def wider(lines: tuple[str, ...]) -> Any:
        read = presentation(lines)
        return lambda request, query: read(request, query) or query.get("token")

    return mock.patch.object(service, "presentation", wider)


@breaks("R560", "the query names the images' reader")
def _images_with_tokens() -> AbstractContextManager[Any]:
    url = views.image_url
    return mock.patch.object(views, "image_url", lambda *given: url(*given) and f"{url(*given)}&token=demo-api-token")

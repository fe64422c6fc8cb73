"""Who calls: tokens, terms, disabled clients, and the client in whose context a call runs."""

from __future__ import annotations

from werkzeug.wrappers import Request

from services.conferencing.context import Caller, Context, Route, Service
from services.conferencing.errors import Failure
from services.conferencing.store.models import Client

NOBODY = Client("", "")


def _carried(request: Request, header: str, scheme: str, any_case: bool) -> str | None:
    value = request.headers.get(header)
    if value is None:
        return None
    head = value[: len(scheme)]
    if head != scheme and not (any_case and head.lower() == scheme.lower()):
        return None
    return value[len(scheme) :].strip()


def identify(service: Service, request: Request, route: Route) -> Caller:
    """The caller that the request's token names."""
    rules = service.style.auth
    if route.public:
        return Caller("")
    presented = [
        _carried(request, rules.user_header, rules.user_scheme, rules.scheme_any_case),
        _carried(request, rules.api_header, rules.api_scheme, rules.scheme_any_case),
        request.args.get(rules.query_parameter) if rules.query_parameter else None,
    ]
    tokens = [token for token in presented if token]
    if not tokens:
        if route.optional:
            return Caller("")
        raise Failure("no_token")
    if rules.user_header == rules.api_header and rules.user_scheme == rules.api_scheme:
        found = _user(service, tokens[0]) or _api(service, tokens[0])
    else:
        found = _user(service, presented[0] or presented[2] or "") or _api(service, presented[1] or "")
    if found is None:
        raise Failure("bad_token")
    return found


def _user(service: Service, token: str) -> Caller | None:
    credential = service.db.credentials.get(token)
    if credential is None:
        return None
    user = service.db.users.get(credential.user_id)
    if user is None:
        return None
    forever = service.bug("guest-token-never-expires") and user.kind == "guest"
    if credential.expires is not None and credential.expires <= service.clock.now() and not forever:
        raise Failure("expired_token")
    levels = frozenset(held.level for held in service.db.levels.find(user_id=user.id))
    if service.bug("caller-levels-cached"):
        levels = service.cache.setdefault(("levels", user.id), levels)
    return Caller(user.client_id, user=user, levels=levels)


def _api(service: Service, token: str) -> Caller | None:
    found = service.db.api_tokens.one(token=token)
    if found is None and service.bug("deleted-api-token-lives"):
        found = service.cache.get(("api-token", token))
    if found is None and service.bug("old-api-token-lives"):
        found = service.cache.get(("old-api-token", token))
    if found is None:
        return None
    if found.expires_at is not None and found.expires_at <= service.clock.now():
        raise Failure("expired_token")
    if service.bug("deleted-api-token-lives"):
        service.cache["api-token", token] = found
    return Caller(found.client_id, api_token=found)


def ask_terms(service: Service, caller: Caller, client: Client, route: Route) -> None:
    """Refuse a user who has not accepted the client's current terms."""
    user, rules = caller.user, service.style.auth
    if user is None or route.name in rules.terms_open or user.accepted_terms >= client.terms_version:
        return
    if (
        user.kind in ("guest", "linked")
        and rules.terms_apply_to_guests == "when-required"
        and not client.terms_required
    ):
        return
    if service.bug("terms-asked-once") and user.accepted_terms > 0:
        return
    raise Failure("terms_pending")


def is_disabled(service: Service, client: Client) -> bool:
    """Whether the client or one of its parents is disabled."""
    above: Client | None = client
    while above is not None:
        if above.disabled:
            return True
        if service.bug("disabled-parent-ignored"):
            return False
        above = service.db.clients.get(above.parent_id) if above.parent_id else None
    return False


def ask_service(service: Service, client: Client, route: Route) -> None:
    """Refuse what a disabled client may not do."""
    rules = service.style.auth
    if route.name in rules.disabled_spares or not is_disabled(service, client):
        return
    reads = route.kind == "read" and route.name not in rules.disabled_reads
    if not reads or rules.disabled_refuses == "all":
        raise Failure("service_disabled")


def for_client(service: Service, caller: Caller, own: Client, wanted: str) -> Client:
    """The child client in whose context the call runs."""
    rules = service.style.auth
    if "partner-admin" not in caller.levels:
        raise Failure("for_client_denied")
    if wanted == own.id and rules.for_client_own:
        return own
    child = service.db.clients.get(wanted)
    if child is None:
        raise Failure("for_client_unknown", wanted)
    if service.bug("for-client-any-parent"):
        if child.parent_id is None:
            raise Failure("for_client_foreign", wanted)
        return child
    above: Client | None = child
    while above is not None and above.parent_id is not None:
        if above.parent_id == own.id:
            return child
        if rules.for_client_depth == "child":
            break
        above = service.db.clients.get(above.parent_id)
    raise Failure("for_client_foreign", wanted)


def context(service: Service, request: Request, route: Route, path: dict[str, str]) -> Context:
    """The call, when its caller may make calls at all."""
    caller = identify(service, request, route)
    if not caller.client_id:
        return Context(service, request, route, path, caller, NOBODY)
    own = service.db.clients.get(caller.client_id)
    if own is None:
        raise Failure("bad_token")
    ask_terms(service, caller, own, route)
    client, wanted = own, request.args.get("for_client")
    if wanted and "for_client" in route.query:
        client = for_client(service, caller, own, wanted)
    ask_service(service, own, route)
    if client is not own:
        ask_service(service, client, route)
    return Context(service, request, route, path, caller, client, client is not own)

"""The server and its world: health, description, operations, assumptions, the OpenAPI document."""

from __future__ import annotations

import json
from typing import Any

from confsim import __version__
from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER, Entry
from confsim.contract import openapi
from confsim.contract.encode import Raw
from confsim.contract.gates import Gate
from confsim.contract.operation import Operation
from confsim.contract.types import Wire
from confsim.control.context import ControlContext
from confsim.control.declare import CONTROL, PREFIX, operation
from confsim.domain.clients import clients
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.identity.credentials import CREDENTIALS, Credential
from confsim.domain.users.users import USERS, Hosting, Level, User, unregistered
from confsim.kernel.refusal import Misuse
from confsim.kernel.world import Change


class Health(Wire):
    """The state of the server."""

    status: str


class ClientInfo(Wire):
    """A client; ``parent`` is null for a top-level client."""

    id: str
    name: str
    parent: str | None


class TokenInfo(Wire):
    """The holder of a token; ``userId`` is null for an API token. ``role`` is the highest role that the holder has."""

    userId: int | None
    clientId: str
    role: str


class Info(Wire):
    """A world: what it was made from (``world``), its name on the server, its instant, its clients and fixed tokens.

    ``outputs`` are those of the scenario that it starts from.
    """

    version: str
    world: str
    name: str
    now: int
    seed: int
    profile: dict[str, Any]
    base_url: str
    clients: list[ClientInfo]
    tokens: dict[str, TokenInfo]
    outputs: dict[str, Any]


class OperationInfo(Wire):
    """An operation of the API: its route under the profile, how far it is documented (``source``), who may call it."""

    name: str
    method: str
    path: str
    source: str
    gate: str
    area: str
    rules: list[str]
    gaps: list[str]
    summary: str


class AssumptionInfo(Wire):
    """A question that the documents leave open. ``value`` is what is in force.

    ``used`` says whether the world rests on it, ``start`` whether it was built on it or is served under it, so that no
    call need have used it.
    """

    id: str
    gaps: list[str]
    statement: str
    default: Any
    value: Any
    alternatives: list[Any]
    operations: list[str]
    used: bool
    start: bool


@operation("GET /health")
def get_health(context: ControlContext) -> Health:
    """Check that the server answers."""
    return Health(status="ok")


@operation("GET /info")
def get_info(context: ControlContext) -> Info:
    """Get the description of the world: its instant, its seed, its clients, and the tokens that never expire."""
    change, service = context.view(), context.service
    return Info(
        version=__version__,
        world=service.provenance.made_from,
        name=service.address.mount.removeprefix("/w/"),
        now=change.now,
        seed=service.world.seed,
        profile=dict(service.profile),
        base_url=context.base_url,
        clients=[ClientInfo(id=each.id, name=each.name, parent=each.parent) for each in CLIENTS.of(change).all],
        tokens={
            each.value: _describe_token(change, each) for each in CREDENTIALS.of(change).all if each.expires is None
        },
        outputs=dict(service.provenance.outputs),
    )


@operation("GET /accounts")
def get_accounts(context: ControlContext) -> Raw:
    """Get the tokens that never expire as a file (TOML) of accounts by role, as commands that drive a service take it.

    ``[client] id`` is the client of the owner or the customer admin, ``other-admin`` an administrator of a client that
    is neither that one, nor its child, nor above it.
    """
    change = context.view()
    held = [(_describe_token(change, each), each.value) for each in CREDENTIALS.of(change).all if each.expires is None]
    home = next((each.clientId for role in ("owner", "customer-admin") for each, _ in held if each.role == role), None)
    lines = [] if home is None else ["[client]", f"id = {json.dumps(home)}", ""]
    tokens: dict[str, str] = {}
    for holder, value in held:
        if home is None or _related(change, holder.clientId, home):
            tokens.setdefault(holder.role, value)
        elif holder.role.endswith("-admin"):
            tokens.setdefault("other-admin", value)
    lines += ["[tokens]", *(f"{role} = {json.dumps(value)}" for role, value in tokens.items())]
    return Raw("application/toml", ("\n".join(lines) + "\n").encode())


def _related(change: Change, one: str, other: str) -> bool:
    """Whether two clients are the same, or one is above the other."""
    first, second = clients.get(change, one), clients.get(change, other)
    return one == other or clients.is_below(change, first, second) or clients.is_below(change, second, first)


def _describe_token(change: Change, credential: Credential) -> TokenInfo:
    user = None if credential.user is None else USERS.of(change, credential.client).get(credential.user)
    role = "api-token" if user is None else _role(change, user)
    return TokenInfo(userId=credential.user, clientId=credential.client, role=role)


def _role(change: Change, user: User) -> str:
    if Level.PARTNER_ADMIN in user.levels:
        return "partner-admin"
    if user.levels:
        return "customer-admin"
    if user.hosting is not Hosting.NONE:
        return str(user.hosting.value)
    return "guest" if unregistered(user) else "user"


@operation("GET /operations")
def list_operations(context: ControlContext) -> list[OperationInfo]:
    """List the operations of the API."""
    return [describe_operation(each, context) for each in API]


def describe_operation(each: Operation, context: ControlContext) -> OperationInfo:
    """The description of an operation as it is served under the profile of the world."""
    profile = context.service.profile
    method, path = each.route(profile)
    gate = each.gate if each.gate_entry is None else Gate(*profile.get(each.gate_entry.id, each.gate_entry.default))
    return OperationInfo(
        name=each.name,
        method=method,
        path=path,
        source=each.source,
        gate=str(gate),
        area=each.area,
        rules=list(each.rules),
        gaps=list(each.gaps),
        summary=each.summary,
    )


@operation("GET /assumptions")
def list_assumptions(
    context: ControlContext, *, operation: str | None = None, used: bool | None = None
) -> list[AssumptionInfo]:
    """List the assumptions: all, those of one operation, or those that are ``used``.

    Those are used that the world was built on and is served under, and that calls, of the control plane too, timers
    and deliveries have used since the last reset. Misuse (404) for an unknown operation.
    """
    start = context.service.start_assumptions
    used_ids = {*start, *context.service.journal.assumptions()}
    return [
        _describe_assumption(entry, context, entry.id in used_ids, entry.id in start)
        for entry in assumptions_of(operation)
        if used is None or used is (entry.id in used_ids)
    ]


def assumptions_of(operation: str | None) -> list[Entry[Any]]:
    """The entries of the register by id, of one operation or all. Raises Misuse (404) for an unknown operation."""
    operations = API.operations
    if operation is not None and operation not in operations:
        raise Misuse(f"there is no operation {operation!r}", status=404)
    found = sorted(REGISTER.entries.values(), key=lambda entry: entry.id)
    return [entry for entry in found if operation is None or not entry.operations or operation in entry.operations]


def _describe_assumption(entry: Entry[Any], context: ControlContext, used: bool, start: bool) -> AssumptionInfo:
    return AssumptionInfo(
        id=entry.id,
        gaps=list(entry.gaps),
        statement=entry.statement,
        default=entry.default,
        value=context.service.profile.get(entry.id, entry.default),
        alternatives=list(entry.alternatives),
        operations=list(entry.operations),
        used=used,
        start=start,
    )


@operation("GET /openapi.json")
def get_control_openapi(context: ControlContext) -> Raw:
    """Get the OpenAPI document of the control plane."""
    return Raw("application/json", control_document())


def control_document() -> bytes:
    """The OpenAPI document of the control plane, as JSON."""
    return openapi.document_bytes(
        CONTROL, title=CONTROL.title, version=__version__, prefix=f"..{PREFIX}", profile={}, problems=True
    )

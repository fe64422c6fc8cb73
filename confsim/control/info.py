"""What there is: the server, its operations, its assumptions, its documents."""

from __future__ import annotations

from typing import Any

from confsim import __version__
from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER, Entry
from confsim.contract import openapi
from confsim.contract.encode import Raw
from confsim.contract.gates import Gate
from confsim.contract.operation import Operation
from confsim.contract.types import Wire
from confsim.domain.channels import channels
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.identity.credentials import CREDENTIALS, Credential
from confsim.domain.users.users import USERS, Level, User, unregistered
from confsim.kernel.refusal import Misuse
from confsim.kernel.world import Change

from .control import CONTROL, PREFIX, Control, operation


class Health(Wire):
    """The server answers."""

    status: str


class ClientInfo(Wire):
    """A client; ``parent`` is null at the top."""

    id: str
    name: str
    parent: str | None


class TokenInfo(Wire):
    """Whose a token is; an API token is nobody's. ``role`` is the highest the holder has anywhere."""

    userId: int | None
    clientId: str
    role: str


class Info(Wire):
    """A world: what it was made from, its name on the server, its instant, whom it holds, its fixed tokens.

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
    """An operation of the API: its route under the profile, how much of it the documents show, who may call it."""

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
    """Something that the documents leave open. ``value`` is what is in force, ``used`` whether a call leaned on it."""

    id: str
    gaps: list[str]
    statement: str
    default: Any
    value: Any
    alternatives: list[Any]
    operations: list[str]
    used: bool


@operation("GET /health")
def get_health(control: Control) -> Health:
    """Tell that the server answers."""
    return Health(status="ok")


@operation("GET /info")
def get_info(control: Control) -> Info:
    """Tell about the world: its instant, its seed, its clients, and the tokens that never expire."""
    change, service = control.see(), control.service
    return Info(
        version=__version__,
        world=service.made_from,
        name=service.mount.removeprefix("/w/"),
        now=change.now,
        seed=service.world.seed,
        profile=dict(service.profile),
        base_url=control.base_url,
        clients=[ClientInfo(id=each.id, name=each.name, parent=each.parent) for each in CLIENTS.of(change).oldest()],
        tokens={each.value: _token(change, each) for each in CREDENTIALS.of(change).oldest() if each.expires is None},
        outputs=service.outputs,
    )


def _token(change: Change, credential: Credential) -> TokenInfo:
    user = None if credential.user is None else USERS.of(change, credential.client).get(credential.user)
    role = "api-token" if user is None else _role(change, user)
    return TokenInfo(userId=credential.user, clientId=credential.client, role=role)


def _role(change: Change, user: User) -> str:
    if Level.PARTNER_ADMIN in user.levels:
        return "partner-admin"
    if user.levels:
        return "customer-admin"
    hosted = channels.hosted_by(change, user)
    if hosted:
        return "owner" if any(channels.is_owner(each, user) for each in hosted) else "operator"
    return "guest" if unregistered(user) else "user"


@operation("GET /operations")
def list_operations(control: Control) -> list[OperationInfo]:
    """List the operations of the API."""
    return [described(each, control) for each in API]


def described(each: Operation, control: Control) -> OperationInfo:
    """An operation as it is served under the profile of the world."""
    profile = control.service.profile
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
    control: Control, *, operation: str | None = None, used: bool | None = None
) -> list[AssumptionInfo]:
    """List what the documents leave open: of one operation, or what calls have leaned on since the last reset.

    Misuse (404) for an unknown operation.
    """
    leaned = set(control.service.journal.assumptions())
    return [
        _assumption(entry, control, entry.id in leaned)
        for entry in entries(operation)
        if used is None or used is (entry.id in leaned)
    ]


def entries(operation: str | None) -> list[Entry[Any]]:
    """The entries of the register, by id; those that touch an operation and all operations, when one is named."""
    operations = API.operations
    if operation is not None and operation not in operations:
        raise Misuse(f"there is no operation {operation!r}", status=404)
    found = sorted(REGISTER.entries.values(), key=lambda entry: entry.id)
    return [entry for entry in found if operation is None or not entry.operations or operation in entry.operations]


def _assumption(entry: Entry[Any], control: Control, used: bool) -> AssumptionInfo:
    return AssumptionInfo(
        id=entry.id,
        gaps=list(entry.gaps),
        statement=entry.statement,
        default=entry.default,
        value=control.service.profile.get(entry.id, entry.default),
        alternatives=list(entry.alternatives),
        operations=list(entry.operations),
        used=used,
    )


@operation("GET /openapi.json")
def get_control_openapi(control: Control) -> Raw:
    """Describe the control plane as an OpenAPI document."""
    return Raw("application/json", control_document())


def control_document() -> bytes:
    """The OpenAPI document of the control plane, as JSON."""
    return openapi.document_bytes(
        CONTROL, title=CONTROL.title, version=__version__, prefix=f"..{PREFIX}", profile={}, problems=True
    )

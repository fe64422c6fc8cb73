"""The server and its world: health, description, operations, assumptions, the OpenAPI document."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER, Assumption
from confsim.contract.encode import Raw
from confsim.contract.gates import Gate
from confsim.contract.operation import Operation
from confsim.contract.types import Wire
from confsim.control.context import ControlContext
from confsim.control.declare import PREFIX, operation
from confsim.control.explaining import Explanation, explain
from confsim.control.holders import ClientInfo, TokenInfo, clients_and_tokens, describe_token
from confsim.domain.clients import clients
from confsim.domain.identity.credentials import CREDENTIALS, LASTING
from confsim.kernel.refusal import Misuse, suggest
from confsim.kernel.world import Change
from confsim.service.document import SERVER
from confsim.version import __version__

if TYPE_CHECKING:
    from confsim.contract.openapi.document import Subject


class Health(Wire):
    """The state of the server."""

    status: Annotated[str, "The word ok."]


class ServerInfo(Wire):
    """A world: what it was made from (``world``), its name on the server, its instant, its clients and fixed tokens.

    ``outputs`` are those of the scenario that it starts from.
    """

    version: Annotated[str, "The version of confsim."]
    world: Annotated[str, "The source of the world."]
    name: Annotated[str, "The name of the world on its server."]
    now: Annotated[int, "The instant of its clock, in epoch milliseconds."]
    seed: Annotated[int, "The seed of its ids and tokens."]
    profile: Annotated[dict[str, Any], "The alternatives that its profile chooses."]
    base_url: Annotated[str, "The address of its API."]
    clients: Annotated[list[ClientInfo], "Its clients."]
    tokens: Annotated[dict[str, TokenInfo], "Its fixed tokens, by their text."]
    outputs: Annotated[dict[str, Any], "The outputs of the scenario that it starts from."]


class OperationInfo(Wire):
    """An operation of the API: its route under the profile, how far it is documented (``source``), who may call it."""

    name: Annotated[str, "The name of the operation."]
    method: Annotated[str, "Its method."]
    path: Annotated[str, "Its path."]
    source: Annotated[str, "The extent of its documentation."]
    gate: Annotated[str, "The callers whom its gate admits."]
    area: Annotated[str, "The area that it belongs to."]
    rules: Annotated[list[str], "The rules that it answers for."]
    gaps: Annotated[list[str], "The gaps that it settles."]
    summary: Annotated[str, "Its description in one sentence."]


class AssumptionInfo(Wire):
    """A question that the documents leave open. ``value`` is what is in force.

    ``used`` says whether the world rests on it, ``start`` whether it was built on it or is served under it, so that no
    call need have used it.
    """

    id: Annotated[str, "The id of the assumption."]
    gaps: Annotated[list[str], "The gaps that it settles."]
    statement: Annotated[str, "The assumption, as a statement."]
    default: Annotated[Any, "The value without a profile."]
    value: Annotated[Any, "The value that is in force."]
    alternatives: Annotated[list[Any], "Other values."]
    operations: Annotated[list[str], "The operations that it touches."]
    used: Annotated[bool, "Whether the world rests on it."]
    start: Annotated[bool, "Whether the world was built on it or is served under it."]


@operation("GET /health")
def get_health(context: ControlContext) -> Health:
    """Check that the server answers."""
    return Health(status="ok")


@operation("GET /info", beside=True)
def get_info(context: ControlContext) -> ServerInfo:
    """Get the description of the world: its instant, its seed, its clients, and the tokens that never expire."""
    change, service, base_url = context.view(), context.service, context.base_url
    known, tokens = clients_and_tokens(change)
    return ServerInfo(
        version=__version__,
        world=service.provenance.made_from,
        name=service.address.mount.removeprefix("/w/"),
        now=change.now,
        seed=change.world.seed,
        profile=dict(service.profile),
        base_url=base_url,
        clients=known,
        tokens=tokens,
        outputs=dict(service.provenance.outputs),
    )


@operation("GET /accounts", media="application/toml", beside=True)
def get_accounts(context: ControlContext) -> Raw:
    """Get the tokens that never expire as a file (TOML) of accounts by role, for the commands that drive a service.

    ``[client] id`` is the client of the owner or the customer admin, ``other-admin`` an administrator of a client that
    is neither that one, nor its child, nor above it.
    """
    change = context.view()
    held: list[tuple[TokenInfo, str]] = []
    homes: dict[str, str] = {}
    for each in CREDENTIALS.where(change, LASTING, True):
        holder = describe_token(change, each)
        held.append((holder, each.value))
        homes.setdefault(holder.role, holder.clientId)
    home = homes.get("owner", homes.get("customer-admin"))
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
    """Return whether two clients are the same, or one is an ancestor of the other."""
    first, second = clients.get(change, one), clients.get(change, other)
    return one == other or clients.is_below(change, first, second) or clients.is_below(change, second, first)


@operation("GET /operations")
def list_operations(context: ControlContext) -> list[OperationInfo]:
    """List the operations of the API."""
    return [describe_operation(each, context) for each in API]


def describe_operation(each: Operation, context: ControlContext) -> OperationInfo:
    """Return the description of an operation under the profile of the world."""
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
    context: ControlContext,
    *,
    operation: Annotated[str | None, "Assumptions that touch this operation."] = None,
    used: Annotated[bool | None, "Those that the world rests on, or the others."] = None,
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


def assumptions_of(operation: str | None) -> list[Assumption[Any]]:
    """Return the register's entries by id, of one operation or all. Raises Misuse (404) for an unknown operation."""
    operations = API.operations
    if operation is not None and operation not in operations:
        raise Misuse(f"there is no operation {operation!r}{suggest(operation, operations)}", status=404)
    found = sorted(REGISTER.entries.values(), key=lambda entry: entry.id)
    concerned = {entry.id: API.concerned(entry) for entry in found}
    return [each for each in found if operation is None or not concerned[each.id] or operation in concerned[each.id]]


def _describe_assumption(entry: Assumption[Any], context: ControlContext, used: bool, start: bool) -> AssumptionInfo:
    return AssumptionInfo(
        id=entry.id,
        gaps=list(entry.gaps),
        statement=entry.statement,
        default=entry.default,
        value=context.service.profile.get(entry.id, entry.default),
        alternatives=list(entry.alternatives),
        operations=list(API.concerned(entry)),
        used=used,
        start=start,
    )


@operation("GET /explain/{name}")
def get_explanation(
    context: ControlContext, name: Annotated[str, "A rule, gap, assumption, operation, machine or code of a refusal."]
) -> Explanation:
    """Explain a name: R094, G353, auth.presentation, reserve_handle, lobby, handle_reserved. Misuse (404) for none."""
    return explain(name, context.service.profile)


@operation("GET /openapi.json", media="application/json")
def get_control_openapi(context: ControlContext) -> Raw:
    """Get the OpenAPI document of the control plane."""
    return Raw("application/json", control_document(context.root))


@operation("GET /llms.txt", media="text/markdown")
def get_llms_text(context: ControlContext) -> Raw:
    """Get the description of confsim as one text for language models (llms.txt): guides, and every operation."""
    from confsim.control import llms

    return Raw("text/markdown; charset=utf-8", llms.text(context.root, context.service.profile).encode())


def control_document(root: str = SERVER) -> bytes:
    """Return the OpenAPI document of the control plane, as JSON; ``root`` is the URL of the serving mount."""
    from confsim.contract.openapi.document import document_bytes

    return document_bytes(_subject(), server=f"{root}{PREFIX}", profile={})


@cache
def _subject() -> Subject:
    from confsim.contract.openapi.document import Subject
    from confsim.control import catalogue  # which declares every operation
    from confsim.reference.observed import observed_control

    control = catalogue.CONTROL
    text = "What no call of the API does: time, faults, people, phones and the journal of a world."
    examples = observed_control()
    return Subject(control, control.title, __version__, text, areas=control.areas, problems=True, observed=examples)

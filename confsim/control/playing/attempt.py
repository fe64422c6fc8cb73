"""The control operation for trying an operation: which tokens its gate admits, and which records its arguments name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

import msgspec
from msgspec import Struct

from confsim.api import admission
from confsim.api.call import Call
from confsim.api.catalogue import API
from confsim.assumptions import members
from confsim.assumptions.register import in_force
from confsim.contract.annotations import named as names_of
from confsim.contract.gates import Gate, Grant
from confsim.contract.operation import Operation
from confsim.contract.types import Wire
from confsim.control.context import ControlContext
from confsim.control.declare import operation
from confsim.control.fields import one_of
from confsim.control.holders import describe_token
from confsim.control.labels.label import Held, Named, caller_label, named
from confsim.control.operations.info import OperationInfo, describe_operation
from confsim.control.why.findings import admitted
from confsim.domain.broadcast.destinations import DESTINATIONS
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.events.endpoints import ENDPOINTS
from confsim.domain.identity import credentials
from confsim.domain.identity.credentials import CREDENTIALS, LASTING, Caller
from confsim.domain.media import gateway
from confsim.domain.media.media import CHANNEL_MEDIA, CLIENT_MEDIA
from confsim.domain.recordings.assets import ASSETS
from confsim.kernel.refusal import Misuse, Refusal, suggest
from confsim.kernel.tables.table import Table
from confsim.kernel.world import Change

#: Tokens and records that are offered.
_TOKENS, _RECORDS = 50, 10
#: Grants that depend on the thing in the path.
_OF_THING = frozenset({Grant.ACCESS, Grant.OPERATOR, Grant.OWNER, Grant.SELF})
#: The tables of kinds of things that are not called like one.
_TABLES: Mapping[str, tuple[str, ...]] = {
    "media": (CLIENT_MEDIA.name, CHANNEL_MEDIA.name),
    "assets": (ASSETS.name,),
    "endpoints": (ENDPOINTS.name,),
    "destinations": (DESTINATIONS.name,),
    "sources": (gateway.ENDPOINTS.name,),
}


class AdmittedToken(Wire):
    """A token that never expires, and whether the gate of the operation admits its holder.

    ``admitted`` is "depends" where that depends on the channel or the user in the path.
    """

    token: Annotated[str, "The token."]
    label: Annotated[str, "What people call its holder."]
    role: Annotated[str, "The highest role that the holder has."]
    admitted: Annotated[str, one_of("yes", "no", "depends"), "Whether the gate admits the holder."]
    client: Annotated[str, "The client of the token."]


class Argument(Wire):
    """An argument of an operation that names a record, with records of the world that it can name."""

    name: Annotated[str, "The name of the argument."]
    where: Annotated[str, one_of("path", "query", "body"), "Where it stands."]
    kind: Annotated[str, "The kind of thing that it names; empty for a plain value."]
    suggestions: Annotated[list[Named], "The newest records that it can name, at most ten."]


class TriedOperation(Wire):
    """What one needs to try an operation."""

    operation: Annotated[OperationInfo, "The operation."]
    may: Annotated[str, "Whom its gate admits, in words."]
    tokens: Annotated[list[AdmittedToken], "The tokens that never expire, those that are admitted first."]
    arguments: Annotated[list[Argument], "Its arguments that stand in the path or name a record."]


@operation("GET /operations/{name}", beside=True)
def try_operation(
    context: ControlContext,
    name: Annotated[str, "The name of the operation."],
    *,
    client: Annotated[str | None, "The client whose records are suggested; all without one."] = None,
) -> TriedOperation:
    """Get what one needs to try an operation: the tokens that its gate admits, and records for its arguments.

    Raises Misuse (404) for an unknown operation or client.
    """
    performed = API.find(name)
    if performed is None:
        raise Misuse(f"there is no operation {name[:80]!r}{suggest(name, API.operations)}", status=404)
    change, profile = context.view(), context.service.profile
    if client is not None and client not in CLIENTS.of(change):
        raise Misuse(f"there is no client {client!r}", status=404)
    entry = performed.gate_entry
    gate = performed.gate if entry is None else Gate(*in_force(profile, entry))
    tokens = [_token(context, change, performed, gate, each) for each in _lasting(change)]
    order = ("yes", "depends", "no")
    return TriedOperation(
        operation=describe_operation(performed, context),
        may=admitted(gate),
        tokens=sorted(tokens, key=lambda each: order.index(each.admitted)),
        arguments=list(_arguments(change, performed, client)),
    )


def _lasting(change: Change) -> list[credentials.Credential]:
    return CREDENTIALS.where(change, LASTING, True)[:_TOKENS]


def _token(
    context: ControlContext, change: Change, performed: Operation, gate: Gate, credential: credentials.Credential
) -> AdmittedToken:
    holder = describe_token(change, credential)
    try:
        caller = credentials.authenticate(change, credential.value)
        verdict = _verdict(context, change, performed, gate, caller)
        label = caller_label(change, caller)
    except Refusal:
        verdict, label = "no", ""
    return AdmittedToken(
        token=credential.value, label=label, role=holder.role, admitted=verdict, client=credential.client
    )


def _verdict(context: ControlContext, change: Change, performed: Operation, gate: Gate, caller: Caller) -> str:
    """Return whether a gate admits a caller: yes, no, or that it depends on the thing in the path."""
    call = Call(performed, change, context.service.address, {}, caller.client, caller)
    fixed = tuple(grant for grant in gate.grants if grant not in _OF_THING)
    passes = members.API_TOKEN_PASSES if caller.user is None else members.CUSTOMER_ADMIN_PASSES
    if (caller.user is None or caller.customer_admin) and {*in_force(context.service.profile, passes)} & {*gate.grants}:
        return "yes"
    try:
        admission.admit(call, fixed)
    except Refusal:
        return "depends" if len(fixed) < len(gate.grants) and caller.user is not None else "no"
    return "yes"


def _arguments(change: Change, performed: Operation, client: str | None) -> Iterator[Argument]:
    """Yield the arguments of the path, and those of query and body that name a record."""
    for parameter in performed.path_parameters:
        yield _argument(change, parameter.name, "path", parameter.names or "", client)
    for each in performed.query_parameters:
        if each.names:
            yield _argument(change, each.name, "query", each.names, client)
    body = None if performed.body is None else performed.body.type
    if isinstance(body, type) and issubclass(body, Struct):
        for field in msgspec.structs.fields(body):
            kind = names_of(field.type)[1]
            if kind:
                yield _argument(change, field.encode_name, "body", kind, client)


def _argument(change: Change, name: str, where: str, kind: str, client: str | None) -> Argument:
    return Argument(name=name, where=where, kind=kind, suggestions=_suggested(change, kind, client))


def _suggested(change: Change, kind: str, client: str | None) -> list[Named]:
    """Return the newest records of a kind of thing; none of one whose key is a secret."""
    found: list[Named] = []
    for name in _TABLES.get(kind, (kind.replace("_", " "),)):
        table = Table.declared.get(name)
        if table is None or table.key_name in table.secrets:
            continue
        owners = ("",) if table.shared else tuple(each.id for each in CLIENTS.of(change).all[:_TOKENS])
        for owner in owners if client is None or table.shared else (client,):
            for record in table.of(change, owner).all.descending[: _RECORDS - len(found)]:
                found.append(named(change, Held(table, owner, record)))
    return found

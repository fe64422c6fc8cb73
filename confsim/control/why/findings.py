"""What the refusals of each reason rest on: the record in the way, the one that is gone, the id that was meant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from confsim.api.catalogue import API
from confsim.assumptions.protocol import transport, wire
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import in_force
from confsim.contract.gates import Gate, Grant
from confsim.control.holders import role_of
from confsim.control.labels.label import Held, label
from confsim.control.labels.span import lasting
from confsim.control.why.routes import SimilarRoutes
from confsim.domain.channels.channels import BY_FRIENDLY_URL, BY_MEETING_ID, BY_NAME, CHANNELS, ROOMS
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.identity.credentials import CREDENTIALS, suggest_token
from confsim.domain.users.handles import BY_FOLDED, RESERVATIONS
from confsim.domain.users.users import BY_EMAIL, BY_HANDLE, BY_ORIGIN, USERS
from confsim.kernel.refusal import Refusal
from confsim.kernel.tables.indexes import Index, Unique
from confsim.kernel.tables.table import Table
from confsim.service.entries import ControlCall, JournalEntry, TimerEntry
from confsim.values.plain import whole_number

from .case import Case, Finding
from .headline import actor
from .likeness import nearest

#: Who holds each grant, in words.
GRANTS: Mapping[Grant, str] = {
    Grant.PUBLIC: "everybody",
    Grant.SIGNED_IN: "callers with a token",
    Grant.USER: "users",
    Grant.REGISTERED: "registered users",
    Grant.SELF: "the user whom the path names",
    Grant.API_TOKEN: "API tokens",
    Grant.CUSTOMER_ADMIN: "customer admins",
    Grant.PARTNER_ADMIN: "partner admins",
    Grant.ACCESS: "those with access to the channel",
    Grant.OPERATOR: "operators of the channel",
    Grant.OWNER: "owners of the channel",
}
#: What callers of each role are called.
_ROLES: Mapping[str, str] = {
    "partner-admin": "a partner admin",
    "customer-admin": "a customer admin",
    "owner": "an owner of a channel",
    "operator": "an operator of a channel",
    "user": "a user without such a role",
    "guest": "a guest",
    "api-token": "an API token",
}
#: The tables in which a missing thing is sought, by what the refusal calls it; of any other, all of them.
_TABLES: Mapping[str, tuple[Table[Any, Any], ...]] = {
    "user": (USERS,),
    "channel": (CHANNELS, ROOMS),
    "client": (CLIENTS,),
}
#: The index that finds the record in the way, by the reason: its table, and the fact with the value.
_TAKEN: Mapping[Reason, tuple[Table[Any, Any], Index[Any] | Unique[Any], str]] = {
    Reason.CHANNEL_NAME_TAKEN: (CHANNELS, BY_NAME, "name"),
    Reason.ORIGIN_ID_TAKEN: (USERS, BY_ORIGIN, "originId"),
    Reason.FRIENDLY_URL_TAKEN: (CHANNELS, BY_FRIENDLY_URL, "url"),
    Reason.EMAIL_TAKEN: (USERS, BY_EMAIL, "email"),
    Reason.HANDLE_TAKEN: (USERS, BY_HANDLE, "handle"),
    Reason.MEETING_ID_UNKNOWN: (CHANNELS, BY_MEETING_ID, "id"),
}


def admitted(gate: Gate) -> str:
    """Return whom a gate admits, in words."""
    words = [GRANTS[grant] for grant in gate.grants]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _ago(case: Case, at: int) -> str:
    span = lasting(case.entry.at - at)
    return "at the same instant" if span == "0 s" else f"{span} before this call"


def _lost(case: Case, text: str, tables: tuple[str, ...], what: str) -> Finding | None:
    """Return what became of a record that was removed; None if no entry of the journal removed one with this key."""
    gone = case.past.gone(text, tables)
    if gone is None:
        return None
    ended = gone.ended
    if isinstance(ended, TimerEntry):
        sentence = f"{what.format(gone.label)} ran out {_ago(case, ended.at)}"
        return Finding(sentence, gone=gone, see=(f"Look at the world before {ended.id}",))
    how = "was used" if isinstance(ended, JournalEntry) and ended.operation == case.entry.operation else "was removed"
    return Finding(f"{what.format(gone.label)} {how} {_ago(case, ended.at)} {actor(ended)}", gone=gone)


def _reservation(case: Case) -> Finding:
    token = case.path[-1] if case.path else ""
    found = _lost(case, token, (RESERVATIONS.name,), "The reservation of “{}”")
    if found is not None:
        return found
    near = nearest(case.change, case.client, token, (RESERVATIONS,))
    if near is None:
        return Finding("No reservation ever had this token")
    called = label(case.change, near.held)
    return Finding(f"No reservation has this token; the one of “{called}” {near.differs}", there=near.held)


def _token(case: Case) -> str | None:
    """Return the token that the call presented."""
    entry = case.entry
    if isinstance(entry, ControlCall):
        return None
    if entry.token is not None:
        return entry.token
    try:
        return case.service.token_of(entry.request, {})
    except Refusal:
        return None


def _scheme(case: Case) -> str:
    """Return in which other way the token was presented, and which one is expected; "" if it was in the right one."""
    entry = case.entry
    if isinstance(entry, ControlCall) or entry.token is not None:
        return ""
    given = entry.request.headers.get("authorization", "")
    way = wire.presentation(in_force(case.service.profile, wire.PRESENTATION)[0])
    if way.place != "header" or not given:
        return ""
    scheme, blank, _ = given.partition(" ")
    if way.scheme and scheme.lower() != way.scheme.lower():
        was = f"as {scheme[:20]}" if blank else "without a scheme"
        return f"The token was presented {was}; it belongs into the header {way.name}: {way.scheme} …"
    return ""


def _unknown_token(case: Case) -> Finding:
    token, scheme = _token(case), _scheme(case)
    if scheme:
        return Finding(scheme)
    if not token:
        return Finding("The token was never issued")
    found = _lost(case, token, (CREDENTIALS.name,), "{}")
    if found is not None:
        return found
    meant = suggest_token(case.change, token).removeprefix("; did you mean ").removesuffix("?").strip("'")
    shown = f"{token[:4]}…" if len(token) > 4 else "…"
    if meant:
        return Finding(f"The token {shown} was never issued; {meant} is similar", nearest=meant)
    return Finding(f"The token {shown} was never issued")


def _missing_token(case: Case) -> Finding:
    return Finding(_scheme(case) or f"{case.entry.operation or 'This call'} needs a token, and the call has none")


def _expired_token(case: Case) -> Finding:
    credential = CREDENTIALS.get(case.change, _token(case) or "")
    if credential is None:
        return Finding("The token has expired")
    held = Held(CREDENTIALS, "", credential)
    return Finding(f"{label(case.change, held)} expired {_ago(case, credential.expires or 0)}", there=held)


def _missing(case: Case) -> Finding | None:
    what, id = str(case.facts.get("what", "thing")), str(case.facts.get("id", ""))
    tables = _TABLES.get(what, ())
    found = _lost(case, id, tuple(table.name for table in tables), "{}")
    if found is not None:
        return found
    for table in tables:
        key = (whole_number(id) or 0) if table is USERS else id
        owner = table.find_client(case.change, key)
        record = None if owner is None or owner == case.client else table.get(case.change, key, owner)
        if record is not None and owner is not None:
            held = Held(table, owner, record)
            home, other = case.named(case.client) or "no client", case.named(owner)
            called = label(case.change, held)
            return Finding(f"{called} belongs to {other}, and the caller to {home}", there=held)
    near = nearest(case.change, case.client, id, tables or Table.by_position)
    if near is not None:
        called = label(case.change, near.held)
        return Finding(f"No {what} has this id; the one of {called} {near.differs}", near.held, nearest=near.held.id)
    return Finding(f"No {what} has the id {id[:80]!r} here, and none had it since the journal began")


def _taken(case: Case) -> Finding | None:
    table, index, fact = _TAKEN[case.reason]  # type: ignore[index]
    value = case.facts.get(fact)
    if not isinstance(value, str) or not case.client:
        return None
    for text in (value, value.casefold()):
        if isinstance(index, Unique):
            record = table.one(case.change, index, text, case.client)
        else:
            record = table.where(case.change, index, text, case.client).first
        if record is not None:
            return _in_the_way(case, Held(table, case.client, record))
    reserved = RESERVATIONS.where(case.change, BY_FOLDED, value.casefold(), case.client).first
    if case.reason is Reason.HANDLE_TAKEN and reserved is not None:
        who = case.named(reserved.by)
        held, left = Held(RESERVATIONS, case.client, reserved), lasting(reserved.expires - case.entry.at)
        return Finding(f"“{reserved.handle}” is reserved by {who} for another {left}", there=held)
    return None


def _in_the_way(case: Case, held: Held) -> Finding:
    made = case.past.made((held.client, held.table.name, held.table.key(held.record)))
    called = label(case.change, held)
    since = "since before the journal begins" if made is None else f"made {actor(made)}"
    if case.reason is Reason.HANDLE_TAKEN:
        return Finding(f"“{case.facts['handle']}” is the handle of {called}, {since}", there=held)
    return Finding(f"{called} exists already, {since}", there=held)


def _role(case: Case) -> Finding:
    entry = case.entry
    operation = API.find(entry.operation)
    grants = [Grant(word) for word in str(case.facts.get("gate", "")).split(" or ") if word in {*Grant}]
    if isinstance(entry, ControlCall) or operation is None or not grants:
        return Finding(f"{entry.operation} is not for this caller")
    user = None if entry.caller is None else entry.caller.user
    role = _ROLES["api-token" if user is None else role_of(case.change, user)]
    may = admitted(Gate(*grants))
    return Finding(f"{case.caller or 'The caller'} is {role}; only {may} may call {operation.name}")


def _user_needed(case: Case) -> Finding:
    return Finding(f"{case.caller or 'The caller'} is an API token, and {case.entry.operation} is only for users")


def _route(case: Case) -> Finding:
    entry = case.entry
    assert isinstance(entry, JournalEntry)
    method, target = entry.request.method, entry.request.target
    prefix, mount = in_force(case.service.profile, transport.PREFIX), case.service.address.mount
    below = target.removeprefix(mount)
    meant = SimilarRoutes(case.service.profile).nearest(method, below)
    if prefix and not below.startswith(prefix):
        there = SimilarRoutes(case.service.profile).nearest(method, f"{prefix}{below}")
        says = f"Nothing is served at {below[:200]}; the API is at {mount}{prefix}"
        return Finding(says, nearest=there, see=(f"Call {there}",))
    return Finding(f"Nothing is served at {method} {below[:200]}; the nearest route is {meant}", nearest=meant)


def _terms(case: Case) -> Finding:
    who = case.caller or ("The user" if case.subject is None else case.subject.label.partition(" in ")[0])
    client = CLIENTS.get(case.change, case.client)
    version = "the current terms" if client is None else f"the terms of version {client.terms.version}"
    return Finding(f"{who} has not accepted {version}")


#: The function that finds what a refusal rests on, by its reason; the others rest on what they are about.
FINDERS: Mapping[Reason, Callable[[Case], Finding | None]] = {
    Reason.RESERVATION_NOT_FOUND: _reservation,
    Reason.CREDENTIAL_INVALID: _unknown_token,
    Reason.CREDENTIAL_MISSING: _missing_token,
    Reason.CREDENTIAL_EXPIRED: _expired_token,
    Reason.NOT_FOUND: _missing,
    Reason.ROLE_MISSING: _role,
    Reason.NO_USER_CONTEXT: _user_needed,
    Reason.ROUTE_NOT_FOUND: _route,
    Reason.TERMS_NOT_ACCEPTED: _terms,
    **dict.fromkeys(_TAKEN, _taken),
}

"""Invariants about who may do what: the role that the documents demand of a caller, and what lets nobody call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from msgspec import Struct

from kit.exploration.acts.act import CONTROL, PUBLIC
from kit.exploration.step import Step
from kit.exploration.view import View, word

from .invariant import Statements

STATED = Statements()

#: The ids of access levels, the highest last (G140).
CUSTOMER_ADMIN, PARTNER_ADMIN = 10, 20


class Caller(Struct, frozen=True):
    """Who makes a call, by the records before it: the token, and its user, None of an API token."""

    view: View
    credential: Any
    user: Any
    values: dict[str, Any]

    @property
    def levels(self) -> set[int]:
        """The access levels of the caller; an API token administers its client (G150)."""
        return {CUSTOMER_ADMIN} if self.user is None else {word(level) for level in self.user.levels}

    @property
    def channel(self) -> Any:
        """The channel that the call names, for a breakout room its event room; None if it names none."""
        given = (self.values.get(name) for name in ("uuid", "channel", "channelId"))
        named = self.view.channels.get(next(filter(None, given), ""))
        return named if named is None or named.parent is None else self.view.channels.get(named.parent)

    @property
    def role(self) -> str:
        """The role in that channel: owner, operator, API token of its client, or none."""
        if self.channel is None:
            return "none"
        if self.user is None:
            return "API token" if self.credential.client == self.channel.client else "none"
        held = (each for each in self.view["hosts"] if (each.channel, each.user) == (self.channel.id, self.user.id))
        return next((str(word(host.role)) for host in held), "none")


Gate: TypeAlias = Callable[[Caller], bool]


def _host(caller: Caller) -> bool:
    return caller.role != "none"


def _owner(caller: Caller) -> bool:
    return caller.role == "owner"


def _customer_admin(caller: Caller) -> bool:
    return bool(caller.levels) and caller.channel is not None and caller.channel.client == caller.credential.client


def _parents_partner_admin(caller: Caller) -> bool:
    client = caller.view.clients.get(caller.values.get("clientId", ""))
    return PARTNER_ADMIN in caller.levels and client is not None and client.parent == caller.credential.client


def _reseller(caller: Caller) -> bool:
    client = caller.view.clients.get(caller.credential.client)
    return PARTNER_ADMIN in caller.levels and client is not None and client.reseller


def _level_of_others(caller: Caller) -> bool:
    up_to_own = caller.values.get("level", 0) <= max(caller.levels, default=0)
    return up_to_own and (caller.user is None or caller.user.id != caller.values.get("userId"))


def _records(caller: Caller) -> bool:
    """Return whether the caller is a host, and an owner has a verified email unless it is an API token."""
    if caller.role in ("none", "API token"):
        return caller.role == "API token"
    owners = {each.user for each in caller.view["hosts"] if word(each.role) == "owner" and each.channel ==
              caller.channel.id}  # fmt: skip
    return any(user.email for user_id, user in caller.view.users.items() if user_id in owners)


#: Whom the documents let make a call (an API token passes the gates within its client but those of owners, G149, G150).
GATES: dict[str, tuple[str, Gate]] = {
    # P1 L297, R109, R110, G166: Partner Admin of the parent
    "set_client_service_state": ("the Partner Admin of the parent", _parents_partner_admin),
    # P1 L296, R232, G167
    "create_client": ("a Partner Admin of a reseller", _reseller),
    # P1 L262-264, R213, R214, G141, G144: up to the own level, for others
    "add_access_level": ("somebody with such a level who acts on others", _level_of_others),
    "remove_access_level": ("somebody with such a level who acts on others", _level_of_others),
    # P2 L314, R360, R499, R500, R501, R502
    "start_recording": ("a host of a channel with a verified owner, or an API token", _records),
    # P2 L294-295, L214, R403, R474, R476
    **dict.fromkeys(
        ("set_dial_in_state", "set_dial_out_state", "set_speech2text_state"), ("a Customer Admin", _customer_admin)
    ),
    # P2 L215-216, L320, L345, R404, R405, R507, R525
    **dict.fromkeys(
        (
            "set_midi_state",
            "set_event_room_state",
            "get_recording_download",
            "add_broadcast_destination",
            "set_broadcast_destination_state",
        ),
        ("an owner", _owner),
    ),
    # P1 L253-254, P2 L213, L218, L315, L346, R203, R205, R348, R360, R407, R527, G332, G364
    **dict.fromkeys(
        (
            "add_operator",
            "remove_operator",
            "set_attendees_state",
            "set_channel_property",
            "delete_channel_property",
            "stop_recording",
            "start_broadcast",
            "stop_broadcast",
            "set_lobby_door",
            "set_lobby_auto_close",
            "end_session",
            "end_active_session",
            "create_breakout_session",
            "delete_breakout_session",
            "start_breakout_session",
            "stop_breakout_session",
            "add_breakout_participant",
            "remove_breakout_participant",
            "create_linked_user",
            "rename_channel_user",
        ),
        ("a host", _host),
    ),
}


def _caller(step: Step) -> Caller | None:
    """Return who made a call with a token that is in the records."""
    held = [each for each in step.before["credentials"] if each.value == step.call.caller]
    if not held:
        return None
    user = None if held[0].user is None else step.before.users.get(held[0].user)
    return Caller(step.before, held[0], user, step.call.values)


@STATED.step(
    "only-who-may",
    "A call succeeds only for the role that the documents demand: Partner Admin of the parent, Customer Admin, owner, "
    "host, or a level up to the caller's own.",
    "P1 Authentication 6 L307, R109, R110, R203, R205, R214, R348, R360, R403, R404, R405, R474, R476, R525, R527, "
    "G149, G150, G151",
)
def _may(step: Step) -> Iterator[str]:
    gate = GATES.get(step.act.operation)
    if gate is None or step.answer.refused:
        return
    caller = _caller(step)
    if caller is None or not gate[1](caller):
        yield f"{step.act.operation}: the caller is not {gate[0]}"


#: What a user who has not accepted the terms can call all the same (R081, R101, R105), and calls for which a token is
#: not asked, since they give one (R069, R175).
_TERMS = {"accept_terms", "get_user_terms"}
_PUBLIC = {"create_guest", "exchange_identity_token"}


@STATED.step(
    "by-a-valid-token",
    "Calls are made by tokens that exist and have not expired, and until users accept the current terms they call "
    "nothing but the terms.",
    "R071, R105, R118, R119, G020, G174, P1 Authentication 4 L305",
)
def _valid(step: Step) -> Iterator[str]:
    if step.answer.refused or step.call.caller in (PUBLIC, CONTROL) or step.act.operation in _PUBLIC:
        return
    caller = _caller(step)
    if caller is None:
        yield "an unknown token"
        return
    expires = caller.credential.expires
    if expires is not None and expires <= step.before.now:
        yield "an expired token"
    client = step.before.clients.get(caller.credential.client)
    if caller.user is None or client is None or step.act.operation in _TERMS:
        return
    bound = word(caller.user.account) not in ("guest", "linked")
    if bound and caller.user.accepted not in (None, client.terms.version):
        yield "a user who has not accepted the terms"


@STATED.step(
    "nothing-made-while-disabled",
    "While the service of a client or of one above it is disabled, creating a channel or user and entering a channel "
    "are refused.",
    "P1 States L178, P1 Errors L320, R086, R111, G164, G165",
    "users", "channels", "sessions", "placements", "reservations", "linked users",
)  # fmt: skip
def _made(step: Step) -> Iterator[str]:
    if step.act.caller == CONTROL or step.answer.refused:
        return
    for table in ("users", "channels", "sessions", "placements", "reservations", "linked users"):
        if table not in step.tables:
            continue
        before = step.before.keyed(table)
        for key, record in step.after.keyed(table).items():
            if key not in before and not step.before.is_served(record.client):
                yield table


@STATED.step(
    "clients-are-apart",
    "A call changes only what belongs to the client of its caller, to one below it, or to the client that a public "
    "call names.",
    "P1 L7, Conventions 7 L32, R032, R033, R035, R036, R037, R108, R116, G153",
)
def _apart(step: Step) -> Iterator[str]:
    caller = _caller(step)
    if caller is None or not step.changed:
        return
    before, own = step.before.world.client_tables, caller.credential.client
    named = step.call.values.get("clientId") if step.act.operation in _PUBLIC else None
    for client, states in step.after.world.client_tables.items():
        is_other = client in step.after.clients and client != named and own not in step.after.above(client)
        if is_other and before.get(client) is not states:
            yield f"{step.act.operation} changes another client"


#: The running of channels, and creating a channel or user.
_REFUSED_WHILE_DISABLED = {
    *("create_channel", "create_guest", "create_predefined_user", "create_linked_user", "create_user"),
    *("get_streaming_proxy", "get_data_channel", "get_turn_credentials", "exchange_identity_token"),
    *("start_recording", "start_broadcast", "start_breakout_session", "dial_registered_user", "dial_unregistered_user"),
}


@STATED.step(
    "refused-while-disabled",
    "While the service of a client or of one above it is disabled, runtime operations and many management calls, such "
    "as creating a channel or user, are refused.",
    "P1 States L178, P1 Errors L320, R086, R111, G162, G164, G165",
)
def _refused(step: Step) -> Iterator[str]:
    if step.act.operation in _REFUSED_WHILE_DISABLED and not step.answer.refused:
        caller = _caller(step)
        client = step.call.values.get("clientId") if caller is None else caller.credential.client
        if not step.before.is_served(client):
            yield step.act.operation


INVARIANTS = tuple(STATED.invariants)

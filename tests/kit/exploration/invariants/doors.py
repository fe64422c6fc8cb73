"""Invariants about who gets in: the conditions of the documents for joining, at the moment of entering."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kit.exploration.step import Step
from kit.exploration.view import View, word

from .invariant import Statements

STATED = Statements()


def obstacle(view: View, channel: Any, user: Any) -> str:
    """Return why the documents refuse this user in this channel; "" if they do not. The terms, a private channel and
    guest access are demanded of each kind of user, dial-in of phones; the service of everybody.
    """
    client = view.clients.get(channel.client)
    account, host = word(user.account), (channel.id, user.id) in view.hosts
    if client is None or not view.is_served(channel.client):
        return "the service is disabled"
    if account == "dialled":
        return "dial-in is off" if user.inbound and not channel.dial_in else ""
    by_phone = any(call.user == user.id and word(call.state) == "answered" for call in view["calls"])
    bound = account not in ("guest", "linked") or client.terms.required
    if not by_phone and bound and user.accepted not in (None, client.terms.version):
        return "the terms are not accepted"
    if host:
        return ""
    if account == "guest" and not channel.guest_access:
        return "guest access is off"
    if user.channel not in (None, channel.id):
        return "a guest of another channel"
    linked = any(link.channel == channel.id and link.user == user.id for link in view["linked users"])
    admitted = linked or bool(user.levels) or user.channel is not None  # an administrator, or made for this channel
    return "the channel is private" if channel.private and not admitted else ""


def _entered(step: Step) -> Iterator[tuple[Any, Any, Any]]:
    """Yield who got inside or moved by this step: the presence, the channel and the user."""
    for (channel_id, user_id), presence in step.after.inside.items():
        was = step.before.inside.get((channel_id, user_id))
        channel, user = step.after.channels.get(channel_id), step.after.users.get(user_id)
        # A breakout moves those inside to their rooms and back: they enter nothing by themselves.
        moved = was is not None and (was.place == presence.place or step.act.operation != "join_channel")
        if channel is not None and user is not None and not moved:
            yield presence, channel, user


@STATED.step(
    "passes-the-door",
    "Nobody gets inside whom the channel refuses at that moment: for the service, the terms, guest access, a private "
    "channel, or dial-in; whether they join, are admitted, find the door opened, call or are called, or go to a "
    "breakout room. Users who come by phone need not have accepted the terms.",
    "P1 States L178, R105, R111, G163, G176, G227, G228, G310, G467",
)
def _passes_the_door(step: Step) -> Iterator[str]:
    for presence, channel, user in _entered(step):
        why = obstacle(step.after, channel, user)
        returns = presence.place == presence.channel and (presence.channel, presence.user) in step.before.inside
        if why and not returns:
            yield why


@STATED.step(
    "closed-door",
    "While the door is closed, only hosts, callees and those who were inside before get in by themselves; others wait "
    "until they are admitted.",
    "R340, G330, G450",
)
def _closed_door(step: Step) -> Iterator[str]:
    for presence, channel, user in _entered(step):
        key = (channel.id, user.id)
        if key in step.before.inside or channel.open or key in step.after.hosts:
            continue
        session = step.before.sessions.get(channel.id)
        back = session is not None and (session.id, user.id) in step.before.attended
        organizer = any(call.user == user.id and (call.organizer or not call.inbound) for call in step.after["calls"])
        if not (back or organizer or step.act.operation == "admit_to_channel"):
            yield f"{word(user.account)} {word(presence.state)}"


@STATED.step("capacity", "Nobody gets into a channel that is full.", "G317, P2 L29, L116")
def _capacity(step: Step) -> Iterator[str]:
    for presence, channel, _ in _entered(step):
        if (presence.channel, presence.user) in step.before.inside:
            continue
        limit = channel.max_users if channel.population_limit is None else channel.population_limit
        if sum(each == channel.id for each, _ in step.after.inside) > limit:
            yield f"more than {limit}"


@STATED.step(
    "own-room",
    "During a breakout, users who are not hosts are in the room that they are assigned to.",
    "R355, R313, G437",
)
def _own_room(step: Step) -> Iterator[str]:
    assigned = {(each.user, each.room) for each in step.after["assignments"]}
    for presence, channel, user in _entered(step):
        host, own = (channel.id, user.id) in step.after.hosts, (user.id, presence.room) in assigned
        if word(presence.state) == "in room" and not host and not own:
            yield f"a {word(user.account)} user in a room of others"


@STATED.step(
    "no-session-while-disabled",
    "Runtime operations are refused while the service is disabled: no session begins, no recording starts, no phone "
    "rings, nobody logs in.",
    "P1 States L178, R111",
)
def _nothing_begins(step: Step) -> Iterator[str]:
    for table, state in (("sessions", "ongoing"), ("recordings", "in progress"), ("calls", "ringing"),
                         ("broadcasts", "running"), ("breakout sessions", "active")):  # fmt: skip
        field = "phase" if table == "breakout sessions" else "state"
        begun = {record.id for record in step.before[table] if word(getattr(record, field)) == state}
        for record in step.after[table]:
            begins = word(getattr(record, field)) == state and record.id not in begun
            if begins and not step.after.is_served(record.client):
                yield f"{table}: {state}"
    if any(not step.after.is_served(credential.client) for credential in _logins(step)):
        yield "a login"


def _logins(step: Step) -> list[Any]:
    """Return the tokens of users that somebody got by logging in."""
    if step.act.operation not in ("redeem_invitation", "exchange_identity_token"):
        return []
    old = {credential.value for credential in step.before["credentials"]}
    return [each for each in step.after["credentials"] if each.value not in old and each.user is not None]


INVARIANTS = tuple(STATED.invariants)

"""Invariants about what may begin, and what follows: broadcasts, recordings, breakouts, logins, mails, webhooks."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from kit.exploration.step import Step
from kit.exploration.view import View, word

from .invariant import Statements

STATED = Statements()


def _began(step: Step, table: str, field: str, state: str) -> Iterator[Any]:
    """Yield the records that are in a state since this step."""
    if table in step.tables:
        before = step.before.keyed(table)
        for key, record in step.after.keyed(table).items():
            was = before.get(key)
            if word(getattr(record, field)) == state and (was is None or word(getattr(was, field)) != state):
                yield record


@STATED.step(
    "begins-where-it-may",
    "A broadcast starts only in a channel that may broadcast, with an enabled destination; a recording only in a "
    "session that goes on; a breakout only in an event room.",
    "P2 L341-347, R352, R368, R405, R523, R557, G418, G483",
    "broadcasts", "recordings", "breakout sessions",
)  # fmt: skip
def _begins(step: Step) -> Iterator[str]:
    for broadcast in _began(step, "broadcasts", "state", "starting"):
        channel = step.before.channels.get(broadcast.channel)
        if channel is None or not channel.broadcast_enabled:
            yield "a broadcast where it is not allowed"
        if not any(each.enabled for each in step.before["broadcast destinations"] if each.channel == broadcast.channel):
            yield "a broadcast without an enabled destination"
    for recording in _began(step, "recordings", "state", "in progress"):
        session = step.before.sessions.get(recording.channel)
        if session is None or session.id != recording.session:
            yield "a recording of no running session"
    for breakout in _began(step, "breakout sessions", "phase", "active"):
        channel = step.before.channels.get(breakout.channel)
        if channel is None or not channel.event_room:
            yield "a breakout where it is not allowed"


@STATED.step(
    "running-broadcasts-keep-their-destinations",
    "Changing destinations does not affect the broadcast that runs.",
    "P2 L176, R369",
    "broadcasts",
)
def _destinations(step: Step) -> Iterator[str]:
    before = step.before.keyed("broadcasts")
    for key, broadcast in step.after.keyed("broadcasts").items():
        if key in before and before[key].destinations != broadcast.destinations:
            yield "other destinations"


@STATED.step(
    "mailed-when-ready",
    "When a recording becomes ready, each owner with a verified email is mailed; no mail comes before, and none when "
    "processing fails.",
    "P2 States L170, P2 Events L376, R363, R364",
    "mail", "recordings",
)  # fmt: skip
def _mailed(step: Step) -> Iterator[str]:
    expected: Counter[str] = Counter()
    for recording in _began(step, "recordings", "state", "ready"):
        owners = [host.user for host in step.after["hosts"] if host.channel == _base(step.after, recording.channel)
                  and word(host.role) == "owner"]  # fmt: skip
        emails = [step.after.users[user].email for user in owners if user in step.after.users]
        expected.update(email for email in emails if email is not None)
    old = step.before.keyed("mail")
    sent = Counter(
        mail.to for key, mail in step.after.keyed("mail").items() if key not in old and word(mail.kind) == "recording"
    )
    if sent != expected:
        yield f"{sent.total()} mails instead of {expected.total()}"


def _base(view: View, channel_id: str) -> str:
    channel = view.channels.get(channel_id)
    return channel_id if channel is None or channel.parent is None else str(channel.parent)


@STATED.step(
    "exchanged-for-a-token",
    "An identity token is exchanged only if the active validator of the client checks it and it has not expired; an "
    "invitation only if it is a Persistent one that is pending. The service token is that of the user whom it names.",
    "P1 Authentication 1-3 L302-304, R061, R068, R071, R115, R184, G197, G235",
)
def _exchanged(step: Step) -> Iterator[str]:
    if step.act.operation != "exchange_identity_token" or step.answer.refused:
        return
    client, given = step.call.values["clientId"], step.call.values["body"]["idToken"]
    token = (step.answer.body or {}).get("token")
    got = next((each for each in step.after["credentials"] if each.value == token), None)
    user = None if got is None else step.after.users.get(got.user)
    invitation = next((each for each in step.before["invitations"] if each.code == given), None)
    if user is None or user.client != client:
        yield "no token of a user of the client"
    elif invitation is not None:
        if (word(invitation.state), word(invitation.kind)) != ("pending", "Persistent"):
            yield f"a {word(invitation.kind)} invitation that is {word(invitation.state)}"
        if invitation.expires <= step.before.now or invitation.user != user.id:
            yield "another user" if invitation.user != user.id else "an invitation that has expired"
    else:
        active = [each for each in step.before["validators"] if (each.client, word(each.state)) == (client, "active")]
        if not any(_signed(given, each.key) for each in active):
            yield "not signed with the key of an active validator"
        claims = _claims(given)
        if claims.get("exp", 0) * 1000 <= step.before.now:
            yield "an identity token that has expired"
        if user.origin_id != claims.get("sub"):
            yield "another user"


def _signed(token: str, key: str) -> bool:
    signing, _, signature = token.rpartition(".")
    made = hmac.new(key.encode(), signing.encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(made).decode().rstrip("=") == signature


def _claims(token: str) -> dict[str, Any]:
    payload = token.split(".")[1]
    claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return claims


@STATED.step(
    "delivered-to-active-endpoints",
    "Each event is delivered to each active endpoint of its client while the events of the client are on, and to no "
    "other.",
    "P2 Events L360-366, R531, R532, G532, G534",
    "event log", "webhook deliveries",
)  # fmt: skip
def _delivered(step: Step) -> Iterator[str]:
    before = step.before.keyed("webhook deliveries")
    begun = {
        (each.message, each.endpoint)
        for key, each in step.after.keyed("webhook deliveries").items()
        if key not in before
    }
    active = {each.id: each.client for each in step.after["events endpoints"] if each.active}
    on = {client.id for client in step.after["clients"] if client.events}
    wanted = {
        (event.id, endpoint)
        for event in step.events
        for endpoint, client in active.items()
        if client == event.client and client in on
    }
    if begun - wanted:
        yield "to an endpoint that is not active"
    if wanted - begun:
        yield "not to an active endpoint"


INVARIANTS = tuple(STATED.invariants)

"""The placement of channels on streaming servers, for which clients wait."""

import hmac
import re
from base64 import b64encode
from enum import Enum
from hashlib import sha1
from typing import assert_never

from msgspec import Struct

from confsim.assumptions import Reason, ask, not_found
from confsim.assumptions.protocol import durations
from confsim.assumptions.runtime import streaming as assumed
from confsim.domain import delays
from confsim.domain.channels.channels import Channel
from confsim.domain.delays import NO_POLL_LEFT, NO_WAIT, Wait, count_poll
from confsim.domain.fault_points import PROXY, FaultOutcome, fault_for
from confsim.domain.identity.credentials import Caller
from confsim.kernel import ABSENT, Change, Guard, Machine, NotYet, Record, Row, Table, replace

from . import sessions

_KIND = r"(?a)[A-Za-z0-9_-]+\Z"
_KINDS = frozenset({"chat", "wall", "whiteboard", "captions"})


class Placed(Enum):
    """Whether a channel is placed on a streaming server (P2 Runtime, proxyfor)."""

    CREATING = "creating"
    HOSTED = "hosted"


class Placement(Record):
    """The placement of a channel on a streaming server.

    ``polls_left`` is the number of further requests that find it being created, None when a timer ends the creation, at
    ``ready`` (epoch milliseconds).
    """

    channel: str
    client: str
    state: Placed = Placed.CREATING
    polls_left: int | None = 0
    ready: int | None = None


PLACEMENTS: Table[str, Placement] = Table("placements", Placement, "channel")


MACHINE: Machine[Placed, Placement] = Machine(
    "streaming placement",
    "Whether a channel is placed on a streaming server (R395-R397, R538).",
    PLACEMENTS,
    Placed,
    state="state",
    refused={ABSENT: Reason.NOT_FOUND, None: Reason.CHANNEL_BEING_CREATED},
)
RELEASE = MACHINE.trigger("release")
REMOVE = MACHINE.trigger("remove")


@MACHINE.effect("ask")
def _ask(change: Change, placement: Placement | None, channel: Channel) -> Placement:
    """The channel is being created on the server; this request was the first poll."""
    wait = _wait(change, channel)
    left = wait.polls_left
    return Placement(channel.id, channel.client, polls_left=None if left is None else left - 1, ready=wait.ends)


def _host(change: Change, placement: Placement | None, channel: Channel) -> Placement:
    """The channel is hosted by the server."""
    return Placement(channel.id, channel.client)


def _finish(change: Change, placement: Placement) -> Placement:
    """The channel is hosted by the server."""
    return replace(placement, polls_left=0, ready=None)


@MACHINE.effect("place")
def hosted(change: Change, placement: Placement | None, draft: Placement | None = None) -> Placement:
    """The channel is hosted by the server."""
    if placement is not None:
        return _finish(change, placement)
    assert draft is not None
    return draft


_NO_WAIT = Guard("it is done at once", lambda change, placement, channel: _wait(change, channel).over)
_READY = MACHINE.deadline("placement", lambda placement: placement.ready)
_CREATING, _HOSTED = Placed

MACHINE.declare(
    Row(_ask, ABSENT, _HOSTED, only_if=_NO_WAIT, effect=_host, source="P2 L209, R395, G349"),
    Row(_ask, ABSENT, _CREATING, only_if=~_NO_WAIT, source="P2 L209, R396, G349"),
    Row(_ask, _CREATING, _HOSTED, only_if=NO_POLL_LEFT, effect=_finish, source="P2 L380, R397, G349"),
    Row(_ask, _CREATING, _CREATING, only_if=~NO_POLL_LEFT, effect=count_poll, source="P2 L380, R396"),
    Row(_ask, _HOSTED, _HOSTED, effect=None, source="P2 L209, R395"),
    Row(hosted, ABSENT, _HOSTED, source="G349, G359"),
    Row(hosted, _CREATING, _HOSTED, at=_READY, source="G349, G359"),
    Row(RELEASE, _HOSTED, ABSENT, source="G349"),
    Row(REMOVE, (_CREATING, _HOSTED), ABSENT, source="G309"),
)


def find(change: Change, client: str, channel: str) -> Placement | None:
    """The placement of the channel, or None."""
    return PLACEMENTS.get(change, channel, client)


def place(change: Change, channel: Channel) -> None:
    """Request the streaming server of the channel, which begins its placement.

    Raises NotYet CHANNEL_BEING_CREATED while the channel is being created; the placement continues.
    """
    fault = fault_for(change, PROXY, client=channel.client, channel=channel.id)
    if fault is not None:
        if fault.outcome is FaultOutcome.CREATING:
            raise NotYet(Reason.CHANNEL_BEING_CREATED)
        assert_never(fault.outcome)
    if _ask(change, find(change, channel.client, channel.id), channel).state is Placed.CREATING:
        raise NotYet(Reason.CHANNEL_BEING_CREATED)


def _wait(change: Change, channel: Channel) -> Wait:
    """The remaining delay of a placement that begins now, or that began when the channel was created."""
    since = change.now
    if ask(change, assumed.CREATING) == "channel-creation":
        since = channel.created
        past = sessions.SESSIONS.where(change, sessions.BY_CHANNEL, channel.id, channel.client).first
        if past is not None and delays.delay_of(change, durations.PLACEMENT).mode == "manual":
            return NO_WAIT
    return delays.wait(change, durations.PLACEMENT, since=since)


def require_data_channel(change: Change, kind: str) -> None:
    """Raise Refusal NOT_FOUND for a kind of data channel that there is not (G347)."""
    if not re.match(_KIND, kind) or (ask(change, assumed.DATA_KINDS) == "known" and kind not in _KINDS):
        not_found("data channel", kind)


# TURN credentials as in coturn's REST interface: a user name with its expiry, and the HMAC of the user name


class TurnCredentials(Struct, frozen=True):
    """Credentials for the TURN server. ``life`` in seconds."""

    username: str
    password: str
    life: int
    uris: tuple[str, ...]


def issue_turn(change: Change, caller: Caller) -> TurnCredentials:
    """Credentials of the caller that expire at the end of their life, counted from this instant (G358).

    The user name is ``expiry:caller`` with the expiry in epoch seconds; the password is the base64 of the HMAC-SHA1 of
    the user name under the secret that the world shares with its TURN server.
    """
    life = ask(change, assumed.TURN_LIFE)
    since = change.now // 1000 if ask(change, assumed.TURN) == "fresh" else 0
    username = f"{since + life}:{caller.name}"
    return TurnCredentials(username, turn_password(change, username), life, ask(change, assumed.TURN_URIS))


def turn_password(change: Change, username: str) -> str:
    """The password of a user name, as the TURN server computes it."""
    return b64encode(hmac.digest(change.key("turn"), username.encode(), sha1)).decode()

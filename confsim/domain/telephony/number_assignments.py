"""Assignments of inbound numbers: to one channel exclusively, or to several, each with a routing code."""

from collections.abc import Sequence
from enum import Enum

from confsim.assumptions import Reason, ask, not_found, note, note_shown, telephony as assumed
from confsim.assumptions.channels import MEETING_ID
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients.clients import Client
from confsim.domain.lists import FilteredSequence
from confsim.kernel import ABSENT, Change, Filled, Guard, Index, Machine, Record, Refusal, Row, Table, Unique, View

from . import e164, numbers
from .numbers import NUMBERS, Number, NumberState


class NumberUse(Enum):
    """The kind of an assignment: shared with other channels through a routing code, or exclusive."""

    SHARED = "shared"
    EXCLUSIVE = "exclusive"


class NumberAssignment(Record, kw_only=True):
    """The assignment of a number (+E164) to a channel: with a routing ``code``, or exclusive and without one."""

    client: str
    number: str
    channel: str
    code: str | None = None

    @property
    def key(self) -> str:
        """The key of the record."""
        return f"{self.number}/{self.channel}"


OF_NUMBER: Index[NumberAssignment] = Index("number", "number")
OF_CHANNEL: Index[NumberAssignment] = Index("channel", "channel")
#: The exclusive assignment of a number, at most one and then its only assignment (R484).
EXCLUSIVE: Unique[NumberAssignment] = Unique(
    "exclusive", "code", "number", of=lambda code, number: (number,) if code is None else ()
)
#: Under (number, routing code).
BY_CODE: Unique[NumberAssignment] = Unique(
    "routing code", "code", "number", of=lambda code, number: ((number, code),) if code is not None else ()
)
#: All exclusive assignments, under True.
ALONE: Index[NumberAssignment] = Index("alone", "code", of=lambda code: (True,) if code is None else ())
ASSIGNMENTS: Table[str, NumberAssignment] = Table(
    *("number assignments", NumberAssignment, "key", OF_NUMBER, OF_CHANNEL, EXCLUSIVE, BY_CODE, ALONE),
    names={"number": "inbound numbers"},
)


MACHINE: Machine[NumberUse, NumberAssignment] = Machine(
    "number assignment",
    "How an inbound number leads to a channel (R326, R366, R480, R482-R486).",
    ASSIGNMENTS,
    NumberUse,
    state=Filled("code", NumberUse.SHARED, NumberUse.EXCLUSIVE),
    refused=Reason.NOT_FOUND,
)
#: End an assignment (G579).
cancel = MACHINE.trigger("cancel")
RELEASE = MACHINE.trigger("release")


def _about(change: Change, _: NumberAssignment | None, number: str, channel: Channel) -> dict[str, str]:
    return {"number": number}


@MACHINE.effect("assign", refused=Reason.NUMBER_EXCLUSIVE, details=_about)
def share(change: Change, _: NumberAssignment | None, number: str, channel: Channel) -> NumberAssignment:
    """The number is assigned to the channel with a routing code of its own, which never changes."""
    code = _free_code(change, number, channel)
    return NumberAssignment(client=channel.client, number=number, channel=channel.id, code=code)


@MACHINE.effect("assign exclusively", refused=Reason.NUMBER_SHARED, details=_about)
def _take(change: Change, _: NumberAssignment | None, number: str, channel: Channel) -> NumberAssignment:
    """The number is assigned to this channel exclusively, without a routing code."""
    return NumberAssignment(client=channel.client, number=number, channel=channel.id)


def _free_code(change: Change, number: str, channel: Channel) -> str:
    """Six digits that no other channel of the number has, or the meeting id (G475)."""
    if ask(change, assumed.ROUTING_CODE) == "meeting-id":
        note(change, MEETING_ID)
        return str(channel.meeting_id)
    rows = ASSIGNMENTS.of(change, channel.client)
    while rows.one(BY_CODE, (number, drawn := change.digits(6))) is not None:
        pass
    return drawn


def _is_free(change: Change, _: NumberAssignment | None, number: str, channel: Channel) -> bool:
    taken = find_exclusive(change, channel.client, number)
    return taken is None or taken.channel == channel.id


def _is_alone(change: Change, own: NumberAssignment | None, number: str, channel: Channel) -> bool:
    if ask(change, assumed.TAKEN) == "take":
        return True
    return all(assignment == own for assignment in list_of_number(change, channel.client, number))


_FREE = Guard("no other channel has it alone", _is_free)
_ALONE = Guard("it leads to no other channel, or is taken", _is_alone)
_SHARED, _EXCLUSIVE = NumberUse
_ANY = tuple(NumberUse)

MACHINE.declare(
    Row(share, ABSENT, _SHARED, only_if=_FREE, source="P2 L300, R482, G473, G475"),
    Row(share, _SHARED, _SHARED, effect=None, source="G473"),
    Row(share, _EXCLUSIVE, _SHARED, source="G473"),
    Row(_take, ABSENT, _EXCLUSIVE, only_if=_ALONE, source="P2 L301, R484, G474"),
    Row(_take, _SHARED, _EXCLUSIVE, only_if=_ALONE, source="R485, G473, G474"),
    Row(_take, _EXCLUSIVE, _EXCLUSIVE, effect=None, source="G473"),
    Row(cancel, _ANY, ABSENT, source="P2 L354, G579"),
    Row(RELEASE, _ANY, ABSENT, source="P2 States L172, R366, G474"),
)


def find(change: Change, channel: Channel, number: str) -> NumberAssignment | None:
    """The assignment of the number (+E164) to the channel, or None."""
    return ASSIGNMENTS.get(change, f"{number}/{channel.id}", channel.client)


def find_exclusive(change: Change, client: str, number: str) -> NumberAssignment | None:
    """The exclusive assignment of the number (+E164), which then is its only one, or None."""
    return ASSIGNMENTS.one(change, EXCLUSIVE, number, client)


def list_of_number(change: Change, client: str, number: str) -> View[NumberAssignment]:
    """The assignments of the number (+E164), in the order of assignment."""
    return ASSIGNMENTS.where(change, OF_NUMBER, number, client)


def get_available(change: Change, client: Client, number: str) -> Number:
    """The inbound number (+E164) of the client, if enabled. Refusal NUMBER_UNAVAILABLE (G472)."""
    known = NUMBERS.get(change, number, client.id)
    if known is None or known.standing is NumberState.DISABLED:
        raise Refusal(Reason.NUMBER_UNAVAILABLE, number=number)
    return known


def get(change: Change, channel: Channel, number: str) -> NumberAssignment:
    """The assignment of the number (+E164) to the channel. Refusal NOT_FOUND."""
    return find(change, channel, number) or not_found("number of the channel", number)


def assign(change: Change, channel: Channel, available: Number, *, exclusive: bool = False) -> NumberAssignment:
    """Assign an enabled number to the channel: with a routing code, or exclusively.

    Refusals NUMBER_ASSIGNED (G473), NUMBER_EXCLUSIVE, NUMBER_SHARED (G474), DIAL_IN_OFF (G478).
    """
    require_dial_in(change, channel)
    number = available.number
    note(change, assumed.TAKEN)
    own = find(change, channel, number)
    if own is not None and ask(change, assumed.ASSIGNED_AGAIN) == "refuse":
        raise Refusal(Reason.NUMBER_ASSIGNED, number=number)
    if not exclusive:
        return share(change, own, number, channel)
    if not _is_free(change, own, number, channel):
        raise Refusal(Reason.NUMBER_EXCLUSIVE, number=number)
    return _take(change, own, number, channel)


def require_dial_in(change: Change, channel: Channel) -> None:
    """Refusal DIAL_IN_OFF when dial-in is off and its preparation is then refused (G467, G478)."""
    note_shown(change, channel, "dial_in")
    if not channel.dial_in and ask(change, assumed.DIAL_IN_OFF) == "everything":
        raise Refusal(Reason.DIAL_IN_OFF)


def list_of_channel(change: Change, channel: Channel) -> View[NumberAssignment]:
    """The assignments of the channel, in the order of assignment (R486)."""
    return ASSIGNMENTS.where(change, OF_CHANNEL, channel.id, channel.client)


def list_available(change: Change, client: Client, country: str | None) -> Sequence[Number]:
    """The numbers of the client that can be attached, directly or through a routing code (R480, G469)."""
    found = numbers.list_enabled(change, client, country)
    if ask(change, assumed.AVAILABLE) == "enabled":
        return found
    rows, every = ASSIGNMENTS.of(change, client.id), NUMBERS.of(change, client.id)
    taken = rows.where(ALONE, True)
    count = len(taken)
    if country is not None:
        count = sum(numbers.is_of(change, every[assignment.number], country) for assignment in taken)
    if count == 0:
        return found
    return FilteredSequence(found, lambda number: rows.one(EXCLUSIVE, number.number) is not None, count)


def resolve_inbound_call(change: Change, text: str, code: str | None, meeting_id: str | None) -> tuple[Client, Channel]:
    """The client and the channel of an inbound call.

    The channel is the only one of an exclusive number, for every dialled code; else that of the routing code, or that
    of the meeting id in the client that has the number (R382, R482, R484).

    Refusals NUMBER_MALFORMED, NUMBER_UNAVAILABLE, CODE_UNKNOWN, MEETING_ID_UNKNOWN.
    """
    number = e164.canonical(change, text)
    client = numbers.find_owner(change, number)
    if client is None or NUMBERS.of(change, client.id)[number].standing is NumberState.DISABLED:
        raise Refusal(Reason.NUMBER_UNAVAILABLE, number=number)
    exclusive = find_exclusive(change, client.id, number)
    if exclusive is not None:
        return client, channels.get(change, client.id, exclusive.channel)
    if code is None and meeting_id is not None:
        return client, channels.get_by_meeting_id(change, client, meeting_id)
    assignment = ASSIGNMENTS.one(change, BY_CODE, (number, code), client.id)
    if assignment is None:
        raise Refusal(Reason.CODE_UNKNOWN, number=number, keyed=code or "")
    return client, channels.get(change, client.id, assignment.channel)

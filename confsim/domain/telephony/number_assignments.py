"""Where inbound numbers lead: to one channel exclusively, or to several, each through a routing code."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from confsim.assumptions import telephony as assumed
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients.clients import Client
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.world import Change

from . import e164, numbers
from .numbers import DEFAULTS, NUMBERS, Number, Standing


class Use(Enum):
    """What channels a number leads to."""

    FREE = "free"
    SHARED = "shared"
    EXCLUSIVE = "exclusive"


class Assignment(Record, kw_only=True):
    """A number that leads to a channel: through the routing ``code``, or exclusively and without one."""

    client: str
    number: str
    channel: str
    code: str | None = None

    @property
    def key(self) -> str:
        """The key of the record."""
        return f"{self.number}/{self.channel}"


OF_NUMBER: Index[Assignment] = Index("number", lambda assignment: (assignment.number,))
OF_CHANNEL: Index[Assignment] = Index("channel", lambda assignment: (assignment.channel,))
ASSIGNMENTS: Table[str, Assignment] = Table("number assignments", Assignment, "key", OF_NUMBER, OF_CHANNEL)


class Line(Record):
    """A number with all its assignments: what the machine moves."""

    client: str
    number: str
    assignments: tuple[Assignment, ...]


def line(change: Change, client: str, number: str) -> Line:
    """The number as it is assigned now."""
    return Line(client, number, tuple(ASSIGNMENTS.of(change, client).find(OF_NUMBER, number)))


def use(line: Line) -> Use:
    """What channels the number leads to; an exclusive assignment is the only one of its number."""
    if not line.assignments:
        return Use.FREE
    return Use.EXCLUSIVE if line.assignments[0].code is None else Use.SHARED


def _own(line: Line, facts: Facts) -> Assignment | None:
    return next((each for each in line.assignments if each.channel == facts["channel"].id), None)


def _others(line: Line, facts: Facts) -> tuple[Assignment, ...]:
    return tuple(each for each in line.assignments if each.channel != facts["channel"].id)


def _assign(change: Change, line_: Line, facts: Facts) -> Line:
    """The number leads to the channel too, through a code of its own, which it keeps."""
    own = _own(line_, facts)
    if own is None or own.code is None:
        code = _free_code(change, line_, facts)
        made = Assignment(client=line_.client, number=line_.number, channel=facts["channel"].id, code=code)
        ASSIGNMENTS.of(change, line_.client).put(made)
    return line(change, line_.client, line_.number)


def _free_code(change: Change, line: Line, facts: Facts) -> str:
    """Six digits that no other channel of the number has, or the meeting id (G475)."""
    if ask(change, assumed.ROUTING_CODE) == "meeting-id":
        return str(facts["channel"].meeting_id)
    taken = {each.code for each in line.assignments}
    while (drawn := change.digits(6)) in taken:
        pass
    return drawn


def _take(change: Change, line_: Line, facts: Facts) -> Line:
    """The number leads to this channel alone, and needs no code."""
    rows = ASSIGNMENTS.of(change, line_.client)
    for each in _others(line_, facts):
        rows.remove(each.key)
    rows.put(Assignment(client=line_.client, number=line_.number, channel=facts["channel"].id))
    return line(change, line_.client, line_.number)


def _cancel(change: Change, line_: Line, facts: Facts) -> Line:
    """The number does not lead to the channel any more."""
    ASSIGNMENTS.of(change, line_.client).remove(f"{line_.number}/{facts['channel'].id}")
    return line(change, line_.client, line_.number)


def _release(change: Change, line_: Line, facts: Facts) -> Line:
    """The number leads nowhere."""
    for each in line_.assignments:
        ASSIGNMENTS.of(change, line_.client).remove(each.key)
    return line(change, line_.client, line_.number)


_MINE = Guard("it leads to the channel", lambda line, facts: _own(line, facts) is not None)
_ALONE = Guard(
    "it leads to no other channel, or is taken", lambda line, facts: facts["takes"] or not _others(line, facts)
)
_LAST = Guard(
    "it leads to this channel alone", lambda line, facts: _own(line, facts) is not None and not _others(line, facts)
)
_ONE_OF = Guard(
    "it leads to this channel and others",
    lambda line, facts: _own(line, facts) is not None and bool(_others(line, facts)),
)

USE: Machine[Use, Line] = Machine(
    "number assignment",
    "What channels an inbound number leads to (R326, R366, R480, R482-R486).",
    Use,
    (
        Row("assign", (Use.FREE, Use.SHARED), Use.SHARED, effect=_assign, source="P2 L300, R482, G473, G475"),
        Row("assign", Use.EXCLUSIVE, Use.SHARED, only_if=_MINE, effect=_assign, source="G473"),
        Row("assign exclusively", Use.FREE, Use.EXCLUSIVE, effect=_take, source="P2 L301, R484"),
        Row("assign exclusively", Use.SHARED, Use.EXCLUSIVE, only_if=_ALONE, effect=_take, source="R485, G473, G474"),
        Row("assign exclusively", Use.EXCLUSIVE, Use.EXCLUSIVE, only_if=_MINE, source="G473"),
        Row("cancel", Use.SHARED, Use.SHARED, only_if=_ONE_OF, effect=_cancel, source="P2 L354, G579"),
        Row("cancel", (Use.SHARED, Use.EXCLUSIVE), Use.FREE, only_if=_LAST, effect=_cancel, source="P2 L354, G579"),
        Row("release", (Use.SHARED, Use.EXCLUSIVE), Use.FREE, effect=_release, source="P2 States L172, R366"),
    ),
    read=lambda line, facts: use(line),
    refusals={
        ("assign", Use.EXCLUSIVE): Reason.NUMBER_EXCLUSIVE,
        ("assign exclusively", Use.EXCLUSIVE): Reason.NUMBER_EXCLUSIVE,
        "assign exclusively": Reason.NUMBER_SHARED,
        None: Reason.NOT_FOUND,
    },
    initial=Use.FREE,
)


def assign(change: Change, channel: Channel, text: str, *, exclusive: bool = False) -> Assignment:
    """Let the number lead to the channel: through a routing code beside others, or to this channel alone.

    Refusals NUMBER_MALFORMED, NUMBER_UNAVAILABLE (G472), NUMBER_ASSIGNED (G473), NUMBER_EXCLUSIVE, NUMBER_SHARED
    (G474), DIAL_IN_OFF (G478).
    """
    require_dial_in(change, channel)
    number = e164.canonical(change, text)
    known = NUMBERS.of(change, channel.client).get(number)
    if known is None or known.standing is Standing.DISABLED:
        raise Refusal(Reason.NUMBER_UNAVAILABLE, number=number)
    before = line(change, channel.client, number)
    facts = {"channel": channel, "number": number, "takes": ask(change, assumed.TAKEN) == "take"}
    if _own(before, facts) is not None and ask(change, assumed.ASSIGNED_AGAIN) == "refuse":
        raise Refusal(Reason.NUMBER_ASSIGNED, number=number)
    after = USE.fire(change, before, "assign exclusively" if exclusive else "assign", **facts)
    own = _own(after, facts)
    assert own is not None
    return own


def require_dial_in(change: Change, channel: Channel) -> None:
    """Refuse preparing what is switched off, where that is assumed (G467, G478). Refusal DIAL_IN_OFF."""
    if not channel.dial_in and ask(change, assumed.DIAL_IN_OFF) == "everything":
        raise Refusal(Reason.DIAL_IN_OFF)


def cancel(change: Change, channel: Channel, text: str) -> None:
    """End the assignment of the number to the channel (G579). Refusals NUMBER_MALFORMED, NOT_FOUND."""
    number = e164.canonical(change, text)
    before = line(change, channel.client, number)
    USE.fire(change, before, "cancel", what="number of the channel", id=number, channel=channel)


def assigned(change: Change, channel: Channel) -> list[Assignment]:
    """The assignments of the channel, in the order in which they were made (R486)."""
    return ASSIGNMENTS.of(change, channel.client).find(OF_CHANNEL, channel.id)


def available(change: Change, client: Client, country: str | None) -> list[Number]:
    """The numbers of the client that can be attached, directly or through a routing code (R480, G469)."""
    found = numbers.enabled(NUMBERS.of(change, client.id).oldest())
    if ask(change, assumed.AVAILABLE) == "not-exclusive":
        found = [number for number in found if use(line(change, client.id, number.number)) is not Use.EXCLUSIVE]
    return numbers.of_country(change, found, country)


def reached(change: Change, text: str, code: str | None, meeting_id: str | None) -> tuple[Client, Channel]:
    """Whom a phone that rings the number reaches: the one channel of an exclusive number whatever is keyed in, else
    the channel of the routing code, or that of the meeting id in the client that has the number (R382, R482, R484).

    Refusals NUMBER_MALFORMED, NUMBER_UNAVAILABLE, CODE_UNKNOWN, MEETING_ID_UNKNOWN.
    """
    number = e164.canonical(change, text)
    client = numbers.owner(change, number)
    if client is None or NUMBERS.of(change, client.id)[number].standing is Standing.DISABLED:
        raise Refusal(Reason.NUMBER_UNAVAILABLE, number=number)
    found = line(change, client.id, number)
    if use(found) is Use.EXCLUSIVE:
        return client, channels.get(change, client.id, found.assignments[0].channel)
    if code is None and meeting_id is not None:
        return client, channels.by_meeting_id(change, client, meeting_id)
    for each in found.assignments:
        if each.code == code:
            return client, channels.get(change, client.id, each.channel)
    raise Refusal(Reason.CODE_UNKNOWN, number=number, keyed=code or "")


def lines_of(change: Change, number: Number) -> Iterable[Line]:
    """The number with its assignments."""
    return (line(change, number.client, number.number),)


def default_lines(change: Change, channel: Channel) -> Iterable[Line]:
    """The enabled numbers of the client's default list, where a new channel gets them assigned (G479)."""
    found = numbers.enabled(NUMBERS.of(change, channel.client).find(DEFAULTS, True))
    base = channel.parent is None
    if found and base and ask(change, assumed.DEFAULTS) == "assigned":
        for number in found:
            yield line(change, channel.client, number.number)


def first_facts(change: Change, channel: Channel, line: Line) -> dict[str, Channel]:
    """The facts of assigning a number to a new channel."""
    return {"channel": channel}


def release_of_channel(change: Change, channel: Channel) -> None:
    """The numbers of a channel that is about to go are free again (G309)."""
    for each in assigned(change, channel):
        before = line(change, channel.client, each.number)
        USE.fire(change, before, "cancel", what="number", id=each.number, channel=channel)

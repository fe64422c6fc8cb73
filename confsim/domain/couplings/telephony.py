"""What phone calls and inbound numbers do to others."""

from collections.abc import Callable, Iterable, Iterator

from confsim.assumptions import ask, breakout as assumed_breakout, note_shown, telephony as assumed
from confsim.domain.breakout.breakout_rooms import BY_PLACE, ROOMS, RoomState
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.runtime import lobby, presence
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.telephony import calls, number_assignments, numbers
from confsim.domain.telephony.calls import CallState, PhoneCall
from confsim.domain.telephony.number_assignments import NumberAssignment, NumberUse
from confsim.domain.telephony.numbers import Number, NumberState
from confsim.domain.users import users
from confsim.domain.users.users import Account, User
from confsim.kernel import Call, Change, Coupling, Need

# The user of a phone joins the channel before the call is answered


def _channel(change: Change, call: PhoneCall) -> Channel:
    return channels.get(change, call.client, call.channel)


def _joining(change: Change, call: PhoneCall) -> Iterator[Call[Presence]]:
    """The presence of the user of the call in its channel. Refusals of ``entrance.refusal``; NOT_FOUND if removed."""
    present = presence.find(change, _channel(change, call), call.user)
    entry = calls.entry(change, call, assigned=not _dials_a_room(change, call))
    presence.require_may_join(change, entry)
    yield presence.come.on(present, entry.channel, entry.user, calls.bypasses_lobby(change, call), True)


def _dials_a_room(change: Change, call: PhoneCall) -> bool:
    """Whether the phone asks to be admitted to a breakout room by itself."""
    return call.inbound and call.place is not None


def _routed(change: Change, call: PhoneCall) -> Iterator[Call[Presence]]:
    """The presence of the user in the event room of the breakout room of the call.

    None for a user in the lobby, when the room is no longer open, or when phones get to the event room (G437).
    """
    room = None if call.place is None else ROOMS.one(change, BY_PLACE, call.place, call.client)
    if room is None or room.place is None or room.state is not RoomState.LIVE:
        return
    if _dials_a_room(change, call) and ask(change, assumed_breakout.PHONES) == "event-room":
        return
    present = presence.find(change, _channel(change, call), call.user)
    if present is not None and present.state is not Where.WAITING:
        yield presence.route.on(present, place=room.place, room=room.id)


def _of_draft(
    find: Callable[[Change, PhoneCall], Iterable[Call[Presence]]],
) -> Callable[[Change, PhoneCall | None, PhoneCall], Iterable[Call[Presence]]]:
    """The finder of a call, for one that is being created."""

    def found(change: Change, call: PhoneCall | None, draft: PhoneCall) -> Iterable[Call[Presence]]:
        return find(change, draft)

    return found


_ANSWERED, _ROUTES = CallState.ANSWERED, "R498, G450"

for by in (calls.answer, calls.BE_PICKED_UP):
    Need(by, _ANSWERED, presence.come, _joining, source="P2 L307, R497, G450, G452")
    Need(by, _ANSWERED, presence.route, _routed, source=_ROUTES)
Need(
    *(calls.connect_inbound, _ANSWERED, presence.come, _of_draft(_joining)),
    source="P2 L296-297, R324, R478, R479, G466",
)
Need(calls.connect_inbound, _ANSWERED, presence.route, _of_draft(_routed), source=_ROUTES)

# A call is answered, and ends


def _door_of_organizer(change: Change, call: PhoneCall) -> Iterator[Channel]:
    """The closed channel of a caller with the PIN of organizers, where that opens the door (G466)."""
    channel = _channel(change, call)
    if call.organizer and ask(change, assumed.ORGANIZER) == "opens-door":
        note_shown(change, channel, "open")
        if not channel.open:
            yield channel


def _caller(change: Change, call: PhoneCall) -> Iterator[Presence | None]:
    """The presence of the user who joined the channel by the call."""
    if call.joined:
        yield presence.find(change, _channel(change, call), call.user)


Coupling(calls.MACHINE, _ANSWERED, lobby.DOOR.on, _door_of_organizer, by=calls.connect_inbound, source="R324, G466")


def _phone(change: Change, call: PhoneCall) -> Iterator[User]:
    """The user as whom an unregistered phone appeared, where that user is removed when the call is over."""
    user = users.USERS.get(change, call.user, call.client)
    if user is not None and user.account is Account.DIALLED and ask(change, assumed.CALLERS_STAY) == "removed":
        yield user


Coupling(calls.MACHINE, CallState.ENDED, presence.DISCONNECT, _caller, source="G452")
for over in (CallState.BUSY, CallState.FAILED, CallState.ENDED):
    Coupling(calls.MACHINE, over, users.END, _phone, source="G452, G250")

# Numbers lead elsewhere


def _assignments_of(change: Change, number: Number) -> Iterable[NumberAssignment]:
    """The assignments of the number."""
    return number_assignments.list_of_number(change, number.client, number.number)


def _other_assignments(change: Change, assignment: NumberAssignment) -> Iterable[NumberAssignment]:
    """The assignments of the number to other channels."""
    found = number_assignments.list_of_number(change, assignment.client, assignment.number)
    return (other for other in found if other.channel != assignment.channel)


_RELEASE = number_assignments.RELEASE

Coupling(numbers.STANDING, NumberState.DISABLED, _RELEASE, _assignments_of, source="P2 States L172, R366")
Coupling(
    *(number_assignments.MACHINE, NumberUse.EXCLUSIVE, _RELEASE, _other_assignments),
    source="P2 L301, R484, R485, G474",
)

"""The control plane for callers in the same process: its operations by name, its clock and its journal as objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, overload

import msgspec

from confsim.contract.query import arguments
from confsim.kernel.refusal import Misuse, Refusal
from confsim.service.waiting import Later, result, steady
from confsim.transport.address import in_query, request_of
from confsim.transport.results import result_of

from .calls import Connected, PhoneCall
from .catalogue import CONTROL
from .clock import Happened
from .control import Control
from .faults import FaultInfo
from .journal import Seen, Unmatched, seen
from .presence import InChannel, Joined
from .webhooks import DeliveryInfo

#: Operations that are performed here whatever the transport: over its one connection nobody could call meanwhile.
_BLOCKING = frozenset({"wait"})


def order(control: Control, operation: str, /, *path: str, **body: object) -> Any:
    """Call an operation of the control plane by name, with its path parameters and the fields of its body.

    Where it takes no body, what is named are the parameters of its query. Misuse says what cannot be.
    """
    declared = CONTROL.get(operation)
    if declared is not None and declared.body is None:
        return _called(control, operation, path, body, None)
    return _called(control, operation, path, {}, body)


def _called(control: Control, operation: str, path: tuple[str, ...], parameters: dict[str, object], body: Any) -> Any:
    declared = CONTROL.get(operation)
    if declared is None:
        raise Misuse(f"the control plane has no operation {operation!r}", status=404)
    if len(path) != len(declared.placeholders):
        raise Misuse(f"{operation} needs {', '.join(declared.placeholders) or 'nothing'} in its path")
    raw = b"" if declared.body is None else msgspec.json.encode(body)
    if control.transport is not None and operation not in _BLOCKING:
        call = request_of(declared, path, in_query(parameters), {}, {"host": control.host}, raw)
        return result_of(declared, control.transport.send(call))
    try:
        named = arguments(control, declared, in_query(parameters))
        if declared.body is not None:
            named["body"] = declared.body.read(control, raw)
        try:
            with control.lock(declared):
                control.service.used = steady()
                done = declared.function(control, *path, **named)
                control.note(declared, path, raw)
                return done
        except Later as later:
            return result(later.again)
    except Refusal as refusal:
        reason = refusal.reason.value
        raise Misuse(reason.message.format_map(refusal.facts), reason.status, **refusal.facts) from None


class ClockOf:
    """The clock of a world. Durations are texts such as "15m", or milliseconds; instants epoch milliseconds."""

    __slots__ = ("_control",)

    def __init__(self, control: Control) -> None:
        self._control = control

    def __repr__(self) -> str:
        return f"<clock at {self.now}{' (frozen)' if self.frozen else ''}>"

    @property
    def now(self) -> int:
        """The instant it shows."""
        return self._control.service.clock.now()

    @property
    def frozen(self) -> bool:
        """Whether it stands still."""
        return self._control.service.clock.frozen

    def advance(self, by: str | int | None = None, *, until: str | None = None) -> list[Happened]:
        """Move on by a duration, or until "next", when something happens; answers what happened."""
        happened: list[Happened] = order(self._control, "advance_clock", by=by, until=until).fired
        return happened

    def set(self, to: str | int) -> list[Happened]:
        """Show an instant: epoch milliseconds, or ISO 8601; answers what happened on the way."""
        happened: list[Happened] = order(self._control, "set_clock", to=to).fired
        return happened

    def freeze(self) -> None:
        """Stand still at the instant it shows."""
        order(self._control, "freeze_clock")

    @property
    def rate(self) -> float:
        """How many times as fast as real time it runs, or will when it is resumed."""
        return self._control.service.clock.rate

    def resume(self) -> None:
        """Run on from the instant it shows, at the rate that it had."""
        order(self._control, "resume_clock")

    def run(self, rate: float) -> None:
        """Run on from the instant it shows at a multiple of real time: at 60 a minute passes in a second."""
        order(self._control, "run_clock", rate=rate)


class Requests(Sequence[Seen]):
    """The journal of a world, read as a sequence of calls, newest last."""

    def __init__(self, control: Control) -> None:
        self._control = control

    def __repr__(self) -> str:
        return f"<{len(self)} requests>"

    def __len__(self) -> int:
        return len(self._control.service.journal)

    @overload
    def __getitem__(self, place: int) -> Seen: ...
    @overload
    def __getitem__(self, place: slice) -> list[Seen]: ...
    def __getitem__(self, place: int | slice) -> Seen | list[Seen]:
        found = list(self._control.service.journal)[place]
        return [seen(self._control, each) for each in found] if isinstance(found, list) else seen(self._control, found)

    def find(self, **pattern: object) -> list[Seen]:
        """The calls that match: ``operation``, ``method``, ``path``, ``status``, ``body`` (a part of it)."""
        found: list[Seen] = order(self._control, "find_requests", **pattern)
        return found

    def matching(self, **pattern: object) -> int:
        """How many calls match, as ``find`` would find them."""
        count: int = order(self._control, "count_requests", **pattern).count
        return count

    @property
    def unmatched(self) -> list[Unmatched]:
        """The calls that reached no operation, each with the nearest route."""
        found: list[Unmatched] = order(self._control, "list_unmatched_requests")
        return found

    def export(self, kind: str, **pattern: object) -> str:
        """The calls as text: as "curl" lines, as a "pytest" test, or as a "scenario" (Arazzo).

        All of them with what the control plane was ordered between them, or those that match: ``operation``,
        ``method``, ``path``, ``status``, and the last so many (``limit``).
        """
        exported: bytes = order(self._control, "export_requests", as_=kind, **pattern).data
        return exported.decode()

    def clear(self, **pattern: object) -> int:
        """Forget every call, or those that match: ``operation``, ``method``, ``path``, ``status``."""
        count: int = order(self._control, "clear_requests", **pattern).count
        return count

    def forget(self, id: str) -> None:
        """Forget one call. Misuse (404) when there is none of this id."""
        order(self._control, "forget_request", id)

    @property
    def most(self) -> int:
        """How many calls are kept, the oldest go first; may be set."""
        return self._control.service.journal.most

    @most.setter
    def most(self, most: int) -> None:
        order(self._control, "set_journal", most=most)


class WebhooksOf(Sequence[DeliveryInfo]):
    """What is and was to be delivered in a world, read as a sequence, newest last; and where it goes."""

    def __init__(self, control: Control) -> None:
        self._control = control

    def __repr__(self) -> str:
        return f"<{len(self)} deliveries>"

    def __len__(self) -> int:
        return len(self.find())

    @overload
    def __getitem__(self, place: int) -> DeliveryInfo: ...
    @overload
    def __getitem__(self, place: slice) -> list[DeliveryInfo]: ...
    def __getitem__(self, place: int | slice) -> DeliveryInfo | list[DeliveryInfo]:
        return self.find()[place]

    def find(self, **fits: object) -> list[DeliveryInfo]:
        """Those that fit: ``endpoint``, ``kind``, ``delivered``, ``state``."""
        found: list[DeliveryInfo] = order(self._control, "list_deliveries", **fits)
        return found

    def deliver_to(self, receiver: Any) -> None:
        """Let deliveries go to a receiver in this process from now on; with None no longer.

        A WSGI application (called with two arguments), a function of a message, which answers a status or nothing for
        200, or a list. A message has ``url``, ``headers``, ``body`` and ``json``. Without a receiver everything is
        taken as delivered, unless the world stands on a live server.
        """
        self._control.service.webhooks.deliver_to(receiver)

    def allow(self, *hosts: str) -> None:
        """Let a live server send to these hosts, beside loopback."""
        order(self._control, "set_webhooks", allow=list(hosts))

    def redeliver(self, id: str) -> DeliveryInfo:
        """Deliver something once more. Misuse for what is not there (404), or waits to be sent anyway (409)."""
        delivery: DeliveryInfo = order(self._control, "redeliver", id)
        return delivery


class FaultsOf(Sequence[FaultInfo]):
    """The faults of a world, in their order, each with what it met and hit as they stand now."""

    def __init__(self, control: Control) -> None:
        self._control = control

    def __repr__(self) -> str:
        return f"<{len(self)} faults>"

    def __len__(self) -> int:
        return len(self._all())

    @overload
    def __getitem__(self, place: int) -> FaultInfo: ...
    @overload
    def __getitem__(self, place: slice) -> list[FaultInfo]: ...
    def __getitem__(self, place: int | slice) -> FaultInfo | list[FaultInfo]:
        return self._all()[place]

    def _all(self) -> list[FaultInfo]:
        found: list[FaultInfo] = order(self._control, "list_faults")
        return found

    def put(self, faults: Iterable[Mapping[str, Any]]) -> list[FaultInfo]:
        """Let these be the faults from now on. Misuse names the first of what is not known, and none is taken."""
        found: list[FaultInfo] = _called(self._control, "put_faults", (), {}, list(faults))
        return found

    def add(self, operation: str | None = None, *, do: object, **fields: object) -> FaultInfo:
        """Add a fault of calls of an operation, or of a ``thing``: ``match``, ``on`` and ``times`` are optional."""
        added: FaultInfo = order(self._control, "add_fault", operation=operation, do=do, **fields)
        return added

    def clear(self) -> None:
        """Take all faults away."""
        order(self._control, "clear_faults")

    @property
    def by_request(self) -> bool:
        """Whether a request may bring what is to be done to it; may be set."""
        return self._control.service.faults.by_request

    @by_request.setter
    def by_request(self, enabled: bool) -> None:
        order(self._control, "set_by_request", enabled=enabled)


class CallsOf:
    """The phones around a world. Misuse (409) says which rule of a channel is in the way."""

    __slots__ = ("_control",)

    def __init__(self, control: Control) -> None:
        self._control = control

    def __call__(self) -> list[PhoneCall]:
        """All calls, newest first in each client."""
        calls: list[PhoneCall] = order(self._control, "list_calls")
        return calls

    def dial_in(self, number: str, **keyed: object) -> Connected:
        """Let a phone ring an inbound number; ``code`` or ``meetingId``, ``pin`` and ``caller`` are optional."""
        connected: Connected = order(self._control, "dial_in", number=number, **keyed)
        return connected

    def answer(self, user_id: int) -> str:
        """Take the ringing phone of a user off the hook; answers the state of the call."""
        return self._move("answer_call", user_id)

    def busy(self, user_id: int) -> str:
        """Let the ringing phone of a user be engaged; answers the state of the call."""
        return self._move("refuse_call", user_id)

    def fail(self, user_id: int) -> str:
        """Let the ringing call of a user fail; answers the state of the call."""
        return self._move("fail_call", user_id)

    def hang_up(self, user_id: int) -> str:
        """Put the phone of a user down; answers the state of the call."""
        return self._move("hang_up", user_id)

    def _move(self, operation: str, user_id: int) -> str:
        state: str = order(self._control, operation, userId=user_id).state
        return state


class PresenceOf:
    """Who comes into the channels of a world and goes. Misuse (409) says which rule of a channel is in the way."""

    __slots__ = ("_control",)

    def __init__(self, control: Control) -> None:
        self._control = control

    def __call__(self, channel: str) -> list[InChannel]:
        """Who is in the channel, its breakout rooms and its lobby."""
        found: list[InChannel] = order(self._control, "list_presence", channel=channel)
        return found

    def join(self, channel: str, user: int | str) -> Joined:
        """Let a user, by id or by token, join the channel: in, or waiting in the lobby."""
        who = {"token": user} if isinstance(user, str) else {"userId": user}
        joined: Joined = order(self._control, "join_channel", channel=channel, **who)
        return joined

    def leave(self, channel: str, user_id: int) -> str:
        """Let a user leave the channel; answers the state."""
        state: str = order(self._control, "leave_channel", channel=channel, userId=user_id).state
        return state

    def admit(self, channel: str, user_id: int) -> str:
        """Let in a user who waits in the lobby; answers the state."""
        state: str = order(self._control, "admit_to_channel", channel=channel, userId=user_id).state
        return state

    def present(self, channel: str, user_id: int, presenter: bool = True) -> bool:
        """Grant or revoke Presenter status; answers whether the user is a presenter now."""
        status: bool = order(
            self._control, "set_presenter", channel=channel, userId=user_id, presenter=presenter
        ).presenter
        return status

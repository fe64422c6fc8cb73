"""A successful call of every operation of the control plane whose cost is not that of what it is given or returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from confsim import Simulator
from confsim.control.declare import CONTROL
from confsim.control.invoke import invoke
from confsim.transport.address import in_query
from kit import CUSTOMER, EVENT_ROOM, GUEST, ROOM
from kit.growth.prepared import Names

#: Why some operations have no call here.
LEFT_OUT: Mapping[str, str] = {
    "get_control_openapi": "a document of the operations",
    "list_machines": "a document of the machines",
    "list_operations": "a document of the operations",
    "list_assumptions": "a document of the register",
    "get_state_schema": "a document of the tables",
    "put_state": "an import",
    "set_webhooks": "it begins to send over the network",
    "list_faults": "faults are those that a test has put",
    "put_faults": "faults are those that a test has put",
    "add_fault": "faults are those that a test has put",
    "clear_faults": "faults are those that a test has put",
    "remove_fault": "faults are those that a test has put",
    "list_held": "calls are held by faults that a test has put",
    "decide_held": "calls are held by faults that a test has put",
    "get_by_request": "a setting",
    "set_by_request": "a setting",
    "get_webhooks": "a setting",
    "set_journal": "a setting",
    "list_names": "a setting",
    "add_name": "a setting",
    "drop_name": "a setting",
    "get_address": "a setting",
    "set_address": "a setting",
    "get_worlds_limit": "a setting",
    "set_worlds_limit": "a setting",
    "get_coverage": "it is counted where it is asked for",
    "list_moments": "a journal holds at most as many calls as its settings say",
    "search": "it costs by the records that it is to look through",
    "get_delivery": "it costs by the deliveries that are stored, at most a thousand of a client",
    "get_mail": "it costs by the mails that are stored, of which there is a bound",
    "get_request": "a journal holds at most as many calls as its settings say",
    "forget_request": "a journal holds at most as many calls as its settings say",
    "answer_call": "the call is found as hang_up finds it",
    "refuse_call": "the call is found as hang_up finds it",
    "fail_call": "the call is found as hang_up finds it",
    "export_requests": "it costs by the calls that it exports",
    "get_bundle": "it costs by the world and the calls that it exports",
    "get_llms_text": "a text of the declarations",
    "get_explanation": "a text of the declarations",
    "ask_what_if": "it costs by the calls that it replays",
    "get_journal": "a journal holds at most as many calls as its settings say",
    "explain_request": "a journal holds at most as many calls as its settings say",
    "get_difference": "it costs by the records that differ, which the journal notes",
    "restore_moment": "a moment is found as a call of the journal is",
    "list_scenarios": "a document of the scenarios",
    "play_scenario": "it costs by the calls of the scenario",
}


class ControlCall(Struct, frozen=True):
    """A call: the operation, the texts of its path, its arguments, and the calls before it.

    The texts ``$name`` stand for what the prepared world calls so.
    """

    operation: str
    path: tuple[str, ...] = ()
    arguments: Mapping[str, Any] = {}
    before: tuple[ControlCall, ...] = ()

    def prepare(self, sim: Simulator, names: Names) -> None:
        """Make the calls before it."""
        for call in self.before:
            sim.control(call.operation, *call._texts(names), **call._filled(names))

    def make(self, sim: Simulator, names: Names) -> object:
        """Make the call."""
        operation = CONTROL[self.operation]
        body = b"" if operation.body is None else msgspec.json.encode(self._filled(names))
        query = in_query(self._filled(names)) if operation.body is None else {}
        return invoke(sim.control.context, operation, self._texts(names), query, body)

    def _texts(self, names: Names) -> tuple[str, ...]:
        return tuple(str(names[text[1:]]) if text.startswith("$") else text for text in self.path)

    def _filled(self, names: Names) -> dict[str, Any]:
        return {
            key: names[value[1:]] if isinstance(value, str) and value.startswith("$") else value
            for key, value in self.arguments.items()
        }


def of(operation: str, /, *path: str, before: tuple[ControlCall, ...] = (), **arguments: Any) -> ControlCall:
    """The call of an operation."""
    return ControlCall(operation, path, arguments, before)


_RINGS = of("dial_in", number="+12025550123", meetingId="$meeting_id", pin="1234")
_SNAPSHOT = of("take_snapshot", name="saved")
_WORLD = of("make_world", name="other")
_IN_ROOM = {"channel": ROOM, "userId": "$user"}

CALLS: tuple[ControlCall, ...] = (
    of("get_health"),
    of("get_info"),
    of("get_accounts"),
    of("list_worlds"),
    _WORLD,
    of("drop_worlds"),
    of("drop_world", "other", before=(_WORLD,)),
    of("reset_world"),
    of("list_snapshots"),
    _SNAPSHOT,
    of("restore_snapshot", "saved", before=(_SNAPSHOT,)),
    of("drop_snapshot", "saved", before=(_SNAPSHOT,)),
    of("get_state"),
    of("get_state_digest"),
    of("get_clock"),
    of("list_timers"),
    of("list_timers", limit=10),
    of("advance_clock", by="1ms"),
    of("set_clock", to="2026-02-01T00:00:00.002Z"),  # before any timer: each that fires is work of its own
    of("freeze_clock"),
    of("resume_clock"),
    of("run_clock", rate=2),
    of("issue_token", userId="$user"),
    of("issue_token", clientId=CUSTOMER, kind="api"),
    of("make_user", clientId=CUSTOMER, handle="Another", email="another@customer.example"),
    of("make_client", name="Another"),
    of("redeem_invitation", code="$invitation"),
    of("join_channel", channel=ROOM, token=GUEST),
    of("leave_channel", **_IN_ROOM),
    of("admit_to_channel", **_IN_ROOM),
    of("set_presenter", **_IN_ROOM),
    of("list_presence", channel=ROOM),
    _RINGS,
    of("hang_up", userId="$phone"),
    of("list_calls"),
    of("make_validator", clientId=CUSTOMER, validatorId="another", algorithm="HS256", key="a secret"),
    of("issue_identity_token", originId="hr-1", clientId=CUSTOMER),
    of("make_number", clientId=CUSTOMER, number="+12025550177"),
    of("change_record", "user", "$user", reputation=3),
    of("change_record", "channel", EVENT_ROOM, star=True),
    of("change_record", "session", "$past_session", groupId="a group"),
    of("change_record", "media", "$media", tags=["b"]),
    of("list_records"),
    of("get_summary"),
    of("get_history", "channels", ROOM),
    of("get_history", "users", "$user", timeline=True),
    of("find_labels", ids=[ROOM, "1002", "nothing-that-is-there"]),
    of("try_operation", "add_operator"),
    of("list_endpoints"),
    of("list_records", kind="channels", offset=50),
    of("list_records", client=CUSTOMER),
    of("list_records", search="nowhere to be found"),
    of("get_record", "users", "$user"),
    of("get_record", "templates", "$template"),
    of("get_record", "properties", f"channel {ROOM} colour"),
    of("list_mail"),
    of("list_mail", to="nobody@customer.example"),
    of("list_deliveries"),
    of("list_deliveries", endpoint="nobody"),
    of("redeliver", "$delivery"),
    of("list_requests"),
    of("list_requests", kind="all"),
    of("clear_requests"),
    of("count_requests", operation="get_me"),
    of("find_requests", operation="get_me"),
    of("list_unmatched_requests"),
    of("wait", **{"for": {"state": {"table": "channels", "key": ROOM}}}),
)

#: Those that keep others waiting: they hold the lock of the world.
HOLDING: tuple[ControlCall, ...] = tuple(call for call in CALLS if not CONTROL[call.operation].beside)

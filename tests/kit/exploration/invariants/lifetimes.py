"""Invariants about what comes and goes: by which operations things are made and removed, and nothing vanishes else."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from kit.exploration.step import Step

from .invariant import Statements

STATED = Statements()


class Lifetime(Struct, frozen=True):
    """The operations by which records of a table come, and those by which they go; time is told apart."""

    made: set[str]
    removed: set[str]


_CHANNEL, _TIME = "delete_channel", "advance_clock"
#: Where a session ends, its breakout, broadcast and room channels end.
_PEOPLE = {"create_predefined_user", "create_guest", "create_user", "create_linked_user", "exchange_identity_token",
           "redeem_invitation", "dial_in", "dial_unregistered_user", "make_user"}  # fmt: skip

#: What the documents say about the coming and going of things, by table.
LIFETIMES: dict[str, Lifetime] = {
    # R232, M50: no deletion
    "clients": Lifetime({"create_client", "make_client"}, set()),
    # R365, G250: of accounts only linked users go
    "users": Lifetime(_PEOPLE, {_CHANNEL, "unlink_user"}),
    "linked users": Lifetime({"create_linked_user", "link_user"}, {_CHANNEL, "unlink_user"}),
    # R371, R374
    "channels": Lifetime({"create_channel"}, {_CHANNEL}),
    # R201, R205, R545
    "hosts": Lifetime(
        {"create_channel", "add_operator", "add_owner"}, {_CHANNEL, "remove_operator", "remove_owner", "unlink_user"}
    ),
    # R117, R119
    "api tokens": Lifetime({"create_api_token"}, {"delete_api_token"}),
    # G190: validators are created outside the API
    "validators": Lifetime(set(), set()),
    # R122, R470, G241: a new one replaces the old; what is used or expires is kept as such
    "invitations": Lifetime({"create_invitation", "create_linked_user"}, {_CHANNEL, "unlink_user"}),
    # R094, R095, R096, R098, R174: used, replaced, expired, or held by somebody else once handles must be unique
    "reservations": Lifetime(
        {"reserve_handle"},
        {"reserve_handle", "create_user", "change_handle_with_reservation", "set_handle_uniqueness", _TIME},
    ),
    # R482, R484, R366
    "number assignments": Lifetime(
        {"assign_dial_number", "assign_exclusive_dial_number"},
        {_CHANNEL, "cancel_dial_number_assignment", "set_inbound_number_state"},
    ),
    # G468: the inventory is the operator's
    "inbound numbers": Lifetime(set(), set()),
    # R479
    "pins": Lifetime({"add_dial_pin"}, {_CHANNEL, "delete_dial_pin"}),
    # R489, R491, G466
    "calls": Lifetime({"dial_in", "dial_registered_user", "dial_unregistered_user"}, {_CHANNEL}),
    # R354, R456
    "breakout sessions": Lifetime({"create_breakout_session"}, {_CHANNEL, "delete_breakout_session"}),
    # R460, R462
    "breakout rooms": Lifetime(
        {"create_breakout_room"}, {_CHANNEL, "delete_breakout_session", "delete_breakout_room"}
    ),
    # R464, R465, R358
    "assignments": Lifetime(
        {"add_breakout_participant"},
        {_CHANNEL, "remove_breakout_participant", "delete_breakout_session", "delete_breakout_room", "unlink_user"},
    ),
    # R282, G309: history goes with the channel
    "sessions": Lifetime(
        {"get_streaming_proxy", "join_channel", "admit_to_channel", "set_lobby_door", "dial_in", "answer_call",
         "add_operator", "add_owner", "dial_registered_user", "dial_unregistered_user", "start_breakout_session",
         "create_breakout_room", _TIME},
        {_CHANNEL},
    ),
    "attendances": Lifetime(
        {"join_channel", "dial_in", "dial_registered_user", "answer_call", "admit_to_channel", "set_lobby_door",
         "add_operator", "add_owner",
         "start_breakout_session", "stop_breakout_session", "dial_unregistered_user", _TIME},
        {_CHANNEL, "unlink_user"},
    ),
    # R359, R557
    "recordings": Lifetime({"start_recording"}, {_CHANNEL}),
    # R368, R527
    "broadcasts": Lifetime({"start_broadcast"}, {_CHANNEL}),
    "broadcast destinations": Lifetime({"add_broadcast_destination"}, {_CHANNEL}),
    # P2 L354, G413
    "templates": Lifetime({"create_template"}, {"remove_template"}),
    "template selections": Lifetime(
        {"select_channel_template"}, {_CHANNEL, "remove_channel_template", "remove_template"}
    ),
    # R518
    "channel media": Lifetime({"upload_channel_media"}, {_CHANNEL, "delete_channel_media"}),
    "client media": Lifetime({"upload_client_media"}, {"delete_client_media"}),
    # R408, R411, R412
    "properties": Lifetime({"set_channel_property"}, {_CHANNEL, "delete_channel_property"}),
    # R532
    "events endpoints": Lifetime({"add_events_endpoint"}, {"remove_events_endpoint"}),
    # R427: no end is modelled
    "app sessions": Lifetime({"create_app_session"}, set()),
    "gateway endpoints": Lifetime({"create_gateway_endpoint"}, set()),
}  # fmt: skip


@STATED.step(
    "things-come-and-go-by-calls",
    "Things are made and removed by the calls that the documents name for it, and go with what they belong to; "
    "nothing else makes or removes them.",
    "P1 States L170-186, P2 States L156-172, R094, R117, R119, R201, R205, R354, R358, R365, R366, R371, R374, R456, "
    "R462, R470, R479, R482, R484, R545, R551, R557, G190, G250, G309, G468",
)
def _come_and_go(step: Step) -> Iterator[str]:
    if not step.changed:
        return
    operation = step.act.operation
    for table, lifetime in LIFETIMES.items():
        if (operation in lifetime.made and operation in lifetime.removed) or table not in step.tables:
            continue
        before, after = step.before.keyed(table).keys(), step.after.keyed(table).keys()
        if operation not in lifetime.made and after - before:
            yield f"{table}: made"
        if operation not in lifetime.removed and before - after:
            yield f"{table}: removed"


INVARIANTS = tuple(STATED.invariants)

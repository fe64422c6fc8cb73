"""Confinement: whatever a body, a query or a later part of a path names belongs where the documents let it belong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.contract.annotations import fields_of, marks_in, struct_of
from confsim.contract.operation import Operation
from confsim.contract.types import Names as Named
from kit import ADMIN, API_TOKEN, CUSTOMER, EVENT_ROOM, GUEST, NOTHING, OWNER, ROOM, USER, code, demo, ok
from kit.each import each
from kit.growth.prepared import Names, prepared
from kit.growth.successes import SUCCESSES
from kit.proofs.things_of_tenants import Tenant, ours, recorded, theirs

#: Each name in a body, in a query, or in a path behind its first one, with what it may name.
#: caller: a channel that the caller may access. client: a thing of the client. channel: one of the channel before it.
#: parent: one of the user, the recording or the breakout session before it. secret: whatever the secret opens.
PLACES = """
create_app_session                  body  channel         caller
link_app_session_to_channel         path  channelUuid     caller
link_app_session_to_channel_session path  channelUuid     caller
link_app_session_to_channel_session path  channelSession  channel
link_app_session_to_user            path  userId          client
list_app_sessions                   query user            client
list_app_sessions                   query channelSession  client
list_app_sessions                   query channel         client
exchange_identity_token             body  idToken         secret
verify_user_email                   path  code            secret
create_guest                        path  uuid            client
rename_channel_user                 path  userId          channel
add_operator                        path  userId          client
remove_operator                     path  userId          channel
add_owner                           path  userId          client
remove_owner                        path  userId          channel
demote_owner                        path  userId          channel
find_channel_by_meeting_id          query meetingId       client
end_session                         path  sessionId       channel
list_sessions                       query channel         client
select_channel_template             path  templateId      client
update_breakout_session             path  breakoutSession channel
delete_breakout_session             path  breakoutSession channel
list_breakout_sessions              query sessionId       channel
create_breakout_room                path  breakoutSession channel
rename_breakout_room                path  breakoutSession channel
rename_breakout_room                path  breakoutRoom    parent
delete_breakout_room                path  breakoutSession channel
delete_breakout_room                path  breakoutRoom    parent
list_breakout_rooms                 path  breakoutSession channel
add_breakout_participant            path  breakoutSession channel
add_breakout_participant            path  breakoutRoom    parent
add_breakout_participant            path  userId          client
remove_breakout_participant         path  breakoutSession channel
remove_breakout_participant         path  breakoutRoom    parent
remove_breakout_participant         path  userId          client
list_breakout_participants          path  breakoutSession channel
list_breakout_participants          path  breakoutRoom    parent
link_user                           path  userId          client
unlink_user                         path  userId          channel
dial_registered_user                body  sipUserId       client
list_recordings                     query session         channel
get_recording                       path  recordingId     channel
list_recording_assets               path  recordingId     channel
get_recording_asset                 path  recordingId     channel
get_recording_asset                 path  assetId         parent
get_recording_download              path  recordingId     channel
get_recording_credentials           path  recordingId     channel
download_recording_asset            path  assetId         parent
get_channel_media                   path  mediaId         channel
delete_channel_media                path  mediaId         channel
batch_delete_channel_media          body  *               channel
batch_delete_client_media           body  *               client
get_channel_media_link              path  mediaId         channel
get_gateway_endpoint                path  uuid            parent
set_broadcast_destination_state     path  destinationId   channel
list_broadcast_history              query session         channel
get_broadcast                       path  broadcastID     channel
"""
ROWS = [tuple(line.split()) for line in PLACES.strip().splitlines()]
WAYS = {row[:3]: row[3] for row in ROWS}


def named_in(operation: Operation) -> Iterator[tuple[str, str, str]]:
    """The places of an operation that name something, except the first name of its path: place, name, kind."""
    for parameter in [part for part in operation.path_parameters if part.names or part.is_input][1:]:
        if parameter.names:
            yield "path", parameter.name, parameter.names
    for queried in operation.query_parameters:
        if queried.names:
            yield "query", queried.name, queried.names
    for name, annotation in _fields(operation):
        for mark in marks_in(annotation):
            if isinstance(mark, Named):
                yield "body", name, mark.kind


def _fields(operation: Operation) -> Iterator[tuple[str, Any]]:
    """The fields of the body with their types; a body without fields as one that is called ``*``."""
    if operation.body is not None:
        struct = struct_of(operation.body.type)
        fields = () if struct is None else fields_of(struct)
        yield from [(field.encode_name, field.type) for field in fields] or [("*", operation.body.type)]


def test_every_name_is_confined():
    """A new field, parameter or part of a path that names something needs a row."""
    found = {(operation.name, place, name) for operation in API for place, name, _ in named_in(operation)}
    assert found == WAYS.keys()


def belongings(tenant: Tenant) -> dict[str, Any]:
    """One thing of each kind, in a channel of its own and of its own user: ids by kind."""
    tenant.owns("set_user_email", userId="me", body={"email": f"{tenant.owner}@example.com"})
    tenant.owns("verify_user_email", userId="me", code=tenant.simulator.mail[-1].code)
    uuid = recorded(tenant, "Elsewhere")
    session = tenant.simulator.presence.join(uuid, tenant.owner).session
    recording = tenant.owns("list_recordings", channelId=uuid)["results"][0]["id"]
    tenant.owns("set_event_room_state", uuid=uuid, state="enable")
    breakout = tenant.owns("create_breakout_session", uuid=uuid, body={})["id"]
    room = tenant.owns("create_breakout_room", uuid=uuid, breakoutSession=breakout, body={})["id"]
    tenant.administers("set_broadcast_state", uuid=uuid, state="enable")
    destination = tenant.owns("add_broadcast_destination", channel=uuid, body={"destination": "rtmp://live.example/x"})
    tenant.owns("start_broadcast", uuid=uuid)
    return {
        "channels": uuid,
        "sessions": session,
        "users": tenant.owns("create_linked_user", uuid=uuid, body={"handle": "Elsewhere"})["id"],
        "meeting_ids": tenant.owns("get_channel", uuid=uuid)["meetingId"],
        "templates": tenant.administers("create_template", body={"name": "Elsewhere"})["id"],
        "breakout_sessions": breakout,
        "breakout_rooms": room,
        "recordings": recording,
        "assets": tenant.owns("list_recording_assets", channelId=uuid, recordingId=recording)[0]["id"],
        "media": tenant.owns("upload_channel_media", uuid=uuid, name="elsewhere", body=b"x")["id"],
        "sources": tenant.owns("create_gateway_endpoint", userId="me", body={"kind": "RTMP"})["uuid"],
        "destinations": destination["id"],
        "broadcasts": tenant.owns("get_broadcast_metrics", uuid=uuid)["id"],
    }


@pytest.fixture(scope="module")
def everywhere() -> tuple[Simulator, Names, dict[str, Any], dict[str, Any]]:
    """A world with one thing of every kind: in the demo room, in another channel of its client, in another client."""
    sim, names = prepared()
    return sim, names, belongings(ours(sim)), belongings(theirs(sim))


def answer_with(sim: Simulator, names: Names, row: tuple[str, ...], id: Any) -> tuple[int, bytes]:
    """Status and content of the answer to a call that succeeds but for this id; the id itself is written as an X."""
    operation, place, name, _ = row
    success, fork = SUCCESSES[operation], sim.fork()
    success.prepare(fork, names)
    arguments = success.filled(names)
    if place == "body":
        arguments["body"] = [id] if name == "*" else {**arguments["body"], name: id}
    else:
        arguments[name] = id
    answer = fork.call(operation, success.caller, **arguments)
    return answer.status, answer.content.replace(str(id).encode(), b"X")


def kind_of(row: tuple[str, ...]) -> str:
    """The kind of thing that a row is about."""
    return next(kind for place, name, kind in named_in(API[row[0]]) if (place, name) == row[1:3])


@each("row", [row for row in ROWS if row[3] != "secret"])
def test_what_another_client_has_is_not_there(everywhere, row):
    """Its id is answered like one that nothing has, in a body and a query as in a path."""
    sim, names, _, elsewhere = everywhere
    id = elsewhere[kind_of(row)]
    nothing = 999_999_999 if isinstance(id, int) else "999999998" if kind_of(row) == "meeting_ids" else NOTHING
    assert answer_with(sim, names, row, id) == answer_with(sim, names, row, nothing)


@each("row", [row for row in ROWS if row[3] in {"channel", "parent"}])
def test_what_another_channel_has_is_not_there(everywhere, row):
    """Its id does nothing in a channel, a recording, a breakout session or for a user that has it not."""
    sim, names, elsewhere, _ = everywhere
    status, content = answer_with(sim, names, row, elsewhere[kind_of(row)])
    assert status >= 400 or b'"total":0' in content or content == b"[]", (status, content)


# A channel that the caller may not access


def naming(sim: Simulator, row: tuple[str, ...], caller: str, uuid: str) -> Any:
    """The answer to a caller who names a channel in this place."""
    made = {"clientId": CUSTOMER, "body": {"started": 1, "url": "https://app.example"}}
    run = ok(sim, "create_app_session", API_TOKEN, **made)["id"]
    if row[1] == "body":
        return sim.call(row[0], caller, **{**made, "body": {**made["body"], row[2]: uuid}})
    linked = {"appSession": run, "channelUuid": uuid}
    if row[0].endswith("_session"):
        linked["channelSession"] = sim.presence.join(uuid, OWNER).session
    return sim.call(row[0], caller, **linked)


CALLERS_ROWS = [row for row in ROWS if row[3] == "caller"]


@pytest.mark.rule("R427", "R434")
@each("row", CALLERS_ROWS)
def test_a_channel_that_is_named_is_one_that_the_caller_may_access(row):
    """A guest names the own channel only; a private channel is for its hosts, administrators and linked users."""
    sim = demo()
    assert naming(sim, row, GUEST, ROOM).ok
    assert code(naming(sim, row, GUEST, EVENT_ROOM)) == (403, "guest_elsewhere")
    sim.change_record("channel", EVENT_ROOM, private=True)
    assert code(naming(sim, row, USER, EVENT_ROOM)) == (403, "role_missing")
    assert all(naming(sim, row, caller, EVENT_ROOM).ok for caller in (OWNER, ADMIN, API_TOKEN))
    ok(sim, "link_user", OWNER, uuid=EVENT_ROOM, userId=ok(sim, "get_me", USER)["id"])
    assert naming(sim, row, USER, EVENT_ROOM).ok


@each("row", CALLERS_ROWS)
def test_a_refused_name_leaves_nothing(row):
    """Neither an app session nor a link is made for a channel that the caller may not access."""
    sim = demo()
    assert not naming(sim, row, GUEST, EVENT_ROOM).ok
    made = ok(sim, "list_app_sessions", ADMIN)["results"]
    assert [(run["channels"], run["channelsSessions"]) for run in made] == [([], [])]


@each("row", CALLERS_ROWS)
def test_a_profile_lets_callers_name_any_channel(row):
    """Under the profile as-of-0.1 a registration and a link take every channel of the client."""
    sim = Simulator(profile="as-of-0.1")
    sim.change_record("channel", EVENT_ROOM, private=True)
    assert naming(sim, row, USER, EVENT_ROOM).ok


def test_a_registration_by_a_guest_of_another_channel_under_a_profile():
    """``app-sessions.channel-access = any`` admits guests of other channels, too, which the path of a link does not."""
    sim = demo(app_sessions__channel_access="any")
    assert naming(sim, CALLERS_ROWS[0], GUEST, EVENT_ROOM).ok
    assert naming(sim, CALLERS_ROWS[1], GUEST, EVENT_ROOM).status == 403

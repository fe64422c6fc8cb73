"""Gates over the whole catalogue: credentials, roles, tenants."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.contract.gates import Grant
from confsim.domain.channels.channels import Channel
from confsim.domain.users.users import User
from confsim.testing.samples import IdPool, valid
from kit import CUSTOMER, ROOM, START
from kit.catalogue_walk import call
from kit.each import by_name, each

OPERATIONS = list(API)
#: P1 Authentication 7, the two calls that users without a token begin with (Authentication 3), and those whose path
#: holds a token of its own (G027).
PUBLIC = {
    "list_client_auth_providers", "get_client_terms", "check_friendly_url", "find_channel_by_friendly_url",
    "exchange_identity_token", "create_guest", "list_downloadable_assets", "download_recording_asset",
}  # fmt: skip
_ANYONE = {Grant.SIGNED_IN, Grant.ACCESS}
_USER = _ANYONE | {Grant.USER, Grant.REGISTERED}
#: The grants that callers of the demo customer have for its room, and for the user demo-owner.
HOLDS = {
    "demo-owner": _USER | {Grant.OWNER, Grant.OPERATOR, Grant.SELF},
    "demo-operator": _USER | {Grant.OPERATOR},
    "demo-user": _USER,
    "demo-guest": _ANYONE | {Grant.USER},
    "demo-customer-admin": _USER | {Grant.CUSTOMER_ADMIN},
    "demo-api-token": _ANYONE | {Grant.API_TOKEN, Grant.CUSTOMER_ADMIN, Grant.OPERATOR},
}


def arguments(operation, people):
    """Path parameters that name things of the demo customer, or at least parse."""
    values = {}
    for parameter in operation.path_parameters:
        raw = parameter.wire
        about = str(parameter.annotation)
        if parameter.annotation is Channel or "Anywhere" in about:
            values[parameter.name] = ROOM
        elif parameter.annotation is User or "Me" in about:
            values[parameter.name] = people["demo-owner"]
        elif parameter.name == "state":
            values["state"] = next(iter(raw)).value
        else:
            values[parameter.name] = CUSTOMER if raw is str else 1
    return values


def test_exactly_these_calls_need_no_token():
    """The four documented ones, those that give a first token, and those that need a token in their path."""
    assert {operation.name for operation in OPERATIONS if Grant.PUBLIC in operation.gate.grants} == PUBLIC


@pytest.mark.rule("R243")
@each("operation", OPERATIONS, ids=by_name)
@each("token, code", [(None, "credential_missing"), ("nobody", "credential_invalid")])
def test_every_other_call_needs_a_credential(sim, people, operation, token, code):
    """Without a token, or with one that nobody has, the answer is 401; a public call does not look at it."""
    answer = sim.fork().call(operation.name, token, body={}, **arguments(operation, people))
    if operation.name in PUBLIC:
        assert answer.status != 401 or answer.body["code"] not in {"credential_missing", "credential_invalid"}
    else:
        assert (answer.status, answer.body["code"]) == (401, code)


@pytest.mark.rule("R241", "R543")
@each("who", HOLDS)
@each(
    "operation",
    [
        each
        for each in OPERATIONS
        if each.name not in PUBLIC and {parameter.names for parameter in each.path_parameters} <= {"channels", "users"}
    ],
    ids=by_name,
)
def test_a_gate_lets_those_through_who_hold_a_role_of_it(sim, people, operation, who):
    """Anyone who holds one of the grants of the gate passes it; everybody else is refused for the role."""
    answer = sim.fork().call(operation.name, who, body={}, **arguments(operation, people))
    grants = set(operation.gate.grants)
    hosted = any(parameter.names == "channels" for parameter in operation.path_parameters)
    held = HOLDS[who] if hosted else HOLDS[who] - {Grant.OPERATOR}
    if who == "demo-api-token":
        held = HOLDS[who]
    stopped = answer.status == 403 and answer.body["code"] in {"role_missing", "no_user_context"}
    if held & grants:
        assert not stopped or answer.body["code"] == "no_user_context"
    else:
        assert stopped


#: What anyone who may enter a channel may also read of it.
READ_BY_VISITORS = [
    "list_owners", "get_channel", "get_guest_access", "get_turn_credentials", "get_data_channel", "get_streaming_proxy",
    "list_channel_properties", "get_channel_property", "get_channel_config", "get_channel_settings",
    "get_channel_template", "list_channel_templates", "get_active_breakout_session", "list_dial_number_assignments",
    "list_dial_pins", "check_record_possible", "get_channel_media", "list_channel_media", "get_channel_media_link",
    "get_channel_media_pool_size",
]  # fmt: skip


@each("name", READ_BY_VISITORS)
def test_a_private_channel_is_for_those_with_access(sim, people, name):
    """Anyone who is signed in reads of any channel; of a private one only its hosts, its guests and administrators."""
    operation = API[name]
    sim = sim.fork()
    sim.call("set_channel_property", "demo-owner", uuid=ROOM, key="1", body="x")
    media = sim.call("upload_channel_media", "demo-owner", uuid=ROOM, body=b"bytes", name="a.txt").body["id"]
    there = arguments(operation, people)
    there |= {"mediaId": media} if "mediaId" in there else {}
    private = sim.fork()
    private.change_record("channel", ROOM, private=True)
    for world, who, stopped in (
        (sim, "demo-user", False),
        (private, "demo-user", True),
        (private, "demo-operator", False),
        (private, "demo-guest", False),
        (private, "demo-customer-admin", False),
    ):
        answer = world.fork().call(name, who, **there)
        assert (answer.status == 403 and answer.body["code"] == "role_missing") is stopped, (who, answer)


@each("operation", [each for each in OPERATIONS if each.gate_entry is not None], ids=by_name)
def test_a_gate_that_a_profile_opens_to_everybody(operation):
    """A call that needs somebody who calls misses the credential, with for_client or without; none is a bug (G147)."""
    sim = Simulator(clock=START, profile={f"gate.{operation.name}": ["public"]})
    plain = valid(operation, IdPool(sim.service.world, CUSTOMER))
    for arguments in (plain, replace(plain, query={**plain.query, "for_client": CUSTOMER})):
        for caller in (None, "nobody", "demo-owner", "demo-partner-admin"):
            answer = call(sim.fork(), operation, caller, arguments)
            assert answer.status < 500
            assert answer.status != 401 or answer.body["code"] != "credential_invalid"


@each(
    "passes, operation, status",
    [
        ([], "get_channel", 403),
        (["access"], "get_channel", 200),
        (["access"], "list_owners", 200),
        (["access"], "list_channel_properties", 200),
        (["owner"], "list_owners", 403),
        (["owner"], "set_midi_state", 200),
        (["access"], "set_midi_state", 403),
    ],
)
def test_an_api_token_has_the_grants_of_the_profile_and_no_other(passes, operation, status):
    """What it may do beside the gates that name it is an assumption (G149)."""
    sim = Simulator(clock=START, profile={"roles.api-token-passes": passes})
    state = {"state": "enable"} if operation == "set_midi_state" else {}
    assert sim.call(operation, "demo-api-token", uuid=ROOM, **state).status == status


@pytest.mark.rule("R244")
@each(
    "operation",
    [each for each in OPERATIONS if each.name not in PUBLIC and {"uuid", "userId", "channel"} & set(each.placeholders)],
    ids=by_name,
)
def test_things_of_another_client_are_not_there(sim, people, operation):
    """An unrelated administrator finds no channel and no user of the demo customer, and changes nothing."""
    before = sim.service.world.digest()
    answer = sim.call(operation.name, "demo-other-admin", body={}, **arguments(operation, people))
    assert answer.status == 404
    assert sim.service.world.digest() == before


@pytest.mark.rule("R550")
def test_only_get_post_and_delete_occur():
    """Changes are made with POST, removals with DELETE; reading changes nothing."""
    assert {operation.method for operation in OPERATIONS} == {"GET", "POST", "DELETE"}

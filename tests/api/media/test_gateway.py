from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.api.catalogue import API
from kit import ADMIN, API_TOKEN, NOTHING, OWNER, START, USER, code


def simulator(**profile):
    """The demo world under a profile."""
    return Simulator(clock=START, profile={f"gateway.{name}": value for name, value in profile.items()})


def create(sim, caller=USER, user="me", kind="RTMP"):
    """Make an endpoint and answer it."""
    answer = sim.call("create_gateway_endpoint", caller, userId=user, body={"kind": kind})
    assert answer.ok, answer
    return answer.body


def read(sim, uuid, caller=USER, user="me"):
    """Read an endpoint."""
    return sim.call("get_gateway_endpoint", caller, userId=user, uuid=uuid)


@pytest.mark.rule("R332", "R333", "R520")
@pytest.mark.parametrize(("kind", "port"), [("RTMP", 1935), ("SRT", 9710)])
def test_an_endpoint_is_made(sim, kind, port):
    """It has an address to send media to, and credentials for it."""
    endpoint = create(sim, kind=kind)
    assert set(endpoint) == {"uuid", "host", "port", "kind", "credentials"}
    assert (endpoint["host"], endpoint["port"], endpoint["kind"]) == ("localhost", port, kind)
    assert set(endpoint["credentials"]) == {"username", "password"}
    assert all(endpoint["credentials"].values())


@pytest.mark.rule("R522")
def test_what_comes_in_is_no_matter_of_the_api(sim):
    """An endpoint is made and read, and that is all: making one touches nothing else, no session and no recording."""
    create(sim)
    assert {table for _, table, _ in sim.service.journal.last().touched} == {"gateway endpoints"}
    assert {each.name for each in API if "gateway" in each.name} == {"create_gateway_endpoint", "get_gateway_endpoint"}


@pytest.mark.rule("R332", "R521")
def test_an_endpoint_is_read_as_it_was_made(sim, people):
    """By its user, whether named me or by number."""
    endpoint = create(sim)
    assert read(sim, endpoint["uuid"]).body == endpoint
    assert read(sim, endpoint["uuid"], user=people[USER]).body == endpoint


@pytest.mark.rule("R521")
def test_endpoints_are_those_of_a_user(sim, people):
    """On the path of another user, and with an unknown id, there is none."""
    uuid = create(sim)["uuid"]
    assert read(sim, uuid, caller=OWNER).status == 404
    assert read(sim, uuid, caller=ADMIN, user=people[OWNER]).status == 404
    assert read(sim, NOTHING).status == 404


def test_a_user_has_several_endpoints(sim):
    """Each with an id and credentials of its own."""
    one, other = create(sim), create(sim)
    assert one["uuid"] != other["uuid"]
    assert one["credentials"]["password"] != other["credentials"]["password"]
    assert read(sim, one["uuid"]).body == one


@pytest.mark.rule("R333")
@pytest.mark.parametrize("body", [{}, {"kind": ""}, {"kind": "rtmp"}, {"kind": "HLS"}, {"kind": 1}, {"kind": None}])
def test_other_kinds_are_refused(sim, body):
    """RTMP and SRT are supported, in this case."""
    answer = sim.call("create_gateway_endpoint", USER, userId="me", body=body)
    assert code(answer) == (400, "invalid_input")


@pytest.mark.parametrize(
    ("caller", "status"), [(USER, 200), (OWNER, 403), ("demo-guest", 403), (ADMIN, 200), (API_TOKEN, 200), (None, 401)]
)
def test_who_makes_and_reads_the_endpoints_of_a_user(sim, people, caller, status):
    """The user, a Customer Admin, an API token, nobody else."""
    uuid, user = create(sim)["uuid"], people[USER]
    assert read(sim, uuid, caller, user).status == status
    assert sim.call("create_gateway_endpoint", caller, userId=user, body={"kind": "SRT"}).status == status


def test_an_api_token_is_not_me(sim):
    """It has no user context."""
    answer = sim.call("create_gateway_endpoint", API_TOKEN, userId="me", body={"kind": "SRT"})
    assert code(answer) == (403, "no_user_context")


def test_users_of_other_clients_are_not_there(sim, people):
    """Their endpoints neither."""
    uuid = create(sim)["uuid"]
    assert read(sim, uuid, "demo-other-admin", people[USER]).status == 404


def test_kinds_host_and_credentials_are_choices():
    """Any table of kinds and ports; any host; only some kinds with credentials."""
    sim = simulator(kinds={"WHIP": 8443, "SRT": 1}, host="ingest.test", credentials=["SRT"])
    endpoint = create(sim, kind="WHIP")
    assert {name: endpoint[name] for name in endpoint if name != "uuid"} == {
        "host": "ingest.test",
        "port": 8443,
        "kind": "WHIP",
    }
    assert sim.call("create_gateway_endpoint", USER, userId="me", body={"kind": "RTMP"}).status == 400


def test_the_case_of_kinds_may_be_ignored():
    """The answer has the literal of the table."""
    assert create(simulator(**{"kind-case": "ignore"}), kind="rtmp")["kind"] == "RTMP"


def test_credentials_may_be_shown_once():
    """At creation alone."""
    sim = simulator(**{"credentials-shown": "creation"})
    endpoint = create(sim)
    assert "credentials" in endpoint
    assert "credentials" not in read(sim, endpoint["uuid"]).body


def test_a_user_may_have_one_endpoint_of_a_kind():
    """Making it again answers it again."""
    sim = simulator(several=False)
    assert create(sim) == create(sim)
    assert create(sim, kind="SRT")["uuid"] != create(sim)["uuid"]

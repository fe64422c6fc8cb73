"""What a disabled service refuses: every operation of the catalogue, in one table."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.assumptions.clients import OPEN_WHILE_DISABLED
from confsim.contract.gates import Grant
from confsim.domain.clients import clients
from kit import CUSTOMER, START
from kit.each import by_name, each

OPERATIONS = list(API)
#: Values that parse for path parameters that are no text.
NUMBERS = {"userId", "version", "level", "limit"}
STATES = {"set_lobby_door": "open", "set_attendees_state": "mute", "set_template_inheritance": "allow"}


@pytest.fixture(scope="module")
def disabled():
    """A world whose customer has no service, its users signed in as before."""
    return off()


def off(**profile):
    """A world under a profile, its customer disabled."""
    sim = Simulator(clock=START, profile=profile)
    sim.call("set_client_service_state", "demo-partner-admin", clientId=CUSTOMER, state="disable")
    return sim


def refused(sim, operation, who="demo-api-token"):
    """Whether the call is refused because of the service; ids are made up, and never reached when it is."""
    path = {name: "1000" if name in NUMBERS else "nothing" for name in operation.placeholders}
    if "clientId" in path:
        path["clientId"] = CUSTOMER
    if "state" in path:
        path["state"] = STATES.get(operation.name, "enable")
    caller = None if Grant.PUBLIC in operation.gate.grants else who
    answer = sim.fork().call(operation.name, caller, body={}, **path)
    if answer.status < 400 or answer.body["code"] != "service_disabled":
        return False
    assert answer.status == 403
    return True


#: Reads that belong to a running channel.
RUNTIME_READS = {
    "get_turn_credentials", "get_populations", "get_data_channel", "get_streaming_proxy", "list_active_channels",
    "get_active_breakout_session",
}  # fmt: skip


def expected(operation):
    """Changes and the running of channels are refused, but for the terms, which users accept meanwhile."""
    return (operation.method != "GET" or operation.name in RUNTIME_READS) and operation.name != "accept_terms"


@pytest.mark.rule("R111", "R245", "R540")
@each("operation", OPERATIONS, ids=by_name)
def test_changes_and_runtime_are_refused_and_reading_is_not(disabled, operation):
    """Each operation answers 403 or goes on, as the table says (G162)."""
    assert refused(disabled, operation) is expected(operation)


@pytest.mark.rule("R111")
@pytest.mark.parametrize(
    "name",
    ["create_channel", "create_predefined_user", "create_user", "create_guest", "exchange_identity_token"],
)
def test_channels_and_users_are_not_made(disabled, name):
    """The examples that the documents give, and what makes users without a token (G164)."""
    assert refused(disabled, API[name])


@pytest.mark.parametrize("name", ["set_origins", "set_domains", "create_channel"])
def test_a_profile_opens_more(name):
    """A call that a profile names works while the service is disabled (G162)."""
    body = {"name": "X"} if name == "create_channel" else []
    path = {} if name == "create_channel" else {"clientId": CUSTOMER}
    for chosen, status in (([], 403), ([name], 200)):
        sim = off(**{OPEN_WHILE_DISABLED.id: chosen})
        assert sim.call(name, "demo-customer-admin", body=body, **path).status == status


@pytest.mark.parametrize("name", ["get_me", "get_user_terms", "list_channels", "get_client_terms", "list_users"])
def test_support_tools_still_read(disabled, name):
    """Tokens stay valid, and reads of management data answer (G164)."""
    assert not refused(disabled, API[name], "demo-owner")


def test_accepting_terms_is_open(disabled):
    """A user may accept the terms meanwhile (G162)."""
    assert disabled.fork().call("accept_terms", "demo-owner", version=1).status == 200


def test_the_parent_and_others_keep_their_service(disabled):
    """Only the client and those below are refused."""
    assert disabled.fork().call("create_channel", "demo-partner-admin", body={"name": "X"}).status == 200
    assert disabled.fork().call("create_channel", "demo-other-admin", body={"name": "X"}).status == 200


def test_alternative_that_everything_is_refused():
    """Every operation that names the client or needs a credential of it, but for those that are open (G162)."""
    sim = off(**{"service.refused-while-disabled": "everything"})
    for operation in OPERATIONS:
        named = Grant.PUBLIC not in operation.gate.grants or "clientId" in operation.placeholders
        if named and operation.name not in OPEN_WHILE_DISABLED.default:
            assert refused(sim, operation), operation.name


def test_a_disabled_child_is_read_through_for_client_and_not_changed(disabled):
    """The parent's Partner Admin looks, and enables again (G156)."""
    assert disabled.fork().call("list_users", "demo-partner-admin", for_client=CUSTOMER).status == 200
    body = {"name": "X"}
    answer = disabled.fork().call("create_predefined_user", "demo-partner-admin", body=body, for_client=CUSTOMER)
    assert answer.body["code"] == "service_disabled"
    fork = disabled.fork()
    fork.call("set_client_service_state", "demo-partner-admin", clientId=CUSTOMER, state="enable")
    assert clients.is_served(fork.service.change(), clients.get(fork.service.change(), CUSTOMER))

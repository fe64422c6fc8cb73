"""Terms: published by a client, accepted by its users."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.contract.gates import Grant
from confsim.domain import terms
from confsim.domain.clients import clients
from confsim.domain.users import users
from confsim.domain.users.users import Account
from confsim.kernel.refusal import Misuse
from kit import API_TOKEN, CUSTOMER, PARTNER, ROOM, START, code, demo, ok

NEW = "https://terms.example/2"


def state(sim, who):
    """How the caller stands to the terms."""
    return sim.call("get_user_terms", who).body


def require(sim, required):
    """Let the service operator bind guests, or free them."""
    change = sim.service.change()
    terms.require(change, clients.get(change, CUSTOMER), required)
    sim.service.commit(change)


def never_accepted(sim, who, people):
    """Let the user be one who never accepted any terms."""
    change = sim.service.change()
    users.update(change, users.get(change, CUSTOMER, people[who]), accepted=None)
    sim.service.commit(change)


@pytest.mark.rule("R076", "R132")
def test_client_terms_are_read_without_a_token(sim):
    """The published terms have their four fields, and need no credential."""
    answer = sim.call("get_client_terms", clientId=CUSTOMER)
    assert (answer.status, set(answer.body)) == (200, {"version", "url", "promulgated", "required"})
    assert [type(answer.body[name]) for name in ("version", "url", "promulgated", "required")] == [int, str, int, bool]


@pytest.mark.rule("R562")
@pytest.mark.parametrize(
    ("operation", "query"),
    [
        ("get_client_terms", {}),
        ("list_client_auth_providers", {}),
        ("check_friendly_url", {"url": "demo"}),
        ("find_channel_by_friendly_url", {"url": "demo"}),
    ],
)
def test_public_calls_name_their_client_and_need_no_token(sim, operation, query):
    """Each of the four public calls answers for the client of the path, and never asks for a credential."""
    for client in (CUSTOMER, PARTNER):
        assert sim.call(operation, clientId=client, **query).status in {200, 404}
    assert sim.call(operation, clientId="nobody", **query).body["code"] == "not_found"


@pytest.mark.rule("R079", "R081", "R133")
def test_the_users_state_repeats_the_clients_terms(sim):
    """The state has its four fields; version and link are those of the user's client."""
    published = sim.call("get_client_terms", clientId=CUSTOMER).body
    assert state(sim, "demo-owner") == {
        "isCurrent": True,
        "currentVersion": published["version"],
        "termsUrl": published["url"],
        "firstAccept": False,
    }


@pytest.mark.rule("R080", "R082", "R101")
def test_accepting_the_current_version_makes_the_user_current(sim, people):
    """The state of a user who never accepted says so, and is current once the version named is accepted."""
    never_accepted(sim, "demo-owner", people)
    before = state(sim, "demo-owner")
    assert (before["isCurrent"], before["firstAccept"]) == (False, True)
    assert sim.call("accept_terms", "demo-owner", version=before["currentVersion"]).status == 200
    after = state(sim, "demo-owner")
    assert (after["isCurrent"], after["firstAccept"]) == (True, False)


@pytest.mark.rule("R082")
def test_first_accept_is_about_any_version(sim):
    """A user who accepted an earlier version is not current, but no first-timer either."""
    sim.call("promulgate_terms", "demo-api-token", body={"url": NEW})
    assert (state(sim, "demo-owner")["isCurrent"], state(sim, "demo-owner")["firstAccept"]) == (False, False)


@pytest.mark.rule("R102")
@pytest.mark.parametrize("version", [0, 2, -1, 2**40])
def test_another_version_is_not_accepted(sim, version, people):
    """Only the version that the state names can be accepted."""
    never_accepted(sim, "demo-owner", people)
    answer = sim.call("accept_terms", "demo-owner", version=version)
    assert code(answer) == (400, "version_not_current")
    assert not state(sim, "demo-owner")["isCurrent"]


def test_accepting_again_changes_nothing(sim):
    """A user who is current may accept the current version again."""
    before = sim.service.world.digest()
    assert sim.call("accept_terms", "demo-owner", version=1).status == 200
    assert sim.service.world.digest() == before


@pytest.mark.rule("R134", "R010")
def test_the_version_is_a_number_of_the_path(sim):
    """Text in the path is refused, and a version in the body counts for nothing."""
    assert sim.call("accept_terms", "demo-owner", version="one").body["code"] == "invalid_input"
    answer = sim.call("accept_terms", "demo-owner", version=7, body={"version": 1})
    assert answer.body["code"] == "version_not_current"


@pytest.mark.rule("R103", "R104")
def test_new_terms_have_a_new_version_and_bind_everybody_again(sim):
    """Publishing raises the version and dates it now, and no user of the client is current any more."""
    before = sim.call("get_client_terms", clientId=CUSTOMER).body
    assert sim.call("promulgate_terms", "demo-customer-admin", body={"url": NEW}).status == 200
    after = sim.call("get_client_terms", clientId=CUSTOMER).body
    assert after["version"] > before["version"]
    assert (after["url"], after["promulgated"]) == (NEW, sim.service.clock.now())
    assert not any(state(sim, who)["isCurrent"] for who in ("demo-owner", "demo-operator", "demo-user"))


def test_the_same_link_still_makes_a_new_version(sim):
    """Publishing the link that is there already counts as new terms (G171)."""
    sim.call("promulgate_terms", "demo-api-token", body={"url": "https://terms.example/1"})
    assert sim.call("get_client_terms", clientId=CUSTOMER).body["version"] == 2


@pytest.mark.rule("R105", "R240", "R106")
@pytest.mark.parametrize("who", ["demo-customer-admin", "demo-owner", "demo-user"])
def test_nobody_uses_the_system_before_accepting(sim, who):
    """Tokens issued before new terms are denied until their user, the publisher too, accepts them."""
    sim.call("promulgate_terms", "demo-customer-admin", body={"url": NEW})
    answer = sim.call("list_channels", who)
    assert (answer.status, answer.body["code"], answer.body["details"][0]["termsUrl"]) == (
        401,
        "terms_not_accepted",
        NEW,
    )
    assert sim.call("accept_terms", who, version=2).status == 200
    assert sim.call("list_channels", who).status == 200


@pytest.mark.rule("R107", "R136")
def test_replacing_the_link_asks_nobody_again(sim):
    """Only the link changes: version, date and everybody's acceptance stay, and nobody gets mail."""
    before = sim.call("get_client_terms", clientId=CUSTOMER).body
    assert sim.call("update_terms_url", "demo-customer-admin", body={"url": NEW}).status == 200
    assert sim.call("get_client_terms", clientId=CUSTOMER).body == before | {"url": NEW}
    assert state(sim, "demo-owner") == {"isCurrent": True, "currentVersion": 1, "termsUrl": NEW, "firstAccept": False}
    assert sim.mail == []


@pytest.mark.rule("R108")
@pytest.mark.parametrize("operation", ["update_terms_url", "promulgate_terms"])
def test_terms_belong_to_one_client(sim, operation):
    """What a client publishes leaves its children and unrelated clients alone."""
    before = sim.call("get_client_terms", clientId=CUSTOMER).body
    assert sim.call(operation, "demo-partner-admin", body={"url": NEW}).status == 200
    assert sim.call("get_client_terms", clientId=CUSTOMER).body == before
    assert state(sim, "demo-owner")["isCurrent"]
    assert state(sim, "demo-other-admin")["isCurrent"]


@pytest.mark.rule("R135")
@pytest.mark.parametrize("operation", ["update_terms_url", "promulgate_terms"])
def test_the_link_comes_in_a_json_body(sim, operation):
    """Both calls take an object with url alone in the body, and answer nothing."""
    answer = sim.call(operation, "demo-api-token", body={"url": NEW})
    assert (answer.status, answer.content) == (200, b"")
    assert sim.call(operation, "demo-api-token", url=NEW).body["code"] == "body_malformed"


@pytest.mark.parametrize("operation", ["update_terms_url", "promulgate_terms"])
@pytest.mark.parametrize(
    "body", [{}, {"url": ""}, {"url": "terms"}, {"url": "ftp://x.example"}, {"url": 1}, [], {"url": None}]
)
def test_what_is_no_absolute_url_is_refused(sim, operation, body):
    """Users are sent to the link, so it is an absolute http or https URL (G179)."""
    assert sim.call(operation, "demo-api-token", body=body).status == 400


@pytest.mark.parametrize("operation", ["update_terms_url", "promulgate_terms"])
@pytest.mark.parametrize("who", ["demo-owner", "demo-user", "demo-guest"])
def test_only_administrators_publish(sim, operation, who):
    """Terms are a matter of the whole client (G178)."""
    assert sim.call(operation, who, body={"url": NEW}).body["code"] == "role_missing"


@pytest.mark.parametrize("operation", ["get_user_terms", "accept_terms"])
def test_an_api_token_has_no_terms(sim, operation):
    """API tokens are no users: they stand to no terms and are never blocked (G176)."""
    arguments = {"version": 1} if operation == "accept_terms" else {}
    assert sim.call(operation, "demo-api-token", **arguments).body["code"] == "no_user_context"
    sim.call("promulgate_terms", "demo-api-token", body={"url": NEW})
    assert sim.call("list_channels", "demo-api-token").status == 200


@pytest.mark.rule("R077")
def test_guests_skip_terms_that_are_not_required(sim):
    """A guest who accepted nothing uses the channel."""
    assert sim.call("get_client_terms", clientId=CUSTOMER).body["required"] is False
    assert sim.call("get_channel", "demo-guest", uuid=ROOM).status == 200


def test_guests_accept_terms_that_are_required(sim):
    """When the terms are required, a guest is denied until accepting them."""
    require(sim, True)
    assert sim.call("get_channel", "demo-guest", uuid=ROOM).body["code"] == "terms_not_accepted"
    sim.call("accept_terms", "demo-guest", version=1)
    assert sim.call("get_channel", "demo-guest", uuid=ROOM).status == 200


def test_telephony_users_are_never_bound(sim, people):
    """Who came by telephone cannot log in, so terms do not bind them, required or not (G176)."""
    require(sim, True)
    change = sim.service.change()
    client = clients.get(change, CUSTOMER)
    dialled = users.create(change, CUSTOMER, "Phone", Account.DIALLED, channel=ROOM)
    assert not terms.is_blocked(change, client, dialled)


@pytest.mark.rule("R105")
def test_only_the_terms_calls_are_open_before_acceptance(sim, people):
    """Whatever else a user calls that is not public is denied; those two and the public ones answer (G175)."""
    never_accepted(sim, "demo-owner", people)
    for operation in API:
        if Grant.PUBLIC not in operation.gate.grants and operation.name not in {"get_user_terms", "accept_terms"}:
            answer = sim.call(operation.name, "demo-owner", **dict.fromkeys(operation.placeholders, "x"))
            assert code(answer) == (401, "terms_not_accepted"), operation.name
    assert sim.call("get_client_terms", "demo-owner", clientId=CUSTOMER).status == 200
    assert sim.call("get_user_terms", "demo-owner").status == 200


def test_with_the_alternative_optional_terms_bind_nobody(people):
    """Where terms that are not required bind nobody, users go on after new ones (G173)."""
    sim = Simulator(clock=START, profile={"terms.binds": "nobody"})
    sim.call("promulgate_terms", "demo-api-token", body={"url": NEW})
    assert sim.call("list_channels", "demo-owner").status == 200
    require(sim, True)
    assert sim.call("list_channels", "demo-owner").body["code"] == "terms_not_accepted"


@pytest.mark.rule("R105", "R240")
@pytest.mark.parametrize(
    ("choice", "status", "calls"), [("limited", 200, 401), ("refuse", 401, None), ("full", 200, 200)]
)
def test_what_a_login_gives_to_who_must_accept_the_terms(choice, status, calls):
    """A token that only reads and accepts the terms until then; by assumption a refusal, or a token for every call."""
    sim = demo(terms__login=choice)
    invitation = ok(sim, "create_invitation", userId=ok(sim, "create_predefined_user", body={"name": "Rita"})["id"])[
        "code"
    ]
    ok(sim, "promulgate_terms", body={"url": NEW})
    answer = sim.call(
        "exchange_identity_token", None, clientId=CUSTOMER, body={"idToken": sim.identity_token(sim.demo.user)}
    )
    assert answer.status == status
    if choice == "refuse":
        assert answer.body["code"] == "terms_not_accepted"
        with pytest.raises(Misuse) as refused:
            sim.control("redeem_invitation", code=invitation)
        assert refused.value.facts["code"] == "terms_not_accepted"
        return
    token = answer.body["token"]
    assert sim.call("get_me", token).status == calls
    with pytest.raises(Misuse):
        sim.presence.join(ROOM, token)
    ok(sim, "accept_terms", token, version=ok(sim, "get_user_terms", token)["currentVersion"])
    assert sim.call("get_me", token).status == 200
    assert sim.presence.join(ROOM, token).state == "in"


@pytest.mark.rule("R103", "R104", "R101")
def test_who_must_accept_again_is_a_state_of_the_record():
    """Users who had accepted are in it after new terms, until they accept those; others stay as they are."""
    sim = demo()
    user, guest = (ok(sim, "get_me", token)["id"] for token in ("demo-user", "demo-guest"))

    def states():
        found = {record.id: record for record in sim.control("list_records", kind="users", client=CUSTOMER).records}
        machines = (found[str(id)].machines for id in (user, guest))
        return [next(each.state for each in held if each.machine == "terms acceptance") for held in machines]

    assert states() == ["accepted", "never"]
    for url in (NEW, NEW + "/again"):
        ok(sim, "promulgate_terms", API_TOKEN, body={"url": url})
        assert states() == ["must accept again", "never"]
    ok(sim, "accept_terms", "demo-user", version=3)
    assert states() == ["accepted", "never"]

"""Discovery: the model has what the accounts can read of their clients."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, strategies as st
from msgspec.structs import replace

from confsim.kernel.refusal import Misuse
from confsim.testing.learning.accounts import Accounts
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.correspondence import Correspondence
from confsim.testing.learning.discovering.discovery import NUMBERED_BY, UNUSED
from confsim.testing.learning.run import Run
from confsim.testing.learning.service import RealService
from kit import ADMIN, CUSTOMER, OTHER, OWNER, PARTNER, choices
from kit.beside import Beside

#: The reads of which the model's client is made and of which no document says who may make them.
_READS = (
    "get_client",
    "get_client_settings",
    "get_config",
    "get_events_status",
    "list_available_dial_numbers",
    "list_domains",
    "list_inbound_numbers",
    "list_origins",
    "list_validators",
)
#: All reads of which a model is made, but for those of a user whose address nobody may read.
_EVERY_READ = (
    *_READS,
    "get_client_terms",
    "get_me",
    "get_user_email",
    "get_user_terms",
    "list_client_auth_providers",
    "list_own_access_levels",
)
#: Those of them that name the client in the path.
_NAMING = frozenset({"get_client", "list_domains", "list_origins"})


@pytest.fixture
def changed():
    """Begin a run beside a service under a profile, whose client has settings of its own."""

    def beginning(profile):
        beside = Beside(profile)
        at = {"clientId": beside.accounts.client}
        for operation, path, body in (
            ("set_config", {}, {"color": "red"}),
            ("set_origins", at, ["https://one.example"]),
            ("set_domains", at, ["one.example"]),
            ("set_client_dial_out_state", {"state": "disable"}, None),
            ("set_events_state", {"state": "enable"}, None),
        ):
            assert beside.simulator.call(operation, ADMIN, body=body, **path).ok, operation
        known = beside.known = Correspondence()
        service = beside.service()
        service.address_under(profile)
        return Run(service, beside.accounts, profile, known, tag="cvtest", clock=beside.clock)

    return beginning


def test_a_partner_admin_alone_reads_the_client_below(monkeypatch):
    """Its name and its terms are those of the service, so that nothing there is unexpected."""
    beside = Beside()
    role = "partner-admin"
    monkeypatch.setattr(beside, "accounts", Accounts(beside.accounts.client, {role: beside.accounts.tokens[role]}))
    calibrator = beside.calibrator(journeys=1, most=60)
    report = calibrator.run()
    model = calibrator.learner.run.model
    there, here = (
        world.call("get_client", beside.accounts.tokens[role], clientId=beside.accounts.client).body["name"]
        for world in (beside.simulator, _simulator(model))
    )
    assert there == here
    assert report.contradicted == []


def test_what_users_have_accepted_does_not_depend_on_how_calls_are_admitted():
    """Where terms cannot be accepted by a call, the users of the accounts have accepted them all the same."""
    hidden = choices(terms__open_calls=[], gate__set_config=["owner"])
    beside = Beside(hidden)
    assert beside.simulator.call("set_config", OWNER, body={"color": "red"}).ok
    report = beside.verify(profile=hidden, examples=1, most=60)
    assert report.divergences == []
    assert report.requests > 40


@pytest.mark.parametrize("gate", ["api-token", "owner", "operator", "access", "self"])
@pytest.mark.parametrize("read", _READS)
def test_what_one_of_the_accounts_can_read_is_known(changed, read, gate):
    """Whoever it is: in the model everybody then reads the same of the client as in the service."""
    run = changed({f"gate.{read}": [gate]})
    for operation in {read, "list_available_dial_numbers"}:
        path = {"clientId": run.accounts.client} if operation in _NAMING else {}
        for role, token in {**run.accounts.tokens, "nobody": None}.items():
            if role not in UNUSED:
                assert run.take(ModelCall(operation, token, path)).difference is None, (operation, role)


@pytest.mark.parametrize("gate", ["customer-admin", "api-token", "owner"])
def test_addresses_of_users_are_read_by_whoever_may(changed, gate):
    """A model that took users to have no address would find what their recordings are sent to contradicted."""
    run = changed({"gate.get_user_email": [gate]})
    for user in run.things.known_users[run.accounts.client]:
        for token in run.accounts.tokens.values():
            if run.accounts.role(token) not in UNUSED:
                step = run.take(ModelCall("get_user_email", token, {"userId": str(user)}))
                assert step.difference is None, (step.call.caller, step.difference)


def test_numbers_are_planned_with_whoever_may_list_them(changed):
    """Where nobody may list those of the client, they are the ones that a channel can get."""
    expected = changed({}).numbers
    assert len(expected) > 1
    for gate in ("api-token", "self"):
        assert changed({"gate.list_inbound_numbers": [gate]}).numbers == expected


@pytest.mark.parametrize(
    ("roles", "wrong"),
    [
        ({"guest": "guest"}, "no token that can be used: the channel of the guest is not known"),
        ({"owner": "api-token"}, "or the token not one of a user: get_me of the owner is answered by 403"),
        (
            {"owner": "owner", "api-token": "user"},
            "the api-token of the accounts is no API token: it is that of the user",
        ),
        ({"owner": "partner-admin"}, "the owner of the accounts belongs to the client 11111111-"),
        ({"other-admin": "customer-admin"}, "the other-admin of the accounts belongs to their own client"),
    ],
)
def test_accounts_that_cannot_be_used_are_refused(monkeypatch, roles, wrong):
    """What is wrong with which of them."""
    beside = Beside()
    tokens = {role: beside.accounts.tokens[other] for role, other in roles.items()}
    monkeypatch.setattr(beside, "accounts", Accounts(beside.accounts.client, tokens))
    for run in (beside.verify, beside.calibrator(journeys=0).run):
        with pytest.raises(Misuse, match=re.escape(wrong)):
            run()


def test_a_partner_admin_may_be_of_the_client_itself(monkeypatch):
    """Then nobody is known above the parent of that client."""
    beside = Beside()
    tokens = {"partner-admin": beside.accounts.tokens["customer-admin"]}
    monkeypatch.setattr(beside, "accounts", Accounts(beside.accounts.client, tokens))
    assert beside.verify(examples=1, most=40).divergences == []


def _altered(beside, operation, alter, role=None):
    """A run beside a service that answers one operation otherwise, to one of the accounts or to all."""

    class Altered(RealService):
        altered: tuple[ModelCall, ...] = ()

        def call(self, call, **options):
            reply = super().call(call, **options)
            of_another = role is not None and beside.accounts.role(call.caller) != role
            if call.operation != operation or reply.status >= 400 or of_another:
                return reply
            self.altered = (*self.altered, call)
            return replace(reply, body=alter(reply.body))

    service = Altered(beside.transport(), {}, Correspondence(), clock=lambda: beside.clock.now() / 1000)
    return Run(service, beside.accounts, {}, Correspondence(), tag="cvtest", clock=beside.clock)


@pytest.fixture(scope="module")
def beside():
    """A service whose client has what the reads of a run can tell."""
    beside = Beside()
    at = {"clientId": beside.accounts.client}
    for operation, body in (("set_origins", ["https://one.example"]), ("set_domains", ["one.example"])):
        assert beside.simulator.call(operation, ADMIN, body=body, **at).ok, operation
    return beside


_JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from([CUSTOMER, PARTNER, OTHER]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
#: A field of an answer: the numbers and names on the way to it, of which each is taken modulo how many there are.
_PLACES = st.lists(st.integers(0, 50), max_size=4)


def with_value(body, place, value):
    """A body with another value at a place; without the place it is the value itself."""
    if not place or not isinstance(body, list | dict) or not body:
        return value
    first, *rest = place
    if isinstance(body, list):
        at = first % len(body)
        return [*body[:at], with_value(body[at], rest, value), *body[at + 1 :]]
    name = first if isinstance(first, str) else list(body)[first % len(body)]
    return {**body, name: with_value(body.get(name), rest, value)}


@example("get_client", ["parentId"], [1], None)
@example("get_client", ["parentId"], CUSTOMER, "partner-admin")
@example("get_me", ["handle"], 7, "owner")
@example("get_me", ["clientId"], 7, "other-admin")
@example("get_me", ["clientId"], 7, "partner-admin")
@example("get_me", ["id"], True, None)
@example("get_me", ["languages"], {"languages": [7]}, "owner")
@example("get_me", ["languages"], {"languages": "de"}, "owner")
@example("get_me", ["fullName"], 7, "owner")
@example("get_user_email", ["email"], 7, None)
@example("list_inbound_numbers", [0], {"number": "+49 89 123"}, None)
@given(st.sampled_from(_EVERY_READ), _PLACES, _JSON_VALUES, st.none() | st.sampled_from(["owner", "other-admin"]))
def test_a_run_begins_whatever_a_read_is_answered_by(beside, read, place, value, role):
    """Else it says that none can; and the first calls of a run that has begun are answered by the model."""
    try:
        run = _altered(beside, read, lambda body: with_value(body, place, value), role)
    except Misuse:
        return
    assert all(read in note or "access level" in note for note in run.notes)
    for token in run.accounts.tokens.values():
        assert run.model.imagine(ModelCall("get_me", token)).reply.status in (200, 401, 403)


def test_what_is_not_as_declared_is_noted_and_the_rest_is_taken_over(beside):
    """One number of several, and one field: the note says where it is and what it is to be."""
    numbers = _altered(beside, "list_inbound_numbers", lambda body: [{"number": "+49 89 123"}, *body[1:]])
    assert len(numbers.numbers) == len(_altered(beside, "get_me", lambda body: body).numbers) - 1
    (note,) = numbers.notes
    assert note.startswith("list_inbound_numbers is not answered as declared, so that the model begins without: ")
    assert note.endswith("- at `$.number`")
    (note,) = _altered(beside, "get_client_terms", lambda body: {**body, "version": "new"}).notes
    assert note.endswith("begins without: Expected `int`, got `str` - at `$.version`")


@pytest.mark.parametrize("read", [each for each in _EVERY_READ if each not in NUMBERED_BY[1:]])
@pytest.mark.parametrize("body", [7, "other", {}, {"results": [{"x": 1}], "total": 1}, [["x"]]])
def test_what_is_not_answered_as_declared_is_a_difference_of_that_call(beside, read, body):
    """Not of a later one that rests on it; ``get_me`` says who calls, so that no run begins without it.

    A configuration is any object.
    """
    if read == "get_me":
        with pytest.raises(Misuse, match="get_me of the partner-admin is answered by"):
            _altered(beside, read, lambda before: body)
        return
    run = _altered(beside, read, lambda before: body)
    step = run.take(run.service.altered[0])
    assert step.reply.status < 400
    assert (step.difference is None) is (read == "get_config" and isinstance(body, dict))


def _simulator(model):
    """A simulator of the world of a model."""
    from confsim import Simulator

    return Simulator.__new__(Simulator)._attach(model.service)

"""Verify: no divergence from the true service; what differs is found, shrunk, explained, and can be made again."""

from __future__ import annotations

import json
import re

import msgspec
import pytest

from confsim.api.catalogue import API
from confsim.kernel.refusal import Misuse
from confsim.service.messages import Request, Response
from confsim.testing import Wsgi, verify
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import Comparison
from confsim.testing.learning.declared import left_out
from confsim.testing.learning.service import Interrupted
from confsim.testing.verifying.findings import encoded
from confsim.transport.wsgi import WsgiTransport
from kit import CUSTOMER, choices
from kit.beside import Beside

#: A profile that any run meets with its first calls, whose choice takes most of the time of a run.
DIFFERENT = choices(status__no_user_context=401)


class Altered(WsgiTransport):
    """A service whose answers are altered on the way."""

    def __init__(self, beside, alter):
        super().__init__(beside.simulator.wsgi)
        self._alter = alter

    def exchange(self, request: Request) -> Response:
        """Send a request; returns what becomes of the response."""
        return self._alter(request, super().exchange(request))


@pytest.fixture(scope="module")
def differing():
    """The report on a service that refuses an API token with another status where only a user may call."""
    return Beside(DIFFERENT).verify(examples=9, most_findings=1)


def test_the_true_service_does_not_differ_and_is_left_as_it_was():
    """No divergence, and channels, templates, media and endpoints of the client are those that were there."""
    beside = Beside()
    before = beside.simulator.state["tables"]
    report = beside.verify(examples=2, most=150)
    assert report.divergences == []
    assert (report.requests > 130, report.journeys) == (True, 2)
    assert 20 < len(report.operations) < report.served == len(API) - len(left_out())
    assert report.interrupted == ""
    after = beside.simulator.state["tables"]
    for table in ("channels", "templates", "client media", "events endpoints"):
        assert after.get(table, {}).get(CUSTOMER) == before.get(table, {}).get(CUSTOMER), table
    assert [each for each in report.left if not each.startswith(("clients ", "users "))] == []
    assert any(each.startswith("clients ") for each in report.left)


def test_a_difference_is_shrunk_and_explained(differing):
    """The call, after those that make its token, of all that came before it; one assumption explains it."""
    found = differing.divergences[0]
    assert (found.operation, found.place, found.expected, found.got) == ("accept_terms", "status", 403, 401)
    assert found.explanations == {"status.no-user-context": 401}
    (question,) = found.questions
    assert (
        question == "status.no-user-context = 401: Status of the refusal: An API token is not a user. Is it 403 or 401?"
    )
    assert found.repeatable
    assert [step.split()[1] for step in found.steps] == ["create_client", "create_api_token", "accept_terms"]
    assert differing.operations["create_channel"] > 1


@pytest.mark.parametrize(
    ("hidden", "most"),
    [
        (choices(status__created=201, status__role_missing=401), 260),
        (choices(initial__guest_access=False, encode__empty="204"), 300),
        (choices(size__property_value=2, roles__operator_again="refuse"), 500),
    ],
)
def test_each_cause_is_one_divergence_whatever_else_differs(hidden, most):
    """What it shows elsewhere is counted with it, and so is what follows from a change that one side did not make."""
    report = Beside(hidden).verify(examples=500, most=most)
    found = [{*each.explanations} & hidden.keys() for each in report.divergences]
    assert sorted(id for (id,) in found) == sorted(hidden), report.divergences
    assert [len(each.questions) for each in report.divergences] == [
        len(each.explanations) for each in report.divergences
    ]
    assert sum(each.count for each in report.divergences) > len(found)
    assert any(each.also for each in report.divergences)
    assert report.requests <= most
    assert [each for each in report.left if "no documented call removes it" not in each] == []


def test_the_test_that_is_printed_fails_as_long_as_the_service_differs(differing, monkeypatch):
    """The test that is printed fails as long as the service differs."""
    text = differing.divergences[0].test.replace("from confsim.testing import Url", "")
    monkeypatch.setenv("PARTNER_ADMIN", "demo-partner-admin")
    monkeypatch.setenv("BASE_URL", "")
    for profile, fails in ((DIFFERENT, True), ({}, False)):
        beside = Beside(profile)
        scope = {"Url": lambda _, beside=beside: Wsgi(beside.simulator)}
        exec(text, scope)
        test = next(each for name, each in scope.items() if name.startswith("test_"))
        if fails:
            with pytest.raises(AssertionError):
                test()
        else:
            test()


def test_a_report_holds_no_token(differing):
    """A report holds no token."""
    text = encoded(differing).decode()
    assert not [token for token in Beside().accounts.tokens.values() if token in text]
    assert json.loads(text)["divergences"][0]["operation"] == "accept_terms"


def test_a_base_url_that_is_not_this_api_is_reported():
    """A base URL that is not this API is reported."""
    beside = Beside()
    page = Response(200, [("Content-Type", "text/html")], b"<p>Hello</p>")
    with pytest.raises(Misuse, match=r"base URL is not this API: get_me of the .* 200 text/html"):
        beside.verify(transport=Altered(beside, lambda request, response: page))


def test_a_profile_that_is_none_is_refused_before_the_first_request():
    """It is a mistake of the caller, not of the service."""
    with pytest.raises(Misuse, match=r"^profile: 'nosuch\.id' names no assumption"):
        verify("http://127.0.0.1:9/v1_0", Beside().accounts, {"nosuch.id": 1})


def test_a_token_that_is_refused_is_named():
    """A token that is refused is named."""
    beside = Beside()
    beside.accounts.tokens["operator"] = "no-such-token"
    with pytest.raises(Misuse, match="token of the operator is refused: 401"):
        beside.verify()


def test_a_client_that_is_not_that_of_the_accounts_is_named():
    """The id of another client, with tokens of this one; nothing was made."""
    beside = Beside()
    beside.accounts = msgspec.structs.replace(beside.accounts, client="22222222-2222-4222-8222-222222222229")
    with pytest.raises(Misuse, match=f"customer-admin of the accounts belongs to the client {CUSTOMER}, not to"):
        beside.verify()


def test_too_few_requests_to_begin_are_reported():
    """The accounts cannot be read with three requests."""
    with pytest.raises(Misuse, match="all 3 requests are sent, and more are needed to read the clients"):
        Beside().verify(most=3)


@pytest.mark.parametrize("answered", [0, 1])
def test_what_was_found_is_kept_when_the_service_dies_while_it_is_shrunk(answered):
    """The divergence is in the report, with the calls that its last depends on; then the run ends."""
    beside, left = Beside(choices(status__channel_name_taken=422)), [1000]

    def dying(request, response):
        left[0] -= 1
        if left[0] < 0:
            raise ConnectionResetError("it is gone")
        return response

    verifier = beside.verifier(transport=Altered(beside, dying))
    run = verifier._make()
    call = ModelCall(
        "create_channel", beside.accounts.tokens["owner"], body={"name": "cvtest one"}, content_type="application/json"
    )
    steps = [run.take(call), run.take(call)]
    left[0] = answered
    with pytest.raises(Interrupted, match="it is gone"):
        verifier._take_up(run, steps)
    (found,) = verifier.report.divergences
    assert (found.operation, found.expected, found.got, found.repeatable) == ("create_channel", 409, 422, False)


def test_a_service_that_dies_ends_the_run_and_what_was_made_is_listed():
    """A service that dies ends the run and what was made is listed."""
    beside, count = Beside(), [0]

    def dying(request, response):
        count[0] += 1
        if count[0] > 80:
            raise ConnectionResetError("it is gone")
        return response

    report = beside.verify(transport=Altered(beside, dying), examples=9)
    assert "does not answer any more: it is gone" in report.interrupted
    assert any("it is gone" in each for each in report.left), report.left
    assert report.requests == 82  # the one that failed, and the first removal


def test_what_a_call_may_have_made_whose_answer_is_lost_is_listed():
    """The service processed it, and closed the connection before the answer."""
    beside, lost = Beside(), []

    def losing(request, response):
        if request.target.endswith("/channels/create") and not lost:
            lost.append(json.loads(request.body)["name"])
            raise ConnectionResetError("it is gone")
        return response

    report = beside.verify(transport=Altered(beside, losing), examples=9)
    assert report.interrupted == "the service does not answer any more: it is gone"
    (left,) = (each for each in report.left if each.startswith("channels: "))
    assert left == f"channels: create_channel of {lost[0]!r} is not answered, which may have made it"


def test_what_is_not_removed_when_the_removal_is_interrupted_is_listed(monkeypatch):
    """By another Ctrl-C: the report is there all the same."""

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("confsim.testing.learning.cleaning._remove", interrupted)
    report = Beside().verify(examples=9, most=150)
    assert len([each for each in report.left if each.endswith(": the removal was interrupted")]) > 1


def test_what_an_interrupted_call_may_have_made_is_listed():
    """The name of a channel whose making was not answered yet; what was made before it is removed."""
    beside, made = Beside(), []

    def interrupted(request, response):
        if request.target == "/v1_0/channels/create" and response.status == 200:
            made.append(json.loads(response.body)["channelUuid"])
            if len(made) == 2:
                raise KeyboardInterrupt
        return response

    report = beside.verify(transport=Altered(beside, interrupted), examples=9)
    assert report.interrupted == "it was interrupted"
    (left,) = [each for each in report.left if each.startswith("channels")]
    assert re.fullmatch(r"channels: create_channel of 'cvtest[^']*' is not answered, which may have made it", left)
    there = {each["id"] for channels in beside.simulator.state["tables"]["channels"].values() for each in channels}
    assert there & {*made} == {made[1]}


def test_what_an_answered_call_made_is_removed_when_its_answer_is_not_compared_yet(monkeypatch):
    """The interruption comes between the answer and what is noted of it."""
    beside = Beside()
    before = beside.simulator.state["tables"]["channels"][CUSTOMER]
    compared = Comparison.difference

    def interrupted(self, operation, *arguments):
        if operation.name == "create_channel":
            raise KeyboardInterrupt
        return compared(self, operation, *arguments)

    monkeypatch.setattr(Comparison, "difference", interrupted)
    report = beside.verify(examples=9)
    assert report.interrupted == "it was interrupted"
    assert beside.simulator.state["tables"]["channels"][CUSTOMER] == before


def test_a_token_that_expires_is_named():
    """A token that expires is named."""
    beside, count = Beside(), [0]

    def expired(request, response):
        count[0] += 1
        if count[0] > 60 and "demo-owner" in request.headers.get("authorization", ""):
            return Response(401, [("Content-Type", "application/json")], b"{}")
        return response

    report = beside.verify(transport=Altered(beside, expired), examples=9)
    assert "token of the owner is not accepted any more" in report.interrupted


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ([("Retry-After", "7")], 7),
        ([("Date", "Sun, 01 Feb 2026 00:00:53 GMT"), ("Retry-After", "Sun, 01 Feb 2026 00:01:00 GMT")], 7),
        ([("Retry-After", "soon")], 5),
        ([], 1),
    ],
    ids=["seconds", "date", "neither", "none"],
)
def test_retry_after_is_respected(headers, seconds):
    """As seconds, as a date by the clock of the service, or a while when it is not said."""
    beside, count = Beside(), [0]

    class Limited(WsgiTransport):
        def exchange(self, request: Request) -> Response:
            """Refuse every twentieth request."""
            count[0] += 1
            if count[0] % 20 == 0:
                return Response(429, headers, b"")
            return super().exchange(request)

    before = beside.clock.now()
    report = beside.verify(transport=Limited(beside.simulator.wsgi), examples=1, most=70)
    assert report.divergences == []
    assert report.repeated > 1
    assert report.waited >= report.repeated * seconds
    assert report.notes[-1:] == [
        f"{report.repeated} requests were sent again, since the service put them off (429, 503)"
    ]
    assert beside.clock.now() - before >= report.repeated * seconds * 1000


def test_a_service_that_limits_requests_for_good_ends_the_run():
    """It is no behaviour of the call; what was found so far is kept, and how to send less is said."""
    beside, count = Beside(), [0]

    def limited(request, response):
        count[0] += 1
        return response if count[0] < 60 else Response(429, [], b"")

    report = beside.verify(transport=Altered(beside, limited), examples=9)
    assert report.interrupted.endswith("is answered by 429 again and again: --rate sends less")
    assert report.divergences == []


def test_a_call_that_is_put_off_each_time_differs():
    """It alone is: the service does not limit requests, and says each time when to come back."""
    beside = Beside()

    def put_off(request, response):
        is_it = request.target.endswith("/users/me") and request.method == "GET" and len(asked) > 20
        asked.append(request.target)
        return Response(429, [("Retry-After", "1")], b"") if is_it else response

    asked = []
    report = beside.verify(transport=Altered(beside, put_off), examples=9, most=200, most_findings=1)
    assert report.interrupted == ""
    (found,) = report.divergences
    assert (found.operation, found.place, found.got) == ("get_me", "status", 429)


@pytest.mark.parametrize("later", ["600", "inf", "nan"])
def test_a_wait_that_is_too_long_ends_the_run(later):
    """With the call, its answer, and what the service asks for."""
    beside, count = Beside(), [0]

    def limited(request, response):
        count[0] += 1
        return response if count[0] < 60 else Response(503, [("Retry-After", later)], b"")

    report = beside.verify(transport=Altered(beside, limited), examples=1, most=90)
    assert f" is answered by 503: the service asks to come back in {later} seconds" in report.interrupted
    assert report.divergences == []


def test_no_more_requests_are_sent_than_allowed():
    """No more requests are sent than allowed."""
    report = Beside().verify(examples=9, most=70)
    assert report.requests <= 70
    (note,) = report.notes
    sent, reserved = (int(each) for each in re.findall(r"(\d+) (?:of 70 requests are sent|are reserved)", note))
    assert note == f"{sent} of 70 requests are sent, and {reserved} are reserved to remove what the run made"
    assert (sent + reserved, sent < report.requests) == (70, True)
    assert [each for each in report.left if not each.startswith(("clients ", "users "))] == []


@pytest.mark.parametrize("allowed", [True, False])
def test_without_phones_none_rings(allowed):
    """What calls one is served only where that is allowed, and what a run leaves out never."""
    scope = Beside().verifier(allow_phone_calls=allowed)._make().scope
    assert {scope.served(each) for each in ("dial_unregistered_user", "dial_registered_user")} == {allowed}
    assert scope.served("create_channel")
    assert not any(scope.served(each) for each in left_out())


@pytest.mark.parametrize("roles", [["owner"], ["api-token"], ["owner", "customer-admin", "other-admin"]])
def test_what_the_accounts_lack_is_not_used(roles):
    """What the accounts lack is not used."""
    beside = Beside()
    stored = {role: beside.accounts.tokens[role] for role in roles}
    beside.accounts = msgspec.structs.replace(beside.accounts, tokens=stored)
    report = beside.verify(examples=1, most=45)
    assert report.divergences == []
    assert report.interrupted == ""
    assert report.requests > 30

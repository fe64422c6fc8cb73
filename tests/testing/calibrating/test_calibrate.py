"""Calibrate: what a service follows is learned or confirmed, never guessed; what nothing explains is reported."""

from __future__ import annotations

import tomllib

import pytest

from confsim.assumptions.register import REGISTER
from confsim.kernel.refusal import Misuse
from confsim.service.files.profile import read_profile
from confsim.service.messages import Request, Response
from confsim.testing.calibrating import alternatives
from confsim.testing.calibrating.alternative import Alternative
from confsim.testing.calibrating.evidence import AssumptionEvidence
from confsim.testing.calibrating.learner import Learner
from confsim.testing.calibrating.seeing import UNSEEN, seen
from confsim.testing.calibrating.session import profile_text
from confsim.testing.learning.accounts import accounts_of
from confsim.transport.wsgi import WsgiTransport
from kit import choices
from kit.beside import Beside

HIDDEN = choices(
    auth__presentation=["X-Api-Key: {token}"], encode__empty="204", status__created=201, errors__body="nested"
)


@pytest.fixture(scope="module")
def calibrated():
    """What calibrated a service with four values of its own in a short run."""
    calibrator = Beside(HIDDEN).calibrator(journeys=1, most=130)
    calibrator.run()
    return calibrator


@pytest.fixture
def hidden(calibrated):
    """The report on that."""
    return calibrated.report


def test_values_that_every_answer_rests_on_are_learned(hidden):
    """Four values at once, found one after the other, and nothing else."""
    assert hidden.learned == {
        "auth.presentation": ["X-Api-Key: {token}"],
        "encode.empty": "204",
        "errors.body": "nested",
        "status.created": 201,
    }
    assert hidden.contradicted == []
    assert hidden.interrupted == ""


def test_the_client_of_the_run_is_made_under_another_status(calibrated):
    """The first call that makes something is unexpected, and explained; the run goes on with what it made."""
    run = calibrated.learner.run
    assert len(run.things.own_clients) == 1
    assert not any("no client could be made" in note for note in run.notes)


def test_what_is_confirmed_is_at_its_default_and_the_rest_says_why(hidden):
    """No assumption that was changed is confirmed, and every other is in the report."""
    assert len(hidden.confirmed) > 30
    assert not set(hidden.confirmed) & HIDDEN.keys()
    assert not set(hidden.confirmed) & set(hidden.undetermined)
    assert all(hidden.undetermined.values())


def test_why_the_rest_is_undetermined_is_said_in_words(hidden):
    """The refusal that was not met, what a run cannot do; values as they are in a profile."""
    assert hidden.undetermined["status.credential-expired"] == "no call was refused so: The token has expired."
    assert hidden.undetermined["code.pin-wrong"].startswith("no call was refused so: ")
    assert UNSEEN.keys() <= REGISTER.entries.keys()
    assert {id: hidden.undetermined[id] for id in UNSEEN} == UNSEEN
    assert any("['signed-in']" in why for why in hidden.undetermined.values())
    assert not any("<" in why for id, why in hidden.undetermined.items() if id.startswith("gate."))


def test_the_profile_is_one(hidden, tmp_path):
    """What is written can be read, and is the same for the same values."""
    text = profile_text(hidden.learned)
    file = tmp_path / "learned.toml"
    file.write_text(text)
    assert read_profile(file) == read_profile(HIDDEN)
    assert profile_text(dict(reversed(hidden.learned.items()))) == text
    nested = {
        "initial.channel-flags": {"private": True},
        "breakout.room-name": "Corner {number}",
        "streaming.session": False,
    }
    assert tomllib.loads(profile_text(nested))["initial"]["channel-flags"] == {"private": True}


def test_what_nothing_explains_is_contradicted():
    """A field that is called otherwise, which no alternative has: the call, the place and what is answered there."""
    beside = Beside()

    class Wrong(WsgiTransport):
        def exchange(self, request: Request) -> Response:
            """Answer with another name of a field."""
            response = super().exchange(request)
            return Response(
                response.status, response.headers, response.body.replace(b'"reservationToken":', b'"held":')
            )

    report = beside.calibrator(transport=Wrong(beside.simulator.wsgi), journeys=3, most=110).run()
    assert report.learned == report.assumed == {}
    (found,) = report.contradicted
    assert (found.operation, found.place, found.got) == ("reserve_handle", "/reservationToken", None)
    assert found.call.startswith("owner: reserve_handle  body {")
    assert str(found).endswith(f'/reservationToken null instead of "{found.expected}" (it is missing)')
    assert isinstance(found.expected, str)
    assert not report.interrupted
    assert found.request.startswith(
        "POST /v1_0/users/handle/reserve\ncontent-type: application/json\nauthorization: Bearer ***\n\n{"
    )
    assert found.answer.startswith("200\ncontent-type: application/json\n")
    assert '\n\n{"held":' in found.answer


def test_a_service_that_fails_always_is_asked_a_few_times():
    """No client is made again and again; what may have been made is left once."""
    beside = Beside()

    class Failing(WsgiTransport):
        left = 40

        def exchange(self, request: Request) -> Response:
            """Answer rightly at first, then 500."""
            self.left -= 1
            failed = Response(500, [("Content-Type", "text/plain")], b"failed")
            return super().exchange(request) if self.left > 0 else failed

    report = beside.calibrator(transport=Failing(beside.simulator.wsgi), journeys=3).run()
    assert report.requests < 400
    assert len([each for each in report.contradicted if each.operation == "create_client"]) <= 1
    assert len([each for each in report.left if "create_client" in each]) <= 1


@pytest.mark.parametrize("most", [None, 3])
def test_a_service_that_is_not_this_api_is_reported(most):
    """A page of something else, however few requests may be sent."""
    beside = Beside()

    class Page(WsgiTransport):
        def exchange(self, request: Request) -> Response:  # noqa: ARG002
            """Answer 404."""
            return Response(404, [("Content-Type", "text/html")], b"<p>Hello</p>")

    with pytest.raises(Misuse, match=r"http://confsim.test/v1_0 is not this API.*answered by 404 text/html"):
        beside.calibrator(transport=Page(beside.simulator.wsgi), most=most).run()


def test_the_answer_to_the_usual_presentation_is_shown_when_all_tokens_are_refused():
    """And whose tokens these are."""
    beside = Beside()
    beside.accounts = accounts_of(
        {"client": {"id": beside.accounts.client}, "tokens": {"owner": "mine", "user": "his"}}
    )
    with pytest.raises(
        Misuse, match=r"refuses the tokens \(owner, user\): .*get_me is answered by 401.*credential_invalid"
    ):
        beside.calibrator().run()


def test_the_first_call_may_be_for_some_roles_alone():
    """How tokens are presented is found with the first of them that is admitted."""
    hidden = choices(gate__list_supported_languages=["owner"], auth__presentation=["X-Api-Key: {token}"])
    report = Beside(hidden).calibrator(journeys=0).run()
    assert {**report.learned, **report.assumed}["auth.presentation"] == ["X-Api-Key: {token}"]
    assert "auth.presentation" in Beside().calibrator(journeys=0).run().confirmed


def test_a_default_is_ruled_out_however_late():
    """Another link of the first terms, seen long after the client was made: the default is no longer possible."""
    hidden = choices(initial__terms_url="https://terms.example/other")
    calibrator = Beside(hidden).calibrator(journeys=1, most=90)
    assert "initial.terms-url" in calibrator.run().learned
    judged = [each for each in calibrator.learner.run.history if "initial.terms-url" in each.predicted.used]
    assert judged[0].call.operation == "create_client"


def test_a_token_that_expires_ends_the_run():
    """Also where a missing role is refused with the same status: it is named, and what was found is kept."""
    beside = Beside(choices(status__role_missing=401))
    token = beside.accounts.tokens["owner"]

    class Expiring(WsgiTransport):
        count = 0

        def exchange(self, request: Request) -> Response:
            """Refuse the owner after so many requests."""
            self.count += 1
            if self.count > 90 and token in request.headers.get("authorization", ""):
                body = b'{"status": 401, "code": "token_over", "message": "Over.", "details": []}'
                return Response(401, [("Content-Type", "application/json")], body)
            return super().exchange(request)

    report = beside.calibrator(transport=Expiring(beside.simulator.wsgi), journeys=3).run()
    assert report.interrupted == "the token of the owner is not accepted any more (401): it has expired, or was revoked"
    assert report.contradicted == []
    assert {**report.learned, **report.assumed}.keys() <= {"status.role-missing"}
    assert len(report.confirmed) > 10


def test_a_rival_keeps_a_value_from_being_claimed():
    """What two values explain alike is undetermined until one of them is ruled out."""
    one, other = Alternative(("encode.empty", "204")), Alternative(("status.created", 201))
    evidence = AssumptionEvidence().renewed(one, [other])
    evidence.rule_out_others("encode.empty")
    assert evidence.learned() == {}
    assert "status.created" in dict(evidence.undetermined({}))
    (rival,) = [each for each in evidence.open_to(["encode.empty"]) if len(each.values) == 2]
    assert dict(rival.values) == {"encode.empty": "200", "status.created": 201}
    evidence.rule_out(rival)
    assert evidence.learned() == {"encode.empty": "204"}


def test_what_another_value_would_hide_is_not_claimed():
    """A session that is not started is in no list where none is made before the first comes in."""
    evidence = AssumptionEvidence()
    evidence.rule_out_others("sessions.not-started")
    assert "sessions.not-started" not in evidence.confirmed()
    why = dict(evidence.undetermined({}))["sessions.not-started"]
    assert why == "another value of it would not be seen under another value of streaming.session"
    evidence.rule_out_others("streaming.session")
    assert "sessions.not-started" in evidence.confirmed()


def test_what_has_come_into_force_is_no_rival_any_more():
    """Neither alone nor together with other values; one of which another value is not in force stays."""
    one, other = Alternative(("encode.empty", "204")), Alternative(("status.created", 201))
    evidence = AssumptionEvidence().renewed(one, [other])
    (rival,) = [each.alternative for each in evidence.rivals]
    assert evidence.renewed(rival, []).rivals == []
    assert evidence.renewed(Alternative(*rival.values, ("channels.unique-names", "allow")), []).rivals == []
    assert [each.alternative for each in evidence.renewed(other, []).rivals] == [rival]


def test_what_was_ruled_out_is_open_again_under_another_value():
    """Once an assumption has another value, everything is judged again: nothing stays ruled out by itself."""
    evidence = AssumptionEvidence()
    evidence.rule_out_others("status.created")
    assert "status.created" in evidence.confirmed()
    other = evidence.renewed(Alternative(("encode.empty", "204")), [])
    assert "status.created" not in other.confirmed()
    assert "status.created" in evidence.confirmed()


def test_a_model_is_made_anew_from_what_was_exchanged(calibrated):
    """Under another value the same exchanges are expected or not, and nothing is sent."""
    recording = calibrated.learner.recordings[0]
    for value, differs in ((201, False), (200, True)):
        judged = []

        def judge(step, judged=judged):
            judged.append(step.difference is not None)
            return True

        profile = {**calibrated.evidence.profile, **choices(status__created=value)}
        assert recording.replayed(profile, lambda run, judge=judge: judge) is not None
        assert any(judged) is differs
        assert len(judged) == len(recording.exchanges)
    assert calibrated.report.requests == calibrated._service.sent


def test_what_is_seen_is_shown_by_the_register(hidden):
    """What a short run finds is among what can be found, and all of that is in the register."""
    assert len(hidden.shown) > 60
    assert set(hidden.confirmed) <= hidden.shown.keys() | {id for id in hidden.confirmed if id.startswith("route.")}
    assert len(hidden.shown.keys() - seen().keys()) < len(hidden.shown) / 10
    assert seen().keys() <= REGISTER.entries.keys()


def test_judging_goes_on_from_a_checkpoint(monkeypatch):
    """What answers showed before any depended on a value is taken over: the findings are those of judging all again."""
    profile = choices(gate__create_template=["public"])
    resumed = []
    judge_on = Learner._resumed

    def noted(self, evidence, since, same):
        resumed.append(since.run.count)
        return judge_on(self, evidence, since, same)

    monkeypatch.setattr(Learner, "_resumed", noted)
    first = Beside(profile).calibrator(journeys=1, most=100).run()
    assert any(count > 0 for count in resumed)
    monkeypatch.setattr(Learner, "_checkpoint_before", lambda self, ids: None)
    second = Beside(profile).calibrator(journeys=1, most=100).run()
    assert first == second
    assert "gate.create_template" in {**first.learned, **first.assumed}


def test_a_value_that_was_followed_no_longer_explains_an_answer(monkeypatch):
    """What no probe is known to tell is followed for a while; it is followed again before an answer contradicts all."""
    monkeypatch.setattr(alternatives, "_BRIEF", 0)
    monkeypatch.setattr(alternatives, "distinguished", frozenset)
    report = Beside(choices(initial__dial_in=True)).calibrator(journeys=1, most=90).run()
    assert report.contradicted == []
    assert {**report.learned, **report.assumed} == {"initial.dial-in": True}

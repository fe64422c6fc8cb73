"""Unexpected answers: what explains them is found, by probes of a few assumptions alone."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from confsim.reference.probes import probes
from confsim.testing.calibrating import playing
from confsim.testing.calibrating.alternative import Alternative
from confsim.testing.calibrating.evidence import AssumptionEvidence
from confsim.testing.calibrating.probing import Prober
from confsim.testing.calibrating.raw import RawPlayer
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import Reply
from kit import choices
from kit.beside import Beside


@pytest.fixture
def calibrator(monkeypatch):
    """Calibrate under a profile with the probes of some assumptions alone; answers the calibrator."""

    def calibrating(profile, *ids):
        some = tuple(each for each in probes() if not each.tells.keys().isdisjoint(ids))
        monkeypatch.setattr(playing, "probes", lambda: some)
        monkeypatch.setattr(playing, "_telling", dict)
        monkeypatch.setattr(Prober, "calls", lambda *given: iter(()))
        monkeypatch.setattr(RawPlayer, "wanted", lambda self: iter(()))
        calibrator = Beside(profile).calibrator(journeys=3)
        calibrator.run()
        return calibrator

    return calibrating


@pytest.fixture
def calibrated(calibrator):
    """The same; answers the report."""
    return lambda profile, *ids: calibrator(profile, *ids).report


def test_a_secret_that_follows_from_a_value_does_not_hide_it(calibrated):
    """What was paired with the unexpected answer is paired anew under the value that explains it."""
    report = calibrated(choices(turn__life=3600), "turn.life")
    assert (report.learned, report.contradicted) == ({"turn.life": 3600}, [])


@pytest.mark.parametrize("value", ["fresh", "constant"])
def test_secrets_that_stay_are_told_from_those_of_each_call(calibrated, value):
    """Each is the service's own: the first of a caller tells nothing, the second whether it is another one."""
    report = calibrated(choices(turn__credentials=value), "turn.credentials")
    is_default = value == "fresh"
    assert (report.learned, report.contradicted) == ({} if is_default else {"turn.credentials": value}, [])
    assert ("turn.credentials" in report.confirmed) is is_default


def test_what_only_another_explanation_depends_on_is_sought_with_it(calibrated):
    """Whoever is admitted is told to wait, which nobody is who is refused."""
    gate = "gate.get_streaming_proxy"
    report = calibrated(choices(gate__get_streaming_proxy=["api-token"], duration__placement="manual(3)"), gate)
    assert report.contradicted == []
    assert {**report.learned, **report.assumed}[gate] == ["api-token"]


def test_what_two_earlier_explanations_hide_is_found():
    """Two refusals have been explained otherwise; the channel that is shown then needs three values at once."""
    hidden = choices(guests__creation="open-channel", roles__owner_is_operator=False)
    calibrator = Beside(hidden).calibrator(journeys=0)
    calibrator.run()
    learner, tokens = calibrator.learner, calibrator.learner.run.accounts.tokens

    def make(operation, role="", body=None, **path):
        kind = None if body is None else "application/json"
        call = ModelCall(operation, tokens.get(role), path, {}, body, kind)
        learner.take_up(learner.recordings[-1].take(call))
        return learner.run.history[-1].predicted.reply.body

    room = make("create_channel", "owner", {"name": "cvtest room"})["channelUuid"]
    make("list_linked_users", "owner", uuid=room)
    make("create_guest", body={"handle": "cvtest guest"}, clientId=learner.run.accounts.client, uuid=room)
    assert not hidden.keys() & learner.evidence.profile.keys()
    make("get_channel", "owner", uuid=room)
    assert hidden.items() <= learner.evidence.profile.items()
    assert learner.contradicted == []


def test_what_shows_in_places_of_its_own_is_explained_together(calibrated):
    """How a client was made shows in its settings: three of them differ at once, when they are first read."""
    hidden = choices(initial__speech2text=True, initial__friendly_urls=False, initial__midi=True)
    report = calibrated(hidden, *hidden)
    assert (report.learned, report.contradicted) == (hidden, [])


def test_values_that_show_in_the_same_place_are_not_explained_by_each_other(monkeypatch):
    """One of them is adopted at a time, together with what shows elsewhere; the other remains its rival."""
    calibrator = Beside().calibrator(journeys=0)
    calibrator.run()
    learner, body = calibrator.learner, {"a": 1, "b": 1, "c": 1}
    expected, answered = Reply(200, "application/json", body), Reply(200, "application/json", {**body, "a": 2, "b": 2})
    shown = {("encode.empty", "204"): {"a": 2}, ("status.created", 201): {"a": 2}, ("ids.form", "document"): {"b": 2}}
    single = [Alternative(value) for value in (*shown, ("channels.unique-names", "allow"))]

    def answer(step, alternative):
        changed = shown.get(alternative.values[0], {"c": 3})
        return SimpleNamespace(reply=Reply(200, "application/json", {**body, **changed})), None

    monkeypatch.setattr(learner.alternatives, "answer", answer)
    step = SimpleNamespace(predicted=SimpleNamespace(reply=expected), reply=answered)
    found = [set(each.ids) for each in learner._together(step, single)]
    assert found == [{"encode.empty", "ids.form"}, {"status.created", "ids.form"}]


def test_which_explanation_comes_first_is_not_by_chance(monkeypatch):
    """Alternatives are tried in one order, whatever the order of a set is in this process."""
    evidence = AssumptionEvidence()
    used = ["status.role-missing", "gate.list_owners", "code.role-missing", "gate.add_owner"]
    assert [*dict.fromkeys(each.ids[0] for each in evidence.open_to(used))] == sorted(used)
    monkeypatch.setattr(evidence, "_is_alike", lambda each: True)
    assert [*dict.fromkeys(each.ids[0] for each in evidence.alike(used))] == ["gate.add_owner", "gate.list_owners"]


def test_hosts_are_told_from_owners_in_a_channel_of_the_run(calibrated):
    """Nobody of the accounts hosts a channel that is made for a probe without owning it."""
    hidden = choices(gate__list_app_session_logs=["owner"])
    assert calibrated(hidden, *hidden).learned == {"gate.list_app_session_logs": ["owner"]}


def test_what_me_is_not_known_for_is_read_by_number(calibrated):
    """A model that took users to have no address would find their recordings contradicted."""
    report = calibrated(choices(users__me="properties"), "recordings.possible", "gate.check_record_possible")
    assert report.contradicted == []
    assert "recordings.without-email" not in {**report.learned, **report.assumed}


def test_an_address_that_nobody_may_read_is_known_by_what_it_allows(calibrated):
    """Whoever may record a room of its own has an address: the model has one too, so that nothing else explains it."""
    gate = choices(gate__get_user_email=["public"])  # of which client, a call without a caller does not say
    report = calibrated(gate, "recordings.possible", "gate.check_record_possible", "recordings.without-email")
    assert report.contradicted == []
    assert "recordings.without-email" not in {**report.learned, **report.assumed}


def test_what_reads_mean_is_judged_from_the_beginning(calibrated):
    """Terms of 20485 are of that day, or of the first minute of 1970: the model is made anew for each."""
    report = calibrated(choices(units__promulgated="epoch-days"), "units.promulgated", "initial.terms-from")
    assert (report.learned, report.contradicted) == ({"units.promulgated": "epoch-days"}, [])
    kinds = {"OAuth": "oauth", "Custom": "own"}
    report = calibrated(choices(users__auth_kinds=kinds), "users.auth-kinds", "gate.list_linked_users")
    assert report.contradicted == []


def test_what_a_read_writes_is_followed(calibrated):
    """Who asks for the address of a streaming server may be in the channel from then on."""
    report = calibrated(choices(presence__joining="proxyfor"), "gate.get_streaming_proxy", "gate.list_active_channels")
    assert (report.learned, report.contradicted) == ({"presence.joining": "proxyfor"}, [])


def test_what_is_judged_again_is_judged_as_before(calibrator):
    """Also what timers decide, such as that a recording is ready: they have fired before the step, as in the run."""
    ids = "recordings.processing", "duration.recording-processing", "gate.list_session_recordings"
    learner = calibrator({}, *ids).learner
    again = learner.evidence.copy()
    assert "recordings.processing='fails'" in learner.evidence.ruled_out
    assert learner._renewed(again)
    assert again.ruled_out == learner.evidence.ruled_out
    assert [step.call for step in learner.run.history if step.before.timers.due <= step.at] == []


def test_a_text_with_the_beginning_of_an_id_is_told(calibrated):
    """Each side has ids of its own."""
    report = calibrated(choices(sessions__name="generated"), "sessions.name")
    assert (report.learned, report.contradicted) == ({"sessions.name": "generated"}, [])


def test_what_a_timer_depends_on_is_followed(calibrated):
    """A recording that has failed is not taken for one that is still processed."""
    ids = "recordings.processing", "duration.recording-processing", "gate.list_session_recordings"
    report = calibrated(choices(recordings__processing="fails"), *ids)
    assert report.contradicted == []
    assert "duration.recording-processing" not in report.learned

"""Known probes: what they name is bound to things of the run, and they are played where they tell something."""

from __future__ import annotations

import msgspec
import pytest

from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER
from confsim.reference.cast import as_by_default, in_room
from confsim.reference.probes import ProbeCall, probes
from confsim.testing.calibrating.alternative import Alternative
from confsim.testing.calibrating.evidence import AssumptionEvidence
from confsim.testing.calibrating.playing import Player
from confsim.testing.calibrating.seeing import seen
from confsim.testing.calibrating.session import profile_text
from confsim.testing.calibrating.symbols import Symbols, symbols_named, symbols_of
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import Reply
from confsim.testing.learning.comparing.places import Shapes
from confsim.testing.learning.names import short_name
from confsim.testing.verifying.planning import Planner
from kit import choices
from kit.beside import Beside


@pytest.fixture
def met():
    """The run and the alternatives of a calibrator that has made the opening calls alone, and a player."""
    return opened({})


def opened(known):
    """The same beside a service under a profile of which these values are known already."""
    calibrator = Beside(known).calibrator(journeys=0)
    for chosen in known.items():
        calibrator.learner.begin_from(calibrator.evidence.renewed(Alternative(chosen), []))
    calibrator.run()
    run, alternatives = calibrator.learner.run, calibrator.learner.alternatives
    planner = Planner(run.model, run.things, run.scope, run.names, 0, run.numbers)
    return run, alternatives, Player(planner, run)


def test_probes_are_of_the_register_and_of_the_api():
    """Each names values of entries, and operations; what its calls name was made before, or is of the accounts."""
    for probe in probes():
        for id, values in probe.tells.items():
            assert set(values) <= {repr(each) for each in REGISTER.entries[id].candidates()}, id
        numbers = [call.number for call in probe.calls]
        assert len(set(numbers)) == len(numbers)
        assert all(API.find(call.operation) for call in probe.calls)
        for symbol in symbols_named(probe.calls):
            number, _, place = symbol.strip("{}").partition(" ")[2].partition(".")
            assert number in numbers[:-1] if place else number.replace("-", "").isalpha(), symbol
    assert len(seen()) > 500


def test_symbols_stand_for_what_answers_name():
    """An id of an answer takes the place of its symbol; a call that names what is not there is none."""
    shapes = Shapes({})
    symbols = Symbols("t1", {"{tokens owner}": "secret"})
    made = ProbeCall("a1", "create_channel", "{tokens owner}", body={"name": "{tag} room"})
    used = ProbeCall("a2", "get_channel", "{tokens owner}", {"uuid": "{channels a1.0}"})
    assert symbols.call(used) is None
    call = symbols.call(made)
    assert (call.caller, call.body) == ("secret", {"name": "t1 room"})
    symbols.learn(made, Reply(200, "application/json", {"channelUuid": "u-1"}), shapes, call)
    assert symbols.call(used).path == {"uuid": "u-1"}
    assert symbols_named([made, used]) == ["{tokens owner}", "{channels a1.0}"]


def test_a_probe_is_tried_in_the_model_before(met):
    """It tells an alternative after so many calls, another one never; nothing is sent, and the world stays."""
    run, alternatives, player = met
    sent, world = run.service.sent, run.model.world
    calls = [
        ProbeCall("a1", "create_channel", "{tokens owner}", body={"name": "{tag} twice"}),
        ProbeCall("a2", "create_channel", "{tokens owner}", body={"name": "{tag} twice"}),
    ]
    named = symbols_of(run)
    one, other = Alternative(("channels.unique-names", "allow")), Alternative(("status.created", 201))
    assert player.shown(Symbols("t1", named), calls, one, alternatives) == 2
    assert player.shown(Symbols("t2", named), calls, Alternative(("pins.several", "single")), alternatives) == 0
    assert player.shown(Symbols("t3", named), calls, other, alternatives) == 1
    assert player.distinguished(Symbols("t4", named), calls, one, other, alternatives) == 1
    assert player.status(Symbols("t5", named), calls) == 409
    assert (run.service.sent, run.model.world) == (sent, world)


def test_a_trial_waits_where_a_run_would(met):
    """A secret of the second in which it is read is another one by the next read; the clock is as before after it."""
    run, alternatives, player = met
    now, room = run.model.clock.now(), {"uuid": "{channels a1.0}"}
    made = ProbeCall("a1", "create_channel", "{tokens own}", body={"name": "{tag} turn"})
    calls = [made, *(ProbeCall(number, "get_turn_credentials", "{tokens own}", room) for number in ("a2", "a3"))]
    constant = Alternative(("turn.credentials", "constant"))
    assert player.shown(Symbols("t1", symbols_of(run)), calls[:2], constant, alternatives) == 0
    assert player.shown(Symbols("t2", symbols_of(run)), calls, constant, alternatives) == 3
    assert run.model.clock.now() == now


def test_things_of_earlier_probes_are_used_again():
    """Many probes share a channel: far fewer are made than they name."""
    calibrator = Beside().calibrator(journeys=2, most=150)
    report = calibrator.run()
    history = calibrator.learner.run.history
    made = [step for step in history if step.call.operation == "create_channel" and step.reply.status < 400]
    assert len(report.confirmed) > 80
    assert len(made) < len(history) / 8
    assert report.contradicted == []


def test_a_second_run_writes_the_same_bytes():
    """Under other names, beside a service of another seed, in another order of requests."""
    hidden = choices(status__created=201, channels__unique_names="allow")
    first = Beside(hidden).calibrator(journeys=1, most=110).run()
    second = Beside(hidden, seed=5).calibrator(journeys=1, most=110, tag="cvother").run()
    text = profile_text(first.learned, first.assumed)
    assert text == profile_text(second.learned, second.assumed)
    assert "created = 201" in text


def test_a_long_body_is_written_short():
    """Its last character or byte is repeated."""
    symbols = Symbols("t1", {"{tokens owner}": "secret", "{channels a1.0}": "u-1"})
    where = {"uuid": "{channels a1.0}"}
    probed = ProbeCall("a2", "set_channel_image", "{tokens owner}", where, data=b"GIF89ax", length=5_000)
    assert symbols.call(probed).body == b"GIF89a" + b"x" * 4_994
    text = ProbeCall("a3", "set_channel_property", "{tokens owner}", {**where, "key": "k"}, body="xy", length=10)
    assert symbols.call(text).body == "xyyyyyyyyy"
    assert max(len(msgspec.json.encode(call)) for probe in probes() for call in probe.calls) < 10_000


def test_what_explains_an_answer_as_well_is_told_by_a_probe(met):
    """Two values that take the place of the one in force are probed as each of them is."""
    _, alternatives, player = met
    one, other = Alternative(("encode.empty", "204")), Alternative(("status.created", 201))
    evidence = AssumptionEvidence().renewed(one, [other])
    index, probe = next((place, each) for place, each in enumerate(probes()) if "encode.empty" in each.tells)
    tried = {each.key for each in player._open(index, probe, evidence, alternatives)}
    assert evidence.rivals[0].alternative.key in tried
    assert evidence.rivals[0].alternative.ids == ("encode.empty", "status.created")


def test_another_client_takes_the_place_of_one_that_probes_have_changed(met):
    """What its birth decides is not seen any more in the client of the run, but in a new one."""
    run, alternatives, player = met
    run.take(ModelCall("promulgate_terms", symbols_of(run)["{tokens own}"], body={"url": "https://new.example/"}))
    operations = []
    for call in player._in_another_client(AssumptionEvidence(), alternatives):
        run.take(call)
        operations.append(call.operation)
    assert operations[:2] == ["create_client", "create_api_token"]
    assert len(run.things.own_clients) == 2
    assert player._symbols.find("{clients own}") == run.things.own_clients[-1]


def test_numbers_of_probes_are_those_of_the_client():
    """The first inbound numbers of the accounts' client, also within a text; one that is not there cannot be named."""
    symbols = Symbols("t1", {"{tokens owner}": "secret", "{number 0}": "+1555"})
    call = ProbeCall("a1", "list_channels", "{tokens owner}", query={"search": "{number 0},#12"})
    assert symbols.call(call).query == {"search": "+1555,#12"}
    assert Symbols("t1", {"{tokens owner}": "secret"}).call(call) is None


@pytest.mark.parametrize(
    "known",
    [
        choices(initial__guest_access=False),
        choices(initial__terms_required=True),
        choices(size__handle=2),
        choices(size__name=2),
        choices(size__label=2),
    ],
    ids=repr,
)
def test_what_is_known_masks_no_probe(known):
    """A probe with a guest, or names, also tells where guests are not admitted at first, or names must be short."""
    run, alternatives, player = opened(known)
    assert len(run.things.own_clients) == 1
    one, *_ = AssumptionEvidence().others("users.reputation")
    told = [probe for probe in probes() if repr(one.values[0][1]) in probe.tells.get("users.reputation", ())]
    assert any(player._prepared(probe, one, alternatives) for probe in told)


def test_short_names_are_the_same_for_the_same_text():
    """Each of the names has one that is short, in every call; a text that is too long by default stays as it is."""
    symbols = Symbols("t1", {}, choices(size__handle=2))
    texts = ["{tag} ann", "{tag} bob", "{tag} ann", "{tag} " + "x" * 300]
    calls = [symbols.call(ProbeCall(f"a{n}", "create_guest", body={"handle": text})) for n, text in enumerate(texts)]
    first, second, again, long = (call.body["handle"] for call in calls)
    assert first == again != second
    assert (len(first), len(second), len(long)) == (2, 2, 303)
    asked = symbols.call(ProbeCall("b1", "check_handle_unique", query={"handle": "{tag} ann"}))
    assert asked.query == {"handle": first}
    assert (
        symbols.copy("t2").call(ProbeCall("b2", "create_guest", body={"handle": "{tag} ann"})).body["handle"] != first
    )
    assert len({short_name(number) for number in range(5_000)}) == 5_000
    assert {len(short_name(number)) for number in range(936)} == {2}


def test_what_is_too_long_and_optional_is_left_out():
    """An address cannot be short: the user is made without an image, and the required name stays."""
    body = {"name": "{tag} ann", "imageUrl": "https://example.com/2"}
    for limit, left in ((2, ["name"]), (30, ["name", "imageUrl"])):
        call = Symbols("t1", {}, choices(size__url=limit)).call(ProbeCall("a1", "create_predefined_user", body=body))
        assert list(call.body) == left


def test_a_probe_moves_into_the_channel_of_the_run():
    """Those who host it there take the place of the owner, and every name is one of this move."""
    calls = [
        ProbeCall("a1", "create_channel", "{tokens owner}"),
        ProbeCall("a2", "create_guest", path={"uuid": "{channels a1.0}", "clientId": "{clients accounts}"}),
        ProbeCall("a3", "get_channel_user", "{tokens owner}", {"uuid": "{channels a1.0}", "userId": "{users a2.0}"}),
    ]
    by_owner, by_token = in_room(calls)
    assert [each.caller for each in (by_owner[-1], by_token[-1])] == ["{tokens w3a.0}", "{tokens own}"]
    assert by_token[0].path == {"uuid": "{channels w0.0}", "clientId": "{clients own}"}
    assert by_token[1].path == {"uuid": "{channels w0.0}", "userId": f"{{users {by_token[0].number}.0}}"}
    assert {each.number for each in by_owner}.isdisjoint({*(each.number for each in by_token), "a1", "a2", "a3"})
    assert list(in_room(calls[1:])) == []
    assert list(in_room(calls[:1])) == []  # the call that shows something is the last one


def test_what_is_new_is_made_as_by_default_where_later_calls_need_it():
    """Only the channel that a guest joins is opened for guests."""
    calls = [
        ProbeCall("a1", "create_channel", "{tokens owner}"),
        ProbeCall("a2", "create_channel", "{tokens user}"),
        ProbeCall("a3", "create_guest", path={"uuid": "{channels a2.0}"}),
        ProbeCall("a4", "get_me", "{tokens a3.0}"),
    ]
    open_to_guests = as_by_default(calls, ["initial.guest-access"])
    assert [each.operation for each in open_to_guests] == [
        "create_channel",
        "create_channel",
        "set_guest_access",
        "create_guest",
        "get_me",
    ]
    assert (open_to_guests[2].caller, open_to_guests[2].path["uuid"]) == ("{tokens user}", "{channels a2.0}")
    (door,) = [each for each in as_by_default(calls, ["guests.creation"]) if each not in calls]
    assert (door.operation, door.path) == ("set_lobby_door", {"uuid": "{channels a2.0}", "state": "open"})
    accepted = as_by_default(calls, ["initial.terms-required"])
    assert (accepted[3].operation, accepted[3].caller) == ("accept_terms", "{tokens a3.0}")
    assert as_by_default(calls, ["initial.midi"]) == tuple(calls)

from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st
from jsonschema_rs import Draft202012Validator

from confsim import Misuse, Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.fault_points import FaultOutcome, InjectedFault
from confsim.service.clock import LATEST
from confsim.service.conformance import Conformance
from confsim.service.faults import per_request
from confsim.service.faults.spec import read
from confsim.service.faults.words import WORDS, read_effect
from confsim.service.messages import Request
from kit import CUSTOMER, EVENT_ROOM, OWNER, ROOM, START_MS, USER, code
from kit.each import by_name, each


def statuses(sim, count, operation="get_me", caller=OWNER, **arguments):
    """The statuses of so many calls."""
    return [sim.call(operation, caller, **arguments).status for _ in range(count)]


def counts(sim):
    """What each fault met and hit."""
    return [(each.met, each.hits) for each in sim.faults]


def rename(sim):
    """A call that changes the world."""
    return sim.call("rename_channel", OWNER, uuid=ROOM, name="Renamed")


@pytest.mark.parametrize(
    ("when", "faulty"),
    [
        ({}, [1]),
        ({"on": 3}, [3]),
        ({"times": 2}, [1, 2]),
        ({"on": 2, "times": 3}, [2, 3, 4]),
        ({"on": 4, "times": "always"}, [4, 5]),
        ({"on": 9}, []),
    ],
)
def test_the_nth_call_fails_as_often_as_the_fault_says(sim, when, faulty):
    """The first by default and once; every matching call is counted."""
    sim.faults.add("get_me", do={"status": 503}, **when)
    assert statuses(sim, 5) == [503 if place in faulty else 200 for place in range(1, 6)]
    assert counts(sim) == [(5, len(faulty))]


@each("reason", [each for each in Reason if each is not Reason.INTERNAL_ERROR], ids=by_name)
def test_every_refusal_of_the_api_can_be_had_by_name(sim, reason):
    """Status and envelope are those of the register, and every fact of the message is there."""
    sim = sim.fork()
    sim.faults.add("get_me", do={"reason": reason.name.lower()})
    answer = sim.call("get_me", OWNER)
    assert code(answer) == (reason.value.status, reason.name.lower())
    assert "{" not in answer.body["message"]
    assert sim.service.bugs == []


def test_a_refusal_follows_the_profile_and_bears_the_facts_given():
    """Status, code and template in force; what is given stands in message and details."""
    chosen = {"status.channel-full": 423, "code.channel-full": "E17", "errors.body": "nested"}
    sim = Simulator(profile=chosen)
    sim.faults.add("get_me", do={"reason": "CHANNEL-FULL".replace("-", "_"), "facts": {"limit": 7}})
    answer = sim.call("get_me", OWNER)
    reported = answer.body["error"]
    assert (answer.status, reported["code"], reported["details"]) == (423, "E17", [{"limit": 7}])
    assert reported["message"] == "The channel has room for 7 users."


@pytest.mark.parametrize(
    ("do", "kind", "content"),
    [
        ({"status": 503}, "application/json", None),
        ({"status": 599}, "application/json", None),
        (
            {"status": 502, "body": "<p>Bad", "headers": {"Content-Type": "text/html"}},
            "text/html",
            b"<p>Bad",
        ),
        ({"status": 500, "body": "oops"}, "text/plain; charset=utf-8", b"oops"),
        ({"status": 200, "body": {"id": "x"}}, "application/json", b'{"id":"x"}'),
        ({"status": 500, "body": None}, None, b""),
        ({"status": 204}, None, b""),
    ],
)
def test_another_answer(sim, do, kind, content):
    """A status with a JSON value, a text or nothing; alone it has the envelope from 400 on."""
    sim.faults.add("get_me", do=do)
    answer = sim.call("get_me", OWNER)
    assert (answer.status, answer.headers.get("Content-Type")) == (do["status"], kind)
    if content is None:
        assert answer.body["status"] == do["status"]
        assert answer.body["code"]
    else:
        assert answer.content == content


def test_the_body_of_a_bare_status_is_an_assumption():
    """The envelope with the words of the status as its code, or nothing at all."""
    sims = Simulator(), Simulator(profile={"errors.server-fault": "empty"})
    for sim in sims:
        sim.faults.add("get_me", do={"status": 503})
    reported = [sim.call("get_me", OWNER) for sim in sims]
    assert reported[0].body == {"status": 503, "code": "service_unavailable", "message": "Service Unavailable."}
    assert reported[1].content == b""
    assert all("errors.server-fault" in sim.assumptions_used for sim in sims)


def test_the_rate_limit_tells_when_to_come_again(sim):
    """429 with Retry-After and the code of the register; other answers take the header too."""
    sim.faults.put(
        [
            {"operation": "get_me", "do": {"retryAfter": 30}},
            {"operation": "get_me", "on": 2, "do": {"status": 503, "retryAfter": 5}},
            {"operation": "get_me", "on": 3, "do": {"reason": "service_disabled", "retryAfter": 7}},
        ]
    )
    reported = [sim.call("get_me", OWNER) for _ in range(3)]
    assert [(each.status, each.headers["Retry-After"]) for each in reported] == [(429, "30"), (503, "5"), (403, "7")]
    assert reported[0].body["code"] == "too_many_calls"
    assert {"code.too-many-calls", "status.too-many-calls"} <= set(sim.assumptions_used)


def test_the_rate_limit_by_its_name_tells_it_too(sim):
    """Until the next minute begins, as the limit of a profile does."""
    sim.clock.advance("15s")
    sim.faults.add("get_me", do={"reason": "too_many_calls"})
    answer = sim.call("get_me", OWNER)
    assert (answer.status, answer.headers["Retry-After"]) == (429, "45")


def test_what_stands_in_for_the_operation_leaves_the_world_alone(sim):
    """The very same world, whichever the way; the next call goes through."""
    before = sim.service.world
    ways = [{"status": 500}, {"status": 200}, {"reason": "channel_name_taken"}, {"retryAfter": 1}, {"drop": "before"}]
    sim.faults.put([{"operation": "rename_channel", "on": place, "do": do} for place, do in enumerate(ways, 1)])
    for _ in ways[:-1]:
        rename(sim)
    with pytest.raises(ConnectionResetError):
        rename(sim)
    assert sim.service.world is before
    assert all(each.fault[0].when == "before" and each.changes == [] for each in sim.requests)
    assert rename(sim).ok
    assert sim.service.world is not before


@pytest.mark.parametrize("do", [{"drop": "after"}, {"truncate": 3}, {"truncate": True}])
def test_an_answer_that_is_lost_on_its_way_was_given(sim, do):
    """The operation ran: the channel is there, though nobody heard of it."""
    sim.faults.add("create_channel", do=do)
    with pytest.raises(ConnectionResetError):
        sim.call("create_channel", OWNER, body={"name": "Lost Room"})
    entry = sim.requests[-1]
    assert (entry.status, entry.fault[0].when, entry.fault[0].do) == (200, "after", do)
    assert any(each.table == "channels" for each in entry.changes)


def test_latency_on_the_clock_of_the_world(sim):
    """The clock moves before the operation, and what falls due on the way does."""
    token = sim.call("reserve_handle", USER, body={"handle": "Held"}).body["reservationToken"]
    sim.faults.add("change_handle_with_reservation", do={"clock": "15m"})
    assert sim.call("change_handle_with_reservation", USER, nonce=token).status == 404
    assert sim.clock.now == sim.requests[-1].at == START_MS + 900_000


def test_latency_never_leads_out_of_the_calendar(sim):
    """A clock at the end of its time stays there."""
    sim.faults.add("get_me", do={"clock": "500000w"})
    assert sim.call("get_me", OWNER).ok
    assert sim.service.bugs == []


def test_true_latency_passes_in_truth_and_not_in_the_world(sim):
    """The caller waits; the clock of the world stands."""
    sim.faults.add("get_me", do={"real": "60ms"})
    began = time.perf_counter()
    assert sim.call("get_me", OWNER).ok
    assert time.perf_counter() - began >= 0.06
    assert sim.clock.now == START_MS


@pytest.mark.parametrize(
    ("match", "hits"),
    [
        ({}, 4),
        ({"uuid": ROOM}, 3),
        ({"uuid": ROOM.upper()}, 3),
        ({"caller": OWNER}, 2),
        ({"caller": "nobody"}, 1),
        ({"uuid": EVENT_ROOM, "caller": OWNER}, 1),
        ({"client": CUSTOMER}, 3),
    ],
)
def test_calls_are_matched_by_path_and_caller(sim, match, hits):
    """Parameters of the path, the token or the user id, the caller's client: all that is given must be."""
    sim.faults.add("get_channel", match=match, times="always", do={"status": 503})
    for uuid, caller in ((ROOM, OWNER), (EVENT_ROOM, OWNER), (ROOM, USER), (ROOM, "nobody")):
        sim.call("get_channel", caller, uuid=uuid)
    assert counts(sim) == [(hits, hits)]


def test_a_caller_is_a_user_too(sim, people):
    """By id, whatever the token."""
    sim.faults.add("get_me", match={"caller": people[USER]}, do={"status": 503})
    token = sim.token(people[USER])
    assert (statuses(sim, 1), statuses(sim, 1, caller=token)) == ([200], [503])


def test_every_operation_may_be_meant(sim):
    """A star matches every operation."""
    sim.faults.add("*", on=2, times=2, do={"status": 503})
    assert [*statuses(sim, 1), *statuses(sim, 1, "list_channels"), rename(sim).status, *statuses(sim, 1)] == [
        200,
        503,
        503,
        200,
    ]


def test_faults_count_each_for_itself_and_share_what_they_do(sim):
    """Each says what none before it speaks of: the first answer, the first latency."""
    sim.faults.put(
        [
            {"operation": "*", "times": "always", "do": {"clock": "1s"}},
            {"operation": "get_me", "on": 2, "do": {"status": 502, "clock": "1h"}},
            {"operation": "get_me", "on": 2, "times": 2, "do": {"status": 504, "headers": {"X-Way": "long"}}},
        ]
    )
    assert statuses(sim, 4) == [200, 502, 504, 200]
    assert counts(sim) == [(4, 4), (4, 1), (4, 2)]
    assert sim.clock.now == START_MS + 4000
    assert sim.requests[1].fault[2].id == "f3"


def test_headers_join_the_genuine_answer(sim):
    """A header alone changes nothing else."""
    sim.faults.add("get_me", do={"headers": {"Warning": "299 - soon gone"}})
    answer = sim.call("get_me", OWNER)
    assert (answer.status, answer.headers["Warning"]) == (200, "299 - soon gone")


def test_the_referee_does_not_judge_what_is_injected(sim):
    """An answer that the document does not know is no bug of ours when a fault gives it."""
    sim.service.pipeline.hold_against(Conformance({}))
    sim.faults.put([{"operation": "get_me", "do": {"status": 299, "body": "odd"}}])
    assert statuses(sim, 2) == [299, 200]
    assert sim.service.bugs == []


def test_faults_are_outside_the_world(sim):
    """They are in neither digest nor state; they and their counts outlive a snapshot that is restored."""
    digest = sim.service.world.digest()
    sim.snapshot("before")
    sim.faults.add("get_me", times="always", do={"status": 503})
    assert statuses(sim, 1) == [503]
    assert sim.service.world.digest() == digest
    sim.restore("before")
    assert statuses(sim, 1) == [503]
    assert counts(sim) == [(2, 2)]


def test_a_reset_takes_them_away_and_forks_start_without(sim):
    """The world after a reset, and every other world, is whole."""
    sim.faults.put([{"operation": "*", "times": "always", "do": {"status": 503}}, {"thing": "mail", "do": "lost"}])
    fork, other = sim.fork(), sim.worlds.add("other")
    assert statuses(sim, 1) == [503]
    assert (statuses(fork, 1), statuses(other, 1)) == ([200], [200])
    sim.reset()
    assert (len(sim.faults), statuses(sim, 1)) == (0, [200])
    assert sim.service.change().faults is None


def test_a_call_that_is_refused_by_itself_counts_too(sim):
    """No matter who calls and whatever comes of it, a matching call is a call."""
    sim.faults.add("get_me", on=2, do={"status": 503})
    assert [*statuses(sim, 1, caller="nobody"), *statuses(sim, 1, caller=None)] == [401, 503]


# Faults in a header or query of a request


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ("status=503", 503),
        (" status = 503 ; retryAfter = 3 ", 503),
        ('{"status": 418, "body": {"a": ";="}}', 418),
        ("reason=channel_full", 409),
        ("retryAfter=1", 429),
        ("clock=1s", 200),
        ("", 200),
        (";", 200),
    ],
)
def test_a_request_carries_its_own_fault(sim, given, status):
    """As pairs or as JSON, for this call alone; the journal has it."""
    assert [*statuses(sim, 1, _confsim=given), *statuses(sim, 1)] == [status, 200]
    reported = sim.requests[0].fault
    assert [each.id for each in reported] == ([None] if given.strip("; ") else [])
    assert sim.requests[0].ignored.query == []


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("statu=503", "did you mean 'status'?"),
        ("noww=1", "did you mean 'now'?"),
        ("operation=get_me", "there are reason"),
        ("status", "no name=value"),
        ("status=1;status=2", "a second status"),
        ("status=true", "True is no status"),
        ("reason=channel_ful", "did you mean 'channel_full'?"),
        ("now=yesterday", "no instant"),
        ("now=253402300800000", "9999"),
        ('{"status": 503', "no JSON"),
        ("clock=forever", "not a valid duration"),
        ("real=31s", "longer than 30s"),
    ],
)
def test_a_request_with_an_invalid_fault_is_not_served(sim, given, named):
    """The misuse names what is wrong; nothing was called, counted or noted."""
    sim.faults.add("get_me", do={"status": 503})
    with pytest.raises(Misuse, match="X-Confsim") as reported:
        sim.call("get_me", OWNER, _confsim=given)
    assert named in str(reported.value)
    assert (counts(sim), len(sim.requests)) == ([(0, 0)], 0)


def test_a_request_is_served_at_another_instant(sim):
    """What it writes has that instant, and the clock stays."""
    made = sim.call("create_channel", OWNER, body={"name": "Old"}, _confsim="now=2020-01-01T00:00:00Z")
    assert made.ok
    assert sim.requests[-1].at == 1_577_836_800_000
    assert sim.clock.now == START_MS
    assert statuses(sim, 1, _confsim="now=2020-01-01T00:00:00Z") == [200]


def test_what_a_request_brings_goes_before_the_faults(sim):
    """Its own word counts first; the others are counted all the same."""
    sim.faults.add("get_me", do={"status": 503, "headers": {"X-Seen": "yes"}})
    answer = sim.call("get_me", OWNER, _confsim="status=418")
    assert (answer.status, answer.headers["X-Seen"], counts(sim)) == (418, "yes", [(1, 1)])


def test_requests_may_be_kept_from_it(sim):
    """Switched off it is a query parameter like any other, and stays off over a reset, and in forks."""
    sim.faults.by_request = False
    sim.reset()
    assert statuses(sim, 1, _confsim="status=503") == [200]
    assert statuses(sim.fork(), 1, _confsim="nonsense") == [200]
    sim.faults.by_request = True
    assert statuses(sim, 1, _confsim="status=503") == [503]


# What is asked for wrongly


@pytest.mark.parametrize(
    ("fault", "reported"),
    [
        ({"operation": "get_m", "do": {"status": 503}}, "did you mean 'get_me'?"),
        ({"operation": "qqqq", "do": {"status": 503}}, "no operation 'qqqq'"),
        ({"operation": 7, "do": {"status": 503}}, "no operation 7"),
        ({"thing": "mails", "do": "lost"}, "did you mean 'mail'?"),
        ({"do": {"status": 503}}, "an operation or a thing"),
        ({"operation": "get_me", "thing": "mail", "do": "lost"}, "an operation or a thing"),
        ({"operation": "get_me"}, "fault.do is to be an object"),
        ({"operation": "get_me", "do": {}}, "fault.do is to be an object"),
        ({"operation": "get_me", "do": "lost"}, "fault.do is to be an object"),
        ({"operation": "get_me", "time": 1, "do": {"status": 503}}, "did you mean 'times'?"),
        ({"operation": "get_me", "on": 0, "do": {"status": 503}}, "fault.on: 0"),
        ({"operation": "get_me", "on": True, "do": {"status": 503}}, "fault.on: True"),
        ({"operation": "get_me", "times": "ever", "do": {"status": 503}}, "or 'always'"),
        ({"operation": "get_me", "match": {"uuid": "x"}, "do": {"status": 503}}, "matched by 'uuid'"),
        ({"operation": "get_channel", "match": {"uid": "x"}, "do": {"status": 503}}, "did you mean 'uuid'?"),
        ({"operation": "get_channel", "match": {"uuid": []}, "do": {"status": 503}}, "neither a text"),
        ({"operation": "get_channel", "match": "x", "do": {"status": 503}}, "fault.match is to be"),
        ({"operation": "get_me", "do": {"status": 99}}, "no status from 200 to 599"),
        ({"operation": "get_me", "do": {"statuses": 99}}, "did you mean 'status'?"),
        ({"operation": "get_me", "do": {"reason": "internal_error"}}, "no reason for a refusal"),
        ({"operation": "get_me", "do": {"status": 503, "reason": "channel_full"}}, "cannot both be"),
        ({"operation": "get_me", "do": {"drop": "after", "truncate": 3}}, "cannot both be"),
        ({"operation": "get_me", "do": {"drop": "before", "status": 500}}, "cannot both be"),
        ({"operation": "get_me", "do": {"drop": "now"}}, "neither 'before' nor 'after'"),
        ({"operation": "get_me", "do": {"body": "x"}}, "belongs to a status"),
        ({"operation": "get_me", "do": {"facts": {}}}, "belongs to a reason"),
        ({"operation": "get_me", "do": {"status": 204, "body": "x"}}, "has none"),
        ({"operation": "get_me", "do": {"truncate": False}}, "number of bytes"),
        ({"operation": "get_me", "do": {"truncate": -1}}, "number of bytes"),
        ({"operation": "get_me", "do": {"retryAfter": "soon"}}, "number of seconds"),
        ({"operation": "get_me", "do": {"headers": {"X": "a\r\nb"}}}, "no header line"),
        ({"operation": "get_me", "do": {"headers": {"X": "\u20ac"}}}, "headers"),
        ({"operation": "get_me", "do": {"headers": {"Content-Length": "9"}}}, "no header that a fault can set"),
        ({"operation": "get_me", "do": {"reason": "method_not_allowed", "facts": {"allowed": "a\nb"}}}, "no header"),
        ({"operation": "get_me", "do": {"clock": "9" * 400 + "w"}}, "not a valid duration"),
        ({"thing": "mail", "do": "lots"}, "did you mean 'lost'?"),
        ({"thing": "mail", "do": {"by": "1s"}}, "outcome and by"),
        ({"thing": "mail", "do": {"outcome": "lost", "by": "1s"}}, "takes no time"),
        ({"thing": "mail", "do": {"outcome": "lost", "buy": "1s"}}, "did you mean 'by'?"),
        ({"thing": "mail", "match": {"too": "x"}, "do": "lost"}, "did you mean 'to'?"),
        ({"thing": "recording", "do": "late"}, "how much later?"),
        ({"thing": "recording", "do": {"outcome": "late", "by": 0}}, "is no while"),
        ({"thing": "recording", "do": {"outcome": "late", "by": "x"}}, "not a valid duration"),
    ],
)
def test_what_is_not_known_is_reported_and_nothing_is_taken(sim, fault, reported):
    """The place and the nearest name; the faults in force stay as they are."""
    sim.faults.add("get_me", do={"status": 503})
    with pytest.raises(Misuse) as misuse:
        sim.faults.add(**{"do": None, **fault})
    assert reported in str(misuse.value)
    with pytest.raises(Misuse):
        sim.faults.put([{"thing": "mail", "do": "lost"}, fault])
    assert [each.id for each in sim.faults] == ["f1"]


def test_the_list_can_be_put_back(sim):
    """The list of faults is accepted as input, and counted anew."""
    sim.faults.put([{"operation": "get_me", "times": "always", "do": {"status": 503}}, {"thing": "mail", "do": "lost"}])
    statuses(sim, 1)
    reported = [{name: getattr(each, name) for name in each.__struct_fields__} for each in sim.faults]
    again = sim.faults.put(reported)
    assert [(each.operation, each.thing, each.do, each.met) for each in again] == [
        ("get_me", None, {"status": 503}, 0),
        (None, "mail", "lost", 0),
    ]
    sim.faults.clear()
    assert len(sim.faults) == 0


@pytest.mark.parametrize(("by", "taken"), [(0, False), (1, True), (LATEST, True), (LATEST + 1, False)])
def test_what_is_late_comes_within_the_calendar(by, taken):
    """After a millisecond at least."""
    given = {"thing": "webhook", "do": {"outcome": "late", "by": by}}
    if taken:
        assert read(given).effect == InjectedFault(FaultOutcome.LATE, by)
    else:
        with pytest.raises(Misuse, match=r"do\.by: .* is no while"):
            read(given)


@pytest.mark.parametrize(("word", "longest"), [("real", 30_000), ("holdAtMost", 3_600_000)])
def test_nobody_waits_longer_than_the_longest(word, longest):
    """Half a minute for a response, an hour for a call that is held."""
    others = {"hold": "before"} if word == "holdAtMost" else {}
    assert getattr(read_effect({word: longest, **others}, "do"), word) == longest
    with pytest.raises(Misuse, match=f"do.{word}: "):
        read_effect({word: longest + 1, **others}, "do")


@pytest.mark.parametrize("query", ["_confsim=status=503", "a=b&_confsim=status=503", "_confsim=status=503&a&confsim=x"])
def test_other_parameters_of_a_query_bring_no_fault(query):
    """That of an override is found among them."""
    found = per_request.read(Request("GET", "/", query=query))
    assert (found.given, found.effect.status) == ({"status": 503}, 503)


#: Values near the edges of what words take.
VALUES = st.one_of(
    st.sampled_from([-1, 0, 1, 199, 200, 599, 600, 86_400, 86_401, 2**31 - 1, 2**31, True, False, None, 1.5, [], {}]),
    st.sampled_from(["before", "after", "during", "not_found", "no_reason", "", "10s", "PT1S", {"x-a": "b"}, {"a": 1}]),
)
#: What a schema cannot say: the longest real times, and that a call is held for some time.
BEYOND = {("real", 86_400), ("real", 86_401), ("real", 2**31 - 1), ("real", 2**31)} | {
    ("holdAtMost", each) for each in (0, 2**31 - 1, 2**31)
}


@given(st.sampled_from(sorted(WORDS)), VALUES)
def test_the_schema_of_a_word_describes_the_values_that_are_read(word, value):
    """These and no others."""
    described = Draft202012Validator({**WORDS[word].schema}).is_valid(value)
    try:
        WORDS[word].read(value)
        taken = True
    except (ValueError, Misuse):
        taken = False
    bounded = word in {"real", "holdAtMost"} and isinstance(value, int) and (word, value) in BEYOND
    assert described is taken or (described and bounded)

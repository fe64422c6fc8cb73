"""The search for the assumptions that a test depends on, over tests that are plain functions of the choices."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, strategies as st

import confsim.api.catalogue  # noqa: F401  (its modules declare entries)
from confsim.assumptions.register import REGISTER
from confsim.testing import fuzz
from confsim.testing.fuzz import (
    Mode,
    RunOutcome,
    SeenCall,
    first_difference,
    in_words,
    pair_rows,
    question,
    search,
    smallest,
)

IDS = sorted(REGISTER.entries)[:5]
#: The assumptions that the runs use.
USED = frozenset(IDS)
CHOICES = st.dictionaries(st.sampled_from(IDS), st.integers(1, 3), min_size=1)
#: Sets of choices under which an imagined test fails.
CAUSES = st.lists(st.dictionaries(st.sampled_from(IDS), st.integers(1, 3), min_size=1, max_size=3), max_size=4)


def fails_by(causes):
    """A test that fails when all choices of a cause are made."""
    return lambda choices: any(cause.items() <= choices.items() for cause in causes)


def runner(causes):
    """Runs that test; its calls show nothing."""
    fails = fails_by(causes)
    return lambda choices: RunOutcome(not fails(choices), "it failed" if fails(choices) else "", (), USED)


@given(CHOICES, CAUSES)
def test_what_is_left_fails_and_nothing_of_it_can_go(choices, causes):
    """The smallest set is a part of the choices, fails, and passes without any one of them."""
    fails = fails_by([*causes, choices])
    found = smallest(choices, fails)
    assert found.items() <= choices.items()
    assert fails(found)
    assert len(found) == 1 or not any(fails({id: value for id, value in found.items() if id != out}) for out in found)


@given(st.dictionaries(st.sampled_from(IDS), st.lists(st.integers(1, 3), min_size=1, max_size=3, unique=True)))
def test_every_pair_of_alternatives_is_in_a_row(domains):
    """Of any two assumptions every two alternatives occur together."""
    rows = list(pair_rows(domains))
    for (one, values), (two, others) in combinations(domains.items(), 2):
        for value in values:
            for other in others:
                assert any(row.get(one) == value and row.get(two) == other for row in rows)
    assert all(len(row) > 1 for row in rows)


@given(CAUSES)
def test_all_causes_of_one_or_two_choices_are_found_and_nothing_else(causes):
    """With pairs each minimal cause of up to two choices is found; each finding is a minimal cause."""
    fails = fails_by(causes)
    domains = dict.fromkeys(IDS, (1, 2, 3))
    findings = search(runner(causes), RunOutcome(True, "", (), USED), domains, Mode.PAIRS).findings
    found = [each.choices for each in findings]
    minimal = [cause for cause in causes if not any(other.items() < cause.items() for other in causes)]
    for cause in minimal:
        if len(cause) <= 2:
            assert cause in found
    for each in found:
        assert fails(each)
        assert len(each) == 1 or not any(fails({k: v for k, v in each.items() if k != out}) for out in each)


def test_a_pair_is_found_that_other_choices_hide():
    """A choice that keeps a test from what it depends on says nothing of it: the pair is tried without that choice."""
    ids = sorted(REGISTER.entries)[:9]
    hidden, cause, every = ids[:7], {ids[7]: 1, ids[8]: 1}, frozenset(ids)

    def run(choices):
        passed = any(id in choices for id in hidden) or not cause.items() <= choices.items()
        used = every - cause.keys() if any(id in choices for id in hidden) else every
        return RunOutcome(passed, "" if passed else "it failed", (), used)

    domains = dict.fromkeys(ids, (1, 2))
    findings = search(run, RunOutcome(True, "", (), USED), domains, Mode.PAIRS).findings
    assert [each.choices for each in findings] == [cause]


@given(CAUSES)
def test_singles_finds_each_cause_of_one_choice(causes):
    """And no set of two."""
    domains = dict.fromkeys(IDS, (1, 2, 3))
    found = search(runner(causes), RunOutcome(True, "", (), USED), domains, Mode.SINGLES).findings
    assert {tuple(each.choices.items()) for each in found} == {
        tuple(cause.items()) for cause in causes if len(cause) == 1
    }


@given(CAUSES)
def test_findings_about_the_same_assumptions_are_one_dependency(causes):
    """Each has the choices of all of them and one question; none is left out."""
    result = search(runner(causes), RunOutcome(True, "", (), USED), dict.fromkeys(IDS, (1, 2, 3)), Mode.PAIRS)
    together = [set(each.assumptions) for each in result.dependencies]
    assert all(together.count(each) == 1 for each in together)
    for each in result.dependencies:
        of_these = [found for found in result.findings if found.choices.keys() == set(each.assumptions)]
        assert each.choices == [found.choices for found in of_these]
        assert (each.call, each.error) == (of_these[0].call, of_these[0].error)
        assert each.question == question(*each.choices)
    assert sum(len(each.choices) for each in result.dependencies) == len(result.findings)


def test_choices_of_the_same_assumptions_are_in_words_together():
    """Values of one assumption are an enumeration; of two, what differs in one value only is joined."""
    assert in_words([{"a": "x"}]) == 'a = "x"'
    assert in_words([{"a": 1}, {"a": 2}, {"a": 3}]) == "a = 1, 2 or 3"
    product = [{"a": one, "b": two} for one in (1, 2) for two in (True, False)]
    assert in_words(product) == "a = 1 or 2 with b = true or false"
    assert in_words(product[:3]) == "a = 1 with b = true or false; a = 2 with b = true"


@pytest.mark.parametrize("outcomes", ["FF", "FPP"])
def test_a_test_that_fails_by_itself_is_called_unstable_and_nothing_is_claimed(outcomes):
    """One failure is not enough: it must happen twice, and not without the choice."""
    left = iter(outcomes)

    def flaky(choices):
        return RunOutcome(next(left) == "P", "sometimes", (), USED)

    found = search(flaky, RunOutcome(True, "", (), USED), {IDS[0]: (1, 2)}, Mode.SINGLES)
    assert (found.findings, found.unstable) == ([], "sometimes")


def call(status, body=b"{}", operation="get_me"):
    """A call that was seen."""
    return SeenCall(operation, status, body)


def test_the_first_call_that_differs_is_named():
    """By status, by a value and its place, by another operation, by the number of calls; time is passed over."""
    ok = call(200, b'{"a":{"b":[1,2]},"at":1}')
    later = call(200, b'{"a":{"b":[1,2]},"at":2}')
    plain, again = [ok, call(200)], [later, call(200)]
    cases = {
        "call 2: get_me answered 404 instead of 200": [call(200, b'{"a":{"b":[1,2]},"at":3}'), call(404)],
        "call 1: get_me answered 9 instead of 2 at /a/b/1": [call(200, b'{"a":{"b":[1,9]},"at":3}'), call(404)],
        "call 1: get_me answered nothing instead of 2 at /a/b/1": [call(200, b'{"a":{"b":[1]},"at":3}')],
        "call 2: get_user instead of get_me": [ok, call(200, operation="get_user")],
        "1 calls instead of 2": [ok],
        "no answer of a call differed": [later, call(200)],
    }
    for sentence, got in cases.items():
        assert first_difference(plain, again, got) == sentence


def test_the_question_names_every_value():
    """What to ask the makers of the service: the statement, the value in force and the others, each once."""
    entry = REGISTER.entries["status.role-missing"]
    assert question({entry.id: 404}) == f"{entry.statement} Is it 403 or 404?"
    assert question({entry.id: 404}, {entry.id: 418}, {entry.id: 404}) == f"{entry.statement} Is it 403, 404 or 418?"


def test_assumptions_that_a_profile_chose_are_not_tried():
    """What somebody has chosen is known; what has no alternative cannot be tried."""
    found = fuzz.alternatives(["status.role-missing", "status.created", "breakout.paths"], {"status.created": 201})
    assert list(found) == ["status.role-missing"]


def test_a_limit_that_states_no_alternative_is_tried_at_a_part_of_its_size():
    """Hardly a test is about how long an ordinary name may be: a name of sixty characters is none."""
    sizes = [id for id, entry in REGISTER.entries.items() if id.startswith("size.") and not entry.alternatives]
    assert len(sizes) > 5
    found = fuzz.alternatives(sizes, {})
    assert found["size.name"] == (63,)
    for id, values in found.items():
        assert [REGISTER.entries[id].default // value for value in values] == [4], id


def test_gates_that_no_service_has_are_not_tried():
    """Nobody lets anybody change something, and who is named by no call is nobody's self; reads may be for all."""
    ids = ["gate.create_channel", "gate.set_user_email", "gate.get_channel"]
    found = {id: [list(map(str, value)) for value in values] for id, values in fuzz.alternatives(ids, {}).items()}
    tried = {id: [word for word in ("public", "self") if [word] in values] for id, values in found.items()}
    assert tried == {"gate.create_channel": [], "gate.set_user_email": ["self"], "gate.get_channel": ["public"]}
    assert ["signed-in"] in found["gate.create_channel"]

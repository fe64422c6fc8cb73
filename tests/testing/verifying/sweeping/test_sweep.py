"""The systematic beginning of a run: what it calls, and what it sees of services that are wrong in one way."""

from __future__ import annotations

import copy
import tomllib
from itertools import pairwise

import pytest
from msgspec.structs import replace

from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import CODE, Reason
from confsim.reference.observed import observed
from confsim.testing.learning.calls import ModelCall, kinds_of
from confsim.testing.learning.things import RunCaller, Thing
from confsim.testing.verifying.sweeping.finding import refusals
from kit import OTHER_ADMIN
from kit.beside import Beside
from kit.mutants import plan, tables, wire
from kit.mutants.apart import apart
from kit.planned import Recorded, Repeated
from kit.source import REPOSITORY

#: Operations that are also called to have something to begin with.
_BEFORE = {"create_client", "create_api_token", "create_channel"}


@pytest.fixture(scope="module")
def planned():
    """What the first two hundred and forty requests are."""
    return plan.make_plan(240)


def test_every_request_is_answered_by_both_sides_alike(planned):
    """The true service does not differ."""
    assert planned.differences == []


def test_what_changes_something_is_made_again_and_tried_by_those_who_may_not(planned):
    """Of the operations that change something each is called twice in a row, and by another tenant or a lesser role."""
    calls = [each for each in planned.calls if API[each.call.operation].changes]
    # What is made last would be made again next.
    changed = {each.call.operation for each in calls[:-1] if each.reply.status < 400} - _BEFORE
    again = {one.call.operation for one, other in pairwise(calls) if one.call == other.call}
    refused = {each.call.operation for each in calls if each.reply.status in (401, 403, 404)}
    assert len(changed) > 20
    assert changed - again == set()
    assert len(changed & refused) > len(changed) * 2 / 3
    assert OTHER_ADMIN in {each.call.caller for each in calls}


@pytest.mark.parametrize(
    ("family", "name"),
    [
        (wire.leaks, "set_user_description"),
        (wire.partial_writes, "set_user_full_name is lost"),
        (wire.partial_writes, "rename_channel_user is refused and made"),
        (wire.idempotency, "set_user_full_name is refused again"),
    ],
)
def test_a_service_that_is_wrong_in_one_way_is_seen(family, name, planned):
    """A leak, a change that is lost, one that is refused and made, one that is refused when it is made again."""
    mutant = next(each for each in family() if each.name == name)
    seen_at, difference = plan.detected_at(replace(planned, known=copy.deepcopy(planned.known)), mutant)
    assert seen_at is not None
    assert difference


def test_what_is_seen_is_shown_in_few_steps():
    """By the run itself, as one divergence."""
    mutant = next(each for each in wire.leaks() if each.name == "set_user_description")
    beside, transport = plan.mutated(mutant)
    report = beside.verify(transport=transport, examples=4, most_findings=1)
    assert len(report.divergences) == 1
    assert len(report.divergences[0].steps) <= 6


def test_what_another_table_of_a_service_shows_is_seen_too():
    """The tables of the model, in this process, are not those of the service."""
    mutant = next(each for each in tables.codes() if each.name == "ROLE_MISSING has another code")
    with apart(mutant) as (beside, transport):
        report = beside.verify(transport=transport, examples=1, most_findings=1)
    (found,) = report.divergences
    assert (found.place, found.expected, found.got) == ("/code", "role_missing", "error")
    assert len(found.steps) <= 6


def test_a_path_that_is_one_of_another_operation_is_not_asked_for():
    """``GET /users/me`` is no request of the user whose id is "me"."""
    run = Beside().verifier()._make()
    owner = Beside().accounts.tokens["owner"]
    assert not run.scope.allows(ModelCall("get_user", owner, {"userId": "me"}))
    assert run.scope.allows(ModelCall("get_me", owner))


def test_nobody_of_the_accounts_is_changed_by_what_changes_its_caller():
    """A handle that the run has reserved is for somebody whom it has made."""
    run = Beside().verifier()._make()
    (kind,) = kinds_of("change_handle_with_reservation").values()
    run.things.add(Thing(kind, "reserved", run.accounts.client))
    run.things.add_caller(RunCaller("new", "guest", run.accounts.client, 2000, True))
    owner = run.accounts.tokens["owner"]
    callers = [owner, "new"]
    asked = [ModelCall("change_handle_with_reservation", each, {"nonce": "reserved"}) for each in callers]
    assert [run.scope.allows(each) for each in asked] == [False, True]


def test_the_calls_of_a_seed_are_the_same_beside_another_service():
    """They follow from the seed and the model's answers, whatever the ids and the clock of the service are."""
    first = Beside(seed=1, ahead=0).verifier(kind=Recorded, examples=1)
    first.run()
    again = Beside(seed=2, ahead=86_400_000).verifier(kind=Repeated, examples=1)
    again.plan = first.plan
    report = again.run()
    assert report.divergences == []
    assert report.requests == first.report.requests
    assert again.strayed == 0


def test_what_is_judged_to_show_nothing_is_a_mutant():
    """Each that stands in the table is one of those that are tried, and has a reason."""
    judged = tomllib.loads((REPOSITORY / "tests/data/verify_mutants.toml").read_text())
    assert judged.keys() <= {str(each) for family in plan.families() for each in family}
    assert all(judged.values())


def test_reasons_are_sought_in_the_order_in_which_they_were_observed():
    """A set of them would be in another order in each process, and the calls of a seed with it."""
    found = refusals()
    for operation, seen in observed().items():
        ids = [CODE[Reason[name]].id for name in seen["refusals"] if operation in found.get(CODE[Reason[name]].id, ())]
        firsts = [id for id in ids if found[id][0] == operation]
        assert firsts == [id for id in found if id in firsts]

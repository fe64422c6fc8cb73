"""The counts of a fault, what is left of it, and its form as a document."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim.assumptions.protocol import wire
from confsim.service.faults import spec
from confsim.service.faults.interceptor import ActiveFault
from kit import OWNER

DO = {"status": 500}
WHEN = st.fixed_dictionaries({"on": st.integers(1, 5), "times": st.integers(1, 4) | st.just("always")})


@given(WHEN, st.integers(0, 8))
def test_what_is_left_of_a_fault_goes_on_where_it_was(when, met):
    """A fault that was met so often, and the one that is left of it, hit the same calls from now on."""
    fault = ActiveFault("f1", spec.read({"operation": "get_me", **when, "do": DO}))
    for _ in range(met):
        fault.count()
    left = fault.remaining()
    again = None if left is None else ActiveFault("f2", left)
    assert [fault.count() for _ in range(9)] == [again is not None and again.count() for _ in range(9)]


@given(WHEN, st.sampled_from([{"operation": "rename_channel", "match": {"uuid": "x"}}, {"operation": "*"}]))
def test_a_fault_is_told_as_it_was_given(when, what):
    """With every word of it and no other, from which the same fault is made."""
    found = spec.read({**what, **when, "do": DO})
    document = found.to_dict()
    assert document == {"match": {}, **what, **when, "do": DO}
    assert spec.read(document) == found


@pytest.mark.own_ways
@pytest.mark.parametrize(("match", "relied_on"), [({}, False), ({"caller": OWNER}, True)])
def test_who_is_hit_depends_on_where_tokens_are_read(sim, match, relied_on):
    """Where a request is read, and a fault asks for its caller; a call in this process says who it is."""
    sim.faults.add("list_client_auth_providers", match=match, do={"headers": {"X-Hit": "1"}}, times="always")
    client = sim.call("get_me", OWNER).body["clientId"]
    assert sim.client(OWNER).get(f"/clients/{client}/providers/auth").headers["X-Hit"] == "1"
    assert (wire.PRESENTATION.id in sim.requests[-1].assumptions) is relied_on
    assert sim.call("list_client_auth_providers", OWNER, clientId=client).headers["X-Hit"] == "1"
    assert wire.PRESENTATION.id not in sim.requests[-1].assumptions

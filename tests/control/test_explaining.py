"""What every name stands for."""

from __future__ import annotations

import pytest

from confsim import Misuse
from confsim.control.explaining import NUMBERS, explain, names
from confsim.reference import gaps, rules


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("R094", "rule", "reservationToken"),
        ("r94", "rule", "`reserve_handle`"),
        ("G353", "gap", "`active.participants`"),
        ("auth.presentation", "assumption", 'presentation = ["Authorization: Basic {token}"]'),
        ("Reserve_Handle", "operation", "`POST /v1_0/users/handle/reserve`"),
        ("put_faults", "operation of the control plane", "`PUT /_confsim/faults`"),
        ("lobby door", "state machine", "| open | "),
        ("HANDLE_TAKEN", "refusal", "`status.handle-taken`"),
        ("p1", "numbering", "first part"),
        ("handle_reserved", "part of names", "- `handle reservation`"),
    ],
)
def test_a_name_is_explained(name, kind, text):
    """Whatever its case, and however a number is written; a part of names by the names."""
    found = explain(name, {})
    assert found.kind == kind
    assert text in found.text


def test_every_name_is_explained_and_what_it_refers_to_as_well():
    """Nothing leads nowhere."""
    known = list(names())
    assert len(known) > len(rules()) + len(gaps()) + len(NUMBERS)
    for name in known:
        found = explain(name, {})
        assert found.text
        assert found.kind != "part of names"
        assert set(found.see) <= set(known)


def test_a_profile_is_reported():
    """The route that it sets, the value that it chooses."""
    profile = {"route.prefix": "/conf", "encode.empty": "204"}
    assert "`GET /conf/users/me`" in explain("get_me", profile).text
    assert 'Chosen by the profile: `"204"`' in explain("encode.empty", profile).text


def test_an_unknown_name_is_reported_with_the_nearest():
    """404."""
    with pytest.raises(Misuse, match="did you mean 'reserve_handle'") as refused:
        explain("reserve_hnadle", {})
    assert refused.value.status == 404

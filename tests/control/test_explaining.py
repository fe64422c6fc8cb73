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
        ("G391", "gap", '- context, category, key and value: `config.structure = "contexts"`'),
        ("G391", "gap", "- a fixed schema: not to be chosen. No schema"),
        ("config.structure", "assumption", "- a fixed schema: not to be chosen. No schema"),
        ("auth.presentation", "assumption", 'presentation = ["Authorization: Basic {token}"]'),
        ("Reserve_Handle", "operation", "`POST /v1_0/users/handle/reserve`"),
        ("put_faults", "operation of the control plane", "`PUT /_confsim/faults`"),
        ("lobby door", "state machine", "| open | "),
        ("HANDLE_TAKEN", "refusal", "`status.handle-taken`"),
        ("p1", "numbering", "first part"),
        ("reservation", "part of names", "- `handle reservation`"),
        ("handle_reserved", "state machine", "Near it too: `handle_taken`"),
        ("handle-taken", "refusal", "`reserve_handle`"),
        ("Lobby  Door", "state machine", "| open | "),
        ("P1 L236", "place in the documents", "`R175`"),
        ("p1 lines 172-173", "place in the documents", "`R094`"),
        ("L236", "place in the documents", "`R426`"),
        ("P2 Limits", "place in the documents", "`R541`"),
        ("404", "status", "`reservation_not_found`"),
        ("exit 2", "exit code", "Drift"),
    ],
)
def test_a_name_is_explained(name, kind, text):
    """Whatever its case, and however a number is written; a part of names by the names, another form of one by it."""
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


def test_near_names_begin_with_the_most_similar():
    """Those of the API before those of assumptions; so many are listed, and how many more there are."""
    assert explain("lobby", {}).see[:2] == ["lobby door", "set_lobby_door"]
    many = explain("status", {})
    assert len(many.see) == 20
    assert "more" in many.text
    assert not [each for each in explain("reservation", {}).see[:4] if "." in each]


def test_a_code_of_a_profile_is_explained():
    """As the refusal whose code it is."""
    assert explain("E-1042", {"code.handle-taken": "E-1042"}).name == "handle_taken"


def test_an_unknown_name_is_reported_with_the_nearest():
    """404."""
    with pytest.raises(Misuse, match="did you mean 'reserve_handle'") as refused:
        explain("reserve_hnadle", {})
    assert refused.value.status == 404

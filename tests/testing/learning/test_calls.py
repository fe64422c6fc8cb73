"""What calls name: ids in paths, queries and bodies, which both sides have otherwise."""

from __future__ import annotations

import pytest

from confsim.reference.probes import probes
from confsim.testing.learning.calls import ModelCall
from kit import CUSTOMER, EVENT_ROOM, PARTNER, ROOM


@pytest.mark.parametrize("separator", [",", ";", "|", " "])
def test_several_ids_of_a_text_are_renamed(separator):
    """Each of a list, whatever parts them and whatever spaces are around; parts that name nothing stay as they are."""
    text = "1004, 1002,,1005 ,x,{users of a run}".replace(",", separator)
    call = ModelCall("get_users", "t", {"userIds": text})
    assert list(call.names()) == [
        ("users", 1004),
        ("users", 1002),
        ("users", 1005),
        ("users", "x"),
        ("users", "{users of a run}"),
    ]

    def rename(kind, value):
        return value + 4_000 if isinstance(value, int) else value

    assert call.renamed(rename).path == {"userIds": text.replace("100", "500")}


def test_probes_name_nothing_of_the_demo_world():
    """What their calls name is made by the run, or of the accounts."""
    demo = {*range(1000, 1007), ROOM, EVENT_ROOM, CUSTOMER, PARTNER}
    calls = [ModelCall(each.operation, None, each.path, each.query, each.body) for p in probes() for each in p.calls]
    assert {(each.operation, name) for each in calls for name in each.names() if name[1] in demo} == set()

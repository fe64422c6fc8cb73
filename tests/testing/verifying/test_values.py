"""Values of parameters and fields that have few."""

from __future__ import annotations

from confsim.api.catalogue import API
from confsim.testing.learning.calls import ModelCall
from confsim.testing.verifying.values import choices, values_of


def test_an_enumeration_of_a_path_has_its_values():
    """A switch has two."""
    assert choices(API["set_wall_state"]) == (("state", "enable"), ("state", "disable"))
    assert list(values_of(ModelCall("set_wall_state", None, {"uuid": "x", "state": "disable"}))) == [
        ("state", "disable")
    ]


def test_a_switch_of_a_body_has_two_values_and_none_where_it_is_not_given():
    """What is left out is none of them."""
    assert ("active", "True") in choices(API["update_events_endpoint"])
    assert list(values_of(ModelCall("update_events_endpoint", None, {"endpointId": "x"}, body={"active": False}))) == [
        ("active", "False")
    ]
    assert list(values_of(ModelCall("update_events_endpoint", None, {"endpointId": "x"}, body={"url": "u"}))) == []

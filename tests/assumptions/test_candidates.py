"""Other values of assumptions to try."""

from __future__ import annotations

from confsim import Simulator, demo
from confsim.api import catalogue
from confsim.assumptions.register import REGISTER

assert catalogue


def test_every_entry_that_has_alternatives_has_values_to_try():
    """Each is accepted, is not the default, and is there once."""
    for entry in REGISTER.entries.values():
        found = entry.candidates()
        assert all(entry.check(value) == value and value != entry.default for value in found), entry.id
        assert len({repr(value) for value in found}) == len(found), entry.id
        assert found or not entry.alternatives, entry.id


def test_every_sample_is_another_value():
    """Each is among the values to try: one that says the same as the default or as another tries nothing."""
    for entry in REGISTER.entries.values():
        kept = set(map(repr, entry.candidates()))
        assert {repr(entry.check(value)) for value in entry.samples} <= kept, entry.id


def test_the_template_of_an_error_is_filled_in():
    """The example says in the words of the assumption what an error is."""
    (template,) = (each for each in REGISTER.entries["errors.body"].candidates() if isinstance(each, dict))
    answer = Simulator(profile={"errors.body": template}).call("create_channel", demo.OWNER, body={"nam": "x"})
    fault = {"is": "invalid_input", "says": "body: Object missing required field `name`."}
    assert answer.body == {"fault": fault}

"""Other values of assumptions to try."""

from __future__ import annotations

from confsim import Simulator, demo
from confsim.api import catalogue
from confsim.assumptions.register import REGISTER
from confsim.assumptions.register.candidates import SAMPLES, candidates

assert catalogue


def test_every_entry_that_has_alternatives_has_values_to_try():
    """Each is accepted, is not the default, and is there once."""
    for entry in REGISTER.entries.values():
        found = candidates(entry)
        assert all(entry.check(value) == value and value != entry.default for value in found), entry.id
        assert len({repr(value) for value in found}) == len(found), entry.id
        assert found or not entry.alternatives, entry.id


def test_examples_are_of_entries_that_there_are():
    """By id, or by the beginning of ids."""
    for id in SAMPLES:
        assert id in REGISTER.entries or any(each.startswith(id) for each in REGISTER.entries if id.endswith(".")), id


def test_the_template_of_an_error_is_filled_in():
    """The example says in the words of the assumption what an error is."""
    (template,) = (each for each in candidates(REGISTER.entries["errors.body"]) if isinstance(each, dict))
    answer = Simulator(profile={"errors.body": template}).call("create_channel", demo.OWNER, body={"nam": "x"})
    fault = {"is": "invalid_input", "says": "body: Object missing required field `name`."}
    assert answer.body == {"fault": fault}

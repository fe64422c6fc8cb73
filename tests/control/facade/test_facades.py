"""Every operation of the control plane can be called in Python by a method, or there is a reason why not."""

from __future__ import annotations

import ast
from pathlib import Path

import confsim
from confsim.control.catalogue import CONTROL

ROOT = Path(confsim.__file__).parent
FACADES = [*sorted((ROOT / "control" / "facade").glob("*.py")), ROOT / "controls.py", ROOT / "simulator.py"]

BY_NAME = "asked for seldom: simulator.control(name) is enough"
#: Operations without a method, and why.
WITHOUT = {
    "get_health": "a simulator in this process is healthy",
    "get_clock": "the clock of the world is read in place: now, frozen, rate",
    "list_requests": "the journal is read in place, as a sequence",
    "try_operation": BY_NAME,
    "list_scenarios": BY_NAME,
    "play_scenario": "a simulator begins with a scenario, and `confsim run` runs one",
    "get_delivery": "the deliveries are read in place, as a sequence",
    "list_endpoints": "the summary has them",
    "get_mail": "the mails are read in place, as a list",
    "get_journal": "the journal is read in place, as a sequence",
    "get_by_request": "the faults of the world are read in place",
    "get_webhooks": BY_NAME,
    "get_request": "the journal is read in place, as a sequence",
    "list_records": "the state of the world is read in place",
    "list_machines": BY_NAME,
    "list_timers": BY_NAME,
    "get_accounts": BY_NAME,
    "ask_what_if": BY_NAME,
    "find_labels": "records, changes, timers and calls carry their labels",
    "list_moments": "the journal is read in place, each entry with the worlds before and after it",
    "search": BY_NAME,
    "get_bundle": BY_NAME,
    "list_operations": BY_NAME,
    "list_assumptions": BY_NAME,
    "get_control_openapi": BY_NAME,
    "get_explanation": BY_NAME,
    "get_llms_text": BY_NAME,
    "get_state_schema": BY_NAME,
    "get_state_digest": BY_NAME,
    "list_names": "in process every Host name is accepted",
    "add_name": "in process every Host name is accepted; serve(names=…) has them",
    "drop_name": "in process every Host name is accepted",
}


def called():
    """The names of the operations that methods of the facades invoke."""
    for path in FACADES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith(("self._control", "self.control")):
                yield from (each.value for each in node.args[:1] if isinstance(each, ast.Constant))
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "self._control.call":
                yield ast.unparse(node.args[0])


def test_every_operation_has_a_method_or_a_reason():
    """And no reason stands for an operation that has a method, or is none."""
    with_a_method = set(called())
    assert with_a_method <= set(CONTROL.operations)
    assert set(CONTROL.operations) - with_a_method == set(WITHOUT)

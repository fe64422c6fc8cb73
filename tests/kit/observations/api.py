"""What real calls of each operation give, read from the journals of the scenarios and of a walk through the catalogue.

    PYTHONPATH=.:tests python -m kit.observations.api [SEEN...]

writes ``confsim/reference/observed.json``: an example of each operation, and the refusals that were known, with those
of the files SEEN, each line of which is a tuple of operation and reason.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import STATUS, Reason
from confsim.assumptions.register import in_force
from confsim.contract.annotations import peeled
from confsim.contract.operation import Operation
from confsim.control.scenarios import compile_scenario, run_scenario
from confsim.reference import observed
from confsim.service.entries import JournalEntry
from confsim.testing.samples import IdPool, valid
from kit import API_TOKEN, CUSTOMER, START
from kit.catalogue_walk import TRIES, call, walk

SCENARIOS = Path(__file__).resolve().parents[3] / "scenarios"
PATH = Path(observed.__file__).parent / "observed.json"
CALLERS = ("demo-owner", "demo-customer-admin", API_TOKEN, "demo-partner-admin")


#: Refusals of calls, not of operations: faults ask for them, or they are a bug.
_NOBODYS = {"TOO_MANY_CALLS", "INTERNAL_ERROR"}


def journals() -> Iterator[JournalEntry]:
    """The calls of every scenario, and then those of a walk through the catalogue."""
    for path in sorted(SCENARIOS.glob("*.arazzo.json")):
        sim = Simulator(clock=START)
        run_scenario(compile_scenario(path.name.partition(".")[0], {}), sim.control.context)
        yield from sim.service.journal
    sim = Simulator(clock=START)
    for _ in walk(sim, CUSTOMER, CALLERS):
        entry = sim.service.journal.last()
        if entry is not None:
            yield entry


def examples() -> dict[str, dict[str, Any]]:
    """An example of each operation: its first call that succeeded."""
    found: dict[str, dict[str, Any]] = {}
    for entry in journals():
        if entry.operation not in API.operations or entry.response.status >= 300:
            continue
        operation = API[entry.operation]
        if "answer" not in found.get(operation.name, {}):
            found[operation.name] = example(operation, entry)
    return found


def example(operation: Operation, entry: JournalEntry) -> dict[str, Any]:
    """The parameters of the path, the body and the answer of a call, and the assumptions that it rests on."""
    made: dict[str, Any] = {"parameters": path_parameters(operation, entry.request.target)}
    if operation.body is not None and operation.body.is_json and entry.request.body:
        made["body"] = json.loads(entry.request.body)
    kind = dict(entry.response.headers).get("Content-Type", "")
    if entry.response.body and kind == "application/json":
        made["answer"] = json.loads(entry.response.body)
    made["assumptions"] = sorted(entry.assumptions)
    return made


def path_parameters(operation: Operation, target: str) -> dict[str, Any]:
    """The values of the path: numbers as numbers, lists as lists."""
    pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/?]+)", operation.path)
    match = re.search(pattern + r"/?(\?|$)", target)
    assert match is not None, (operation, target)
    texts = {name: unquote(text) for name, text in match.groupdict().items()}
    wires = {each.name: each.wire for each in operation.path_parameters}
    return {name: _value(wires[name], text) for name, text in texts.items()}


def _value(wire: Any, text: str) -> Any:
    if peeled(wire)[0] == list[int]:
        return [int(each) for each in text.split(",")]
    return int(text) if peeled(wire)[0] is int else text


def refusals(seen: list[str]) -> dict[str, set[str]]:
    """The refusals known of each operation, and those of the files."""
    known = {name: set(each.get("refusals", ())) for name, each in observed.observed().items()}
    for path in seen:
        for line in Path(path).read_text().splitlines():
            name, reason = ast.literal_eval(line)
            if name in API.operations and reason not in _NOBODYS:
                known.setdefault(name, set()).add(reason)
    return known


def answers_nobody(operation: Operation) -> bool:
    """Whether a call of the operation without a caller can be answered, where a profile makes it public."""
    entry = operation.gate_entry
    if entry is None:
        return False
    sim = Simulator(clock=START, profile={entry.id: ["public"]})
    for sample in range(TRIES):
        answer = call(sim, operation, None, valid(operation, IdPool(sim.service.world, CUSTOMER), sample))
        if answer.status != in_force({}, STATUS[Reason.CREDENTIAL_MISSING]):
            return True
    return False


def whole(seen: list[str]) -> str:
    """The text of the file."""
    shown, refused = examples(), refusals(seen)
    made = {
        operation.name: {
            "refusals": sorted(refused.get(operation.name, ())),
            **({"anonymous": True} if answers_nobody(operation) else {}),
            "example": shown[operation.name],
        }
        for operation in API
    }
    used = [set(each["example"]["assumptions"]) for each in made.values()]
    by_all = set.intersection(*used)
    for each, of_call in zip(made.values(), used, strict=True):
        each["example"]["assumptions"] = sorted(of_call - by_all)
    document = {"assumptions of all examples": sorted(by_all), "operations": made}
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    PATH.write_text(whole(sys.argv[1:]), "utf-8")

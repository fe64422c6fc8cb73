"""What a plan of calls could reach: noted of every call of its scope that was tried in the model, made or not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from confsim.api import admission
from confsim.api.call import Call as ApiCall
from confsim.contract.gates import Grant
from confsim.kernel.machine import Machine, Trigger
from confsim.kernel.world import World
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.model import Model, Prediction
from confsim.testing.learning.scope import RunScope
from confsim.testing.learning.things import Things
from confsim.testing.verifying.candidates import Candidates
from kit import OTHER_ADMIN

from .mutant import Key


class Reach:
    """The keys of what was reached, as mutants have them; ``made`` holds those of calls that were made, in order."""

    def __init__(self) -> None:
        self.keys: set[Key] = set()
        self.made: list[set[Key]] = []
        self._noting = False

    @contextmanager
    def watching(self, model: Model, things: Things, scope: RunScope) -> Iterator[None]:
        """Note what calls of a model reach, until the end of the block."""
        imagined_of, call = Candidates.imagined, model.call

        def imagined(candidates: Candidates, asked: ModelCall, world: World | None = None) -> Prediction | None:
            self._noting = True
            predicted = imagined_of(candidates, asked, world)
            self._noting = False
            if predicted is not None:
                self._note(asked, predicted, things, scope, predicted.before)
                if predicted.reply.status < 400:
                    self.keys.add(("repeatable", asked.operation))
            return predicted

        def called(asked: ModelCall) -> Prediction:
            before, tried = model.world, self.keys
            self.keys, self._noting = set(), True
            predicted = call(asked)
            self._noting = False
            self._note(asked, predicted, things, scope, before)
            self.keys |= {("repeatable", asked.operation)} & tried
            self.made.append(self.keys)
            self.keys = tried | self.keys
            return predicted

        with (
            patch.object(Candidates, "imagined", imagined),
            patch.object(model, "call", called),
            patch.object(Machine, "_move", self._moving(Machine._move)),
            patch.object(Trigger, "row", self._admitting(Trigger.row)),
            patch.object(admission, "admit", self._judging(admission.admit)),
        ):
            yield

    def _moving(self, move: Any) -> Any:
        def moving(machine: Machine[Any, Any], change: Any, record: Any, row: Any, *arguments: Any) -> Any:
            if self._noting:
                self.keys.add(("row", machine.name, machine.rows.index(row)))
            return move(machine, change, record, row, *arguments)

        return moving

    def _admitting(self, row_of: Any) -> Any:
        def admitting(trigger: Trigger[Any, ...], *arguments: Any) -> Any:
            found = row_of(trigger, *arguments)
            if found is None and self._noting:
                self.keys.add(("not admitted", trigger.machine.name, trigger.name))
            return found

        return admitting

    def _judging(self, admit: Any) -> Any:
        def judging(call: ApiCall, grants: tuple[Grant, ...], **how: Any) -> None:
            admit(call, grants, **how)
            if call.caller is None or not self._noting:
                return
            passes = admission._passes(call, call.caller)
            held = [each for each in grants if admission._HOLDS[each](call, call.caller) or each in passes]
            if len(held) == 1:
                rest = tuple(each for each in grants if each is not held[0])
                self.keys.add(("needs grant", call.operation.name, rest))

        return judging

    def _note(self, call: ModelCall, predicted: Prediction, things: Things, scope: RunScope, before: World) -> None:
        name, reply = call.operation, predicted.reply
        if reply.status >= 400:
            reasons = {
                id.removeprefix("code.").replace("-", "_").upper() for id in predicted.used if id.startswith("code.")
            }
            self.keys.update(("reason", each) for each in reasons)
            if reasons & {"ROLE_MISSING", "NO_USER_CONTEXT"}:
                self.keys.add(("refused role", name))
            made = [named for named in call.names() if named in things]
            if made and call.caller == OTHER_ADMIN:
                self.keys.add(("refused other", name))
            if made and reply.status in (401, 403):
                self.keys.add(("refused and possible", name))
            return
        self._note_success(call, predicted, things, scope, before)

    def _note_success(
        self, call: ModelCall, predicted: Prediction, things: Things, scope: RunScope, before: World
    ) -> None:
        name, body = call.operation, predicted.reply.body
        if predicted.after is not before:
            self.keys.add(("seen", name))
            if isinstance(call.body, dict) and len(call.body) > 1:
                self.keys.add(("two fields", name))
        rows = body.get("results", body.get("rows")) if isinstance(body, dict) else body
        if isinstance(rows, list):
            rows = rows if not scope.is_open(call) else _made_of(rows, things)
            self.keys.update(("elements", name, count) for count in (1, 2) if len(rows) >= count)
            total = body.get("total", len(rows)) if isinstance(body, dict) else None
            if "limit" in call.query and total != len(rows):
                self.keys.add(("cut by", name, "limit"))
            if call.query.get("offset", "0") != "0" and total != 0:
                self.keys.add(("cut by", name, "offset"))
            if len(rows) > 1:
                self.keys.update(("sorted by", name, each) for each in ("sort", "order") if each in call.query)
        self.keys.update(("field", name, pointer) for pointer in _pointers(body, ()))


def _made_of(rows: list[Any], things: Things) -> list[Any]:
    """The elements that name what the run made: of a list that others may add to, only these are compared."""
    names = {each.name for each in things}
    return [
        row
        for row in rows
        if isinstance(row, dict) and any(isinstance(value, str | int) and value in names for value in row.values())
    ]


def _pointers(body: Any, place: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(body, dict):
        for field, value in body.items():
            yield (*place, field)
            yield from _pointers(value, (*place, field))
    elif isinstance(body, list):
        for value in body[:5]:
            yield from _pointers(value, (*place, "*"))

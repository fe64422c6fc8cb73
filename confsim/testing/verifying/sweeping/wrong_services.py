"""Services that are wrong in one way each, followed beside the model until an answer distinguishes them from it.

One loses what an operation changes, one makes it without the last field of its body, one makes it although it refuses,
one loses a single call that was the first to apply a row of a machine, one leaves the thing in another state after it.
Each has a world of its own, in which the calls of the run are made as well. So one read can distinguish several, long
after what they did wrong, and no read is made for what was distinguished already.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Misuse
from confsim.kernel.rows import ABSENT, Field, Flag
from confsim.kernel.world import World
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import Comparison, Made
from confsim.testing.learning.comparing.correspondence import Correspondence
from confsim.testing.learning.comparing.places import Shapes
from confsim.testing.learning.model import Prediction, RowPlace
from confsim.testing.learning.run import Run
from confsim.testing.verifying.candidates import Candidates
from confsim.testing.verifying.values import values_of

#: Most calls for which a wrong service is followed, and for which one is of which a single call is wrong.
_PATIENCE, _SHORT = 160, 40
#: Most that are followed at a time, and most of those of which a single call is wrong.
_MOST, _MOST_SINGLE = 80, 40


class Way(Enum):
    """A wrong way in which a service treats the calls of one operation."""

    LOST = "it is answered and not made"
    HALF = "it is made without the last field"
    MADE = "it is refused and made"
    UNMOVED = "one call of it is answered and not made"
    ASTRAY = "one call of it leads to another state"


#: In place of rows, for a call that was made before in the same way.
_AGAIN = (("again", 0),)
#: The ways in which single calls are wrong.
_SINGLE = frozenset({Way.UNMOVED, Way.ASTRAY})
#: What a wrong service is known by: the operation, values of its enumerations or the row of a machine, and the way.
Key = tuple[str, tuple[tuple[str, str | int], ...], Way]


class WrongService(Struct, eq=False):
    """A service that is wrong from ``call`` on: its world, and the names that things have there.

    ``calls`` counts for how many it is followed, ``in_vain`` how often a read was sought that distinguishes it.
    """

    key: Key
    call: ModelCall
    world: World
    known: Correspondence
    calls: int = 0
    in_vain: int = 0

    @property
    def way(self) -> Way:
        """What is wrong with it."""
        return self.key[2]

    def seek_in_vain(self) -> None:
        """Count that no read was found which distinguishes it."""
        self.in_vain += 1


class WrongServices:
    """The wrong services that are followed.

    ``open`` are those that no answer has distinguished yet, ``distinguished`` the keys of the others,
    ``missed`` those that were given up, with their calls.
    """

    def __init__(self, candidates: Candidates, shapes: Shapes) -> None:
        self._candidates = candidates
        self._shapes = shapes
        self.open: list[WrongService] = []
        self.distinguished: set[Key] = set()
        self.missed: dict[Key, ModelCall] = {}
        self._able: dict[str, str | None] = {}
        #: Rows of machines of which one is or was followed that has not applied it.
        self._rows: set[RowPlace] = set()
        #: The calls that changed something.
        self._made: set[bytes] = set()

    def go_on_with(self, run: Run) -> None:
        """Stop following all of them, since the model is another."""
        self.open.clear()
        self._shapes = run.shapes

    def give_up(self, wrong: WrongService) -> None:
        """Stop following one that no answer distinguishes."""
        self.open.remove(wrong)
        self.missed[wrong.key] = wrong.call
        if wrong.way is Way.UNMOVED:
            self._rows.difference_update(wrong.key[1])

    def note(self, call: ModelCall, predicted: Prediction) -> None:
        """Record a call that was made: close the wrong services that it distinguishes, begin those that it allows."""
        for each in list(self.open):
            found = self._answer(each, call)
            if found is None or self._differs(call, predicted, found, each.known):
                self.open.remove(each)
                if found is not None:
                    self.distinguished.add(each.key)
                    self.missed.pop(each.key, None)
                continue
            if call.declared.changes or predicted.applied:
                self._advance(each, call, found)
            each.calls += 1
            if each.calls > (_SHORT if each.way is Way.ASTRAY else _PATIENCE):
                self.give_up(each)
        if call.declared.changes:
            self._begin(call, predicted)
        elif predicted.effective:
            self._go_astray(call, predicted)

    def shown(self, call: ModelCall, predicted: Prediction, among: Iterable[WrongService]) -> list[WrongService]:
        """Return those of some wrong services that the answer to a call would distinguish."""
        found = []
        for each in among:
            other = self._answer(each, call)
            if other is not None and self._differs(call, predicted, other, each.known.copy()):
                found.append(each)
        return found

    def of(self, operations: Iterable[str], *, single: bool = False) -> list[WrongService]:
        """Return the followed services that are wrong with these operations; those with one call if ``single``."""
        wanted = set(operations)
        return [each for each in self.open if each.call.operation in wanted and (each.way in _SINGLE) is single]

    # Following

    def _answer(self, wrong: WrongService, call: ModelCall) -> Prediction | None:
        """Return what a wrong service would do with a call; None when the call cannot be sent there."""
        there = call.renamed(wrong.known.service)
        if wrong.way is Way.HALF and wrong.call.operation == call.operation:
            there = halved(there) or there
        try:
            return self._candidates.model.imagine(there, wrong.world)
        except Misuse:
            return None

    def _differs(self, call: ModelCall, predicted: Prediction, found: Prediction, known: Correspondence) -> bool:
        one, other = predicted.reply, found.reply
        if one.status == other.status and one.body == other.body and not call.declared.changes:
            return False
        made: Made | None = self._candidates.things if self._candidates.scope.is_open(call) else None
        comparison = Comparison(self._shapes, known)
        return comparison.difference(call.declared, one, other, made) is not None

    def _advance(self, wrong: WrongService, call: ModelCall, found: Prediction) -> None:
        same = wrong.call.operation == call.operation
        if wrong.key == key_of(call, Way.LOST) and found.reply.status < 400:
            return
        wrong.world = found.after
        if same and wrong.way is Way.MADE and found.reply.status in (401, 403):
            made = self._made_anyway(call.renamed(wrong.known.service), found.after)
            wrong.world = found.after if made is None else made

    def _begin(self, call: ModelCall, predicted: Prediction) -> None:
        name, reply = call.operation, predicted.reply
        begun = {each.key for each in self.open} | self.distinguished
        if reply.status < 400:
            self._able[name] = call.caller
            again = self._is_made_again(call)
            rows = [row for row in predicted.applied if row not in self._rows]
            if key_of(call, Way.LOST) not in begun and predicted.effective:
                self._follow(key_of(call, Way.LOST), call, predicted, predicted.before)
            elif rows and predicted.effective:
                self._follow((name, tuple(rows), Way.UNMOVED), call, predicted, predicted.before)
            elif again and predicted.effective and (name, _AGAIN, Way.UNMOVED) not in begun:
                self._follow((name, _AGAIN, Way.UNMOVED), call, predicted, predicted.before)
            self._rows.update(rows)
            self._go_astray(call, predicted)
            half = halved(call) if key_of(call, Way.HALF) not in begun else None
            found = None if half is None else self._imagined(half, predicted.before)
            if found is not None and found.reply.status < 400:
                self._follow(key_of(call, Way.HALF), call, predicted, found.after, found)
        elif reply.status in (401, 403) and key_of(call, Way.MADE) not in begun:
            world = self._made_anyway(call, predicted.after)
            if world is not None:
                self._follow(key_of(call, Way.MADE), call, predicted, world)

    def _go_astray(self, call: ModelCall, predicted: Prediction) -> None:
        """Follow the services on which what a call moved is in another state than it should be."""
        begun = {each.key for each in self.open} | self.distinguished
        for key, world in self._astray(call.operation, predicted):
            if key not in begun:
                begun.add(key)
                self._follow(key, call, predicted, world)

    def _astray(self, operation: str, predicted: Prediction) -> Iterator[tuple[Key, World]]:
        """Yield the worlds in which what a row of a machine moved last is in another state than the row leads to."""
        for place in predicted.settled:
            machine = Machine.declared[place[0]]
            then = machine.rows[place[1]].then
            if then is ABSENT or type(machine.field) not in (Field, Flag):  # of others the state follows from the value
                continue
            for client, table, record in predicted.written(machine):
                for state in machine.states if machine.state(record) is then else ():
                    if state in (ABSENT, then):
                        continue
                    other = machine.field.write(record, state)
                    world = self._candidates.model.altered(predicted.after, client, table, other)
                    if world is not None:
                        yield (operation, (place, ("then", state.name)), Way.ASTRAY), world

    def _is_made_again(self, call: ModelCall) -> bool:
        """Return whether the same call succeeded before, and note it."""
        one = msgspec.msgpack.encode(call)
        known = one in self._made
        self._made.add(one)
        return known

    def _follow(
        self, key: Key, call: ModelCall, predicted: Prediction, world: World, found: Prediction | None = None
    ) -> None:
        """Follow a service from a world on; ``found`` is its answer to the call, where that is not the model's."""
        known = Correspondence()
        known.shift = 0
        wrong = WrongService(key, call, world, known)
        if self._differs(call, predicted, found or predicted, known):  # else the ids of it are known from here
            self.distinguished.add(wrong.key)
            return
        self.open.append(wrong)
        alike = [each for each in self.open if (each.way in _SINGLE) is (wrong.way in _SINGLE)]
        if len(alike) > (_MOST_SINGLE if wrong.way in _SINGLE else _MOST):
            self.give_up(alike[0])

    def _made_anyway(self, call: ModelCall, world: World) -> World | None:
        """Return the world after a call by somebody with permission, None if nobody is known or nothing changes.

        That may be who made the last call of the operation, or a caller of the client that has what this one names.
        """
        things = self._candidates.things
        homes = {found.home for named in call.names() if (found := things.find(*named)) is not None}
        able = [self._able[call.operation]] if call.operation in self._able else []
        near = [each.token for each in things.callers if not homes or each.home in homes]
        for token in dict.fromkeys([*able, *near]):
            predicted = self._imagined(replace(call, caller=token), world)
            if predicted is not None and predicted.reply.status < 400:
                return predicted.after if predicted.effective else None
        return None

    def _imagined(self, call: ModelCall, world: World) -> Prediction | None:
        try:
            return self._candidates.model.imagine(call, world)
        except Misuse:
            return None


def key_of(call: ModelCall, way: Way) -> Key:
    """Return what a wrong service is known by; losing is one thing for each value of an enumeration."""
    return call.operation, tuple(values_of(call)) if way is Way.LOST else (), way


def halved(call: ModelCall) -> ModelCall | None:
    """Return the call without the last field of its body, None when it has not several fields."""
    if not isinstance(call.body, dict) or len(call.body) < 2:
        return None
    body = dict(call.body)
    body.popitem()
    return replace(call, body=body)


def latest(wrongs: Sequence[WrongService], count: int) -> list[ModelCall]:
    """Return the last calls, so many, with which some wrong services began."""
    return list({id(each.call): each.call for each in reversed(wrongs)}.values())[:count]

"""A walk through the catalogue: every operation called with sample arguments by everybody who might."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from msgspec import Struct

from confsim.api.catalogue import API
from confsim.contract.operation import Operation
from confsim.service.messages import Answer
from confsim.simulator import Simulator
from confsim.testing.samples import Arguments, IdPool, valid

#: Samples that each caller tries in a round.
TRIES = 4


class Step(Struct, frozen=True):
    """One call of the walk and its answer."""

    operation: Operation
    caller: str
    arguments: Arguments
    answer: Answer


def walk(
    simulator: Simulator,
    client: str,
    callers: Iterable[str],
    rounds: Iterable[int] = (0, 1),
    leave_out: Collection[str] = (),
) -> Iterator[Step]:
    """Call every operation of the API in every round, as each caller with several samples until one succeeds.

    Arguments name things of the client, as they are at that moment; what makes things comes first in a round,
    what removes them last.
    ``rounds`` numbers them, which varies the samples; ``leave_out`` names operations that are not called.
    """
    callers = tuple(callers)
    operations = sorted((operation for operation in API if operation.name not in leave_out), key=_late)
    for turn in rounds:
        for operation in operations:
            yield from _tried(simulator, client, callers, operation, turn)


def _tried(
    simulator: Simulator, client: str, callers: tuple[str, ...], operation: Operation, turn: int
) -> Iterator[Step]:
    for sample in range(TRIES):
        arguments = valid(operation, IdPool(simulator.service.world, client), turn * TRIES + sample)
        for caller in callers:
            answer = call(simulator, operation, caller, arguments)
            yield Step(operation, caller, arguments, answer)
            if answer.ok:
                return


def call(simulator: Simulator, operation: Operation, caller: str | None, arguments: Arguments) -> Answer:
    """Call the operation with these arguments."""
    return simulator.call(operation.name, caller, **arguments.keywords)


def _late(operation: Operation) -> tuple[bool, int]:
    return operation.revokes_access, ("POST", "GET", "DELETE").index(operation.method)

"""The reasons for which an operation can refuse under a profile: from its declaration, the register and real calls."""

from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache
from typing import Any

from confsim.assumptions import REGISTER, Assumption, Reason, in_force
from confsim.assumptions.protocol import conventions, parsing, transport
from confsim.contract.annotations import peeled
from confsim.contract.decode import PathParameter
from confsim.contract.encode import Raw
from confsim.contract.gates import Grant
from confsim.contract.operation import Operation
from confsim.contract.schema import Profile

from .callers import REASONS as OF_CALLERS, of_callers
from .parts import grants_of

#: The reasons for which a text in a path is refused before it is looked up.
_OF_PATHS = frozenset({Reason.NUMBER_MALFORMED, Reason.DTMF_MALFORMED, Reason.TOO_MANY_CHANNELS})


def reasons_of(operation: Operation, observed: Mapping[str, Any], profile: Profile) -> set[Reason]:
    """Return the reasons for which an operation can refuse under a profile.

    ``observed`` is what real calls of it showed (``reference.observed``).
    """
    anonymous = observed.get("anonymous", False) or Grant.PUBLIC in operation.gate.grants
    own = {Reason[name] for name in observed.get("refusals", ())}
    if Grant.PUBLIC in grants_of(operation, profile) and not anonymous:
        own &= _OF_PATHS  # whoever calls is refused after that
    asks_user = Reason.NO_USER_CONTEXT in own and _possible(operation, Reason.NO_USER_CONTEXT, profile)
    of_caller = set(of_callers(operation, profile, anonymous=anonymous, asks_user=asks_user))
    own -= {reason for reason in OF_CALLERS if reason is Reason.NO_USER_CONTEXT or not _chooses(operation, reason)}
    found = {
        reason
        for reason in own | of_caller
        if reason is Reason.NO_USER_CONTEXT or _possible(operation, reason, profile)
    }
    return found.union(_of_input(operation, profile))


def _possible(operation: Operation, reason: Reason, profile: Profile) -> bool:
    """Return whether a profile lets an operation refuse for a reason, where entries of the register decide that."""
    name = operation.name
    deciding = [each for each in _deciding().get(reason.name, ()) if not each.operations or name in each.operations]
    return not deciding or any(each.allows_refusal(reason.name, name, profile) for each in deciding)


def _chooses(operation: Operation, reason: Reason) -> bool:
    """Return whether an entry about the operation says that it refuses callers for a reason beside its gate."""
    return any(operation.name in each.operations for each in _deciding().get(reason.name, ()))


@cache
def _deciding() -> Mapping[str, list[Assumption[Any]]]:
    """Return the entries that decide whether operations refuse for a reason, by its name."""
    found: dict[str, list[Assumption[Any]]] = {}
    for entry in REGISTER.entries.values():
        for name in entry.refuses:
            found.setdefault(name, []).append(entry)
    return found


def _of_input(operation: Operation, profile: Profile) -> Iterator[Reason]:
    """Yield the reasons that follow from what an operation takes, whatever it does."""
    things, query = operation.path_parameters, operation.query_parameters
    yield Reason.INVALID_INPUT  # every query can be malformed
    if any(isinstance(each.wire, type) and issubclass(each.wire, Enum) for each in things):
        yield Reason.INVALID_STATE
    if operation.result is Raw:
        yield Reason.RANGE_NOT_SATISFIABLE
    if in_force(profile, parsing.ACCEPT) == "refuse":
        yield Reason.NOT_ACCEPTABLE
    if in_force(profile, transport.RATE):
        yield Reason.TOO_MANY_CALLS
    if operation.body is not None:
        yield from (Reason.UNSUPPORTED_MEDIA_TYPE, Reason.BODY_TOO_LARGE)
        if operation.body.is_json:
            yield Reason.BODY_MALFORMED
    if (
        (in_force(profile, parsing.MISSING_QUERY) == "404" and any(each.required for each in query))
        or (in_force(profile, parsing.PATH_NUMBERS) == "404" and any(map(_is_number, things)))
        or (in_force(profile, conventions.BEYOND_END) == "refuse" and any(each.name == "offset" for each in query))
    ):
        yield Reason.NOT_FOUND


def _is_number(parameter: PathParameter) -> bool:
    """Return whether a path documents a number here, or several."""
    return peeled(parameter.wire)[0] in (int, list[int]) or parameter.names == "users"

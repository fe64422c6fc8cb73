"""The faults of a world, and the calls that they hold, as Python objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

from confsim.control.invoke import ControlPlane
from confsim.control.operations.faults import FaultInfo, HeldCallInfo, HeldOutcome, add_fault, decide_held, list_faults
from confsim.kernel.refusal import Misuse
from confsim.service.waiting import monotonic, wait_for
from confsim.values.spans import Duration, span

from .assertions import counted, require_place


class HeldCallFacade:
    """A call that a fault holds: ``info`` describes it; ``release``, ``change`` or ``drop`` decides on it.

    Each of these returns once the rest of the call is done, and raises Misuse (404) when the call is no longer held.
    """

    __slots__ = ("_control", "info")

    def __init__(self, control: ControlPlane, info: HeldCallInfo) -> None:
        self._control = control
        self.info = info

    def __repr__(self) -> str:
        return f"<{self.info.id}: {self.info.operation}, held {self.info.when} it>"

    def release(self) -> HeldOutcome:
        """Let the call continue."""
        return self._decide(action="release")

    def change(self, do: dict[str, Any] | None = None, *, body: object = None) -> HeldOutcome:
        """Replace its answer by an effect (``{"status": 503}``), or the JSON ``body`` that its operation gets."""
        return self._decide(action="change", do=do, body=body)

    def drop(self) -> HeldOutcome:
        """Close its connection; the changes it has made stay."""
        return self._decide(action="drop")

    def _decide(self, **fields: object) -> HeldOutcome:
        return self._control.call(decide_held, self.info.id, **fields)


class FaultsFacade(Sequence[FaultInfo]):
    """The active faults of a world: a sequence in their order, each with its current counts."""

    def __init__(self, control: ControlPlane) -> None:
        self._control = control

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'fault')}>"

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[FaultInfo]:
        return iter(self[:])  # one listing, not one for each of them

    @overload
    def __getitem__(self, place: int) -> FaultInfo: ...
    @overload
    def __getitem__(self, place: slice) -> list[FaultInfo]: ...
    def __getitem__(self, place: int | slice) -> FaultInfo | list[FaultInfo]:
        __tracebackhide__ = True
        found = self._all()
        require_place(place, len(found), "faults")
        return found[place]

    def _all(self) -> list[FaultInfo]:
        return self._control.call(list_faults)

    def put(self, faults: Iterable[Mapping[str, Any]]) -> list[FaultInfo]:
        """Replace all faults. Raises Misuse for the first mistake, without changing anything."""
        found: list[FaultInfo] = self._control.with_body("put_faults", list(faults))
        return found

    def add(self, operation: str | None = None, *, do: object, **fields: object) -> FaultInfo:
        """Add a fault of an operation or of a ``thing``; ``match``, ``on`` and ``times`` are optional."""
        return self._control.call(add_fault, operation=operation, do=do, **fields)

    def remove(self, id: str) -> None:
        """Remove the fault of this id. Raises Misuse (404) when there is none."""
        self._control("remove_fault", id)

    @property
    def held(self) -> list[HeldCallFacade]:
        """Return the calls that faults hold now, oldest first."""
        return [HeldCallFacade(self._control, each) for each in self._control("list_held")]

    def wait_for_held(self, timeout: Duration = "5s") -> HeldCallFacade:
        """Wait until a call is held, and return the first. Raises Misuse (409) after the timeout (in real time)."""
        end = monotonic() + span(timeout) / 1000

        def first() -> HeldCallFacade | None:
            if found := self.held:
                return found[0]
            if monotonic() >= end:
                raise Misuse(f"no call was held within {timeout}", status=409)
            return None

        return wait_for(self._control.context.service.live.waiters.until(first))

    def clear(self) -> None:
        """Remove all faults."""
        self._control("clear_faults")

    @property
    def by_request(self) -> bool:
        """Whether a request can carry faults for itself. Can be set."""
        return self._control.context.service.faults.by_request

    @by_request.setter
    def by_request(self, enabled: bool) -> None:
        self._control("set_by_request", enabled=enabled)

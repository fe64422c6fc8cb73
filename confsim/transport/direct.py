"""The transport to a world of this process, without HTTP."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from msgspec.structs import replace

from confsim.api.call import HOST
from confsim.assumptions.register import ProfileContext
from confsim.contract.operation import Catalogue, Operation
from confsim.kernel.refusal import Misuse
from confsim.service.incoming import Finish
from confsim.service.messages import Outcome, Request, Response
from confsim.service.service import Service
from confsim.service.waiting import delivered, wait_for

from .address import OperationRequest

#: Performs a control operation: the operation, its path parameters as texts, the request.
Perform = Callable[[Operation, tuple[str, ...], Request], Outcome]


class DirectTransport:
    """Performs operations on a service: those of the API itself, those of the catalogue ``control`` by ``perform``.

    Unless ``patient``, it waits for no response: delays of faults are ignored, and a control operation that waits
    raises Misuse (409) unless its result is ready at once.
    """

    def __init__(self, service: Service, control: Catalogue, perform: Perform, *, patient: bool = True) -> None:
        self.service = service
        self.patient = patient
        self._control = control
        self._perform = perform

    @property
    def root(self) -> str:
        """The URL of the mount."""
        return f"http://{HOST}{self.service.address.mount}"

    def send(self, call: OperationRequest) -> Response:
        """Perform one operation. Raises ConnectionResetError when a fault drops the connection."""
        sent, service = call.request, self.service
        request = replace(sent, target=service.address.mount + sent.target, headers={"host": HOST, **sent.headers})
        if call.operation.catalogue is self._control:
            return self._arrived(call.operation, self._perform(call.operation, call.path, request))
        context = ProfileContext(service.profile)
        incoming = service.incoming(request, call.operation, call.path, context, self._finish(call))
        response = wait_for(service.perform(incoming))
        if not self.patient:
            response = replace(response, delay=0.0)  # that of the journal stays as it is
        return delivered(service.live.waiters, response)

    def _finish(self, call: OperationRequest) -> Finish | None:
        """Return the function that makes the final response of a conditional or range request, as HTTP decides."""
        request = call.request
        if not request.headers.keys() & {"if-none-match", "range"}:
            return None
        from confsim.http.exchange import Exchange

        exchange = Exchange(self.service, request)
        exchange.asks_for(call.operation)
        return exchange.finish

    def _arrived(self, operation: Operation, outcome: Outcome) -> Response:
        if isinstance(outcome, Future) and operation.waits and not self.patient:
            outcome.cancel()
            raise Misuse("nothing is waited for while a world is made: what is not there at once does not come", 409)
        return wait_for(outcome)

    def wait(self, seconds: float) -> None:
        """Advance the clock of the world."""
        self.service.live.advance(int(seconds * 1000))

    def close(self) -> None:
        """Do nothing: there are no resources to release."""

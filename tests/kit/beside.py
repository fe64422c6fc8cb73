"""A service for commands that learn from one: a simulator behind WSGI, whose clock and the run's are moved alike."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any, TypeVar

from confsim import Simulator
from confsim.service.clock import Clock
from confsim.service.messages import Request, Response
from confsim.testing.calibrating.calibrator import Calibrator
from confsim.testing.learning.accounts import Accounts, accounts_of
from confsim.testing.learning.comparing.correspondence import Correspondence
from confsim.testing.learning.service import RealService
from confsim.testing.verifying.findings import VerifyReport
from confsim.testing.verifying.verifier import Verifier
from confsim.transport.transport import WireTransport
from confsim.transport.wsgi import WsgiTransport
from kit import START_MS

V = TypeVar("V", bound=Verifier)

#: How far the service's clock is ahead, and how long a request takes one way, in milliseconds.
AHEAD, LATENCY = 300_000, 15


class Beside:
    """A service under a profile, and the two clocks. ``ahead`` and ``latency`` are in milliseconds."""

    def __init__(
        self, profile: Mapping[str, Any] | None = None, *, seed: int = 99, ahead: int = AHEAD, latency: int = LATENCY
    ) -> None:
        self.simulator = Simulator(seed=seed, profile=profile or {}, clock=Clock(START_MS + ahead))
        self.simulator.service.webhooks.set_listed(True)
        self.simulator.service.journal.limit(1)
        self.clock = Clock(START_MS)
        self.latency = latency
        self.accounts: Accounts = accounts_of(tomllib.loads(self.simulator.control("get_accounts").data.decode()))

    def pass_time(self, milliseconds: int) -> None:
        """Let time pass on both sides."""
        self.clock.move(self.clock.now() + milliseconds)
        self.simulator.clock.advance(milliseconds)

    def transport(self) -> WireTransport:
        """The way to the service."""
        return _Delayed(self)

    def service(self, transport: WireTransport | None = None, **options: Any) -> RealService:
        """The service as a run has it."""
        return RealService(
            transport or self.transport(),
            {},
            self.known,
            clock=lambda: self.clock.now() / 1000,
            sleep=lambda seconds: self.pass_time(int(seconds * 1000)),
            **options,
        )

    def verifier(
        self,
        *,
        profile: Mapping[str, Any] | None = None,
        transport: WireTransport | None = None,
        most: int | None = None,
        kind: type[V] = Verifier,  # type: ignore[assignment]  # the default of V
        **options: Any,
    ) -> V:
        """A verifier, of this kind, that takes the service to follow ``profile``."""
        self.known = Correspondence()
        chosen = {"tag": "cvtest", "allow_phone_calls": True, "base_url": "http://confsim.test/v1_0", **options}
        service = self.service(transport, most=most)
        service.address_under(profile or {})
        return kind(service, self.accounts, profile or {}, self.known, clock=self.clock, **chosen)

    def calibrator(
        self, *, transport: WireTransport | None = None, most: int | None = None, **options: Any
    ) -> Calibrator:
        """A calibrator that knows nothing of the profile."""
        self.known = Correspondence()
        chosen = {"tag": "cvtest", "allow_phone_calls": True, "base_url": "http://confsim.test/v1_0", **options}
        return Calibrator(self.service(transport, most=most), self.accounts, self.known, clock=self.clock, **chosen)

    def verify(self, **options: Any) -> VerifyReport:
        """Verify the service."""
        return self.verifier(**options).run()


class _Delayed(WsgiTransport):
    """Requests that take time; header lines arrive in another order."""

    def __init__(self, beside: Beside) -> None:
        super().__init__(beside.simulator.wsgi)
        self._beside = beside

    def exchange(self, request: Request) -> Response:
        self._beside.pass_time(self._beside.latency)
        response = super().exchange(request)
        self._beside.pass_time(self._beside.latency)
        return Response(response.status, list(reversed(response.headers)), response.body)

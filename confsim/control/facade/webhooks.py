"""The webhook deliveries of a world as a Python sequence, and how they are sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from confsim.assumptions.events import EventKind
from confsim.control.invoke import ControlPlane
from confsim.control.operations.webhooks import DeliveryInfo, list_deliveries, redeliver
from confsim.service.webhooks.signatures import verify

from .assertions import counted, known, require, require_place


class WebhooksFacade(Sequence[DeliveryInfo]):
    """The webhook deliveries of a world, pending ones included: a sequence, newest last."""

    def __init__(self, control: ControlPlane) -> None:
        self._control = control

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'delivery')}>"

    def __len__(self) -> int:
        return len(self.find())

    def __iter__(self) -> Iterator[DeliveryInfo]:
        return iter(self[:])  # one listing, not one for each of them

    @overload
    def __getitem__(self, place: int) -> DeliveryInfo: ...
    @overload
    def __getitem__(self, place: slice) -> list[DeliveryInfo]: ...
    def __getitem__(self, place: int | slice) -> DeliveryInfo | list[DeliveryInfo]:
        __tracebackhide__ = True
        found = self.find()
        require_place(place, len(found), "deliveries")
        return found[place]

    def find(
        self,
        *,
        endpoint: str | None = None,
        kind: str | None = None,
        delivered: bool | None = None,
        state: str | None = None,
    ) -> list[DeliveryInfo]:
        """Return the deliveries that match every given value. Raises Misuse for an unknown kind."""
        known("kind", kind, EventKind)
        return self._control.call(list_deliveries, endpoint=endpoint, kind=kind, delivered=delivered, state=state)

    def assert_delivered(
        self,
        kind: str | None = None,
        *,
        payload: object = None,
        endpoint: str | None = None,
        delivered: bool = True,
        times: int | None = None,
    ) -> list[DeliveryInfo]:
        """Return the deliveries that match; ``payload`` is a part of theirs, ``delivered`` says whether they arrived.

        Raises AssertionError, with the differences of the nearest, unless there are exactly ``times`` (default: at
        least one); Misuse for an unknown kind.
        """
        known("kind", kind, EventKind)
        wanted = {"kind": kind, "payload": payload, "endpoint": endpoint, "delivered": delivered}
        return require(self, "delivery", wanted, times)

    def verify(self, body: bytes, headers: Mapping[str, str], secret: str) -> Any:
        """Return the payload of a webhook that was signed with the secret of its endpoint.

        Raises ValueError when the signature is wrong or missing, or its timestamp is more than five minutes from the
        instant that one made now would carry: the true time, or that of the world's clock while it is frozen, unless
        the profile says otherwise (``webhooks.timestamp``).
        """
        __tracebackhide__ = True
        service = self._control.context.service
        return verify(body, headers, secret, service.webhooks.signing_time(service.clock.now()))

    def deliver_to(self, receiver: Any) -> None:
        """Send deliveries to a receiver in this process from now on; None stops that.

        A receiver is a function or coroutine function of a message that returns a status (or None for 200), a WSGI
        application (called with two arguments), an ASGI application (called with three), or a list that collects
        messages. A message has ``url``, ``headers``, ``body`` and ``json``. The receiver may wait and may call the
        simulator: other callers go on meanwhile. Without a receiver every delivery counts as delivered, unless a live
        server serves the world.

        An exception of the receiver is a failed attempt. A failed assertion is raised too, at the end of the test, or
        by ``check``. Raises Misuse for an object that cannot be a receiver.
        """
        self._control.context.service.webhooks.deliver_to(receiver)

    def check(self) -> None:
        """Raise the failed assertions of receivers of this world since the last check; several as one group.

        The pytest plugin does it at the end of each test.
        """
        __tracebackhide__ = True
        failure = self._control.context.service.webhooks.take_failures()
        if failure is not None:
            raise failure

    def allow(self, *hosts: str) -> None:
        """Let a live server send to these hosts, beside loopback."""
        self._control("set_webhooks", allow=list(hosts))

    def redeliver(self, id: str) -> DeliveryInfo:
        """Start a new series of attempts. Raises Misuse for an unknown delivery (404), or one yet to be sent (409)."""
        return self._control.call(redeliver, id)

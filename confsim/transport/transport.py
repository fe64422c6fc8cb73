"""The interface of every transport: requests in, responses out."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from typing import Protocol

from confsim.service.messages import Request, Response

from .address import OperationRequest


class Transport(Protocol):
    """Sends requests of operations to one world. ``root`` is the URL of its mount, without a slash at its end."""

    @property
    def root(self) -> str:
        """The URL of the mount."""

    def send(self, call: OperationRequest) -> Response:
        """Send one request and return its response.

        Raises ConnectionResetError when a fault drops the connection, Misuse when the world cannot be reached.
        """

    def wait(self, seconds: float) -> None:
        """Let time pass in the world."""

    def close(self) -> None:
        """Release the resources of the transport."""


class WireTransport(ABC):
    """A transport that sends bytes; ``exchange`` takes any request below the mount, of an operation or not."""

    root: str

    @abstractmethod
    def exchange(self, request: Request) -> Response:
        """Send one request, its target below the mount, and return the response."""

    def send(self, call: OperationRequest) -> Response:
        """Send one request of an operation and return its response."""
        return self.exchange(call.request)

    def wait(self, seconds: float) -> None:
        """Advance the clock of a confsim world; sleep as long without a control plane."""
        body = json.dumps({"by": int(seconds * 1000)}).encode()
        headers = {"content-type": "application/json"}
        if self.exchange(Request("POST", "/_confsim/clock/advance", "", headers, body)).status != 200:
            time.sleep(seconds)

    def close(self) -> None:  # noqa: B027  (not every transport holds something)
        """Release the resources of the transport."""

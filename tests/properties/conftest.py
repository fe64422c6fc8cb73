"""Worlds in which a lot has happened, for the properties that hold over the whole catalogue."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.testing.tour import tour

CUSTOMER = "22222222-2222-4222-8222-222222222222"
OTHER = "33333333-3333-4333-8333-333333333333"
PARTNER = "11111111-1111-4111-8111-111111111111"
CALLERS = ("demo-owner", "demo-customer-admin", "demo-api-token", "demo-user")
NOT_TOURED = ("delete_api_token", "promulgate_terms", "set_client_service_state", "accept_terms")


@pytest.fixture(scope="session")
def lived() -> Simulator:
    """The demo world after a tour through the catalogue, its clock standing still."""
    simulator = Simulator(clock="2026-02-01T00:00:00Z")
    for _ in tour(simulator, CUSTOMER, CALLERS, leave_out=NOT_TOURED):
        pass
    return simulator

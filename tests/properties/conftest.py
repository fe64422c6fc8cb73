"""Worlds in which a lot has happened, for the properties that hold over the whole catalogue."""

from __future__ import annotations

from contextlib import suppress

import pytest

from confsim import Misuse, Simulator
from confsim.api.catalogue import API
from confsim.testing.samples import IdPool
from kit import CUSTOMER, OTHER, START
from kit.catalogue_walk import walk

CALLERS = ("demo-owner", "demo-customer-admin", "demo-api-token", "demo-user")
#: What would shut the callers out of the world they live in.
NOT_TOURED = (
    "accept_terms",
    "delete_api_token",
    "promulgate_terms",
    "regenerate_api_token",
    "remove_access_level",
    "set_client_service_state",
)


REMOVING = tuple(operation.name for operation in API if operation.method == "DELETE")


@pytest.fixture(scope="session")
def lived() -> Simulator:
    """The demo world after walks through the catalogue in two unrelated clients, its clock standing still.

    The last walk of each removes nothing, so that there is something of every kind. The rounds differ, so that the two
    have no names in common.
    """
    simulator = Simulator(clock=START)
    for client, callers, first in ((CUSTOMER, CALLERS, 0), (OTHER, ("demo-other-admin",), 20)):
        for turn, leave_out in ((first, NOT_TOURED), (first + 1, (*NOT_TOURED, *REMOVING))):
            people_come(simulator, client, callers)
            for _ in walk(simulator, client, callers, rounds=(turn,), leave_out=leave_out):
                pass
    return simulator


def people_come(simulator: Simulator, client: str, tokens: tuple[str, ...]) -> None:
    """Let the holders of the tokens join every channel of the client that lets them."""
    for channel in IdPool(simulator.service.world, client).list_ids("Channel"):
        for token in tokens:
            with suppress(Misuse):
                simulator.presence.join(str(channel), token)

"""Another tenant's id and a deleted one answer as one that never was; a sample of the matrix that a campaign tries."""

from __future__ import annotations

from unittest import mock

import pytest

from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.channels import channels
from confsim.kernel.refusal import Refusal
from kit import OTHER
from kit.each import each
from kit.proofs.tenants import collected, credentials, places, roles, tenants

OPERATIONS = sorted(API.operations)[::8]


@pytest.fixture(scope="module")
def cases():
    """A call of each operation that succeeds."""
    return collected()


def wrong(found):
    """The cells that are not as they are to be."""
    return [cell for cell in found if cell.tried and cell.problem]


@each("name", OPERATIONS)
def test_cells_of_an_operation(cases, name):
    """Ids of others and of things that are gone, callers without a token or with one that is over, and low roles."""
    case = cases[name]
    assert wrong([*tenants(case), *credentials(case), *roles(case)]) == []


def test_the_matrix_has_something_to_try(cases):
    """Most places have an id of somebody else, and many one of something that is gone."""
    found = [cell for name in OPERATIONS for cell in tenants(cases[name])]
    wanted = sum(len(list(places(cases[name].operation, cases[name].arguments))) for name in OPERATIONS)
    assert sum(cell.tried and cell.cell == "another tenant's id" for cell in found) >= wanted / 3
    assert sum(cell.tried and cell.cell == "a deleted id" for cell in found) >= wanted / 5
    assert len(cases) == 223


def test_a_foreign_thing_that_is_told_apart_is_noticed(cases):
    """If a room of somebody else were refused with another word than one that never was, the matrix would say so."""
    get = channels.get

    def telling(change, client, id):
        if client != OTHER and channels.find(change, OTHER, id) is not None:
            raise Refusal(Reason.EVENT_ROOM_OFF)
        return get(change, client, id)

    with mock.patch.object(channels, "get", telling):
        assert [cell.cell for cell in wrong(tenants(cases["get_channel"]))] == ["another tenant's id"]

"""Another tenant's id and a deleted one answer as one that never was; a sample of the matrix that a campaign tries."""

from __future__ import annotations

from unittest import mock

import pytest

from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.channels import channels
from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Refusal
from confsim.kernel.rows import ABSENT
from kit import OTHER
from kit.each import each
from kit.proofs.tenants import IMPOSSIBLE, collected, credentials, roles, tenants

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


def test_every_cell_is_tried_or_impossible(cases):
    """Each place has an id of somebody else and one of something that is gone, but where a reason is named."""
    found = [cell for name in OPERATIONS for cell in tenants(cases[name])]
    assert {cell.cell for cell in found if not cell.tried} <= IMPOSSIBLE.keys()
    assert len(cases) == 223


@each("name", ["app session", "client hierarchy", "gateway endpoint", "validator"])
def test_what_no_call_deletes_has_no_row_that_does(name):
    """As is said of the cells that are impossible for this reason."""
    assert [row for row in Machine.declared[name].rows if row.then is ABSENT] == []


@pytest.mark.unlisted
def test_a_foreign_thing_that_is_told_apart_is_noticed(cases):
    """If a room of somebody else were refused with another word than one that never was, the matrix would say so."""
    get = channels.get

    def telling(change, client, id):
        if client != OTHER and channels.find(change, OTHER, id) is not None:
            raise Refusal(Reason.EVENT_ROOM_OFF)
        return get(change, client, id)

    with mock.patch.object(channels, "get", telling):
        assert [cell.cell for cell in wrong(tenants(cases["get_channel"]))] == ["another tenant's id"]

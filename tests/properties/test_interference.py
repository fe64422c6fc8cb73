"""What a tenant sees alone is what it sees while others are at work beside it. More: the campaigns."""

from __future__ import annotations

from unittest import mock

import pytest

from confsim.kernel.tables.table import Table
from confsim.kernel.tables.writing import Layout
from kit import CUSTOMER
from kit.proofs.interference import interferences


@pytest.mark.parametrize("seed", range(3))
def test_no_tenant_sees_another_at_work(seed):
    """Every answer to the byte, and every record in the end."""
    assert list(interferences(seed, 150, 1)) == []


def test_a_shared_table_is_noticed():
    """If one table belonged to all, the others would show in it."""

    def shared(name):
        of_client = getattr(Table, name)

        def of_all(self, *arguments):
            *others, client = arguments
            return of_client(self, *others, CUSTOMER if self.name == "api tokens" else client)

        return of_all

    of_client = Layout.put

    def put(self, change, client, record, *chosen, **named):
        client = CUSTOMER if self.name == "api tokens" else client
        of_client(self, change, client, record, *chosen, **named)

    reading = mock.patch.multiple(Table, **{name: shared(name) for name in ("of", "get")})
    with reading, mock.patch.object(Layout, "put", put):
        assert list(interferences(0, 300))

"""Which fields of records have secrets."""

from __future__ import annotations

from confsim.kernel.tables.table import Table
from kit.each import by_name, each


@each("table", [each for each in Table.declared.values() if each.secrets], ids=by_name)
def test_what_is_declared_secret_is_a_field_of_the_record(table):
    """A name that no field has would leave the secret in what is shown."""
    assert table.secrets.keys() <= set(table.record.__struct_fields__)

"""Tables of the command line."""

from __future__ import annotations

from confsim.cli.command import table

ROWS = [("set_user_email", "POST /users/{userId}/email", "R001 R002 R003 R004 R005"), ("a", "b", "")]


def test_a_table_is_as_wide_as_its_cells_unless_there_is_a_limit():
    """Cells are broken in the columns that are widest, and lose nothing."""
    whole = list(table(("name", "route", "rules"), ROWS))
    assert whole[1] == "set_user_email  POST /users/{userId}/email  R001 R002 R003 R004 R005"
    assert whole[2] == "a               b"
    narrow = list(table(("name", "route", "rules"), ROWS, 50))
    assert max(map(len, narrow)) <= 50
    assert "".join("".join(whole).split()) != ""
    assert sorted("".join("".join(narrow).split())) == sorted("".join("".join(whole).split()))
    assert list(table(("name", "route", "rules"), ROWS, 500)) == whole


def test_a_terminal_too_narrow_for_anything_gets_narrow_columns():
    """At least eight characters each."""
    assert max(map(len, table(("name", "route", "rules"), ROWS, 3))) <= 3 * 8 + 2 * 2

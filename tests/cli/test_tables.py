"""Tables of the command line."""

from __future__ import annotations

from hypothesis import given, strategies as st

from confsim.cli.printing import table

ROWS = [("set_user_email", "POST /users/{userId}/email", "R001 R002 R003 R004 R005"), ("a", "b", "")]
COLUMNS = ("name", "route", "rules")


def test_a_table_without_a_limit_has_a_line_for_each_row():
    """Each column is as wide as its widest cell."""
    assert table(COLUMNS, ROWS) == [
        "name            route                       rules",
        "set_user_email  POST /users/{userId}/email  R001 R002 R003 R004 R005",
        "a               b",
    ]
    assert table(COLUMNS, ROWS, 500) == table(COLUMNS, ROWS)


def test_a_table_that_does_not_fit_shows_each_row_as_a_block():
    """The first cell stands alone, and each other cell that is not empty follows its column."""
    assert table(COLUMNS, ROWS, 40) == [
        "set_user_email",
        "  route  POST /users/{userId}/email",
        "  rules  R001 R002 R003 R004 R005",
        "a",
        "  route  b",
    ]


@given(
    st.lists(st.tuples(*[st.text("abc_/{} ", max_size=30)] * 3), min_size=1, max_size=5),
    st.integers(min_value=1, max_value=120),
)
def test_no_word_is_ever_broken(rows, width):
    """Whatever the width, each word of each cell stands whole in a line; Markup of the library is plain text."""
    found = [word for line in table(COLUMNS, rows, width) for word in line.split()]
    wanted = [word for row in rows for cell in row for word in cell.split()]
    assert all(found.count(word) >= wanted.count(word) for word in wanted)


def test_markup_of_the_library_is_plain_text():
    """Square brackets and colons of a cell are printed as they are."""
    assert table(("a", "b"), [("[bold]x[/bold]", ":smile: [/]")])[1] == "[bold]x[/bold]  :smile: [/]"

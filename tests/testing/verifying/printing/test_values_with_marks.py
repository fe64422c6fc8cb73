"""Values with marks as Python expressions, as words of a shell and as filters of jq."""

from __future__ import annotations

import subprocess

import pytest

from confsim.testing.verifying.printing import python, shell


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ("plain 'text'", "\"plain 'text'\""),
        ("@@Nuser_1@@", "user_1"),
        ("@@tag@@ {a}\n@@Nuser_1@@", r"f'{tag} {{a}}\n{user_1}'"),
        ({"a": ["@@channel_1@@", 1, None]}, "{'a': [channel_1, 1, None]}"),
        (b"\x89PNG", r"b'\x89PNG'"),
        (b'{"userId":"@@Nuser_1@@"}', """f'{{"userId":{user_1}}}'.encode('latin-1')"""),
    ],
)
def test_symbols_are_variables_of_python(value, printed):
    """As a whole, within texts, in JSON and in bytes."""
    assert python.expression(value) == printed


@pytest.mark.parametrize("body", [b'{"a":"$b `c` \\"}', b"\x89PNG\0%d'\n", "é".encode()])
def test_a_body_is_sent_as_it_is(body):
    """A shell passes on every byte, also those of no text."""
    before, option = shell.piped(body)
    command = f"{before}cat" if before else f"printf %s {option.removeprefix('--data-binary ')}"
    assert subprocess.run(["sh", "-c", command], capture_output=True).stdout == body


def test_a_number_in_a_body_has_no_quotes():
    """As users have in JSON."""
    assert shell.piped(b'{"userId":"@@Nuser_1@@"}') == ("", r'--data-binary "{\"userId\":${USER_1}}"')


@pytest.mark.parametrize(
    ("place", "printed"),
    [(("id",), ".id"), ((0, "id"), "'.[0].id'"), (("a", 1, "x-y"), """'.a[1]["x-y"]'"""), ((), ".")],
)
def test_a_place_is_a_filter(place, printed):
    """Fields, elements of lists, and names that need quotes."""
    assert shell.filter_of(place) == printed

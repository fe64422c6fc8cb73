"""Each bug is shown by its calls: green without the switch, red with it."""

from __future__ import annotations

import pytest

from services.calls import bugs_of_access, bugs_of_lists, bugs_of_state  # noqa: F401  (which fill CASES)
from services.calls.cases import CASES
from services.calls.client import Api
from services.conferencing import BUGS


def test_every_bug_is_shown() -> None:
    """Every bug that can be switched on has calls that show it."""
    assert set(CASES) == set(BUGS)


@pytest.mark.parametrize("bug", sorted(CASES))
def test_bug(bug: str) -> None:
    """The calls go as they should without the switch, and fail with it."""
    style, case = CASES[bug]
    case(Api(style))
    with pytest.raises(AssertionError):
        case(Api(style, bug))

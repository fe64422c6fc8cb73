"""A type checker sees a misspelt trigger, a missing or wrong argument, and a misspelt field of a deadline."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Calls of triggers; mypy has to report those with a comment, and for its reason.
CALLS = """
from collections.abc import Iterator

from confsim.domain.breakout import breakouts
from confsim.domain.breakout.breakouts import Breakout
from confsim.domain.members import roles
from confsim.domain.runtime import lobby, presence
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.users import users
from confsim.domain.users.users import User
from confsim.kernel.influence import Coupling, Need
from confsim.kernel.machine import Call
from confsim.kernel.rows import EXISTS
from confsim.kernel.world import Change


def fire(change: Change, user: User, breakout: Breakout) -> None:
    users.limit(change, user, 5)
    users.limit(change, user, ends=5)
    breakouts.STOP(change, None)
    users.limt(change, user, 5)  # attr-defined
    users.limit(change, user)  # call-arg
    users.limit(change, user, "soon")  # arg-type
    users.limit(change, user, 5, 6)  # call-arg
    users.limit(change, user, end=5)  # call-arg
    users.limit(change, breakout, 5)  # arg-type
    users.limit.if_allowed(change, user)  # call-arg
    users.limit.on(user, None)  # arg-type
    breakouts.STOP(change, breakout, again=True)  # call-arg
    users.limit(change, user, 5).ned  # attr-defined


def present(change: Change, present: Presence) -> Iterator[Presence]:
    yield present


def admitted(change: Change, present: Presence) -> Iterator[Call[Presence]]:
    yield presence.route.on(present, place="", room="")


Coupling(presence.MACHINE, Where.IN, presence.DISCONNECT, present, source="")
Coupling(presence.MACHINE, Where.IN, presence.route, admitted, source="")
Coupling(presence.MACHINE, Where.IN, presence.route, present, source="")  # arg-type
Coupling(presence.MACHINE, Where.IN, users.END, present, source="")  # arg-type
Coupling(lobby.DOOR, Where.IN, presence.DISCONNECT, present, source="")  # arg-type
Coupling(presence.MACHINE, Where.IN, "disconnect", present, source="")  # call-overload
breakouts.MACHINE.deadline("end", lambda breakout: breakout.started)
breakouts.MACHINE.deadline("end", lambda breakout: breakout.startd)  # attr-defined
breakouts.MACHINE.deadline("end", lambda breakout: breakout.name)  # return-value
Need(presence.route, Where.IN, presence.LEAV, present, source="")  # attr-defined
"""


def test_the_type_checker_reports_every_wrong_call_and_no_other(tmp_path: Path) -> None:
    """The line and the code of each error are those of the comments."""
    file = tmp_path / "calls.py"
    file.write_text(CALLS)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache"), str(file)]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    reported = dict(re.findall(r"calls\.py:(\d+): error: .* \[([a-z-]+)\]", printed))
    expected = {
        str(number): line.rpartition("  # ")[2] for number, line in enumerate(CALLS.splitlines(), 1) if "  # " in line
    }
    assert reported == expected, printed

"""What tests share: ids, tokens and instants of the demo world, short ways to call it, walks and transports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from confsim import Simulator
from confsim.assumptions.register import REGISTER
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World

# Clients, and channels of CUSTOMER.
PARTNER = "11111111-1111-4111-8111-111111111111"
CUSTOMER = "22222222-2222-4222-8222-222222222222"
OTHER = "33333333-3333-4333-8333-333333333333"
ROOM = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
EVENT_ROOM = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"
#: An id that nothing has.
NOTHING = "99999999-9999-4999-8999-999999999999"

# Tokens.
ADMIN = "demo-customer-admin"
API_TOKEN = "demo-api-token"
OWNER = "demo-owner"
OPERATOR = "demo-operator"
USER = "demo-user"
GUEST = "demo-guest"
PARTNER_ADMIN = "demo-partner-admin"
OTHER_ADMIN = "demo-other-admin"

#: The instant at which the clock stands: as text, in epoch milliseconds, in epoch seconds.
START = "2026-02-01T00:00:00Z"
START_MS = 1_769_904_000_000
START_S = START_MS // 1000
#: Milliseconds.
MINUTE, DAY = 60_000, 86_400_000


def choices(**chosen: Any) -> dict[str, Any]:
    """A profile from keyword arguments: in their names ``__`` is the dot of an id, ``_`` its hyphen."""
    ids = {name: name.replace("__", ".") for name in chosen}
    return {id if id in REGISTER.entries else id.replace("_", "-"): chosen[name] for name, id in ids.items()}


def demo(**chosen: Any) -> Simulator:
    """The demo world at START under a profile, its ids written as for ``choices``."""
    return Simulator(clock=START, profile=choices(**chosen))


def ok(sim: Simulator, operation: str, caller: str | None = ADMIN, **arguments: Any) -> Any:
    """The body of the answer to a call that succeeds."""
    answer = sim.call(operation, caller, **arguments)
    assert answer.ok, answer
    return answer.body


def same(world: World, before: World) -> bool:
    """Whether a world is what it was: the same value, as a refused call leaves it, or an equal one."""
    return world is before or world.digest() == before.digest()


def code(answer: Any) -> tuple[int, str]:
    """Status and code of a refused call."""
    return answer.status, answer.body["code"]


def refused(function: Callable[..., object], *arguments: Any, **named: Any) -> Any:
    """The reason for which the function refuses its arguments."""
    with pytest.raises(Refusal) as caught:
        function(*arguments, **named)
    return caught.value.reason

"""The table of the truth tells who may call what, as calls show it."""

from __future__ import annotations

import pytest

from kit.exam import truth
from services.calls.gate_calls import CALLERS, GateCalls

#: The grants that each account has: of the operation's channel, and of Uma, the user whom paths name.
HELD = {
    "customer-admin": {"signed-in", "user", "registered", "access", "customer-admin"},
    "owner": {"signed-in", "user", "registered", "access", "operator", "owner"},
    "operator": {"signed-in", "user", "registered", "access", "operator"},
    "user": {"signed-in", "user", "registered", "access", "self"},
    "guest": {"signed-in", "user", "access"},
    "api-token": {"signed-in", "api-token"},
}


@pytest.mark.parametrize("style", ["a", "b", "c"])
def test_gates_are_as_told(style: str) -> None:
    """Every operation whose gate is told lets in the accounts that have one of its grants, and no other."""
    calls, let_in, wrong = GateCalls(style), [], []
    for operation, route in truth.operations():
        told = truth.table().get(f"gate.{operation}", {}).get(style)
        if isinstance(told, list) and told != ["public"]:
            for caller in CALLERS:
                let_in.append(calls.admits(route, caller))
                if let_in[-1] != bool(HELD[caller] & set(told)):
                    wrong.append(f"{operation} by {caller}")
    assert wrong == []
    assert let_in.count(True) > 200
    assert let_in.count(False) > 200

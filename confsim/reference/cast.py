"""The callers of probes: the roles of the accounts, and those who are made in the client of the run."""

from __future__ import annotations

from collections.abc import Mapping

from .probes import ProbeCall

JSON = "application/json"
_ROLES = ("owner", "operator", "user", "customer-admin", "api-token", "partner-admin", "other-admin", "own")


def _guest(number: str, *more: ProbeCall) -> tuple[ProbeCall, ...]:
    """The calls that make a guest of the client of the run, and what is done with the guest."""
    return (
        ProbeCall("w0", "create_channel", "{tokens own}", body={"name": "{tag} room"}, content_type=JSON),
        ProbeCall(
            f"{number}a",
            "create_guest",
            path={"clientId": "{clients own}", "uuid": "{channels w0.0}"},
            body={"handle": f"{{tag}} {number}"},
            content_type=JSON,
        ),
        ProbeCall(f"{number}b", "get_me", f"{{tokens {number}a.0}}"),
        *more,
    )


def _registered(number: str, *more: ProbeCall) -> tuple[ProbeCall, ...]:
    """The calls that make a registered user of the client of the run."""
    caller = f"{{tokens {number}a.0}}"
    handle = {"handle": f"{{tag}} {number} new"}
    return _guest(
        number,
        ProbeCall(f"{number}c", "reserve_handle", caller, body=handle, content_type=JSON),
        ProbeCall(
            f"{number}d", "create_user", caller, {"token": f"{{reservations {number}c.0}}"}, body={}, content_type=JSON
        ),
        ProbeCall(f"{number}t", "accept_terms", caller, {"version": "1"}),
        *more,
    )


#: Those who are made in the client of the run to call its operations: the symbol of the token, and the calls.
CAST = {
    "{tokens w1a.0}": _guest("w1"),
    "{tokens w2a.0}": _registered("w2"),
    "{tokens w3a.0}": _registered(
        "w3",
        ProbeCall("w3e", "add_owner", "{tokens own}", {"uuid": "{channels w0.0}", "userId": "{users w3b.0}"}),
    ),
    "{tokens w4a.0}": _registered(
        "w4",
        ProbeCall("w4e", "add_operator", "{tokens own}", {"uuid": "{channels w0.0}", "userId": "{users w4b.0}"}),
    ),
    "{tokens w5a.0}": _registered(
        "w5",
        ProbeCall("w5e", "add_access_level", "{tokens own}", {"userId": "{users w5b.0}", "level": "10"}),
    ),
}

#: Everybody who may call: the symbol of the token, "" for nobody, and the calls that make the caller.
CALLERS: Mapping[str, tuple[ProbeCall, ...]] = {**{f"{{tokens {role}}}": () for role in _ROLES}, "": (), **CAST}

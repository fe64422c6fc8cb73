"""The callers of probes: the roles of the accounts, and those who are made in the client of the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

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


#: The channel in the client of the run, and those who may do most in it: its owner, and the API token.
_ROOM = "{channels w0.0}"
_HOSTS: Mapping[str, tuple[ProbeCall, ...]] = {"{tokens w3a.0}": CAST["{tokens w3a.0}"], "{tokens own}": ()}


def in_room(calls: Sequence[ProbeCall]) -> Iterator[tuple[ProbeCall, ...]]:
    """Yield the calls of a probe in the channel of the client of the run, made by each who may do most there.

    They take the place of the owner, and of the channel that the probe makes before its last call; nothing where it
    makes none.
    """
    made = next((each for each in calls[:-1] if each.operation == "create_channel"), None)
    if made is None:
        return
    left = [each for each in calls if each is not made]
    room = {f"{{channels {made.number}.0}}": _ROOM, "{clients accounts}": "{clients own}"}
    for place, (host, ahead) in enumerate(_HOSTS.items()):
        names = {**room, "{tokens owner}": host}
        numbers = {f" {each.number}.": f" {each.number}r{place}." for each in left}
        yield (*ahead, *(_renamed(each, f"{each.number}r{place}", names, numbers) for each in left))


def _renamed(call: ProbeCall, number: str, names: Mapping[str, str], numbers: Mapping[str, str]) -> ProbeCall:
    """Return a call under another number, with other symbols, by name or by the number in them."""

    def renamed(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: renamed(each) for name, each in value.items()}
        if not isinstance(value, str) or not value.startswith("{"):
            return value
        found = names.get(value, value)
        return next((found.replace(old, new) for old, new in numbers.items() if old in found), found)

    path, query, body = (renamed(each) for each in (call.path, call.query, call.body))
    return replace(call, number=number, caller=renamed(call.caller), path=path, query=query, body=body)


class _Undone(NamedTuple):
    """What makes something new as it is under the default: after which call, and before which later one it is needed.

    ``named`` is the symbol of what the call makes, by its number.
    """

    after: str
    before: str
    named: str
    caller: str
    call: ProbeCall


#: By the id of an assumption: the call that makes what is new as it is under the default.
_AS_BY_DEFAULT = {
    "guests.creation": _Undone(
        "create_channel",
        "create_guest",
        "{{channels {number}.0}}",
        "",
        ProbeCall("o", "set_lobby_door", path={"uuid": "{made}", "state": "open"}),
    ),
    "initial.guest-access": _Undone(
        "create_channel",
        "create_guest",
        "{{channels {number}.0}}",
        "",
        ProbeCall("g", "set_guest_access", path={"uuid": "{made}", "state": "enable"}),
    ),
    "initial.terms-required": _Undone(
        "create_guest", "", "{{tokens {number}.0}}", "{made}", ProbeCall("a", "accept_terms", path={"version": "1"})
    ),
}


def as_by_default(calls: Sequence[ProbeCall], ids: Iterable[str]) -> tuple[ProbeCall, ...]:
    """Return the calls of a probe with those that make what is new as it is under the defaults of these assumptions."""
    found = tuple(calls)
    for id in sorted(set(ids) & _AS_BY_DEFAULT.keys()):
        found = tuple(
            each for place, call in enumerate(found) for each in _with(call, found[place:], _AS_BY_DEFAULT[id])
        )
    return found


def _with(call: ProbeCall, rest: Sequence[ProbeCall], undone: _Undone) -> Iterator[ProbeCall]:
    """Yield a call, and what undoes an effect of it that later ones do not expect."""
    yield call
    made = undone.named.format(number=call.number)
    needed = any(each.operation == undone.before and made in each.path.values() for each in rest)
    if call.operation == undone.after and (needed or not undone.before):
        more = undone.call
        path = {name: made if text == "{made}" else text for name, text in more.path.items()}
        caller = made if undone.caller else call.caller
        yield replace(more, number=f"{call.number}{more.number}", caller=caller, path=path)

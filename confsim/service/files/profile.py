"""Profiles: chosen alternatives of assumptions, as plain data or in a TOML file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from confsim import shipped
from confsim.assumptions import clients, terms
from confsim.assumptions.protocol import wire
from confsim.assumptions.register import REGISTER
from confsim.contract.annotations import optional_fields
from confsim.kernel.refusal import Misuse

from . import reading

#: The profiles that ship with confsim: each brings back the answers of a version, where defaults have changed since.
SHIPPED = ("as-of-0.1",)


def read_profile(profile: Mapping[str, Any] | str | Path | None) -> dict[str, Any]:
    """Return the chosen alternatives by id, of choices, of a file, or of the profile of a name in ``SHIPPED``.

    Raises Misuse that names every unknown id and invalid value.
    """
    if profile is None:
        return {}
    import confsim.api.catalogue  # noqa: F401 gates and routes are entries of the operations

    if isinstance(profile, Mapping):
        return _named(REGISTER.profile(profile), "profile")
    path = Path(profile)
    if path.name in SHIPPED and not path.exists():
        import tomllib

        return REGISTER.profile(tomllib.loads(shipped.text(f"fixtures/profiles/{path.name}.toml")), path.name)
    return _named(REGISTER.profile(reading.toml(profile, "profile"), str(profile)), str(profile))


def _named(chosen: dict[str, Any], origin: str) -> dict[str, Any]:
    """Return choices whose lists name existing operations and fields. Raises Misuse that names every other."""
    from confsim.api.catalogue import API

    for entry in (terms.OPEN_CALLS, clients.OPEN_WHILE_DISABLED):
        _check(origin, entry.id, chosen.get(entry.id, ()), API.operations, "operation")
    fields = chosen.get(wire.ABSENT.id)
    if isinstance(fields, tuple):
        known = {name for operation in API for name in optional_fields(operation.result)}
        _check(origin, wire.ABSENT.id, fields, known, "option")
    return chosen


def _check(origin: str, id: str, names: Iterable[str], known: Collection[str], what: str) -> None:
    unknown = [repr(name) for name in names if name not in known]
    if unknown:
        raise Misuse(f"{origin}: {id!r}: there is no {what} {', '.join(unknown)}")


def plain(profile: Mapping[str, Any]) -> dict[str, Any]:
    """Return the choices of a profile as plain JSON values."""
    values: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(dict(profile), enc_hook=str))
    return values

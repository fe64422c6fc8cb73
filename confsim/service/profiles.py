"""Profiles: the alternatives that are chosen of assumptions, as plain data or in a TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from confsim.api.call import API
from confsim.assumptions.register import REGISTER
from confsim.kernel.refusal import Misuse


def read_profile(profile: Mapping[str, Any] | str | Path | None) -> dict[str, Any]:
    """The chosen alternatives by id. Misuse that names every unknown id and every bad value."""
    if profile is None:
        return {}
    API.load()  # gates and routes are assumptions of the operations
    if isinstance(profile, Mapping):
        return REGISTER.profile(profile)
    import tomllib

    try:
        with open(profile, "rb") as file:
            return REGISTER.profile(tomllib.load(file), str(profile))
    except OSError as error:
        raise Misuse(f"profile {str(profile)!r}: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise Misuse(f"profile {str(profile)!r}: {error}") from None

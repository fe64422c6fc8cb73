"""Property-based contract testing: strategies for arguments, targets to call, journeys that drive them side by side.

``learning`` compares a real service with a model of it. The one room that imports hypothesis, for what needs it:
install ``confsim[testing]`` to use that.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .bundles import ApiJourney
    from .journey import Journey
    from .rules_of_operations import api_journey
    from .samples import Arguments
    from .strategies import arguments
    from .targets import Core, Outcome, Target, Url, Wsgi

__all__ = [
    "ApiJourney",
    "Arguments",
    "Core",
    "Journey",
    "Outcome",
    "Target",
    "Url",
    "Wsgi",
    "api_journey",
    "arguments",
]

_MODULES = {
    "ApiJourney": "bundles",
    "Arguments": "samples",
    "Journey": "journey",
    "api_journey": "rules_of_operations",
    "arguments": "strategies",
    **dict.fromkeys(("Core", "Outcome", "Target", "Url", "Wsgi"), "targets"),
}


def __getattr__(name: str) -> Any:
    """Import what is asked for, so that what needs no hypothesis is there without it.

    No module has the name of a public attribute, which it would shadow once it is imported.
    """
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)

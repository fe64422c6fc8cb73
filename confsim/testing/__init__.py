"""Property-based contract testing: strategies for arguments, targets to call, journeys that drive them side by side.

The one room that imports hypothesis. Install ``confsim[testing]`` to use it.
"""

from __future__ import annotations

from .api_journey import api_journey
from .bundles import ApiJourney
from .journey import Journey
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

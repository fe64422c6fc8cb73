"""Property-based contract testing: strategies for arguments, targets to call, journeys that drive them side by side.

The one room that imports hypothesis. Install ``confsim[testing]`` to use it.
"""

from __future__ import annotations

from .journeys import Journey, api_journey
from .samples import Arguments, Pool
from .strategies import arguments
from .targets import Core, Outcome, Target, Url, Wsgi

__all__ = ["Arguments", "Core", "Journey", "Outcome", "Pool", "Target", "Url", "Wsgi", "api_journey", "arguments"]

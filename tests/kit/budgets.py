"""How much Hypothesis tries: a little in the suite, what the thorough profile says in campaigns."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings

#: Whether a campaign runs (HYPOTHESIS_PROFILE=thorough).
THOROUGH = settings().max_examples > 1000


def quick(examples: int, **more: Any) -> settings:
    """So many examples in the suite; in a campaign what the profile says."""
    return settings(suppress_health_check=list(HealthCheck), **({} if THOROUGH else {"max_examples": examples, **more}))

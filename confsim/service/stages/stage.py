"""The interface of the stages that a profile adds before the checks of a call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from confsim.api.call import Call
from confsim.service.incoming import Incoming
from confsim.service.live import WorldObserver
from confsim.service.messages import Response

#: The rest of the pipeline: the next stages, then the checks and the operation.
Next = Callable[[Call, Incoming], Response]


class Stage(WorldObserver, ABC):
    """A stage of the pipeline. It belongs to one world, and stores its calls outside the world value."""

    def __init__(self) -> None:
        self.replaced()

    @staticmethod
    @abstractmethod
    def needed(profile: Mapping[str, Any]) -> bool:
        """Return whether the stage does anything under a profile."""

    @abstractmethod
    def __call__(self, call: Call, incoming: Incoming, following: Next) -> Response:
        """Return the response to a call: that of ``following``, or its own. Raises Refusal."""

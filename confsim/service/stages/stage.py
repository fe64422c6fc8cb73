"""The interface of the stages that a profile puts before the checks of a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from confsim.api.call import Call
from confsim.service.incoming import Incoming
from confsim.service.messages import Response

#: The rest of the pipeline: the next stage, and last the checks and the operation.
Next = Callable[[Call, Incoming], Response]


class Stage(Protocol):
    """A stage of the pipeline. It belongs to one world, and remembers calls beside it."""

    @staticmethod
    def needed(profile: Mapping[str, Any]) -> bool:
        """Whether the stage does anything under a profile."""
        ...

    def restart(self) -> None:
        """Forget every call."""
        ...

    def __call__(self, call: Call, incoming: Incoming, following: Next) -> Response:
        """The response to a call: that of what is ``following``, or one of its own. Raises Refusal."""
        ...

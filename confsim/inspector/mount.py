"""The mount of every world: the API, its files, the control plane and the inspector."""

from __future__ import annotations

from collections.abc import Sequence

from confsim.control import mount
from confsim.http.mount import Mount
from confsim.service.messages import Outcome, Request
from confsim.service.service import Service
from confsim.service.worlds import Worlds


def mounted() -> Mount:
    """Return the mount with the inspector, whose pages are loaded when a browser first asks for one."""
    return mount.whole(_respond)


def _respond(service: Service, worlds: Worlds, request: Request, segments: Sequence[str]) -> Outcome:
    from .app import respond

    return respond(service, worlds, request, segments)

"""The mount of every world: the API, its files, the control plane, and pages for browsers."""

from __future__ import annotations

from functools import lru_cache

from confsim.api.catalogue import API
from confsim.http.mount import Mount, MountedApi, Pages
from confsim.service.document import FILES

from .declare import CONTROL, PREFIX


@lru_cache(maxsize=2)
def whole(pages: Pages | None = None) -> Mount:
    """Return the mount with the control plane. It is made once: all worlds share it and its routes."""
    return Mount(API, FILES, PREFIX, _control, pages)


def _control() -> MountedApi:
    from . import catalogue  # noqa: F401 declares the operations
    from .invoke import respond
    from .problems import refuse

    return MountedApi(CONTROL, respond, refuse)

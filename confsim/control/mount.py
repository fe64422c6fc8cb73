"""The mount of every world: the API, its files, the control plane, and pages for browsers."""

from __future__ import annotations

from functools import lru_cache

from confsim.api.catalogue import API
from confsim.contract.operation import Catalogue
from confsim.http.mount import Mount, MountedApi, Pages
from confsim.service.document import FILES

from .declare import PREFIX
from .invoke import respond
from .problems import refuse


@lru_cache(maxsize=2)
def whole(control: Catalogue, pages: Pages | None = None) -> Mount:
    """Return the mount with the control plane. It is made once: all worlds share it and its routes."""
    return Mount(API, FILES, MountedApi(PREFIX, control, respond, refuse), pages)

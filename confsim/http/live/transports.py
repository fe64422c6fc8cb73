"""The release of a transport of asyncio once its connection is lost."""

from __future__ import annotations

import asyncio


def release(transport: asyncio.BaseTransport) -> None:
    """Undo the reference of a lost transport to itself: a server that collects no garbage would keep it for ever."""
    vars(transport).pop("_read_ready_cb", None)  # asyncio's own name; a test holds that nothing is left

"""The page of the clock: the moments of the world, and what falls due."""

from __future__ import annotations

from confsim.inspector.page_request import PageRequest, Shown

from .common import PAGE, show


def time(asked: PageRequest) -> Shown:
    """Show the clock and the next timers."""
    timers = asked.control("list_timers", limit=PAGE + 1)
    return show(asked, "time", "Time", timers=timers[:PAGE], more=len(timers) > PAGE)

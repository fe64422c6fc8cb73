"""Planted faults of answers: a field that shows another one, in records that are right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from confsim.api.breakout import breakouts
from confsim.api.channels import channels
from confsim.api.config import templates
from confsim.api.recordings import recordings
from confsim.api.runtime import sessions

from .fault import Fault, Plant, altered


def _shows(module: Any, view: str, **shown: Callable[[Any, tuple[Any, ...]], Any]) -> Plant:
    """Return the fault that fields of an answer show what a function of it and of what it was made from says."""
    right = getattr(module, view)

    def wrong(*given: Any) -> Any:
        answer = right(*given)
        return replace(answer, **{name: read(answer, given) for name, read in shown.items()})

    return altered(module, **{view: wrong})


_SESSION_VIEWS = sessions._session_views


def _with_peak(call: Any, found: Any, size: Any) -> list[sessions.Session]:
    """Show the most at one time as the number of participants."""
    views = _SESSION_VIEWS(call, found, size)
    return [replace(view, participantsCount=session.peak) for view, session in zip(views, found, strict=True)]


FAULTS: tuple[Fault, ...] = (
    Fault(
        "the list of channels shows guest access as the open door",
        "answers",
        "P2 Channel list item L47-49, R265, R274",
        ("lobby", "room", "members"),
        _shows(channels, "_item_view", isOpen=lambda answer, _: answer.guestAccess),
    ),
    Fault(
        "the number of participants of a session is the most at one time",
        "answers",
        "P2 Session L55-71, G371",
        ("room", "meeting", "lobby"),
        altered(sessions, _session_views=_with_peak),
    ),
    Fault(
        "a breakout room shows the channel of its event room",
        "answers",
        "P2 Breakout, G438",
        ("breakout active", "breakout prepared"),
        _shows(breakouts, "_room_view", channelUuid=lambda _, given: given[0].channel),
    ),
    Fault(
        "a recording shows when it is ready as its end",
        "answers",
        "P2 Recording",
        ("meeting", "room"),
        _shows(recordings, "_recording_view", endTime=lambda answer, _: answer.readyTime),
    ),
    Fault(
        "a template that clients below may use is shown as offered",
        "answers",
        "P2 Settings template, R320",
        ("templates",),
        _shows(templates, "_template_view", enabled=lambda answer, _: answer.inheritable),
    ),
)

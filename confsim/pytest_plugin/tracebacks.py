"""Tracebacks that end at the wrong call, not inside confsim."""

from __future__ import annotations

from types import TracebackType

import pytest

#: Exceptions about a wrong call of confsim; any other is a bug, and its traceback stays complete.
_ABOUT_THE_CALL = frozenset({"Misuse", "StatusError", "AssertionError"})
#: Modules whose frames are hidden at the end of a traceback, by prefix.
_INSIDE = ("confsim.", "contextlib")


def hide_frames(failure: BaseException) -> None:
    """Cut the traceback of an exception about a call of confsim at that call.

    If only a fixture of confsim made the call, raises a failure with the message alone instead.
    """
    if type(failure).__name__ not in _ABOUT_THE_CALL:
        return
    entries: list[TracebackType] = []
    entry = failure.__traceback__
    while entry is not None:
        entries.append(entry)
        entry = entry.tb_next
    frames = list(entries)
    while frames and _module(frames[-1]).startswith(_INSIDE):
        frames.pop()
    if len(frames) == len(entries) or not frames:
        return
    if _module(frames[-1]).startswith(("_pytest.", "pluggy.")):
        raise pytest.fail.Exception(f"{type(failure).__name__}: {failure}", pytrace=False) from None
    frames[-1].tb_next = None


def _module(entry: TracebackType) -> str:
    return str(entry.tb_frame.f_globals.get("__name__"))

"""Tracebacks that end at the call that was wrong, and not inside confsim."""

from __future__ import annotations

from types import TracebackType

import pytest

#: Exceptions that confsim raises about how it is called; every other one is a bug, whose traceback stays whole.
_ABOUT_THE_CALL = frozenset({"Misuse", "StatusError", "AssertionError"})
#: Modules in which a call of confsim can end, by the starts of their names.
_INSIDE = ("confsim.", "contextlib")


def hide_frames(failure: BaseException) -> None:
    """Let the traceback of an exception that confsim raises about a call of it end at that call.

    Where nobody called but a fixture of confsim itself, raises a failure with the message alone in its place.
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

"""The signals that end a process in good order: SIGTERM, and SIGHUP when its terminal is closed."""

from __future__ import annotations

import errno
import os
import signal
import sys
from contextlib import suppress


def ending() -> tuple[int, ...]:
    """Return SIGTERM, and SIGHUP unless it is unknown (Windows) or ignored, as by ``nohup``."""
    hangup = _hangup()
    ignored = hangup is None or signal.getsignal(hangup) is signal.SIG_IGN
    return (signal.SIGTERM,) if hangup is None or ignored else (signal.SIGTERM, hangup)


def note(number: int) -> bool:
    """Prepare for the end after a signal; return whether it was SIGHUP, which is then ignored.

    A terminal may send it twice, and what is printed to one that is gone would fail.
    """
    if number != _hangup():
        return False
    signal.signal(number, signal.SIG_IGN)
    for stream in filter(None, (sys.__stdout__, sys.__stderr__)):
        with suppress(OSError, ValueError):
            if _is_gone(stream.fileno()):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return True


def _hangup() -> signal.Signals | None:
    return getattr(signal, "SIGHUP", None)


def _is_gone(descriptor: int) -> bool:
    """Return whether a descriptor is that of a terminal that was closed."""
    try:
        os.get_terminal_size(descriptor)
    except OSError as error:
        return error.errno == errno.EIO
    return False

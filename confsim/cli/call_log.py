"""The log of a live server: one line a call, as text or as JSON."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from typing import Any

import click
import msgspec
from msgspec import Struct

from confsim.control.declare import PREFIX
from confsim.http.live.serving import Serving
from confsim.service.messages import Request, Response

#: Prints one line.
Write = Callable[[str], object]
_ID = "X-Confsim-Request-Id"


class LoggedCall(Struct, frozen=True):
    """A call as the log tells of it.

    ``time`` is the machine's (ISO 8601 in JSON, that of the day in text), ``at`` the instant of the world in epoch
    milliseconds (null for a call that no journal notes), ``ms`` how long it took. ``status`` is null where the
    connection was dropped without an answer. ``operation`` is null where no route matched; ``assumptions`` are those
    that it relied on, ``new`` those that no call of the log had used before.
    """

    time: str
    world: str
    id: str | None
    at: int | None
    method: str
    path: str
    query: str
    status: int | None
    ms: float
    operation: str | None
    assumptions: list[str]
    new: list[str]


class CallLog:
    """Prints a line for each call that a server has answered: pass it to ``Serving.log_to``.

    Without ``verbose`` it leaves out read-only calls: those of the control plane, and pages of the inspector.
    ``width`` cuts lines of text off, ``colour`` styles them.
    """

    def __init__(
        self,
        serving: Serving,
        write: Write,
        *,
        verbose: bool = False,
        as_json: bool = False,
        colour: bool = False,
        width: Callable[[], int] | None = None,
    ) -> None:
        self._serving, self._write, self._verbose, self._json = serving, write, verbose, as_json
        self._colour, self._width = colour, width
        self._known: set[str] = set()

    def __call__(self, request: Request, response: Response, seconds: float) -> None:
        """Print the line of a call."""
        world, path = _world_of(request.target)
        beside = path == PREFIX or path.startswith(f"{PREFIX}/") or path in {"", "/"}
        if (
            beside
            and not self._verbose
            and (request.method in {"GET", "HEAD"} or path.startswith(f"{PREFIX}/inspector"))
        ):
            return
        call = self._described(world, request, response, seconds, beside)
        self._write(msgspec.json.encode(call).decode() if self._json else self._text(call))

    def _described(self, world: str, request: Request, response: Response, seconds: float, beside: bool) -> LoggedCall:
        id = next((value for name, value in response.headers if name == _ID), None)
        service = self._serving.worlds.get(world)
        entry = service.journal.find(id) if service is not None and id is not None else None
        used = service.relied_on(entry) if service is not None and entry is not None else []
        new = [each for each in used if each not in self._known]
        self._known.update(new)
        operation = self._serving.operation_name(request) if beside else entry.operation if entry is not None else ""
        return LoggedCall(
            time=_now() if self._json else _of_day(),
            world=world,
            id=id,
            at=None if entry is None else entry.at,
            method=request.method,
            path=request.target,
            query=request.query,
            status=None if response.dropped else response.status,
            ms=round(seconds * 1000, 2),
            operation=operation or None,
            assumptions=used,
            new=new,
        )

    def _text(self, call: LoggedCall) -> str:
        path = f"{call.path}?{call.query}" if call.query and self._verbose else call.path
        pieces = [
            (call.time, "bright_black"),
            (f"{call.method or '-':6}", "white"),
            (_printable(path), "white"),
            (str(call.status or "dropped"), _colour_of(call.status)),
            (f"{call.ms:.1f} ms", "bright_black"),
            (call.operation or "no operation", "cyan" if call.operation else "red"),
            (self._assumptions(call), "bright_black"),
        ]
        room = self._width() if self._width is not None else sys.maxsize
        shown: list[str] = []
        for text, colour in pieces:
            if not text or room < 2:
                continue
            cut = text if len(text) <= room else f"{text[: room - 1]}…"
            room -= len(cut) + 1
            shown.append(click.style(cut, fg=colour) if self._colour else cut)
        return " ".join(shown)

    def _assumptions(self, call: LoggedCall) -> str:
        if not call.assumptions:
            return ""
        if self._verbose:
            return f"assumptions: {', '.join(call.assumptions)}"
        count = f"{len(call.assumptions)} assumption{'s' * (len(call.assumptions) > 1)}"
        return f"{count}, new: {', '.join(call.new)}" if call.new else count


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="milliseconds")


@lru_cache(maxsize=2)
def _second(second: int) -> str:
    return time.strftime("%H:%M:%S", time.localtime(second))


def _of_day() -> str:
    now = time.time()
    return f"{_second(int(now))}.{int(now * 1000) % 1000:03}"


def _world_of(target: str) -> tuple[str, str]:
    """The name of the world that a path leads to, and the path below its mount."""
    if not target.startswith("/w/"):
        return "", target
    name, slash, rest = target[3:].partition("/")
    return name, slash + rest


def _colour_of(status: int | None) -> str:
    if status is None or status >= 500:
        return "red"
    return "yellow" if status >= 400 else "cyan" if status >= 300 else "green"


def _printable(text: str) -> str:
    """A text of a client, without what a terminal would take for a command."""
    return text if text.isprintable() else text.encode("unicode_escape").decode()


def write_line(line: str) -> None:
    """Print a line at once; nothing where nobody reads any longer."""
    with suppress(BrokenPipeError, ValueError):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


def terminal() -> dict[str, Any]:
    """How lines are shown where standard output leads: coloured and cut off on a terminal."""
    if not sys.stdout.isatty():
        return {}
    return {"colour": "NO_COLOR" not in os.environ, "width": lambda: os.get_terminal_size(sys.stdout.fileno()).columns}

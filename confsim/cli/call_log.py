"""The log of a live server: one line a call, as text or as JSON."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from typing import Any

import click
import msgspec
from msgspec import Struct

from confsim.control.declare import PREFIX
from confsim.control.why.past import Past
from confsim.control.why.sentences import sentence
from confsim.http.live.serving import Serving
from confsim.service.faults.holding import HeldCall
from confsim.service.faults.interceptor import FaultHit
from confsim.service.masking import Mask
from confsim.service.messages import Outcome, Request, Response
from confsim.values.urls import normalised

#: Prints one line.
Write = Callable[[str], object]
_ID = "X-Confsim-Request-Id"


class LoggedFault(Struct, frozen=True, omit_defaults=True):
    """A fault that was injected into a call, or holds it: its id (null for that of the request) and its effect.

    ``held`` is the outcome of a held call: released, changed, dropped or expired.
    """

    id: str | None
    do: Any
    held: str | None = None


class LoggedCall(Struct, frozen=True):
    """A call in the log.

    ``event`` is "answered"; "held" for a call that a fault holds, which is logged again once it is answered; "gone"
    when the client disconnected before the answer was ready.

    ``time`` is the machine's (ISO 8601 in JSON, the time of day in text), ``at`` the instant of the world in epoch
    milliseconds (null for a call that no journal notes), ``ms`` its duration. ``status`` is null if the connection was
    dropped without an answer. ``operation`` is null if no route matched; ``assumptions`` are those that it used,
    ``new`` those that no logged call had used before. ``why`` says in a sentence why it was refused, "" if it was not.
    """

    time: str
    world: str
    id: str | None
    at: int | None
    method: str
    path: str
    query: str
    status: int | None
    ms: float | None
    operation: str | None
    assumptions: list[str]
    new: list[str]
    event: str = "answered"
    faults: list[LoggedFault] = []
    why: str = ""


class CallLog:
    """Prints a line for each call that a server has answered, holds, or can no longer answer.

    Pass it to ``Serving.log_to``.

    Unless ``verbose``, it leaves out read-only calls of the control plane and pages of the inspector. ``width`` cuts
    off lines of text, except with ``verbose``, which shows all of them; the reason of a refusal that does not fit gets
    a line of its own. ``colour`` styles them.
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

    def __call__(self, request: Request, response: Outcome | None, seconds: float) -> None:
        """Print the line of a call; of a pending one only when a fault holds it.

        Without a response, the client has disconnected.
        """
        world, path = _world_of(request.target)
        beside = path == PREFIX or path.startswith(f"{PREFIX}/") or path in {"", "/"}
        if (
            beside
            and not self._verbose
            and (request.method in {"GET", "HEAD"} or path.startswith(f"{PREFIX}/inspector"))
        ):
            return
        if isinstance(response, Future):
            held = self._held(world, request)
            if held is None:
                return
            call = self._holding(world, request, seconds, held)
        else:
            call = self._described(world, request, response, seconds, beside)
        width = None if self._width is None else self._width()
        shown = encoded(call) if self._json else text_of(call, self._verbose, self._colour, width)
        self._write(shown)

    def _held(self, world: str, request: Request) -> HeldCall | None:
        """Return the held call of a request; None when it waits for something else."""
        service = self._serving.worlds.find(world)
        held = () if service is None else service.pipeline.held
        return next((each for each in held if each.incoming.request is request), None)

    def _holding(self, world: str, request: Request, seconds: float, held: HeldCall) -> LoggedCall:
        """Return the line of a held call."""
        mask = self._mask(world)
        return LoggedCall(
            time=_now() if self._json else _of_day(),
            world=world,
            id=None if held.entry is None else held.entry.id,
            at=held.since,
            method=request.method,
            path=mask.path(request.target),
            query=mask.query(request.query),
            status=None,
            ms=round(seconds * 1000, 2),
            operation=held.incoming.operation.name,
            assumptions=[],
            new=[],
            event="held",
            faults=_faults(held.injection.hits),
        )

    def _described(
        self, world: str, request: Request, response: Response | None, seconds: float, beside: bool
    ) -> LoggedCall:
        headers, mask = () if response is None else response.headers, self._mask(world)
        id = next((value for name, value in headers if name == _ID), None)
        service = self._serving.worlds.find(world)
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
            path=mask.path(request.target),
            query=mask.query(request.query),
            status=None if response is None or response.dropped else response.status,
            ms=round(seconds * 1000, 2),
            operation=operation or None,
            assumptions=used,
            new=new,
            event="gone" if response is None else "answered",
            faults=[] if entry is None else _faults(entry.fault),
            why=_kept_from_page(request) if entry is None or service is None else sentence(Past(service), entry),
        )

    def _mask(self, world: str) -> Mask:
        """Return what masks credentials in the line of a call to a world; for an unknown one, those of the default."""
        worlds = self._serving.worlds
        service = worlds.find(world) or worlds.default
        return Mask(service.profile, service.world)


def encoded(call: LoggedCall) -> str:
    """Return a call as one line of JSON."""
    return msgspec.json.encode(call).decode()


def text_of(call: LoggedCall, verbose: bool = False, colour: bool = False, width: int | None = None) -> str:
    """Return a call as a line of text, cut at ``width`` characters unless ``verbose``, which shows everything."""
    path = f"{call.path}?{call.query}" if call.query and verbose else call.path
    pieces = [
        (call.time, "bright_black"),
        (f"{call.method or '-':6}", "white"),
        (_printable(path), "white"),
        (_outcome(call), "magenta" if call.event == "held" else _colour_of(call.status)),
        ("" if call.event == "held" or call.ms is None else f"{call.ms:.1f} ms", "bright_black"),
        _operation_of(call),
        (" ".join(_fault_text(each, whole=verbose) for each in call.faults), "magenta"),
        (_assumptions(call, verbose), "bright_black"),
    ]
    room = width if width is not None and not verbose else sys.maxsize
    why, below = f"why: {_printable(call.why)}" if call.why else "", ""
    if why and sum(len(text) + 1 for text, _ in pieces[:-1] if text) + len(why) <= room:
        pieces.insert(-1, (why, "yellow"))
    elif why:
        below = f"\n    {click.style(why, fg='yellow') if colour else why}"
    shown: list[str] = []
    for text, hue in pieces:
        if not text or room < 2:
            continue
        cut = text if len(text) <= room else f"{text[: room - 1]}…"
        room -= len(cut) + 1
        shown.append(click.style(cut, fg=hue) if colour else cut)
    return " ".join(shown) + below


def _assumptions(call: LoggedCall, verbose: bool) -> str:
    if not call.assumptions:
        return ""
    if verbose:
        return f"assumptions: {', '.join(call.assumptions)}"
    count = f"{len(call.assumptions)} assumption{'s' * (len(call.assumptions) > 1)}"
    return f"{count}, new: {', '.join(call.new)}" if call.new else count


def _kept_from_page(request: Request) -> str:
    """Return why a browser does not send a call of the control plane, of which this is the preflight; else ""."""
    if request.method != "OPTIONS" or "access-control-request-method" not in request.headers:
        return ""
    origin = request.headers.get("origin", "")[:200]
    return f"The control plane does not answer web pages of {origin}; call it from the test runner"


def _faults(hits: Iterable[FaultHit]) -> list[LoggedFault]:
    return [LoggedFault(each.id or None, each.do, each.held or None) for each in hits]


def _outcome(call: LoggedCall) -> str:
    """Return the status of a call, or the word for a call without one."""
    if call.event == "held":
        return "held"
    return "gave up" if call.event == "gone" else str(call.status or "dropped")


def _operation_of(call: LoggedCall) -> tuple[str, str]:
    """Return the purpose of a call and its colour: an operation, a page of the inspector, or nothing known."""
    if call.operation or call.event == "gone":
        return call.operation or "", "cyan"
    path = _world_of(call.path)[1]
    if path in {"", "/"} or (path.startswith(PREFIX) and call.status is not None and call.status < 400):
        return "inspector", "cyan"
    return "no operation", "red"


def _fault_text(fault: LoggedFault, *, whole: bool) -> str:
    """Return the text of a fault: its id, the outcome of a held call, and with ``whole`` its effect."""
    became = f" {fault.held}" if fault.held and fault.held != "held" else ""
    effect = f" {msgspec.json.encode(fault.do).decode()}" if whole else ""
    return f"[fault {fault.id or 'of the request'}{became}{effect}]"


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="milliseconds")


@lru_cache(maxsize=2)
def _second(second: int) -> str:
    return time.strftime("%H:%M:%S", time.localtime(second))


def _of_day() -> str:
    now = time.time()
    return f"{_second(int(now))}.{int(now * 1000) % 1000:03}"


def _world_of(target: str) -> tuple[str, str]:
    """Return the name of the world in a path, and the path below its mount."""
    target = normalised(target)
    if not target.startswith("/w/"):
        return "", target
    name, slash, rest = target[3:].partition("/")
    return name, slash + rest


def _colour_of(status: int | None) -> str:
    if status is None or status >= 500:
        return "red"
    return "yellow" if status >= 400 else "cyan" if status >= 300 else "green"


def _printable(text: str) -> str:
    """Return a text of a client without terminal control sequences."""
    return text if text.isprintable() else text.encode("unicode_escape").decode()


def write_line(line: str) -> None:
    """Print a line at once; ignore a closed output."""
    with suppress(BrokenPipeError, ValueError):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


def terminal() -> dict[str, Any]:
    """Return how lines are shown on standard output: coloured and cut off on a terminal."""
    if not sys.stdout.isatty():
        return {}
    return {"colour": "NO_COLOR" not in os.environ, "width": _columns}


def _columns() -> int:
    """The columns of the terminal; those of one that does not say how many it has are without bounds."""
    return os.get_terminal_size(sys.stdout.fileno()).columns or sys.maxsize

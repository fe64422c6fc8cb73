"""``confsim`` and ``pytest`` as processes of their own, forked from one that has imported both, or started afresh."""

from __future__ import annotations

import atexit
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import cache
from io import BytesIO, TextIOWrapper
from pathlib import Path
from threading import Thread, Timer
from typing import IO, NamedTuple

import pytest

from confsim import cli

from .plugin import ALONE, NO_AUTOLOAD, QUIET
from .sharing import PYTHON, SOCKET, shared

Ran = tuple[int, str, str]


#: Seconds after which a command is killed.
MOST = 60


@cache
def _fork_server() -> str:
    """The path of the socket of the server that forks: that of the run, or one that ends with this process."""
    if SOCKET in os.environ:
        return os.environ[SOCKET]
    server = ExitStack()
    atexit.register(server.close)
    return server.enter_context(shared())


@cache
def _connection() -> socket.socket:
    """The connection to the server, which ends with this process."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.connect(_fork_server())
    return connection


class Command:
    """A running program: its process id, what it writes as text, and its exit code as in subprocess."""

    def __init__(self, program: str, *arguments: object, **environment: str) -> None:
        message = {
            "program": program,
            "arguments": [str(each) for each in arguments],
            "cwd": os.getcwd(),
            "environment": {**os.environ, **environment},
        }
        status, output, errors = os.pipe(), os.pipe(), os.pipe()
        theirs = [each[1] for each in (status, output, errors)]
        with open(os.devnull, "rb") as nothing:
            descriptors = [theirs[0], nothing.fileno(), *theirs[1:]]
            socket.send_fds(_connection(), [json.dumps(message).encode()], descriptors)
        for each in theirs:
            os.close(each)
        self._status: IO[bytes] = open(status[0], "rb", buffering=0)  # noqa: SIM115  (poll sees what is not read yet)
        self.stdout: IO[str] = open(output[0], encoding="utf-8")  # noqa: SIM115
        self.stderr: IO[str] = open(errors[0], encoding="utf-8")  # noqa: SIM115
        self.pid = int(self._status.readline())
        self.returncode: int | None = None
        self._limit = Timer(MOST, self.send_signal, (signal.SIGKILL,))
        self._limit.start()

    def run_on(self) -> None:
        """Let it run for as long as it is needed: it is not killed after a while."""
        self._limit.cancel()

    def send_signal(self, number: int) -> None:
        """Send a signal, where it runs still."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""
        return self.wait() if select.select([self._status], [], [], 0)[0] else self.returncode

    def wait(self) -> int:
        """Wait until it ends; return the exit code, negative for a signal."""
        if self.returncode is None:
            self.returncode = int(self._status.readline())
        return self.returncode

    def communicate(self) -> tuple[str, str]:
        """Read everything that it writes until it ends."""
        errors: list[str] = []
        reading = Thread(target=lambda: errors.append(self.stderr.read()))
        reading.start()
        output = self.stdout.read()
        reading.join()
        self.wait()
        return output, errors[0]

    def __enter__(self) -> Command:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()
        self._limit.cancel()
        for each in (self._status, self.stdout, self.stderr):
            each.close()


#: The commands that may not end by themselves, or start others: each has a process of its own.
_OWN_PROCESS = {"campaign", "exec", "mcp", "serve"}


def run(*arguments: object, **environment: str) -> Ran:
    """One run of ``confsim``, in this process where it ends by itself; answers exit code, output and errors."""
    words = [str(each) for each in arguments]
    if not _OWN_PROCESS.isdisjoint(words):
        return run_apart(*words, **environment)
    output, errors = (TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    code = 0
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output), redirect_stderr(errors):
        for name, value in environment.items():
            patch.setenv(name, value)
        try:
            cli.main(words)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    written = [each.buffer.getvalue().decode() for each in (output, errors)]
    return code, written[0], written[1]


def run_apart(*arguments: object, **environment: str) -> Ran:
    """One run of ``confsim`` as a process; answers exit code, output and errors."""
    with Command("confsim", *arguments, **environment) as command:
        output, errors = command.communicate()
        return command.wait(), output, errors


def run_pytest(*arguments: str, autoload: bool = False) -> pytest.RunResult:
    """One run of ``pytest`` in the present directory, without plugins but that of confsim.

    With ``autoload`` it has those that are installed, but for what would order or remember its tests.
    """
    begun = time.perf_counter()
    environment = {NO_AUTOLOAD: "" if autoload else "1"}
    with Command("pytest", *(QUIET if autoload else ALONE), *arguments, **environment) as command:
        output, errors = command.communicate()
        return pytest.RunResult(command.wait(), output.splitlines(), errors.splitlines(), time.perf_counter() - begun)


def program(name: str, directory: Path) -> Path:
    """An executable in the directory, by which the server that forks runs a program: confsim, pytest, python."""
    path = directory / name
    client = Path(__file__).with_name("client.py")
    path.write_text(f'#!/bin/sh\nexec {PYTHON} -IS {client} {_fork_server()} {name} "$@"\n')
    path.chmod(0o755)
    return path


def run_script(text: str, directory: Path) -> Ran:
    """One run of a shell script that stops at what fails, and finds ``confsim`` and ``pytest`` in the directory."""
    for name in ("confsim", "pytest"):
        program(name, directory)
    ours = {
        "PATH": f"{directory}:{os.environ['PATH']}",
        "PYTEST_ADDOPTS": " ".join(QUIET),
        "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # for programs that end within a second
    }
    environment = {**os.environ, **ours}
    line = ["bash", "-euo", "pipefail", "-c", text]
    done = subprocess.run(line, capture_output=True, text=True, env=environment, timeout=MOST)
    return done.returncode, done.stdout, done.stderr


def run_afresh(*arguments: object, **environment: str) -> Ran:
    """One run of ``python -m confsim``, which has imported nothing yet."""
    line = [sys.executable, "-m", "confsim", *map(str, arguments)]
    done = subprocess.run(line, capture_output=True, text=True, env={**os.environ, **environment}, timeout=60)
    return done.returncode, done.stdout, done.stderr


class Served(NamedTuple):
    """A server that was started: the command, what it greeted with, and the address of its root."""

    command: Command
    greeting: str
    root: str


@contextmanager
def serving(*arguments: object, end: int = signal.SIGTERM, **environment: str) -> Iterator[Served]:
    """A server on a free port, ended by the signal: killed, or with success. It logs nothing unless asked to."""
    reported = {"CONFSIM_SERVE_QUIET": "1", **environment}
    with Command("confsim", "serve", "-p", "0", *arguments, **reported) as command:
        lines = []
        for line in command.stdout:
            lines.append(line)
            if "Ctrl-C" in line or '"event":"serving"' in line:
                break
        greeting = "".join(lines)
        address = re.search(r"""(?:API +|"api":")(https?://[^/]+)""", greeting)
        try:
            assert address, command.stderr.read()
            yield Served(command, greeting, address[1])
        finally:
            command.send_signal(end)
            code = command.wait()
    assert code == (-end if end == signal.SIGKILL else 0)

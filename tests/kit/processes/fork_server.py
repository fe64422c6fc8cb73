"""A process that has imported confsim and pytest and forks itself for every run of them: a start costs milliseconds.

Run as ``python fork_server.py N`` with a socket on descriptor N. Each message is a JSON object of ``program``,
``arguments``, ``cwd`` and ``environment`` with three descriptors: where the process id and the exit status are written,
standard output, standard error. It ends when nobody holds the other end of the socket.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import selectors
import signal
import socket
import sys
import threading
from contextlib import redirect_stdout, suppress
from io import StringIO

#: What few runs need, and takes long to import.
LEFT_OUT = ("confsim.assistant", "confsim.testing", "confsim.pytest_plugin", "confsim.__main__")


def next_run(control: socket.socket) -> dict[str, object]:
    """Fork for every message, and write the exit status of each child; return the message in the child that runs it."""
    statuses: dict[int, int] = {}
    ended, tell = socket.socketpair()
    for end in (ended, tell):
        end.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # what is handled in Python is written to the descriptor
    signal.set_wakeup_fd(tell.fileno())
    with selectors.DefaultSelector() as ready:
        for each in (control, ended):
            ready.register(each, selectors.EVENT_READ)
        while True:
            sources = [key.fileobj for key, _ in ready.select()]
            if ended in sources:
                ended.recv(4096)
                _report(statuses)
            if control not in sources:
                continue
            message, (*descriptors,), _, _ = socket.recv_fds(control, 1 << 20, 3)
            if not message:
                raise SystemExit
            status, output, errors = descriptors
            child = os.fork()
            if child == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                signal.signal(signal.SIGINT, signal.default_int_handler)
                for each in (control, ended, tell):
                    each.close()
                for other in (status, *statuses.values()):
                    os.close(other)
                os.dup2(output, 1)
                os.dup2(errors, 2)
                os.close(output)
                os.close(errors)
                return json.loads(message)
            os.close(output)
            os.close(errors)
            statuses[child] = status
            with suppress(BrokenPipeError):  # nobody waits any more
                os.write(status, b"%d\n" % child)


def _report(statuses: dict[int, int]) -> None:
    """Write the exit status of each process that has ended, and close the descriptor it is written to."""
    with suppress(ChildProcessError):
        while True:
            child, ended = os.waitpid(-1, os.WNOHANG)
            if not child:
                return
            status = statuses.pop(child)
            with suppress(BrokenPipeError):
                os.write(status, b"%d\n" % os.waitstatus_to_exitcode(ended))
            os.close(status)


if __name__ == "__main__":
    import hypothesis.stateful  # noqa: F401
    import pytest
    from _pytest.config import default_plugins
    from hypothesis.internal import charmap
    from hypothesis.internal.conjecture import providers

    import confsim
    from confsim import cli

    for module in pkgutil.walk_packages(confsim.__path__, "confsim."):
        if not module.name.startswith(LEFT_OUT):
            importlib.import_module(module.name)
    for plugin in default_plugins:
        importlib.import_module(f"_pytest.{plugin}")
    for arguments in (["run", "-q", "lobby"], ["explain", "R094"]):  # what is made on first use is made
        with redirect_stdout(StringIO()):
            cli.confsim.main(arguments, standalone_mode=False)
    charmap.charmap()
    providers._get_local_constants = lambda: providers._local_constants  # as in tests/conftest.py; takes seconds
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run = next_run(socket.socket(fileno=int(sys.argv[1])))
    os.environ.clear()
    os.environ.update(run["environment"])
    os.chdir(run["cwd"])
    sys.stdout = open(1, "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115
    try:
        code = pytest.main(run["arguments"]) if run["program"] == "pytest" else cli.main(run["arguments"])
    except SystemExit as ended:
        code = ended.code
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code or 0)  # without freeing what was imported, which takes longer than most runs

"""A process that has imported confsim, pytest and Dask and forks itself for every run: a start costs milliseconds.

Run as ``python fork_server.py N M`` with descriptors of a socket that listens, and of one whose other end is closed
when it is to end. Each message of a connection is a JSON object of ``program``, ``arguments``, ``cwd`` and
``environment`` with four descriptors: where the process id and the exit status are written, standard input, output,
and error.
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


def next_run(listener: socket.socket, end: socket.socket) -> dict[str, object]:
    """Fork for every message, and write the exit status of each child; return the message in the child that runs it."""
    statuses: dict[int, int] = {}
    ended, tell = socket.socketpair()
    for each in (ended, tell):
        each.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # what is handled in Python is written to the descriptor
    signal.set_wakeup_fd(tell.fileno())
    with selectors.DefaultSelector() as ready:
        for each in (listener, end, ended):
            ready.register(each, selectors.EVENT_READ)
        while True:
            sources = [key.fileobj for key, _ in ready.select()]
            if end in sources:
                raise SystemExit
            if ended in sources:
                ended.recv(4096)
                _report(statuses)
            if listener in sources:
                ready.register(listener.accept()[0], selectors.EVENT_READ)
            for control in sources:
                if control in (listener, ended):
                    continue
                message, (*descriptors,), _, _ = socket.recv_fds(control, 1 << 20, 4)
                if not message:
                    ready.unregister(control)
                    control.close()
                elif _forked(descriptors, statuses):
                    signal.set_wakeup_fd(-1)
                    for each in [tell, *(key.fileobj for key in ready.get_map().values())]:
                        each.close()
                    return json.loads(message)


def _forked(descriptors: list[int], statuses: dict[int, int]) -> bool:
    """Fork a child with its standard streams and note where its status is written; true in the child."""
    status, *streams = descriptors
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it for all that it starts
        for other in (status, *statuses.values()):
            os.close(other)
        for place, stream in enumerate(streams):
            os.dup2(stream, place)
            os.close(stream)
        return True
    for stream in streams:
        os.close(stream)
    statuses[child] = status
    with suppress(BrokenPipeError):  # nobody waits any more
        os.write(status, b"%d\n" % child)
    return False


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

    with suppress(ImportError):  # tests that need it are skipped then
        import distributed  # noqa: F401
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
    run = next_run(*(socket.socket(fileno=int(each)) for each in sys.argv[1:]))
    os.environ.clear()
    os.environ.update(run["environment"])
    os.chdir(run["cwd"])
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115
    code = None
    try:
        if run["program"] == "python":  # as a worker of xdist is started: python -u -c TEXT
            exec(run["arguments"][-1], {"__name__": "__main__"})
        else:
            code = pytest.main(run["arguments"]) if run["program"] == "pytest" else cli.main(run["arguments"])
    except SystemExit as ended:
        code = ended.code
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code or 0)  # without freeing what was imported, which takes longer than most runs

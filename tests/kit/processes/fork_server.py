"""A process that has imported confsim and pytest and forks itself for every run of them: a start costs milliseconds.

Run as ``python fork_server.py N`` with a socket on descriptor N. Each message is a JSON object of ``program``,
``arguments``, ``cwd`` and ``environment`` with three descriptors: where the process id and the exit status are told,
standard output, standard error. It ends when nobody holds the other end of the socket.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import sys
import threading
from contextlib import suppress


def next_run(control: socket.socket) -> dict[str, object]:
    """Fork for every message; return the message in the child that is to run it."""
    while True:
        message, (*descriptors,), _, _ = socket.recv_fds(control, 1 << 20, 3)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not message:
            raise SystemExit
        if os.fork() == 0:
            control.close()
            status, output, errors = descriptors
            child = os.fork()
            if child == 0:
                signal.signal(signal.SIGINT, signal.default_int_handler)
                os.close(status)
                os.dup2(output, 1)
                os.dup2(errors, 2)
                os.close(output)
                os.close(errors)
                return json.loads(message)
            os.close(output)
            os.close(errors)
            os.write(status, b"%d\n" % child)
            _, ended = os.waitpid(child, 0)
            os.write(status, b"%d\n" % os.waitstatus_to_exitcode(ended))
            os._exit(0)
        for descriptor in descriptors:
            os.close(descriptor)


if __name__ == "__main__":
    import hypothesis.stateful  # noqa: F401
    import pytest
    from hypothesis.internal import charmap
    from hypothesis.internal.conjecture import providers

    import confsim
    from confsim import cli

    for module in pkgutil.walk_packages(confsim.__path__, "confsim."):
        if not module.name.startswith(("confsim.testing", "confsim.pytest_plugin", "confsim.__main__")):
            importlib.import_module(module.name)
    cli.confsim.main(["run", "-q", "lobby"], standalone_mode=False)  # what a world makes on first use is made
    charmap.charmap()
    providers._get_local_constants = lambda: providers._local_constants  # as in tests/conftest.py; takes seconds
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with socket.socket(fileno=int(sys.argv[1])) as control:
        run = next_run(control)
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

"""SIGHUP ends commands as SIGTERM does, also when their terminal was closed and nothing can be printed any more."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

from confsim import Simulator
from kit.processes.commands import Command

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a signal and terminals of POSIX")

#: Runs a command in a terminal of its own, and closes that once the command has printed a text; prints the exit code.
IN_TERMINAL = """
import os, pty, sys
ready, *command = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.executable, [sys.executable, "-m", "confsim", *command])
seen = b""
while ready.encode() not in seen:
    seen += os.read(terminal, 4096)
os.close(terminal)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
#: By command, its arguments, what it prints when it has begun, its exit code, and a file that it writes in the end.
COMMANDS = {
    "serve": ("serve -p 0 --export-on-exit FILE", "Ctrl-C", 0, '"tables"'),
    "serve --coverage": ("serve -p 0 --coverage FILE", "Ctrl-C", 0, '"percent"'),
    "exec": ("exec --export-on-exit FILE -- sh -c READY", "begun", 128 + signal.SIGHUP, '"tables"'),
    "observe": ("observe -p 0 --accounts ACCOUNTS --upstream URL --report FILE", "Base URL", 0, '"learned"'),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_closed_terminal_loses_no_file(tmp_path, name):
    """What is written in the end is written, though nothing can be printed any more."""
    file, accounts = tmp_path / "file.json", tmp_path / "accounts.toml"
    words, ready, code, expected = COMMANDS[name]
    simulator = Simulator()
    accounts.write_bytes(simulator.control("get_accounts").data)
    with simulator.serve() as server:
        known = {"FILE": file, "ACCOUNTS": accounts, "URL": server.base_url, "READY": "sleep 0.5; echo begun; sleep 60"}
        arguments = [str(known.get(word, word)) for word in words.split()]
        command = [sys.executable, "-c", IN_TERMINAL, ready, *arguments]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (ran.stdout.strip(), ran.stderr) == (str(code), "")
    assert expected in file.read_text()


def test_a_second_hangup_does_not_stop_the_export(tmp_path):
    """The kernel and the shell may both send it."""
    file = tmp_path / "state.json"
    with Command("confsim", "serve", "-p", "0", "--export-on-exit", file) as process:
        while "Ctrl-C" not in process.stdout.readline():
            pass
        while process.poll() is None:
            process.send_signal(signal.SIGHUP)
            time.sleep(0.001)
        assert process.wait() == 0
        assert process.stderr.read() == ""
    assert json.loads(file.read_text())["tables"]


def test_a_hangup_that_is_ignored_stays_ignored():
    """As under nohup, which has the server outlive its terminal."""
    program = """
        import signal
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        from confsim import Simulator
        def ready():
            signal.raise_signal(signal.SIGHUP)
            print("served on", flush=True)
        Simulator().serve().run(ready)
    """
    with Command("python", "-c", program.replace("\n        ", "\n")) as process:
        assert process.stdout.readline() == "served on\n"
        time.sleep(0.1)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0

"""``confsim exec``: a command beside a server, in whatever language the command is written."""

from __future__ import annotations

import json
import signal
import socket
import sys
import time
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from kit import START_MS
from kit.each import each
from kit.processes import commands

#: Prints what the command finds: the addresses, and what the server there says of itself.
LOOK = """
import json, os, urllib.request
root = os.environ["CONFSIM_URL"]
info = json.load(urllib.request.urlopen(root + "/_confsim/info"))
print(json.dumps([root, os.environ["CONFSIM_BASE_URL"], info]))
"""


def run(*arguments, **environment):
    """One run; answers exit code, output and errors."""
    return commands.run("exec", *arguments, **environment)


def test_a_command_finds_its_server():
    """On a free port of loopback, the world as the options say; nothing but the command speaks; then it is gone."""
    code, output, errors = run("--seed", "7", "--frozen", "--clock", "1769904000000", "--", sys.executable, "-c", LOOK)
    root, base_url, info = json.loads(output)
    assert (code, errors) == (0, "")
    assert root.startswith("http://127.0.0.1:")
    assert base_url == info["base_url"] == f"{root}/v1_0"
    assert (info["seed"], info["now"]) == (7, START_MS)
    with pytest.raises(URLError):
        urlopen(root, timeout=30)


@pytest.mark.parametrize("how", [{}, {"CONFSIM_PUBLIC_URL": "https://conf.example/x"}])
def test_a_server_is_known_by_another_address(how):
    """The command reaches it where it stands; what it says of itself begins with the URL that was given."""
    options = () if how else ("--public-url", "https://conf.example/x")
    code, output, _ = run(*options, "--", sys.executable, "-c", LOOK, **how)
    root, base_url, info = json.loads(output)
    assert (code, info["base_url"]) == (0, "https://conf.example/x/v1_0")
    assert root.startswith("http://127.0.0.1:")
    assert base_url == f"{root}/v1_0"


def test_two_run_side_by_side():
    """Each with a server of its own."""
    look = ("confsim", "exec", sys.executable, "-c", LOOK)
    with commands.Command(*look) as one, commands.Command(*look) as other:
        roots = [json.loads(each.communicate()[0])[0] for each in (one, other)]
    assert roots[0] != roots[1]


@each(
    "command, code",
    [
        ((sys.executable, "-c", "raise SystemExit(0)"), 0),
        ((sys.executable, "-c", "raise SystemExit(42)"), 42),
        ((sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"), 128 + signal.SIGKILL),
        (("no-such-command-anywhere",), 127),
        (("/",), 126),
    ],
)
def test_the_exit_code_is_that_of_the_command(command, code):
    """As from a shell."""
    assert run("--", *command)[0] == code


def test_options_after_the_command_are_its_own():
    """With and without the two dashes."""
    say = (sys.executable, "-c", "import sys; print(sys.argv[1:])", "--seed", "5", "-p")
    assert run(*say)[1] == run("--", *say)[1] == "['--seed', '5', '-p']\n"


def test_scenarios_run_against_the_server_beside_them():
    """confsim run takes the address from the same place."""
    code, output, _ = run("--", sys.executable, "-m", "confsim", "run", "-q", "breakout-session")
    assert (code, output) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [((), "COMMAND"), (("--nope", "x"), "--nope"), (("--world", "nowhere", "--", "true"), "nowhere")],
)
def test_wrong_use_is_reported(arguments, text):
    """Exit code 1, and no command is run."""
    code, output, errors = run(*arguments)
    assert (code, output) == (1, "")
    assert text in errors


def test_a_taken_port_is_reported():
    """And the command is not run."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, output, errors = run("-p", port, "--", sys.executable, "-c", "print('ran')")
    assert (code, output) == (1, "")
    assert port in errors


def test_the_state_is_written_when_the_command_ends(tmp_path):
    """What the command made is there."""
    make = (
        "import os, urllib.request as r;"
        "r.urlopen(r.Request(os.environ['CONFSIM_BASE_URL'] + '/channels/create', b'{\"name\": \"Made\"}',"
        "{'Authorization': 'Bearer demo-owner', 'Content-Type': 'application/json'}))"
    )
    assert run("--export-on-exit", str(tmp_path / "state.json"), "--", sys.executable, "-c", make)[0] == 0
    assert '"name":"Made"' in (tmp_path / "state.json").read_text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_told_to_end_ends(number):
    """The signal is passed on, and the server goes with the command."""
    wait = "import os, time; print(os.environ['CONFSIM_URL'], flush=True); time.sleep(60)"
    with commands.Command("confsim", "exec", "--", sys.executable, "-c", wait) as process:
        root = process.stdout.readline().strip()
        time.sleep(0.1)
        process.send_signal(number)
        assert process.wait() == 128 + number
    with pytest.raises(URLError):
        urlopen(root, timeout=30)


def test_limits_of_worlds_and_journals():
    """--worlds and --journal hold for the server, as they do for ``confsim serve``."""
    probe = (
        "import json, os, urllib.error, urllib.request as r\n"
        "root = os.environ['CONFSIM_URL']\n"
        "def call(path, body=None):\n"
        "    try:\n"
        "        return json.load(r.urlopen(r.Request(root + path, body)))\n"
        "    except urllib.error.HTTPError as error:\n"
        "        return json.load(error)\n"
        "call('/_confsim/worlds', b'{\"name\": \"a\"}')\n"
        "for _ in range(3): call('/v1_0/nowhere')\n"
        "print(call('/_confsim/worlds', b'{\"name\": \"b\"}')['code'], len(call('/_confsim/requests')))\n"
    )
    text = run("--worlds", "1", "--journal", "2", "--", sys.executable, "-c", probe)
    assert text == (0, "too_many_worlds 2\n", "")
    assert run("--worlds", "-1", "--", "true")[0] == 1


def test_what_the_command_calls_is_counted(tmp_path):
    """In a file, when the command has ended; a place where none can be is refused before it begins."""
    call = (
        "import os, urllib.request as u; url = os.environ['CONFSIM_BASE_URL'] + '/users/me'; "
        "u.urlopen(u.Request(url, headers={'Authorization': 'Bearer demo-user'}))"
    )
    file = tmp_path / "met.json"
    assert run("--coverage", str(file), "--", sys.executable, "-c", call)[0] == 0
    found = json.loads(file.read_text())
    assert found["areas"]["users"]["operations"]["met"] == {"get_me": 1}
    code, _, errors = run("--coverage", str(tmp_path), "--", sys.executable, "-c", "")
    assert (code, file.exists()) == (1, True)
    assert f"--coverage {str(tmp_path)!r}: it is a directory" in errors


def test_a_coverage_report_that_cannot_be_written_is_one_line(tmp_path):
    """There is no traceback, and the report of an earlier run is removed at the start, so that none stands for it."""
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "met.json").write_text("{}")
    command = f"import os; os.rmdir({str(folder)!r})"
    code, _, errors = run("--coverage", str(folder / "met.json"), "--", sys.executable, "-c", command)
    assert (code, folder.exists()) == (1, False)
    assert errors == f"Error: --coverage {str(folder / 'met.json')!r}: No such file or directory\n"

"""Mistakes on the command line: each message says what is wrong, where, and what to do."""

from __future__ import annotations

import re
import shlex
import socket

import pytest

from confsim import Simulator
from confsim.cli import confsim
from kit.each import each
from kit.processes.commands import run

pytestmark = pytest.mark.own_ways

#: Files that are wrong, by name.
FILES = {
    "broken.toml": "[auth\n",
    "unknown.toml": '[encode]\nempt = "204"\n',
    "value.toml": '[encode]\nempty = "999"\n',
    "broken.json": "{",
    "world.json": '{"version": 1, "clients": [{"nam": "x"}]}',
    "accounts.toml": '[client]\nid = "x"\n[tokens]\nonwer = "a"\n',
    "file": "x",
    "bundle.json": "{}",
}
SERVICE = "--base-url https://a.example"
#: What is typed, and the parts of the message in their order: what, where, and what to do.
OFFLINE = [
    ("server", "no command 'server'", "did you mean 'serve'"),
    ("veryfy", "no command 'veryfy'", "did you mean 'verify'"),
    ("logs", "no command 'logs'", "did you mean 'tail'"),
    ("--vresion", "'--vresion'", "'--version'"),
    ("serve --prot 9000", "'--prot'", "'--port'"),
    ("serve -p many", "'--port'", "'many' is not a whole number from 0 to 65535"),
    ("serve -p 70000", "'--port'", "is not a whole number from 0 to 65535"),
    ("serve --worlds -1", "'--worlds'", "is not a whole number from 0"),
    ("verify --accounts a --base-url b --rate 0", "'--rate'", "is not a number above 0"),
    ("serve --log-format xml", "'--log-format'", "'text', 'json'"),
    ("serve --world demmo", "no world 'demmo'", "did you mean 'demo'"),
    ("serve --world nowhere.json", "world 'nowhere.json'", "no such file in"),
    ("serve --world world.json", "world 'world.json'", "unknown field `nam`", "$.clients[0]"),
    ("serve --scenario loby", "no scenario 'loby'", "did you mean 'lobby'"),
    ("serve --scenario broken.json", "scenario 'broken.json'", "it ends too early"),
    ("serve --profile nowhere.toml", "profile 'nowhere.toml'", "no such file in"),
    ("serve --profile broken.toml", "profile 'broken.toml'", "line 1, column 6"),
    ("serve --profile unknown.toml", "unknown.toml", "'encode.empt'", "did you mean 'encode.empty'"),
    ("serve --profile value.toml", "value.toml", "'encode.empty': '999'", "'200', '200 {}', '204'"),
    ("serve --clock soon", "--clock: 'soon'", "ISO 8601"),
    ("serve --name http://a.example", "'http://a.example' is not a host name", "hooks.example"),
    ("serve --public-url nowhere", "'nowhere' is not a URL", "https://conf.example"),
    (
        "serve --tls-key key.pem",
        "--tls-key requires --tls-cert",
    ),
    ("serve --state file", "state directory 'file'", "name a directory"),
    ("serve --import file", "state file 'file'", "not valid JSON"),
    ("serve --import file --seed 3", "--import", "leave out --world, --scenario and --seed"),
    ("serve --watch", "--watch", "name one"),
    ("serve -H 300.1.1.1 -p 0", "cannot listen on 300.1.1.1:0", "neither an address nor the name", "-H 127.0.0.1"),
    ("serve -H 203.0.113.9 -p 0", "203.0.113.9", "no such address", "-H 127.0.0.1"),
    ("exec", "'COMMAND...'", "confsim exec -- npx playwright test"),
    ("run no-such", "no scenario 'no-such'", "shipped are"),
    ("run lobby --input x", "--input 'x'", "NAME=VALUE"),
    ("run lobby --fresh", "--fresh is for a server", "--base-url"),
    ("explain reserve_hnadle", "'reserve_hnadle'", "did you mean 'reserve_handle'"),
    ("guide fault", "no guide 'fault'", "did you mean 'faults'"),
    ("reference world-file", "no page 'world-file'", "did you mean 'world-files'"),
    ("machines --mermaid loby", "--mermaid: no machine 'loby'", "did you mean 'lobby door'"),
    ("assumptions --operation create_chanel", "'create_chanel'", "did you mean 'create_channel'"),
    ("assumptions --search zzzz", "no assumption has the text 'zzzz'", "`confsim assumptions` lists all"),
    ("operations zzzz", "no operation has 'zzzz'", "`confsim operations` lists all"),
    ("replay nowhere.json", "bundle 'nowhere.json'", "no such file in"),
    ("replay bundle.json", "bundle 'bundle.json'", "which `confsim bundle` writes"),
    (f"verify {SERVICE}", "'--accounts'", "Accounts file (TOML): [client] id, [tokens] by role."),
    (f"verify {SERVICE} --accounts nowhere.toml", "accounts 'nowhere.toml'", "no such file in"),
    (f"verify {SERVICE} --accounts accounts.toml", "accounts 'accounts.toml'", "[tokens] 'onwer'", "owner"),
    ("campaign nonsense", "'nonsense'", "FILE.py::Machine"),
    ("completion tcsh", "'SHELL'", "'tcsh'", "'bash', 'zsh', 'fish'"),
    ("listen", "'--forward-to'", "Address that gets the webhooks"),
    ("listen --forward-to nowhere://x", "--forward-to: 'nowhere://x'", "http://localhost:3000/webhooks"),
    ("clock advance", "clock advance needs a value", "`confsim clock advance 15m`"),
    ("clock freeze 5m", "clock freeze takes no value", "'5m'"),
    ("clock forward 5m", "'[ACTION]'", "'forward'", "'advance'"),
    ("tail --kind calls", "'--kind'", "'call', 'control', 'timer', 'all'"),
    ("join nowhere", "'--as'", "a role such as owner, a token, or the id of a user"),
]
#: The same against the server at ROOT, which has a world `first`.
ONLINE = [
    ("call", "'OPERATION'", "confsim call create_channel --as owner name=Board"),
    ("call get_chanel", "no operation 'get_chanel'", "did you mean 'get_channel'"),
    ("call make_room", "no operation 'make_room'", "`confsim operations room`"),
    (
        "call get_channel",
        "get_channel needs the path parameter 'uuid'",
    ),
    ("call get_channel uuid", "'uuid' is not of the form NAME=VALUE", "get_channel takes uuid"),
    ("call get_channel uuid=", "get_channel: 'uuid' is empty"),
    ("call list_users limit=1 limit=2", "'limit' is given twice", "leave one out"),
    ("call create_channel --as owner name=x name=y", "'name' is given twice", "leave one out"),
    ("call get_clock --base-url ROOT/elsewhere", "ROOT/elsewhere", "404 Not Found", "a server is at ROOT"),
    ("call create_channel --as owner nme=x", "create_channel has no 'nme'", "did you mean 'name'"),
    ("call set_origins --as owner clientId=x y=1", "set_origins has no 'y'", "clientId"),
    ("call create_channel --as owner name=", "400 Bad Request", "why: Body name: it is blank"),
    ("call get_me", "401 Unauthorized", "--as names the caller"),
    ("call get_me --as ownr", "401 Unauthorized", "'ownr' is not a role or a known token", "did you mean 'owner'"),
    (
        "call get_me --as 9999",
        "there is no user 9999",
    ),
    ("call get_clock --as owner", "--as: get_clock belongs to the control plane", "leave it out"),
    ("clock advance 5x", "'5x' is not a valid duration", "'15m'"),
    ("clock set soon", "'soon'", "ISO 8601"),
    ("clock run fast", "'fast' is not a rate", "60"),
    ("fault add", "needs a target and an effect", "confsim fault add create_channel status=503"),
    ("fault add create_chanel status=503", "'create_chanel'", "did you mean 'create_channel'"),
    ("fault add create_channel staus=503", "'staus'", "did you mean 'status'"),
    ("fault add create_channel status=999", "fault.do.status: 999", "from 200 to 599"),
    ("fault add create_channel lost", "'lost'", "NAME=VALUE, such as status=503"),
    ("fault add webhook last", "'last'", "did you mean 'lost'"),
    ("fault add get_me status=503 --times x", "fault.times: 'x'", "'always'"),
    ("fault add get_me status=503 --match caler=1", "'caler'", "did you mean 'caller'"),
    ("fault remove f9", "no fault 'f9'", "there are none"),
    ("fault remove", "needs the id of a fault", "`confsim fault` lists them"),
    ("join nowhere --as user", "no channel 'nowhere'", "list_channels"),
    ("tail --status abc", "status: 'abc'", "404", "4xx"),
    ("tail --operation get_mee", "'get_mee'", "did you mean 'get_me'"),
    ("listen --forward-to :3000 --as user", "get_events_status: 403", "Name an admin by --as"),
    ("clock --base-url ROOT/w/frst", "--base-url ROOT/w/frst", "no world 'frst'", "did you mean 'first'"),
    ("clock --base-url ROOT/v1_1", "ROOT/v1_1", "404 Not Found", "a server is at ROOT"),
    ("clock --base-url ROOT/w/first?x=1", "--base-url", "a query or a fragment"),
    (
        "clock --base-url nowhere",
        "--base-url: 'nowhere' is not a server URL such as http",
    ),
    (
        "clock --base-url http://127.0.0.1:1",
        "http://127.0.0.1:1 cannot be reached: Connection refused",
        "confsim serve",
    ),
]


def check(code, output, errors, parts):
    """Check that a command failed with all parts of the message, in their order, and no traceback."""
    assert code == 1
    assert "Traceback" not in errors
    at = 0
    for part in parts:
        found = errors.find(part, at)
        assert found >= 0, f"{part!r} is missing, or out of order: {errors}"
        at = found


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A directory with files that are wrong."""
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)


@each("typed, parts", [(typed, parts) for typed, *parts in OFFLINE])
def test_a_mistake_is_explained(here, typed, parts):
    """Its message says what is wrong, where, and what to do."""
    code, output, errors = run(*shlex.split(typed))
    assert output == ""
    check(code, output, errors, parts)


def test_a_mistake_against_a_server_is_explained(monkeypatch):
    """Its message says what is wrong, where, and what to do."""
    sim = Simulator()
    sim.worlds.add("first")
    with sim.serve() as server:
        monkeypatch.setenv("CONFSIM_URL", server.root)
        for typed, *parts in ONLINE:
            code, output, errors = run(*shlex.split(typed.replace("ROOT", server.root)))
            check(code, output, errors.replace(server.root, "ROOT"), parts)


def test_a_port_in_use_names_its_user_and_what_to_do():
    """A confsim server by its world, and on Linux the process."""
    with Simulator().serve() as server:
        code, output, errors = run("serve", "-p", server.port)
    check(code, output, errors, ["the port is in use by confsim ", "with the world demo", "-p 0 takes a free one"])
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, output, errors = run("serve", "-p", taken.getsockname()[1])
    check(code, output, errors, ["the port is in use by ", "stop it, or choose another port"])
    assert re.search(r"by process \d+ \(.*python", errors) or "another program" in errors


def test_every_command_has_an_example_that_it_understands():
    """Its help shows the example below the description, and what it shows can be typed."""
    for name, command in confsim.every().items():
        words = shlex.split(command.example.partition(" > ")[0])
        assert words[:2] == ["confsim", name]
        command.make_context(name, words[2:], resilient_parsing=True)
        assert f"Example:\n  {command.example}\n" in run(name, "--help")[1]


def test_the_help_lists_every_command_with_its_whole_description():
    """In sections; nothing is cut, and no argument stands among the options."""
    listed = run("--help")[1]
    assert "..." not in listed.partition("\n")[2]
    for name, command in confsim.every().items():
        sentence = " ".join(command.help.partition("\n\n")[0].split()).partition(". ")[0]
        assert sentence.removesuffix(".") in " ".join(listed.split())
        text = run(name, "--help")[1]
        assert not re.search(r"^  \[?[A-Z]+\]?(\.\.\.)?$", text.partition("Options:")[2], re.M)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_of_a_shell_is_printed(shell):
    """It calls confsim for the names."""
    code, output, errors = run("completion", shell)
    assert (code, errors) == (0, "")
    assert f"_CONFSIM_COMPLETE={shell}_complete" in output

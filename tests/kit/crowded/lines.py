"""The command lines that are asked of each world."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

from confsim.http.live.serving import Serving
from kit import OWNER, ROOM
from kit.crowded.texts import HOSTILE
from kit.processes.commands import Command, Ran, run

Line = tuple[str, ...]
#: The commands that are not asked, each with the reason.
LEFT_OUT = {
    "campaign": "it starts processes that make verify runs, which are asked",
    "listen": "it goes on until Ctrl-C, and its test reads what it prints",
}
#: Commands that serve until they are ended.
SERVING = {"observe", "serve"}


def lines(server: Serving, folder: Path) -> Iterator[Line]:
    """Every command, of a world that is served, and of its state, accounts and bundle in a folder."""
    state, accounts, bundle = (str(folder / name) for name in ("state.json", "a.toml", f"{'x' * 60} bundle.json"))
    service = ("--base-url", server.base_url, "--accounts", accounts, "--max-requests", "60", "--examples", "1")
    yield from ((name,) for name in ("operations", "assumptions", "machines", "openapi", "reference", "guide"))
    yield "bundle", "--base-url", server.base_url, "-o", bundle
    yield "bundle", "--base-url", server.root, "--mask"
    yield "replay", bundle
    yield from (("explain", text[:60]) for text in HOSTILE.values())
    yield "exec", "--import", state, "--", sys.executable, "-c", ""
    yield "mcp", "--base-url", server.root
    yield "operations", "lobby"
    yield "completion", "bash"
    world = ("--base-url", server.root)
    yield "tail", *world, "--once", "--kind", "all", "--lines", "1000", "--verbose"
    yield from (("tail", *world, "--once", "--text", text[:60]) for text in HOSTILE.values())
    yield "call", *world, "list_channels", "--as", "owner", "--include"
    yield from (("call", *world, "create_channel", "--as", "owner", f"name={text[:60]}") for text in HOSTILE.values())
    yield "join", *world, ROOM, "--as", "owner"
    yield "fault", *world, "add", "get_me", "status=503"
    yield "fault", *world
    yield "clock", *world, "advance", "1ms"
    yield "clock", *world
    yield "serve", "--port", "0", "--import", state
    yield "observe", "--upstream", server.base_url, "--accounts", accounts, "--port", "0"
    yield "run", "--base-url", server.base_url, "lobby"
    yield "verify", *service
    yield "calibrate", *service, "-o", str(folder / "profile.toml")
    yield "reset", *world


def asked(line: Line) -> Ran:
    """The exit code, the output and the errors of a command; one that serves answers a call and is ended."""
    if line[0] not in SERVING:
        return run(*line)
    with Command("confsim", *line) as command:
        output = ""
        while "http://127.0.0.1:" not in (text := command.stdout.readline()) and text:
            output += text
        root = f"http://127.0.0.1:{text.partition('http://127.0.0.1:')[2].split('/')[0].split()[0]}"
        with urlopen(Request(f"{root}/v1_0/languages", headers={"Authorization": f"Bearer {OWNER}"})) as answer:
            answer.read()
        command.send_signal(signal.SIGTERM)
        rest, errors = command.communicate()
        return command.wait(), output + text + rest, errors

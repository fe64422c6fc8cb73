"""The reader of files that people write: every file, and everything that can be wrong with one."""

from __future__ import annotations

import ast
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from confsim import Misuse, Simulator
from confsim.arazzo import library
from confsim.cli import confsim as commands, settings
from confsim.cli.campaigns import _machine
from confsim.control.bundle import document as bundles
from confsim.http.live.certificate import context, write_self_signed
from confsim.service.files import reading
from confsim.service.files.profile import read_profile
from confsim.shipped import read as shipped
from confsim.testing.learning.accounts import read_accounts
from kit.processes.commands import run
from kit.source import MODULES, nodes

_MACHINE = """from confsim.testing import Journey


class Rooms(Journey):
    pass
"""


def _bundle() -> bytes:
    sim = Simulator()
    sim.call("get_me", "demo-owner")
    return sim.control("get_bundle").data


def _state() -> bytes:
    return Simulator().control("get_state").data


def _pem(which: int) -> Callable[[Path], bytes]:
    return lambda folder: write_self_signed(folder)[which].read_bytes()


def _tls(which: int) -> Callable[[Path], Any]:
    def load(path: Path) -> Any:
        made = [path.parent / "made" / name for name in ("cert.pem", "key.pem")]
        made[which] = path
        return context(*made)

    return load


#: Every file that people write: its name, how it is read, and its content, for which there is a folder.
FILES: dict[str, tuple[str, Callable[[Path], Any], Callable[[Path], bytes]]] = {
    "profile": ("acme.toml", read_profile, lambda _: b'[encode]\nempty = "204"\n'),
    "accounts": ("tokens.toml", read_accounts, lambda _: b'[client]\nid = "c"\n[tokens]\nowner = "t"\n'),
    "settings": (
        "pyproject.toml",
        lambda path: settings.defaults(path, commands),
        lambda _: b"[tool.confsim]\nport = 1\n",
    ),
    "world": ("own.json", Simulator, lambda _: shipped("fixtures/demo.json")),
    "state": ("state.json", lambda path: Simulator().load(path), lambda _: _state()),
    "bundle": ("bundle.json", bundles.read, lambda _: _bundle()),
    "scenario": ("own.arazzo.json", library.load, lambda _: shipped("scenarios/lobby.arazzo.json")),
    "YAML": ("own.yaml", library.load, lambda _: shipped("scenarios/lobby.arazzo.json")),
    "source": ("world.json", lambda path: Simulator().worlds.add("w", path), lambda _: shipped("fixtures/demo.json")),
    "machine": (
        "rooms.py",
        lambda path: _machine(f"{path}::Rooms", 1, 1, str(path.parent)),
        lambda _: _MACHINE.encode(),
    ),
    "certificate": ("tls.pem", _tls(0), _pem(0)),
    "key": ("private.pem", _tls(1), _pem(1)),
}


@pytest.fixture
def place(tmp_path):
    """A function that writes the content of a kind of file, changed, and returns its path and its reader."""
    (tmp_path / "made").mkdir()

    def write(
        kind: str, change: Callable[[bytes], bytes] = lambda content: content
    ) -> tuple[Path, Callable[[Path], Any]]:
        name, read, content = FILES[kind]
        path = tmp_path / name
        path.write_bytes(change(content(tmp_path / "made")))
        return path, read

    return write


def _told(read: Callable[[Path], Any], path: Path) -> str:
    with pytest.raises(Misuse) as told:
        read(path)
    message = str(told.value)
    assert "\n" not in message
    assert path.name in message
    return message


@pytest.mark.parametrize("kind", FILES)
def test_a_byte_order_mark_is_accepted(place, kind):
    """Notepad and PowerShell put it before UTF-8."""
    path, read = place(kind, lambda content: b"\xef\xbb\xbf" + content)
    read(path)


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda content: content.decode().encode("utf-16"), "it is UTF-16, not UTF-8; save it as UTF-8"),
        (lambda content: content.decode().encode("utf-32"), "it is UTF-32, not UTF-8; save it as UTF-8"),
        (lambda content: content.decode().encode("utf-16-le"), "not UTF-8; save it as UTF-8"),
        (lambda content: b"\n" + b"# \xe9" + content, "it is not UTF-8 (byte 0xe9 in line 2); save it as UTF-8"),
    ],
)
def test_another_encoding_is_named(place, kind, change, problem):
    """With what to do: PowerShell's redirection writes UTF-16."""
    path, read = place(kind, change)
    assert problem in _told(read, path)


@pytest.mark.parametrize("kind", FILES)
def test_what_is_not_a_file_is_told(place, kind, monkeypatch):
    """A missing file, a directory, a device, one that may not be read, one that is too large."""
    path, read = place(kind)
    with path.open("r+b") as file:
        file.truncate((reading.STORED if kind in {"state", "bundle"} else reading.WRITTEN) * 2**20 + 1)
    assert "MiB, the most that is read" in _told(read, path)
    path.unlink()
    assert "no such file" in _told(read, path)
    path.symlink_to("/dev/zero")
    assert "it is a device; give the path of a file" in _told(read, path)
    path.unlink()
    path.mkdir()
    assert "it is a directory; give the path of a file" in _told(read, path)
    path.rmdir()
    path.touch()

    others = reading._bytes

    def refuse(name: str | Path, most: int) -> bytes:
        if Path(name) == path:
            raise PermissionError(13, "Permission denied")
        return others(name, most)

    monkeypatch.setattr(reading, "_bytes", refuse)
    assert "it may not be read; change its permissions" in _told(read, path)


def test_a_pipe_is_read(tmp_path):
    """As in ``--profile <(make-profile)``."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    content = b"# " + b"x" * 2_000_000 + b"\n"
    threading.Thread(target=path.write_bytes, args=(content,)).start()
    assert reading.content(path, "profile") == content


def test_a_name_that_no_file_can_have_is_told():
    """With a null byte, or half a surrogate pair."""
    for name in ("a\0b", "\ud800"):
        with pytest.raises(Misuse, match="it is not a valid path"):
            reading.content(name, "profile")


def test_a_relative_path_is_told_with_its_folder(tmp_path, monkeypatch):
    """As it depends on it."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Misuse, match=f"profile 'none.toml': no such file in '{tmp_path}'"):
        read_profile("none.toml")


#: Modules that read what confsim itself wrote or ships, each with the reason.
OTHERS = {
    "cli/ports.py": "what Linux says of sockets and processes",
    "pytest_plugin/shared.py": "what the worker that started the shared server wrote",
    "service/files/reading.py": "the reader",
    "testing/campaigning/campaign.py": "the results that a campaign wrote",
}


def test_no_file_is_read_in_another_way():
    """Else it would bear no byte order mark, and end in a traceback."""
    found = {name for name, path in MODULES.items() if any(map(_reads, nodes(path)))}
    assert found == OTHERS.keys()


def _reads(node: ast.AST) -> bool:
    """Whether a call reads a file."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute):
        return node.func.attr in {"read_text", "read_bytes"}
    modes = [each.value for each in node.args[1:2] if isinstance(each, ast.Constant)]
    return isinstance(node.func, ast.Name) and node.func.id == "open" and not any({*mode} & {*"aw"} for mode in modes)


def test_a_replay_of_a_device_ends(tmp_path):
    """With exit code 1 and one line."""
    code, _, error = run("replay", "/dev/zero")
    assert (code, error) == (1, "Error: bundle '/dev/zero': it is a device; give the path of a file\n")

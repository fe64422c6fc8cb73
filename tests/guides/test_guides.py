"""The examples of the guides run; what they only show of commands has the options that there are.

A guide's code blocks are taken in their order, in a directory of their own: files are written (their first line is a
comment with the name), commands are run, and in the end pytest runs what it finds. ``confsim serve`` and the command of
a container start a server, which the commands after it find at localhost:8080.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tomllib
from contextlib import ExitStack
from pathlib import Path

import click
import pytest

import confsim.control.catalogue
import confsim.testing
from confsim import guides
from confsim.cli import confsim as commands, settings
from confsim.cli.command import SERVED
from confsim.service.files.profile import read_profile
from confsim.testing.learning.accounts import read_accounts
from kit.documented import BLOCK, SHOWN, shown
from kit.processes.commands import run_pytest, run_script, serving

pytest_plugins = ["pytester"]

_NAME = re.compile(r"(?:#|//|<!--) (\S+\.\w+)(?: -->)?\n")


#: The module that makes a world for each test of Node, which other guides import.
_MODULE = "world.mjs"


def _module() -> str:
    """The module as the guide about languages shows it."""
    texts = (text for _, text in BLOCK.findall(guides.get("languages").text))
    return next(text for text in texts if text.startswith(f"// {_MODULE}"))


class Walk:
    """A guide that is followed in a directory."""

    def __init__(self, stack: ExitStack, directory: Path) -> None:
        self._stack = stack
        self._servers = ExitStack()
        self._patch = stack.enter_context(pytest.MonkeyPatch.context())
        self._stack.push(self._servers)
        self._directory = directory
        self._port = "8080"

    def __call__(self, language: str, text: str) -> None:
        """Do what a block shows."""
        if language in ("python", "toml", "js", "java", "html"):
            self._write(language, text)
        elif language == "sh":
            first, *rest = text.strip().splitlines()
            if first.startswith("confsim serve") and not rest:
                self._serve(first.split()[2:])
            else:
                self._run(text)
        elif language == "dockerfile":
            command = json.loads(re.search(r"^CMD (.*)$", text, re.M)[1])
            assert command[:2] == ["confsim", "serve"]
            self._serve(command[2:])
        elif language == "json":
            assert json.loads(text)
        else:
            assert language == SHOWN, f"no example is in {language!r}"

    def _write(self, language: str, text: str) -> None:
        name = _NAME.match(text)[1]
        path = self._directory / name
        assert not path.exists()
        path.write_text(text)
        if language != "toml":
            return
        if name == "pyproject.toml":
            assert any(settings.defaults(path, commands).values())
        elif name == "tokens.toml":
            assert read_accounts(str(path)).tokens
        else:
            assert read_profile(tomllib.loads(text))

    def _serve(self, arguments: list[str]) -> None:
        """Start a server in place of the one before."""
        self._servers.close()
        served = self._servers.enter_context(serving(*arguments))
        self._port = served.root.rpartition(":")[2]
        for command, declared in commands.every().items():  # the default of a reader, whose server has its usual port
            if any(each.name == "base_url" and each.default == SERVED for each in declared.params):
                self._patch.setenv(f"CONFSIM_{command.upper()}_BASE_URL", served.root)

    def _run(self, text: str) -> None:
        if any(f"{tool} " in text and shutil.which(tool) is None for tool in ("node", "java")):
            return
        if "node " in text and not (self._directory / _MODULE).exists():
            (self._directory / _MODULE).write_text(_module())
        script = text.replace("localhost:8080", f"localhost:{self._port}")
        code, output, errors = run_script(script, self._directory)
        assert code == 0, f"{script}\n{output[-2000:]}\n{errors[-2000:]}"


@pytest.mark.parametrize("name", guides.NAMES)
def test_every_example_of_a_guide_runs(name: str, pytester: pytest.Pytester) -> None:
    """Its files, its commands, its tests."""
    blocks = BLOCK.findall(guides.get(name).text)
    assert [language for language, _ in blocks if language != SHOWN], "a guide shows something that runs"
    with ExitStack() as stack:
        walk = Walk(stack, pytester.path)
        for language, text in blocks:
            walk(language, text)
    tests = sorted(pytester.path.glob("test_*.py"))
    if tests:
        result = run_pytest()
        outcomes = result.parseoutcomes()
        assert set(outcomes) <= {"passed", "warnings"}, "\n".join(result.outlines[-60:])
        assert outcomes["passed"] >= len(tests)


@pytest.mark.parametrize("name", guides.NAMES)
def test_what_a_guide_shows_of_commands_that_no_test_can_run_is_a_command(name: str) -> None:
    """Those for a service elsewhere, a cluster, another program: their options are there."""
    for line in shown(name):
        if line.startswith("confsim "):
            called, *arguments = shlex.split(line)[1:]
            command = commands.every()[called]
            command.make_parser(click.Context(command)).parse_args(arguments)


def test_every_public_name_for_testing_is_in_a_guide() -> None:
    """Whoever imports it finds what it is for."""
    text = "\n".join(guides.get(name).text for name in guides.NAMES)
    assert {name for name in confsim.testing.__all__ if not re.search(rf"\b{name}\b", text)} == set()


def test_every_guide_is_listed_and_has_a_title() -> None:
    """No file is left out; an unknown name is reported, with the nearest."""
    files = {path.stem for path in Path(guides.__file__).parent.glob("*.md")}
    assert files == set(guides.NAMES)
    assert all(each.title and not each.title.startswith("#") for each in guides.list_())
    with pytest.raises(KeyError, match="did you mean 'faults'"):
        guides.get("fault")


def test_both_guides_for_node_show_the_same_module() -> None:
    """What makes a world for each test is pasted from either."""
    modules = {
        text
        for name in ("languages", "browsers")
        for _, text in BLOCK.findall(guides.get(name).text)
        if text.startswith("// world.mjs")
    }
    assert len(modules) == 1


def test_the_journey_of_the_guide_finds_a_client_that_forgets_to_encode(pytester: pytest.Pytester) -> None:
    """By a counterexample of nothing but its rules."""
    block = next(text for _, text in BLOCK.findall(guides.get("contract").text) if "test_contract.py" in text)
    right = 'f"/channels/{uuid}/rename", params={"name": name}'
    assert right in block
    pytester.makepyfile(test_contract=block.replace(right, 'f"/channels/{uuid}/rename?name={name}"'))
    result = run_pytest()
    result.assert_outcomes(failed=1)
    lines = [line.lstrip(" |") for line in result.stdout.lines]
    at = lines.index("state = RoomsJourney()")
    assert lines[at + 1] == "state.make_a_room()"
    assert re.fullmatch(r"state\.rename\(name='x[+&%]x'\)", lines[at + 2])
    assert lines[at + 3] == "state.teardown()"


def test_what_the_guide_shows_of_fuzz_is_what_it_prints(pytester: pytest.Pytester) -> None:
    """But for the times; its table has each field of the report."""
    text = guides.get("fuzz").text
    blocks = BLOCK.findall(text)
    pytester.makepyfile(test_guests=next(block for _, block in blocks if "# test_guests.py" in block))
    result = run_pytest("--confsim-fuzz=singles", "--confsim-fuzz-report=fuzz.json")
    printed = [line for line in result.outlines if line]
    expected = next(block for language, block in blocks if language == SHOWN).splitlines()
    begin = printed.index(expected[0])
    *same, cost, _ = expected
    assert printed[begin : begin + len(same)] == same
    assert re.sub(r"took .*", "", printed[begin + len(same)]) == re.sub(r"took .*", "", cost)
    (found,) = json.loads((pytester.path / "fuzz.json").read_text())["tests"].values()
    fields = {name for row in re.findall(r"^\| (`.*?) \|", text, re.M) for name in re.findall(r"`(\w+)`", row)}
    assert fields == found.keys()

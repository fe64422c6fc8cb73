"""Settings in the pyproject.toml of a project."""

from __future__ import annotations

import json
import urllib.request

import pytest

from kit.processes.commands import run, serving


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Writes the settings of a project and makes a directory below it the present one."""
    below = tmp_path / "tests" / "deep"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)

    def write(text):
        (tmp_path / "pyproject.toml").write_text(text)
        return tmp_path

    return write


def info(root):
    """What a server says of itself."""
    with urllib.request.urlopen(f"{root}/_confsim/info", timeout=30) as answer:
        return json.load(answer)


def test_flags_win_over_the_environment_and_that_over_the_file(project):
    """A key holds for every command that has the option, one in the table of a command for that."""
    project('[tool.confsim]\nseed = 3\nclock = "2026-02-01T00:00:00Z"\n[tool.confsim.serve]\nfrozen = true\n')
    with serving() as (_, _, root):
        assert (info(root)["seed"], info(root)["now"]) == (3, 1_769_904_000_000)
    with serving(CONFSIM_SEED="4") as (_, _, root):
        assert info(root)["seed"] == 4
    with serving("--seed", "5", CONFSIM_SEED="4") as (_, _, root):
        assert info(root)["seed"] == 5


def test_paths_are_relative_to_the_file(project):
    """A world is a name where there is no such file."""
    place = project('[tool.confsim]\nprofile = "acme.toml"\nworld = "own.json"\n')
    (place / "acme.toml").write_text('[encode]\nempty = "204"\n')
    (place / "own.json").write_text('{"version": 1, "at": "2026-01-01T00:00:00Z", "clients": [{"name": "Only"}]}')
    with serving() as (_, _, root):
        found = info(root)
    assert found["profile"] == {"encode.empty": "204"}
    assert [each["name"] for each in found["clients"]] == ["Only"]
    project('[tool.confsim]\nworld = "demo"\n')
    with serving() as (_, _, root):
        assert info(root)["world"] == "demo"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[tool.confsim]\nprot = 1\n", "tool.confsim has no 'prot'; did you mean 'port'?"),
        ("[tool.confsim.run]\nport = 1\n", "tool.confsim.run has no 'port'; there are "),
        ('[tool.confsim]\nport = "many"\n', "'many' is not a valid integer"),
        ("[tool]\nconfsim = 1\n", "tool.confsim is no table"),
        ("[tool.confsim\n", "pyproject.toml: "),
    ],
)
def test_a_mistake_is_reported(project, text, error):
    """Exit 1 with one line that names the file or the option."""
    project(text)
    code, _, errors = run("serve", "-p" if "many" not in text else "-q", *(["0"] if "many" not in text else []))
    assert code == 1
    assert error in errors
    assert "Traceback" not in errors


def test_a_project_without_settings_is_left_alone(project):
    """Also one whose file could not be read, as other tools' affair."""
    project("[tool.other\n")
    assert run("--version")[0] == 0

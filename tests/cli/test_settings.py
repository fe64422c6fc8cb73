"""Settings in the pyproject.toml of a project."""

from __future__ import annotations

import json
import urllib.request

import pytest

from confsim import cli
from confsim.cli import confsim, settings
from confsim.cli.command import moment
from confsim.service.clock import Clock
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
        ('[tool.confsim]\nport = "many"\n', "pyproject.toml: tool.confsim.port must be a whole number, not 'many'"),
        ("[tool.confsim]\nport = [1]\n", "tool.confsim.port must be a whole number, not [1]"),
        ("[tool.confsim]\nseed = true\n", "tool.confsim.seed must be a whole number, not true"),
        ("[tool.confsim]\nport = 99999\n", "tool.confsim.port: 99999 is not a whole number from 0 to 65535"),
        ("[tool.confsim]\nprofile = 3\n", "tool.confsim.profile must be a text, not 3"),
        ("[tool.confsim]\nquiet = 1\n", "tool.confsim.quiet must be true or false, not 1"),
        ('[tool.confsim.serve]\nlog-format = "xml"\n', "tool.confsim.serve.log-format: 'xml' is not one of "),
        ('[tool.confsim.serve]\nname = "box"\n', "tool.confsim.serve.name must be a list, not 'box'"),
        ("[tool.confsim.serve]\nname = [1]\n", "tool.confsim.serve.name must be a text, not 1"),
        ("[tool.confsim.sreve]\nquiet = true\n", "no such command; did you mean 'serve'?"),
        ("[tool]\nconfsim = 1\n", "tool.confsim is not a table"),
        ("[tool.confsm]\nport = 1\n", "[tool.confsm] sets nothing; did you mean [tool.confsim]?"),
        ("[tool.confsim\n", "pyproject.toml': it is not valid TOML: "),
    ],
)
def test_a_mistake_is_reported(project, text, error):
    """Exit 1 with one line that names the file or the option."""
    project(text)
    code, _, errors = run("serve", "-p" if "many" not in text else "-q", *(["0"] if "many" not in text else []))
    assert code == 1
    assert error in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize("clock", ["2026-02-01T00:00:00Z", "1769904000000", '"2026-02-01T00:00:00Z"'])
def test_the_clock_is_an_instant_of_toml_too(project, clock):
    """Or a number of milliseconds, or a text, as on the command line."""
    place = project(f"[tool.confsim]\nclock = {clock}\n") / "pyproject.toml"
    default = settings.defaults(place, confsim)["serve"]["clock"]
    assert Clock(moment(default)).now() == 1_769_904_000_000


def test_every_path_is_relative_to_the_file(project):
    """That of each option that takes one."""
    place = project('[tool.confsim.serve]\ncoverage = "c.json"\nstate = "s"\ntls-cert = "a.pem"\ntls-key = "b.pem"\n')
    found = settings.defaults(place / "pyproject.toml", confsim)["serve"]
    assert found == {
        "coverage": str(place / "c.json"),
        "state": str(place / "s"),
        "tls_cert": str(place / "a.pem"),
        "tls_key": str(place / "b.pem"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "[tool.confsim]\nseed = 3\n",
        "[tool.confsim.serve]\nseed = 3\n",
        " [ tool . 'confsim' . serve ]\nseed = 3\n",
        '["tool"."confsim"]\nseed = 3\n',
        "[tool]\nconfsim.seed = 3\n",
        "[tool]\nconfsim = {seed = 3}\n",
        "tool.confsim.seed = 3\n",
        "'tool' = {confsim = {seed = 3}}\n",
    ],
)
def test_settings_are_found_in_every_form_of_toml(project, text):
    """As a table, within one, with dotted keys, quoted or inline."""
    place = project(f"{text}[project]\nname = 'confsim'\n") / "pyproject.toml"
    assert settings.defaults(place, confsim)["serve"] == {"seed": 3}


def test_a_project_without_settings_is_left_alone(project):
    """Also one whose file could not be read, as other tools' affair."""
    project("[tool.other\n")
    assert run("--version")[0] == 0


def test_a_directory_that_is_gone_has_no_settings(tmp_path, monkeypatch):
    """A command works where nothing is any more."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert cli._settings() == {}


def test_a_variable_that_sets_no_option_is_reported(tmp_path, monkeypatch):
    """The nearest name is suggested, the command runs; those of options and of ``confsim exec`` are not reported."""
    monkeypatch.chdir(tmp_path)
    code, _, errors = run("guide", CONFSIM_PROT="9000", CONFSIM_SERVE_PORT="1", CONFSIM_TLS_CERT="x", CONFSIM_URL="x")
    assert (code, errors) == (
        0,
        "Warning: the variable CONFSIM_PROT sets no option; did you mean 'CONFSIM_PORT'?\n",
    )


def test_tables_of_other_tools_are_not_reported(project):
    """Not even those whose names begin alike."""
    project("[tool.confetti]\na = 1\n[tool.coverage]\na = 1\n")
    assert run("guide")[0] == 0

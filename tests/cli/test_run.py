from __future__ import annotations

import json

import pytest

from confsim import Simulator, cli
from confsim.arazzo import library
from kit import START

API = {"name": "api", "url": "http://127.0.0.1:8080/openapi.json"}


@pytest.fixture
def run(capsys):
    """Call the command line; answers exit code, output, errors."""

    def running(*arguments):
        try:
            cli.main(arguments)
            code = 0
        except SystemExit as exit:
            code = exit.code or 0
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return running


@pytest.fixture
def written(tmp_path):
    """Write a scenario of one step, which is to be answered with a status, and answer its path."""

    def writing(status=200, token="demo-owner", **more):
        who = {"name": "Authorization", "in": "header", "value": f"Bearer {token}"}
        step = {
            "stepId": "me",
            "operationId": "get_me",
            "parameters": [who],
            "successCriteria": [{"condition": f"$statusCode == {status}"}],
            "outputs": {"handle": "$response.body#/handle"},
            **more,
        }
        workflow = {
            "workflowId": "w",
            "inputs": {"properties": {"wanted": {"default": "nothing"}}},
            "steps": [step],
            "outputs": {"handle": "$steps.me.outputs.handle", "wanted": "$inputs.wanted"},
        }
        info = {"title": "A test", "version": "1"}
        whole = {"arazzo": "1.0.1", "info": info, "sourceDescriptions": [API], "workflows": [workflow]}
        path = tmp_path / f"test-{status}.arazzo.json"
        path.write_text(json.dumps(whole))
        return str(path)

    return writing


def test_without_a_name_the_scenarios_are_listed(run):
    """Every one that ships, with what it is about."""
    code, out, _ = run("run")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[1:]] == list(library.SHIPPED)
    assert "A number is" not in out
    assert "People come into a meeting by phone" in out


def test_a_scenario_that_passes(run, written):
    """Its steps and its outputs are printed, and the exit code is 0."""
    code, out, err = run("run", written())
    assert (code, err) == (0, "")
    assert "ok      me  get_me  200" in out
    assert 'handle = "Olaf Owner"' in out


def test_shipped_scenarios_run_by_name(run):
    """Several at once, each in a world of its own."""
    code, out, _ = run("run", "-q", "lobby", "lobby", "phones", "--clock", START)
    assert (code, out) == (0, "")


def test_a_scenario_that_fails(run, written):
    """The step is printed with criterion, request and answer; the others run; the exit code is 1."""
    code, out, _ = run("run", written(404), written())
    assert code == 1
    assert "criterion  $statusCode == 404" in out
    assert "request    GET http://confsim.test/v1_0/users/me" in out
    assert 'answer     200 {"id":' in out
    assert out.count("passed") == 1


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["no-such"], "no scenario 'no-such'"),
        (["lobby", "--world", "no-such"], "no world 'no-such'"),
        (["lobby", "--profile", "no-such.toml"], "no-such.toml"),
        (["lobby", "--clock", "²"], "'²' is no instant"),
        (["lobby", "--input", "a"], "NAME=VALUE"),
        (["lobby", "--input", "a=1"], "no workflow has an input 'a'"),
        (["lobby", "--base-url", "nowhere"], "is not a server URL"),
        (["lobby", "--base-url", "http://127.0.0.1:1"], "cannot be reached"),
        (["lobby", "--base-url", "http://127.0.0.1:1", "--fresh"], "cannot be reached"),
        (["lobby", "--fresh"], "give its --base-url"),
    ],
)
def test_misuse_is_reported(run, arguments, problem):
    """In a line, with exit code 1."""
    code, _, err = run("run", *arguments)
    assert code == 1
    assert problem in err


def test_a_dropped_connection_is_reported(run, written):
    """In a line too: a scenario cannot go on where a fault leaves it without an answer."""
    code, _, err = run("run", written(parameters=[{"name": "X-Confsim", "in": "header", "value": "drop=before"}]))
    assert code == 1
    assert err == "Error: get_me: the connection was dropped, by a fault\n"


@pytest.mark.parametrize(("given", "seen"), [("wanted=5", "5"), ("wanted=[1]", "[1]"), ("wanted=a=b", '"a=b"')])
def test_inputs(run, written, given, seen):
    """JSON where it can be read as such, else a text."""
    assert f"wanted = {seen}" in run("run", written(), "--input", given)[1]


@pytest.mark.parametrize("end", ["", "/", "/v1_0"])
def test_against_a_server(run, written, end):
    """By the address of its API, or of its mount; its own world is used."""
    with Simulator(clock=START).serve() as server:
        code, out, _ = run("run", "lobby", written(), "--base-url", server.root + end)
        assert code == 0
        assert 'handle = "Olaf Owner"' in out
        assert "lobby door" not in out


def test_each_in_a_fresh_world_of_a_server(run):
    """They do not meet, nor the world there is; none is left behind."""
    with Simulator(clock=START).serve() as server:
        names = "lobby", "lobby", "terms-renewal", "user-profile"
        before = server.worlds.default.world.digest()
        assert run("run", "-q", *names, "--base-url", server.base_url)[0] == 2
        server.worlds.default.reset()
        assert run("run", "-q", *names, "--base-url", server.base_url, "--fresh")[:2] == (0, "")
        assert server.worlds.default.world.digest() == before
        assert list(server.worlds) == [""]
        server.worlds.limit(0)
        code, _, err = run("run", "lobby", "--base-url", server.base_url, "--fresh")
        assert (code, "makes no world: 409" in err) == (1, True)


def test_drift_has_an_exit_code_of_its_own(run, written):
    """2 when a server answers otherwise than the scenario says."""
    with Simulator(clock=START).serve() as server:
        code, out, _ = run("run", written(204), "--base-url", server.base_url)
        assert code == 2
        assert f"request    GET {server.base_url}/users/me" in out


@pytest.mark.parametrize(("status", "code"), [(200, 0), (204, 0), (202, 1)])
def test_a_status_of_a_profile_may_be_expected(run, written, tmp_path, status, code):
    """As the profile has it, or as it is by default."""
    profile = tmp_path / "acme.toml"
    profile.write_text('[encode]\nempty = "204"\n')
    who = {"name": "Authorization", "in": "header", "value": "Bearer demo-owner"}
    version = {"name": "version", "in": "path", "value": "1"}
    outputs = {"handle": "$statusCode"}
    accepting = written(status, operationId="accept_terms", parameters=[who, version], outputs=outputs)
    assert run("run", accepting, "--profile", str(profile))[0] == code


def test_a_profile_moves_what_the_scenario_calls(run, written, tmp_path):
    """Tokens are presented as it says."""
    profile = tmp_path / "acme.toml"
    profile.write_text('[auth]\npresentation = ["X-Token: {token}"]\n')
    code, out, _ = run("run", written(404), "--profile", str(profile))
    assert code == 1
    assert "x-token: demo-owner" in out
    assert "answer     200" in out

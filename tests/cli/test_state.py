"""The command line and the state: --state, --import, --export-on-exit, run as people run them."""

from __future__ import annotations

import json
import signal
import urllib.request
from contextlib import contextmanager

import pytest

from confsim import Simulator
from confsim.service.files.formats import FORMAT
from kit import START
from kit.processes import commands

BEGUN = ("--clock", START, "--frozen")
URL = b'{"url":"https://terms.example/5"}'


def run(*arguments):
    """A server that is not expected to start; answers exit code and errors."""
    code, _, errors = commands.run("serve", "-p", "0", *arguments)
    return code, errors


@contextmanager
def serving(*arguments, **options):
    """A server on a free port; yields its root."""
    with commands.serving(*arguments, **options) as (_, _, root):
        yield root


def fetch(url, body=None, token="demo-api-token"):
    """A request as curl would make it; answers the body."""
    headers = {"Content-Type": "application/json"}
    if "/v1_0/" in url:
        headers["Authorization"] = f"Bearer {token}"
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=30) as answer:
        return answer.read()


def test_what_was_answered_outlives_kill_9(tmp_path):
    """The calls, the worlds, the clock and the faults are there again; the second process is refused meanwhile."""
    place = tmp_path / "state"
    with serving("--state", place, *BEGUN, end=signal.SIGKILL) as root:
        fetch(f"{root}/v1_0/terms", URL)
        fetch(f"{root}/_confsim/clock/advance", b'{"by":"1h"}')
        fetch(f"{root}/_confsim/worlds", b'{"name":"w1"}')
        fetch(f"{root}/w/w1/v1_0/terms", b'{"url":"https://terms.example/w1"}')
        fetch(f"{root}/_confsim/faults", b'{"operation":"get_user_terms","on":9,"do":{"status":503}}')
        fetch(f"{root}/v1_0/users/me/terms", token="demo-owner")
        faults = fetch(f"{root}/_confsim/faults")
        before = [fetch(f"{root}{mount}/_confsim/state") for mount in ("", "/w/w1")]
        now = fetch(f"{root}/_confsim/clock")
        assert run("--state", place) == (1, f"Error: state directory {str(place)!r} is in use by another process\n")
    assert b"https://terms.example/5" in before[0]
    with serving("--state", place) as root:
        assert [fetch(f"{root}{mount}/_confsim/state") for mount in ("", "/w/w1")] == before
        assert fetch(f"{root}/_confsim/clock") == now
        assert fetch(f"{root}/_confsim/faults") == faults


def test_a_stored_world_is_counted_in_a_coverage_report(tmp_path):
    """--state and --coverage go together, also where a directory is continued; the report counts this run only."""
    place, report = tmp_path / "state", tmp_path / "met.json"
    for counted in (1, 0):
        with serving("--state", place, "--coverage", report) as root:
            if counted:
                fetch(f"{root}/v1_0/terms", URL)
        assert json.loads(report.read_text())["totals"]["operations"]["met"] == counted


def test_another_seed_on_a_directory_is_refused(tmp_path):
    """The message names the seed that the directory was begun with."""
    with serving("--state", tmp_path):
        pass
    code, error = run("--state", tmp_path, "--seed", 9)
    assert (code, "begun with seed 0 (now 9)" in error) == (1, True)


def test_a_damaged_directory_is_refused(tmp_path):
    """Exit 1 and one line that names the directory."""
    with serving("--state", tmp_path):
        pass
    store = tmp_path / "confsim.sqlite"
    store.write_bytes(store.read_bytes()[:5000])
    code, error = run("--state", tmp_path)
    assert (code, error.count("\n")) == (1, 1)
    assert error.startswith(f"Error: state directory {str(tmp_path)!r}: ")


def test_a_state_goes_from_server_to_server(tmp_path):
    """What one writes at its end, the next starts from; untouched it writes the same bytes, and a reset keeps it."""
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    with serving("--export-on-exit", first, *BEGUN) as root:
        fetch(f"{root}/v1_0/terms", URL)
        fetch(f"{root}/v1_0/users/handle/reserve", b'{"handle":"Held"}', token="demo-user")
        state = fetch(f"{root}/_confsim/state")
    assert first.read_bytes() == state
    with serving(*BEGUN, CONFSIM_IMPORT=str(first), CONFSIM_EXPORT_ON_EXIT=str(second)) as root:
        assert fetch(f"{root}/_confsim/state") == state
        fetch(f"{root}/v1_0/terms", b'{"url":"https://terms.example/6"}')
        fetch(f"{root}/_confsim/reset", b"")
    assert second.read_bytes() == state
    assert [each.name for each in tmp_path.iterdir() if each not in (first, second)] == []


def test_an_imported_state_can_be_stored(tmp_path):
    """A directory that was begun with a state file goes on with it, and is refused without."""
    file, place = tmp_path / "state.json", tmp_path / "state"
    Simulator(seed=4).save(file)
    with serving("--import", file, "--state", place, end=signal.SIGKILL) as root:
        fetch(f"{root}/v1_0/terms", URL)
    with serving("--import", file, "--state", place) as root:
        assert URL[8:-2] in fetch(f"{root}/_confsim/state")
    code, error = run("--state", place)
    assert (code, "seed 4 (now 0)" in error) == (1, True)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda whole: "", "it is not valid JSON"),
        (lambda whole: whole[:-40], "it is not valid JSON"),
        (lambda whole: "[]", "is no JSON object"),
        (lambda whole: "{}", "the document has no 'version', as it is empty; "),
        (
            lambda whole: whole.replace(f'"version":{FORMAT}', f'"version":{FORMAT + 1}'),
            f"is of version {FORMAT + 1}; this confsim, ",
        ),
        (lambda whole: whole.replace('"handle":', '"hendle":', 1), "tables.users.11111111-1111-4111-8111-1111111111"),
        (lambda whole: whole.replace('"handle":', '"hendle":', 1), "[0].hendle is no field of a record of users"),
        (lambda whole: whole.replace('"seed":0', '"seed":"x"'), "Expected `int`, got `str` - at `$.seed`"),
    ],
)
def test_a_bad_state_file_is_reported_with_its_place(tmp_path, made, text):
    """Exit 1, and one line that names the file and the first thing in it that cannot be."""
    file = tmp_path / "state.json"
    Simulator().save(file)
    file.write_text(made(file.read_text()))
    code, error = run("--import", file)
    assert (code, error.count("\n")) == (1, 1)
    assert error.startswith(f"Error: state file {str(file)!r}: ")
    assert text in error


def test_a_state_file_that_is_not_there_is_reported(tmp_path):
    """By its path."""
    assert run("--import", tmp_path / "x.json")[0] == 1
    assert "x.json': no such file" in run("--import", tmp_path / "x.json")[1]


def test_a_place_that_cannot_be_written_is_reported_at_the_start(tmp_path):
    """Not after hours of work: the folder is missing, or the name is one."""
    missing = tmp_path / "nowhere" / "state.json"
    assert run("--export-on-exit", missing)[0] == 1
    assert "there is no directory" in run("--export-on-exit", missing)[1]
    assert "it is a directory" in run("--export-on-exit", tmp_path)[1]


@pytest.mark.parametrize("other", [("--world", "empty"), ("--seed", "3"), ("--scenario", "any")])
def test_an_import_is_the_whole_world(tmp_path, other):
    """A world, a seed or a scenario beside it would say otherwise."""
    code, error = run("--import", tmp_path / "x.json", *other)
    assert (code, "--import brings the whole world" in error) == (1, True)

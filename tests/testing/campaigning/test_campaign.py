"""Campaigns: each seed is done, failures are shrunk and stored once, and what was done is not done again."""

from __future__ import annotations

import contextlib
import gc
import json
import os

import distributed
import pytest
from msgspec.structs import replace

from confsim import Simulator, cli, guides
from confsim.kernel.refusal import Misuse
from confsim.service.clock import Clock
from confsim.testing.campaigning import campaign
from confsim.testing.campaigning.jobs import Failure, Job, JobOutcome, JourneyMachine, Verify, machine_of, perform
from kit import choices
from kit.beside import Beside
from kit.documented import BLOCK, command
from kit.processes import dask
from kit.processes.commands import run_pytest

ROOMS = """
from hypothesis import strategies as st
from hypothesis.stateful import rule

from confsim import Simulator
from confsim.testing import Core, Journey


class Rooms(Journey):
    def targets(self):
        return [Core(Simulator())]

    @rule(name=st.sampled_from(["a", "b", "c"]))
    def make(self, name):
        status = self.call("create_channel", "demo-owner", body={"name": name}).status
        assert STATUSES, f"{name} is answered with {status}"
"""


def machine(asserted, **more):
    """The work of a machine that asserts something of the status of each call."""
    return JourneyMachine("rooms.py", ROOMS.replace("STATUSES", asserted), "Rooms", steps=6, examples=4, **more)


def assert_fails(path, message):
    """Run a stored test with pytest, and assert that it fails with a message of the machine."""
    ran = run_pytest(path)
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(f"E *AssertionError: *{message}*")


def test_a_failure_is_shrunk_and_told_as_a_test():
    """The shortest journey, and a signature that does not depend on the seed."""
    found = [perform(Job(machine("status == 200"), seed)) for seed in (1, 2)]
    (one,), (other,) = found[0].failures, found[1].failures
    assert one.signature == other.signature
    assert one.title == "AssertionError: a is answered with 409"
    assert one.files["py"].count("state.make(name='a')") == 2
    assert "from rooms import Rooms" in one.files["py"]
    compile(one.files["py"], "test.py", "exec")


def test_an_assertion_without_a_message_is_told_by_its_place():
    """The function and the line."""
    work = machine("status == 200")
    work = replace(work, text=work.text.replace(', f"{name} is answered with {status}"', ""))
    (found,) = perform(Job(work, 1)).failures
    line = next(place for place, text in enumerate(work.text.splitlines(), 1) if "assert" in text)
    assert found.title == f"AssertionError in make, line {line}"


def test_a_journey_that_exits_fails_like_any_other():
    """The worker lives, and the failure is stored."""
    work = machine("status")
    work = replace(work, text=work.text.replace("assert status", "raise SystemExit(4)  # "))
    (found,) = perform(Job(work, 1)).failures
    assert found.title == "SystemExit: 4"


def test_what_holds_has_no_failure():
    """And no problem."""
    outcome = perform(Job(machine("status in (200, 409)"), 1))
    assert (outcome.failures, outcome.problem) == ([], "")


def test_a_failure_under_other_values_is_reduced_to_those_that_matter(tmp_path, monkeypatch):
    """One of three choices, without which the second channel of a name is refused; its test makes it, and fails."""
    counted = "self.__dict__.setdefault('had', []).append(name) or self.had.count(name) < 2 or status == 409"
    chosen = choices(channels__unique_names="allow", parse__limit_large="refuse", media__tag="text")
    work = machine(counted)
    (found,) = perform(Job(work, 1, chosen)).failures
    assert found.title.endswith("under channels.unique-names = 'allow'")
    (tmp_path / "rooms.py").write_text(work.text)
    (tmp_path / "found.py").write_text(found.files["py"])
    monkeypatch.chdir(tmp_path)
    assert_fails("found.py", "is answered with 200")


def test_a_file_that_cannot_be_run_is_reported():
    """What is wrong with it, and a machine that it has not."""
    with pytest.raises(Misuse, match=r"rooms.py cannot be run: NameError"):
        machine_of(JourneyMachine("rooms.py", "nothing", "Rooms", 1, 1))
    with pytest.raises(Misuse, match=r"rooms.py has no 'Walls'"):
        machine_of(JourneyMachine("rooms.py", "pass", "Walls", 1, 1))


@pytest.mark.parametrize("text", ["Rooms = 5", "def Rooms():\n    pass", "class Rooms:\n    pass"])
def test_what_is_no_machine_is_refused(text):
    """Before a cluster is begun: a number, a test and a class of another kind are none."""
    with pytest.raises(Misuse, match=r"Rooms of rooms\.py is no state machine: a Journey, or a"):
        machine_of(replace(machine("True"), text=text))


def test_a_machine_that_cannot_begin_is_told_as_a_test(tmp_path):
    """No step is known then: the test runs the whole machine."""
    text = ROOMS.replace("return [Core(Simulator())]", "raise RuntimeError('no target')")
    work = replace(machine("True", folder="."), text=text)
    (failure,) = perform(Job(work, 1)).failures
    assert failure.title == "RuntimeError: no target"
    (tmp_path / "rooms.py").write_text(text)
    (tmp_path / "test_stored.py").write_text(failure.files["py"])
    ran = run_pytest(tmp_path / "test_stored.py")
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines("E *RuntimeError: no target*")


def test_results_are_stored_once_and_gone_on_from(tmp_path):
    """Two seeds with one failure leave one; a line that was cut is not taken for one that is done."""
    work = machine("status == 200")
    results = campaign.Results(tmp_path, work)
    for seed in (1, 2):
        results.add(perform(Job(work, seed)))
    with (tmp_path / "jobs.jsonl").open("a") as file:
        file.write('{"key": "3", "fai')
    again = campaign.Results(tmp_path, work)
    assert again.done == {"1", "2"}
    assert list(again.failures().values()) == ["AssertionError: a is answered with 409"]
    assert sorted(each.suffix for each in (tmp_path / "failures").iterdir()) == [".py", ".txt"]


def test_a_job_that_could_not_be_done_is_done_again(tmp_path):
    """Its problem is reported, and it is not among those that are done."""
    work = machine("True")
    results = campaign.Results(tmp_path, work)
    results.add(JobOutcome("7", [], 0.0, "the service does not answer any more"))
    assert campaign.Results(tmp_path, work).done == set()


SERVICE = Verify("http://a", "c", {"owner": "secret"}, {"status.created": 201}, 1)


@pytest.mark.parametrize(
    ("held", "asked", "reported"),
    [
        (machine("True"), replace(machine("True"), name="Walls"), "rooms.py::Rooms, not of rooms.py::Walls:"),
        (machine("True"), replace(machine("True"), file="a/walls.py"), "rooms.py::Rooms, not of walls.py::Rooms:"),
        (machine("True"), machine("status"), "rooms.py::Rooms with another source of its file:"),
        (machine("True"), replace(machine("True"), steps=7), "rooms.py::Rooms with steps 6 instead of 7:"),
        (machine("True"), replace(machine("True"), examples=5), "rooms.py::Rooms with examples 4 instead of 5:"),
        (machine("True"), SERVICE, "rooms.py::Rooms, not of verify:"),
        (SERVICE, replace(SERVICE, base_url="http://b"), 'verify with base-url "http://a" instead of "http://b":'),
        (SERVICE, replace(SERVICE, client="d", examples=2), 'client "c" instead of "d", examples 1 instead of 2:'),
        (SERVICE, replace(SERVICE, tokens={"user": "secret"}), 'roles ["owner"] instead of ["user"]:'),
        (SERVICE, replace(SERVICE, profile={}), "verify with profile status.created 201 instead of unset:"),
        (SERVICE, replace(SERVICE, profile={"status.created": 200}), "profile status.created 201 instead of 200:"),
        (SERVICE, replace(SERVICE, allow_phone_calls=True), "phones false instead of true:"),
    ],
)
def test_the_results_of_another_campaign_are_refused(tmp_path, held, asked, reported):
    """With what differs; nothing is changed, and the campaign whose results they are goes on."""
    campaign.Results(tmp_path, held).add(JobOutcome("0", [], 0.0))
    files = {each: each.read_bytes() for each in tmp_path.rglob("*.*")}
    with pytest.raises(Misuse) as refused:
        campaign.Results(tmp_path, asked)
    assert reported in str(refused.value)
    assert str(refused.value).endswith("name another one with --into, or remove it")
    assert {each: each.read_bytes() for each in tmp_path.rglob("*.*")} == files
    assert campaign.Results(tmp_path, held).done == {"0"}


def test_the_results_of_another_version_or_with_other_values_are_refused(tmp_path, monkeypatch):
    """What a seed draws depends on both."""
    work = machine("True")
    campaign.Results(tmp_path, work, "pairs").add(JobOutcome("0", [], 0.0))
    with pytest.raises(Misuse, match='profiles "pairs" instead of unset:'):
        campaign.Results(tmp_path, work)
    monkeypatch.setattr(campaign, "__version__", "0.0.7")
    with pytest.raises(Misuse, match=r'confsim "\S+" instead of "0.0.7":'):
        campaign.Results(tmp_path, work, "pairs")


def test_results_that_no_campaign_is_named_for_are_refused(tmp_path):
    """A list of seeds alone, and failures alone, of a run that was killed right after it stored them."""
    (tmp_path / "failures").mkdir()
    for file in (tmp_path / "jobs.jsonl", tmp_path / "failures" / "0a.txt"):
        file.write_text('{"key": "0"}')
        with pytest.raises(Misuse, match=r"a campaign that it does not name, not of rooms.py::Rooms:"):
            campaign.Results(tmp_path, machine("True"))
        file.unlink()


@pytest.mark.parametrize("text", ['{"mine": "precious"}', "not JSON", "[]"])
def test_a_file_of_somebody_else_is_not_replaced(tmp_path, text):
    """The directory is refused, and nothing is changed."""
    (tmp_path / "campaign.json").write_text(text)
    with pytest.raises(Misuse, match="name another one with --into"):
        campaign.Results(tmp_path, machine("nothing"))
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("campaign.json", text)]


def test_a_directory_without_results_is_that_of_the_campaign_that_was_asked_for_last(tmp_path):
    """Whose results are stored there."""
    campaign.Results(tmp_path, machine("nothing"))
    campaign.Results(tmp_path, machine("True")).add(JobOutcome("0", [], 0.0))
    assert campaign.Results(tmp_path, machine("True")).done == {"0"}


def test_tokens_are_not_stored(tmp_path):
    """Nor are they compared: new ones for the same roles go on."""
    campaign.Results(tmp_path, SERVICE).add(JobOutcome("0", [], 0.0))
    assert "secret" not in (tmp_path / "campaign.json").read_text()
    assert campaign.Results(tmp_path, replace(SERVICE, tokens={"owner": "other"})).done == {"0"}


def test_a_verify_run_is_a_job():
    """A divergence is stored as a shell script, as a test and in words."""
    beside = Beside(choices(status__created=201))
    with beside.simulator.serve() as server:
        work = Verify(server.base_url, beside.accounts.client, beside.accounts.tokens, {}, 1)
        outcome = perform(Job(work, 0))
    assert outcome.problem == ""
    assert any("status" in each.title for each in outcome.failures)
    assert outcome.failures[0].files.keys() == {"sh", "py", "txt"}


@pytest.fixture
def one_worker(monkeypatch):
    """A Dask cluster of one thread of this process, in place of one of processes."""
    gc.freeze()  # Hypothesis collects garbage once in each new thread
    with distributed.Client(
        processes=False,
        n_workers=1,
        threads_per_worker=1,
        dashboard_address=None,
        scheduler_kwargs=campaign.ANY_PORT,
        silence_logs=40,
    ) as client:
        monkeypatch.setattr(campaign, "cluster", lambda scheduler, workers: contextlib.nullcontext(client))
        yield client


def test_a_campaign_does_all_seeds_and_goes_on_where_it_stopped(tmp_path, capsys, one_worker):
    """All seeds, one failure; the second run has nothing to do."""
    file = tmp_path / "rooms.py"
    file.write_text(ROOMS.replace("STATUSES", "status == 200"))
    options = ["campaign", f"{file}::Rooms", "--seeds", "3", "--steps", "6", "--examples", "3", "--into",
               str(tmp_path / "found")]  # fmt: skip
    for before in (0, 3):
        with pytest.raises(SystemExit) as ended:
            cli.main(options)
        assert ended.value.code == 2
        printed = capsys.readouterr()
        assert printed.out.splitlines()[-1] == "3 of 3 seeds, 1 failures"
        assert ("3 of 3 seeds, " in printed.err) is (before == 0)
    lines = (tmp_path / "found" / "jobs.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["key"] for line in lines) == ["0", "1", "2"]


def test_a_campaign_that_is_ended_says_how_it_goes_on(tmp_path, capsys, monkeypatch, one_worker):
    """The same command does the other seeds."""
    file = tmp_path / "rooms.py"
    file.write_text(ROOMS.replace("STATUSES", "True"))

    def ended(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(campaign, "run", ended)
    with pytest.raises(SystemExit) as left:
        cli.main(["campaign", f"{file}::Rooms", "--into", str(tmp_path / "found")])
    assert left.value.code == 1
    assert "ended early: the same command goes on after the seeds that are done" in capsys.readouterr().err


def test_a_campaign_in_the_directory_of_another_is_refused(tmp_path, capsys, monkeypatch, one_worker):
    """By the command, with other steps and for verify; more seeds of the same one go on."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rooms.py").write_text(ROOMS.replace("STATUSES", "status in (200, 409)"))
    (tmp_path / "accounts.toml").write_text('[client]\nid = "c"\n[tokens]\nowner = "secret"\n')
    options = ["--seeds", "1", "--examples", "1"]
    cli.main(["campaign", "rooms.py::Rooms", "--steps", "2", *options])
    for more, reported in (
        (["rooms.py::Rooms", "--steps", "3"], "with steps 2 instead of 3:"),
        (["rooms.py::Rooms", "--steps", "2", "--profiles", "pairs"], 'with profiles unset instead of "pairs":'),
        (["verify", "--base-url", "http://a", "--accounts", "accounts.toml"], "rooms.py::Rooms, not of verify:"),
    ):
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main(["campaign", *more, *options])
        assert ended.value.code == 1
        printed = capsys.readouterr()
        assert (printed.out, printed.err.partition("results of ")[0]) == ("", "Error: 'campaign' holds ")
        assert reported in printed.err
    cli.main(["campaign", str(tmp_path / "rooms.py::Rooms"), "--steps", "2", "--examples", "1", "--seeds", "2"])
    printed = capsys.readouterr()
    assert printed.out.splitlines()[-1] == "2 of 2 seeds, 0 failures"
    assert "2 of 2 seeds, " in printed.err


@pytest.mark.parametrize("into", ["found", "link/found"])
def test_a_stored_failure_is_printed_and_runs_where_it_is_stored(tmp_path, capsys, monkeypatch, one_worker, into):
    """From the folder of the campaign and from its own, also through links; no absolute path is in it."""
    for name in ("work", "elsewhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "elsewhere" / "source.py").write_text(ROOMS.replace("STATUSES", "status == 200"))
    (tmp_path / "work" / "rooms.py").symlink_to(tmp_path / "elsewhere" / "source.py")
    (tmp_path / "work" / "link").symlink_to(tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "work")
    with pytest.raises(SystemExit):
        cli.main(["campaign", "rooms.py::Rooms", "--seeds", "1", "--steps", "6", "--examples", "3", "--into", into])
    (stored,) = (tmp_path / "work" / into / "failures").glob("*.py")
    text = stored.read_text()
    assert f"{into}/failures/{stored.name}:\n{text}" in capsys.readouterr().out
    assert str(tmp_path) not in text
    assert_fails(f"{into}/failures/{stored.name}", "a is answered with 409")
    monkeypatch.chdir(stored.parent)
    assert_fails(stored.name, "a is answered with 409")


def test_a_machine_on_another_drive_is_named_by_its_path(tmp_path, monkeypatch, one_worker):
    """Windows has no relative path to it."""

    def relpath(*_):
        raise ValueError("path is on mount 'C:', start on mount 'D:'")

    file = tmp_path / "rooms.py"
    file.write_text(ROOMS.replace("STATUSES", "status == 200"))
    monkeypatch.setattr(os.path, "relpath", relpath)
    with pytest.raises(SystemExit):
        cli.main(["campaign", f"{file}::Rooms", "--seeds", "1", "--examples", "3", "--into", str(tmp_path / "found")])
    (stored,) = (tmp_path / "found" / "failures").glob("*.py")
    assert f"Path(__file__).parent / {tmp_path.as_posix()!r}" in stored.read_text()


def test_failures_of_verify_are_printed_as_tests_and_as_curl(tmp_path, capsys, monkeypatch, one_worker):
    """Long texts in part, and no text after ten failures: the paths of all are there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "accounts.toml").write_text('[client]\nid = "c"\n[tokens]\nowner = "secret"\n')
    files = {"txt": "a title\n", "py": "def test_it(): ...\n", "sh": "curl it\n" * 101}
    found = [Failure(str(number), "a title", files) for number in range(11)]
    results = campaign.Results("found", replace(SERVICE, profile={}))
    results.add(JobOutcome("0", found, 0.0))
    options = ["--base-url", "http://a", "--accounts", "accounts.toml", "--examples", "1", "--seeds", "1"]
    with pytest.raises(SystemExit):
        cli.main(["campaign", "verify", *options, "--into", "found"])
    printed = capsys.readouterr().out
    first, *_, last = results.failures()
    test = f"\n\nfound/failures/{first}.py:\ndef test_it(): ...\n"
    curl = f"\nfound/failures/{first}.sh:\n" + "curl it\n" * 100 + "... 1 more lines\n\n"
    assert printed.startswith(f"found/failures/{first}.txt: a title{test}{curl}")
    assert printed.count("def test_it") == 10
    assert f"\nfound/failures/{last}.txt: a title\n" in printed


def test_the_lines_of_the_guide_for_several_machines_do_what_they_say(tmp_path, monkeypatch, capsys):
    """Its scheduler, its worker and its campaign, on one machine and with two seeds: the failure is found."""
    monkeypatch.chdir(tmp_path)
    (journey,) = [text for _, text in BLOCK.findall(guides.get("campaign").text) if "# rooms_journey.py" in text]
    (tmp_path / "rooms_journey.py").write_text(journey)
    at, *options = command("campaign", "dask worker", nworkers="1")
    assert at == "tcp://HOST:8786"
    with dask.scheduler(command("campaign", "dask scheduler")) as address, dask.worker(address, tmp_path, options):
        line = command("campaign", "confsim campaign rooms_journey.py::Rooms", seeds="2", scheduler=address)
        line += ["--steps", "5", "--examples", "3", "--into", "found"]
        with pytest.raises(SystemExit) as ended:
            cli.main(["campaign", "rooms_journey.py::Rooms", *line])
    assert ended.value.code == 2
    assert capsys.readouterr().out.splitlines()[-1] == "2 of 2 seeds, 1 failures"


def test_the_line_of_the_guide_for_a_service_does_what_it_says(tmp_path, monkeypatch, capsys, one_worker):
    """Against a service that is as the model says, with one seed: nothing is found."""
    simulator = Simulator(clock=Clock())
    (tmp_path / "accounts.toml").write_bytes(simulator.control("get_accounts").data)
    monkeypatch.chdir(tmp_path)
    with simulator.serve() as server:
        line = command("campaign", "confsim campaign verify", base_url=server.base_url, seeds="1", workers="1")
        cli.main(["campaign", "verify", *line, "--examples", "1", "--into", "found"])
    assert capsys.readouterr().out.splitlines()[-1] == "1 of 1 seeds, 0 failures"


def test_wrong_use_of_the_command_is_reported(tmp_path, capsys):
    """A target that is none, a file that is not there or that no test can import, verify without a service."""
    (tmp_path / "two-rooms.py").write_text("pass")
    for target, reported in (
        (f"{tmp_path / 'two-rooms.py'}::Rooms", "give it the name of a module"),
        ("rooms", "neither verify nor"),
        ("no.py::Rooms", "no such file"),
        ("verify", "--base-url"),
    ):
        with pytest.raises(SystemExit) as ended:
            cli.main(["campaign", target, "--into", str(tmp_path)])
        assert ended.value.code == 1
        assert reported in capsys.readouterr().err

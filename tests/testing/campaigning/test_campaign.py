"""Campaigns: each seed is done, failures are shrunk and stored once, and what was done is not done again."""

from __future__ import annotations

import contextlib
import gc
import json
import sys
from types import ModuleType

import pytest
from msgspec.structs import replace

from confsim import Simulator, cli, guides
from confsim.kernel.refusal import Misuse
from confsim.service.clock import Clock
from confsim.testing.campaigning import campaign
from confsim.testing.campaigning.jobs import Job, JobOutcome, JourneyMachine, Verify, machine_of, perform
from kit import choices
from kit.beside import Beside
from kit.documented import BLOCK, command
from kit.processes import dask

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


def test_what_holds_has_no_failure():
    """And no problem."""
    outcome = perform(Job(machine("status in (200, 409)"), 1))
    assert (outcome.failures, outcome.problem) == ([], "")


def test_a_failure_under_other_values_is_reduced_to_those_that_matter(monkeypatch):
    """One of three choices, without which the second channel of a name is refused; its test makes it, and fails."""
    counted = "self.__dict__.setdefault('had', []).append(name) or self.had.count(name) < 2 or status == 409"
    chosen = choices(channels__unique_names="allow", parse__limit_large="refuse", media__tag="text")
    work = machine(counted)
    (found,) = perform(Job(work, 1, chosen)).failures
    assert found.title.endswith("under channels.unique-names = 'allow'")
    rooms, written = ModuleType("rooms"), {}
    rooms.Rooms = machine_of(work)
    monkeypatch.setitem(sys.modules, "rooms", rooms)
    exec(found.files["py"], written)
    (test,) = (each for name, each in written.items() if name.startswith("test_"))
    with pytest.raises(AssertionError, match="is answered with 200"):
        test()


def test_a_file_that_cannot_be_run_is_reported():
    """What is wrong with it, and a machine that it has not."""
    with pytest.raises(Misuse, match=r"rooms.py cannot be run: NameError"):
        machine_of(JourneyMachine("rooms.py", "nothing", "Rooms", 1, 1))
    with pytest.raises(Misuse, match=r"rooms.py has no 'Walls'"):
        machine_of(JourneyMachine("rooms.py", "pass", "Walls", 1, 1))


def test_results_are_stored_once_and_gone_on_from(tmp_path):
    """Two seeds with one failure leave one; a line that was cut is not taken for one that is done."""
    results = campaign.Results(tmp_path)
    for seed in (1, 2):
        results.add(perform(Job(machine("status == 200"), seed)))
    with (tmp_path / "jobs.jsonl").open("a") as file:
        file.write('{"key": "3", "fai')
    again = campaign.Results(tmp_path)
    assert again.done == {"1", "2"}
    assert list(again.failures().values()) == ["AssertionError: a is answered with 409"]
    assert sorted(each.suffix for each in (tmp_path / "failures").iterdir()) == [".py", ".txt"]


def test_a_job_that_could_not_be_done_is_done_again(tmp_path):
    """Its problem is reported, and it is not among those that are done."""
    results = campaign.Results(tmp_path)
    results.add(JobOutcome("7", [], 0.0, "the service does not answer any more"))
    assert campaign.Results(tmp_path).done == set()


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
    distributed = pytest.importorskip("distributed")
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


def test_the_lines_of_the_guide_for_several_machines_do_what_they_say(tmp_path, monkeypatch, capsys):
    """Its scheduler, its worker and its campaign, on one machine and with two seeds: the failure is found."""
    pytest.importorskip("distributed")
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
    """A target that is none, a file that is not there, verify without a service."""
    for target, reported in (
        ("rooms", "neither verify nor"),
        ("no.py::Rooms", "cannot be read"),
        ("verify", "--base-url"),
    ):
        with pytest.raises(SystemExit) as ended:
            cli.main(["campaign", target, "--into", str(tmp_path)])
        assert ended.value.code == 1
        assert reported in capsys.readouterr().err

"""The end of the commands that learn from a service: what they made is removed, and what they found is written."""

from __future__ import annotations

import json
import signal
import time
from contextlib import contextmanager

import pytest

from confsim import Simulator, cli
from kit import CUSTOMER
from kit.processes.commands import Command


def made(simulator):
    """The channels and API tokens of the client of the accounts."""
    tables = simulator.state["tables"]
    return tables["channels"][CUSTOMER], tables["api tokens"].get(CUSTOMER)


@pytest.mark.parametrize("name", ["verify", "calibrate"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_told_to_end_removes_what_it_made(name, number, tmp_path):
    """Exit 1, the report is written, and a second signal, as a group of processes gets it, changes nothing."""
    simulator, report = Simulator(), tmp_path / "report.json"
    (tmp_path / "accounts.toml").write_bytes(simulator.control("get_accounts").data)
    before = made(simulator)
    with simulator.serve() as server:
        options = ["--base-url", server.base_url, "--accounts", tmp_path / "accounts.toml", "--report", report]
        options += ["-o", tmp_path / "learned.toml"] if name == "calibrate" else []
        with Command("confsim", name, *options) as process:
            while made(simulator)[0] == before[0] and process.poll() is None:
                time.sleep(0.02)
            process.send_signal(number)
            if number != signal.SIGINT:
                time.sleep(0.002)
                process.send_signal(number)
            out, _ = process.communicate()
    assert (process.returncode, "ended early: it was interrupted" in out) == (1, True)
    found = json.loads(report.read_text())
    assert found["interrupted"] == "it was interrupted"
    left = [each for each in found["left"] if "no documented call removes it" not in each]
    under_way = [each for each in left if "is not answered, which may have made it" in each]
    assert left == under_way
    assert under_way or made(simulator) == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_observing_ends_when_it_is_told_to(number, tmp_path):
    """Exit 0, and the report is written; a profile that nothing was learned for is left as it was."""
    simulator, report, profile = Simulator(), tmp_path / "report.json", tmp_path / "learned.toml"
    profile.write_text("[status]\ncreated = 201\n")
    (tmp_path / "accounts.toml").write_bytes(simulator.control("get_accounts").data)
    options = ["--upstream", "http://127.0.0.1:9/v1_0", "--accounts", tmp_path / "accounts.toml", "--report", report]
    with Command("confsim", "observe", *options, "-p", "0", "-o", profile) as process:
        assert process.stdout.readline().startswith("Base URL")
        process.send_signal(number)
        out, _ = process.communicate()
    assert process.returncode == 0
    assert f"{profile} is left as it was, since no exchange could be followed" in out
    assert profile.read_text() == "[status]\ncreated = 201\n"
    assert json.loads(report.read_text())["seen"] == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_campaign_ends_when_it_is_told_to(number, monkeypatch, tmp_path):
    """Its cluster is closed, and the exit code is 1."""
    (tmp_path / "accounts.toml").write_bytes(Simulator().control("get_accounts").data)
    closed = []

    @contextmanager
    def cluster(*_):
        try:
            signal.raise_signal(number)
            yield None
        finally:
            closed.append(True)

    monkeypatch.setattr("confsim.testing.campaigning.campaign.cluster", cluster)
    options = ["--base-url", "http://127.0.0.1:9", "--accounts", str(tmp_path / "accounts.toml")]
    before = signal.signal(number, signal.default_int_handler)
    try:
        with pytest.raises(SystemExit) as ended:
            cli.main(["campaign", "verify", *options, "--seeds", "1", "--into", str(tmp_path / "found")])
    finally:
        signal.signal(number, before)
    assert (ended.value.code, closed) == (1, [True])

"""The command calibrate: the profile that it writes, the report, exit codes."""

from __future__ import annotations

import json
import tomllib

import pytest

from confsim import Simulator, cli
from confsim.service.clock import Clock
from confsim.testing import CalibrateReport, Contradiction
from kit import choices


@pytest.fixture
def calibrate(capsys, tmp_path):
    """Call the command against a server under a profile; answers exit code, output and errors."""

    def calibrating(profile, *options):
        simulator = Simulator(profile=profile, clock=Clock())
        file = tmp_path / "accounts.toml"
        file.write_bytes(simulator.control("get_accounts").data)
        output = str(tmp_path / "learned.toml")
        with simulator.serve() as server:
            try:
                cli.main(["calibrate", "--base-url", server.base_url, "--accounts", str(file), "-o", output, *options])
                code = 0
            except SystemExit as exit:
                code = exit.code or 0
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return calibrating


def test_what_is_learned_is_written(calibrate, tmp_path):
    """The profile holds what was learned, the report the rest; not more requests than allowed are sent."""
    report = tmp_path / "report.json"
    code, out, _ = calibrate(choices(status__created=201), "--report", str(report), "--max-requests", "70")
    assert code == 0
    assert "status.created = 201" in out
    assert tomllib.loads((tmp_path / "learned.toml").read_text()) == {"status": {"created": 201}}
    found = json.loads(report.read_text())
    assert found["learned"] == {"status.created": 201}
    assert found["requests"] <= 70
    assert found["undetermined"]["auth.login"]


def test_the_plan_sends_nothing(calibrate):
    """What would be called as whom."""
    code, out, _ = calibrate({}, "--dry-run")
    assert code == 0
    assert "as partner-admin, customer-admin, owner" in out
    assert "at most 5 more such clients" in out
    assert "list_supported_languages as api-token, with OPTIONS" in out


def test_what_is_wrong_is_reported(calibrate):
    """A server that cannot be reached."""
    code, _, err = calibrate({}, "--base-url", "http://127.0.0.1:9")
    assert code == 1
    assert "cannot be reached" in err


@pytest.mark.parametrize("option", ["-o", "--report"])
def test_a_file_that_cannot_be_written_is_reported_before_anything_is_sent(calibrate, tmp_path, option):
    """Nothing that a run finds is lost for it."""
    file = tmp_path / "nowhere" / "file"
    code, _, err = calibrate({}, option, str(file))
    assert code == 1
    assert f"{str(file)!r}: there is no directory" in err
    code, _, err = calibrate({}, option, str(tmp_path))
    assert (code, "it is a directory" in err) == (1, True)
    assert not (tmp_path / "learned.toml").exists()


def test_a_profile_is_left_as_it_was_when_nothing_was_learned(calibrate, tmp_path, monkeypatch):
    """A run that ended early has nothing better to say; what it printed controls no terminal."""
    (tmp_path / "learned.toml").write_text("[status]\ncreated = 201\n")
    unclear = Contradiction("get_me", "owner: get_me", "", 1, 2, "\x1b[2J", "GET /", "200\n\n\x07")
    report = CalibrateReport("http://any.example", contradicted=[unclear], interrupted="it was interrupted")
    monkeypatch.setattr("confsim.testing.calibrating.session.calibrate", lambda *_, **__: report)
    code, out, _ = calibrate({})
    assert code == 1
    assert "learned.toml is left as it was, since nothing was learned before the end" in out
    assert (tmp_path / "learned.toml").read_text() == "[status]\ncreated = 201\n"
    assert "not explained: owner: get_me: the body 2 instead of 1 (\\x1b[2J)" in out
    assert all(each.isprintable() or each == "\n" for each in out)

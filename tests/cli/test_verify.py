"""The command verify: a server over HTTP, exit codes, the plan, the report."""

from __future__ import annotations

import json
import re

import pytest

from confsim import Simulator, cli
from confsim.service.clock import Clock
from kit import choices


@pytest.fixture
def verify(capsys, tmp_path):
    """Call the command against a server under a profile; answers exit code, output and errors."""

    def verifying(profile, *options):
        simulator = Simulator(profile=profile, clock=Clock())
        file = tmp_path / "accounts.toml"
        file.write_bytes(simulator.control("get_accounts").data)
        with simulator.serve() as server:
            try:
                cli.main(["verify", "--base-url", server.base_url, "--accounts", str(file), *options])
                code = 0
            except SystemExit as exit:
                code = exit.code or 0
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return verifying


def test_a_server_that_is_as_the_model_says(verify):
    """Exit 0, and how much was compared."""
    code, out, err = verify({}, "--examples", "1")
    assert code == 0, out + err
    assert re.search(r"\d+ requests in 1 journeys, \d+ of 2\d\d operations, 0 divergences", out)
    assert "journey 1 of 1" in err


def test_a_server_that_differs(verify, tmp_path):
    """Exit 2, the reproducer as curl and as a test, the question to ask, and the report."""
    file = tmp_path / "report.json"
    code, out, _ = verify(choices(status__no_user_context=418), "--max-divergences", "1", "--report", str(file))
    assert code == 2
    assert "curl -sS -i -X POST" in out
    assert "def test_accept_terms_answers_as_the_model" in out
    assert "Is it 403 or 418?" in out
    assert json.loads(file.read_text())["divergences"][0]["explanations"] == {"status.no-user-context": 418}


def test_the_plan_sends_nothing(verify):
    """What would be called as whom, what is left out and why, what is removed."""
    code, out, _ = verify({}, "--dry-run")
    assert code == 0
    assert "as partner-admin, customer-admin, owner" in out
    assert "not called: exchange_identity_token, since" in out
    assert "removed at the end: channels" in out


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        (["--accounts", "missing.toml"], "accounts 'missing.toml'"),
        (["--base-url", "http://127.0.0.1:9"], "cannot be reached"),
        (["--base-url", "nowhere"], "is not a server URL"),
        (["--examples", "0"], "Invalid value"),
    ],
)
def test_what_is_wrong_is_reported(verify, options, wrong):
    """Exit 1 and what was wrong."""
    code, _, err = verify({}, *options)
    assert code == 1
    assert wrong in err

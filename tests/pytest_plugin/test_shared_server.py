"""The server that all workers of a run share: one process, a world for each worker, an end with the last of them."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

import pytest

from kit.wire.sockets import until

pytest_plugins = ["pytester"]

SHARING = """
    import os
    import time
    import urllib.request
    from pathlib import Path

    import pytest

    def me(server):
        request = urllib.request.Request(server.base_url + "/users/me", headers={"Authorization": "Bearer demo-owner"})
        with urllib.request.urlopen(request) as answer:
            return answer.status

    @pytest.mark.parametrize("turn", range(6))
    def test_it(confsim_shared_server, turn):
        server = confsim_shared_server
        server.reset()
        assert me(server) == 200
        assert len(server.control("GET", "/requests")) == 1
        assert server.tokens["demo-owner"]["role"] == "owner"
        with open("seen.txt", "a") as seen:
            seen.write(f"{server.url} {server.name}\\n")
        time.sleep(0.05)
"""


def seen(pytester):
    """The servers and the worlds that the tests wrote down."""
    lines = [line.split() for line in (pytester.path / "seen.txt").read_text().splitlines()]
    return {url for url, _ in lines}, {name for _, name in lines}


def is_over(url):
    """Whether nobody listens at the address any more, at the latest after a while."""
    parts = urlsplit(url)

    def refused():
        with socket.socket() as probe:
            return probe.connect_ex((parts.hostname, parts.port)) != 0

    return until(refused, 30)


@pytest.mark.parametrize(("options", "names"), [((), {"main"}), (("-n2",), {"gw0", "gw1"})])
def test_workers_share_a_server_and_no_world(run, pytester, options, names):
    """Each worker has a world by its own name on one server, which ends after the run."""
    run(SHARING, *options).assert_outcomes(passed=6)
    servers, worlds = seen(pytester)
    assert len(servers) == 1
    assert worlds == names
    assert is_over(*servers)


def test_a_killed_worker_leaves_the_server(run, pytester):
    """The others go on with it, and it ends with the last of them."""
    crash = """
    def test_crash(confsim_shared_server):
        os._exit(1)
    """
    result = run(SHARING + crash, "-n2")
    assert result.parseoutcomes()["passed"] == 6
    for server in seen(pytester)[0]:
        assert is_over(server)


def test_the_server_follows_the_profile_and_the_strictness_of_the_run(run, pytester):
    """As every other world of the run; a misspelt option of a world is named."""
    (pytester.path / "acme.toml").write_text("[status]\nroute-not-found = 410\n")
    run(
        """
        import urllib.error
        import urllib.request
        import pytest
        from confsim import Misuse

        def test_it(confsim_shared_server):
            world = confsim_shared_server.make_world(seed=3, from_="lobby")
            for server in (world, confsim_shared_server):
                info = server.control("GET", "/info")
                assert info["profile"] == {"parse.unknown-fields": "refuse", "parse.unknown-query": "refuse",
                                           "status.route-not-found": 410}
            assert world.control("GET", "/info")["seed"] == 3
            world.drop()
            with pytest.raises(Misuse, match="did you mean 'seed'") as wrong:
                confsim_shared_server.make_world(sed=3)
            assert wrong.value.status == 400
        """,
        "--confsim-profile=acme.toml",
        "--confsim-strict",
    ).assert_outcomes(passed=1)


def test_a_failing_test_shows_the_journal_of_the_shared_server(run):
    """The last calls of the worker's world, with the reasons of refusals."""
    result = run(
        """
        import urllib.request

        def test_it(confsim_shared_server):
            urllib.request.urlopen(confsim_shared_server.base_url + "/users/mee")
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*confsim journal of the shared server*", "r1 get_user -> 401", "    why: get_user needs a token, *"]
    )


def test_a_server_that_does_not_start_says_why(run):
    """With the last line that it printed, and the file of all of them."""
    result = run(
        """
        import sys
        import pytest

        @pytest.fixture(scope="session", autouse=True)
        def broken(tmp_path_factory):
            program = tmp_path_factory.mktemp("bin") / "python"
            program.write_text("#!/bin/sh\\necho 'no module named confsim' >&2\\n")
            program.chmod(0o755)
            sys.executable, before = str(program), sys.executable
            yield
            sys.executable = before

        def test_it(confsim_shared_server):
            pass
        """
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*the server did not start: no module named confsim (all of it: *confsim-server.log)*"]
    )

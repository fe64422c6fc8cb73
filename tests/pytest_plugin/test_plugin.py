"""The pytest plugin, seen from the projects that use it."""

from __future__ import annotations

import jsonschema  # noqa: F401  (see everything_imported)
import pytest

from kit.processes.plugin import ALONE, IN_PROCESS

pytest_plugins = ["pytester"]
#: A test body that makes the simulator meet a bug of its own.
BUG = """
    from confsim.domain import terms
    def broken(*_):
        raise ZeroDivisionError("the seam broke")
    monkeypatch.setattr(terms, "standing", broken)
"""


def test_each_test_has_a_world_of_its_own(run):
    """What one test does to its simulator, the next does not see; ids start anew."""
    result = run(
        """
        import pytest

        @pytest.mark.parametrize("turn", range(3))
        def test_it(confsim, turn):
            assert confsim.call("create_api_token", "demo-customer-admin", body={}).ok
            assert len(confsim.call("list_api_tokens", "demo-customer-admin").body) == 2
        """
    )
    result.assert_outcomes(passed=3)


def test_worlds_are_forked_not_built(run):
    """All tests of a run share the world that was loaded once."""
    result = run(
        """
        from confsim.service.files import world_file

        def test_one(confsim, monkeypatch, make_confsim):
            monkeypatch.setattr(world_file, "build", None)
            assert make_confsim().service.world is confsim.service.world
        """
    )
    result.assert_outcomes(passed=1)


def test_the_server_is_one_and_the_worlds_are_many(run):
    """Every test gets a mount of its own on the same live server, and finds the world behind it."""
    result = run(
        """
        import urllib.request

        import pytest

        @pytest.fixture(scope="session")
        def ports():
            return set()

        @pytest.mark.parametrize("turn", range(3))
        def test_it(confsim_server, ports, turn):
            assert confsim_server.base_url == confsim_server.root + "/v1_0"
            assert "/w/test_it" in confsim_server.root
            ports.add(confsim_server.root.split("/")[2])
            assert len(ports) == 1
            with urllib.request.urlopen(confsim_server.root + "/_confsim/info") as answer:
                assert answer.status == 200
            request = urllib.request.Request(
                confsim_server.base_url + "/users/me/terms", headers={"Authorization": "Bearer demo-owner"}
            )
            urllib.request.urlopen(request).close()
            assert [entry.operation for entry in confsim_server.simulator.service.journal] == ["get_user_terms"]
        """
    )
    result.assert_outcomes(passed=3)


def test_a_mount_goes_with_its_test(run):
    """After the test its world is no longer served."""
    result = run(
        """
        import urllib.error
        import urllib.request

        import pytest

        urls = []

        def test_first(confsim_server):
            urls.append(confsim_server.root + "/_confsim/info")

        def test_second(confsim_server):
            with pytest.raises(urllib.error.HTTPError) as error:
                urllib.request.urlopen(urls[0])
            assert error.value.code == 404
            error.value.close()
        """
    )
    result.assert_outcomes(passed=2)


def test_a_test_may_drop_its_own_mount(run):
    """As it does by dropping every world of the server; the server serves the next test."""
    result = run(
        """
        import urllib.request

        def control(server, method, path):
            request = urllib.request.Request(server.root + "/_confsim" + path, method=method)
            with urllib.request.urlopen(request) as answer:
                return answer.status

        def test_first(confsim_server):
            assert control(confsim_server, "DELETE", "/worlds") == 200

        def test_second(confsim_server):
            assert control(confsim_server, "GET", "/health") == 200
        """
    )
    result.assert_outcomes(passed=2)


def test_make_confsim_makes_as_many_as_wanted(run):
    """The factory takes world, seed, profile, strict and clock, and each simulator is by itself."""
    result = run(
        """
        def test_it(make_confsim):
            one = make_confsim(seed=1, clock="2026-03-01T00:00:00Z")
            other = make_confsim(seed=2, profile={"encode.empty": "204"})
            assert one.service.world.seed == 1 and other.service.world.seed == 2
            body = {"url": "https://a.example"}
            assert one.call("update_terms_url", "demo-customer-admin", body=body).status == 200
            assert other.call("update_terms_url", "demo-customer-admin", body=body).status == 204
            empty = make_confsim(world={"version": 1, "at": "2026-01-01T00:00:00Z"})
            assert empty.call("get_user_terms", "demo-owner").status == 401
            assert one.service.clock.frozen
        """
    )
    result.assert_outcomes(passed=1)


def test_markers_of_function_and_class_add_up(run):
    """The nearest marker wins word by word."""
    result = run(
        """
        import pytest

        @pytest.mark.confsim(seed=5, profile={"encode.empty": "204"})
        class TestIt:
            @pytest.mark.confsim(seed=6)
            def test_it(self, confsim):
                assert confsim.service.world.seed == 6
                assert confsim.service.profile["encode.empty"] == "204"
        """
    )
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("words", ["wrold='demo'", "'demo'"])
def test_a_marker_that_says_something_else_stops_the_run(run, words):
    """An unknown word of the marker is a usage error that names it."""
    result = run(f"import pytest\n\n@pytest.mark.confsim({words})\ndef test_it(confsim):\n    pass\n")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*marker confsim does not take *" + words.split("=")[0] + "*"])


def test_an_unknown_scenario_is_misuse(run):
    """A scenario that there is not is refused by name."""
    result = run("import pytest\n\n@pytest.mark.confsim(scenario='no-such')\ndef test_it(confsim):\n    pass\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*Misuse*scenario*no-such*"])


@pytest.mark.parametrize("how", ["option", "setting"])
def test_a_profile_for_the_whole_run(pytester, how):
    """The profile of the option or of the configuration file holds for every world; a marker goes over it."""
    pytester.makefile(".toml", acme='[encode]\nempty = "204"\n')
    if how == "setting":
        pytester.makeini("[pytest]\nconfsim_profile = acme.toml\n")
    pytester.makepyfile(
        """
        import pytest

        def test_run(confsim):
            assert confsim.service.profile["encode.empty"] == "204"

        @pytest.mark.confsim(profile={"encode.empty": "200 {}"})
        def test_marked(confsim):
            assert confsim.service.profile["encode.empty"] == "200 {}"
        """
    )
    options = ["--confsim-profile", "acme.toml"] if how == "option" else []
    pytester.runpytest_inprocess(*ALONE, *IN_PROCESS, *options).assert_outcomes(passed=2)


@pytest.mark.parametrize("looks", ["assert answer.status == 500", "assert answer.ok"])
def test_a_bug_of_confsim_fails_the_test_that_met_it(run, looks):
    """The bug is raised in the test, with the request that met it, whether the test looked at the answer or not."""
    result = run(
        f"def test_it(confsim, monkeypatch):\n{BUG}\n"
        f"    answer = confsim.call('get_user_terms', 'demo-owner')\n    {looks}\n"
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*ZeroDivisionError: the seam broke", "*GET /v1_0/users/me/terms (get_user_terms)*"])


def test_the_server_has_worlds_and_names(run):
    """A test puts further worlds on it, lets it answer to names and sets its address; no other test sees that."""
    run(
        """
        import httpx
        import pytest

        @pytest.mark.parametrize("turn", range(2))
        def test_it(confsim_server, turn):
            def get(path, **headers):
                return httpx.get(confsim_server.root + path, headers=headers)

            assert get("/_confsim/info").json()["base_url"] == confsim_server.base_url
            assert confsim_server.worlds.most > 7
            confsim_server.worlds.most = 7
            assert get("/../../w/other/_confsim/health").status_code == 404
            confsim_server.worlds.add("other", seed=3)
            assert get("/../../w/other/_confsim/health").status_code == 200
            assert set(confsim_server.worlds) == {"", "other", confsim_server.name}
            assert get("/_confsim/health", host="conf.example").status_code == 403
            confsim_server.answer_to("conf.example")
            assert get("/_confsim/health", host="conf.example").status_code == 200
            page = {"origin": "http://localhost:5173"}
            assert "access-control-allow-origin" not in get("/v1_0/users/me", **page).headers
            confsim_server.allow_origins("http://localhost:5173")
            assert "access-control-allow-origin" in get("/v1_0/users/me", **page).headers
            confsim_server.worlds.public_url = "https://proxy.example"
            assert get("/_confsim/info").json()["base_url"].startswith("https://proxy.example/w/")
            confsim_server.simulator.reset()
        """
    ).assert_outcomes(passed=2)


def test_the_world_at_the_root_of_the_server_begins_anew(run):
    """With each test, like all that stands on it."""
    run(
        """
        import pytest

        @pytest.mark.parametrize("turn", range(2))
        def test_it(confsim_server, turn):
            root = confsim_server.worlds[""]
            assert (len(root.requests), list(root.faults), list(root.service.history.snapshots)) == (0, [], [])
            root.faults.add("get_me", on=9, do={"status": 503})
            root.snapshot("saved")
            assert root.call("create_channel", "demo-owner", body={"name": "Room"}).status == 200
        """
    ).assert_outcomes(passed=2)


@pytest.mark.parametrize("world", ["worlds['']", "worlds.add('other')"])
def test_a_bug_in_any_world_of_the_server_fails_the_test(run, world):
    """Also in one that the test has put there beside its own."""
    result = run(
        f"""
def test_it(confsim_server, monkeypatch):
    world = confsim_server.{world}
{BUG}
    assert world.client("demo-owner").get("/users/me/terms").status_code == 500
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*ZeroDivisionError: the seam broke"])


def test_a_bug_behind_the_server_fails_the_test_too(run):
    """A bug met over HTTP comes back to the test."""
    result = run(
        f"""
import urllib.error
import urllib.request

import pytest

def test_it(confsim_server, monkeypatch):
{BUG}
    request = urllib.request.Request(
        confsim_server.base_url + "/users/me/terms", headers={{"Authorization": "Bearer demo-owner"}}
    )
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(request)
    error.value.close()
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*ZeroDivisionError: the seam broke"])


def test_a_bug_met_in_a_teardown_is_an_error(run):
    """What goes wrong while other fixtures are taken down is raised then."""
    result = run(
        f"""
import pytest

@pytest.fixture
def late(confsim, monkeypatch):
    yield
{BUG}
    confsim.call('get_user_terms', 'demo-owner')

def test_it(late):
    pass
"""
    )
    result.assert_outcomes(passed=1, errors=1)


def test_a_skip_stays_a_skip(run):
    """A test that skips is not failed by the plugin."""
    run("import pytest\n\ndef test_it(confsim):\n    pytest.skip('no')\n").assert_outcomes(skipped=1)


def test_a_failing_test_shows_its_last_calls(run):
    """Each with its answer, and why it was refused; assumptions are counted. A passing test shows none."""
    source = """
        def test_bad(confsim):
            for _ in range(20):
                confsim.call("get_me", "demo-owner")
            confsim.call("create_channel", "demo-guest", body={"name": "Planning"})
            confsim.call("get_user_terms", "nobody")
            assert False

        def test_good(confsim):
            confsim.call("get_channel", "nobody", uuid="x")
        """
    result = run(source)
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        [
            "*confsim journal*",
            "(10 earlier calls)",
            "r11 GET /v1_0/users/me *get_me* -> 200 {*",
            'r21 POST /v1_0/channels/create *create_channel* -> 403 {"status":403,"code":"role_missing"*',
            '    sent by Guest Gwen with {"name": "Planning"}',
            "    why: Guest Gwen is a guest; only registered users and API tokens may call create_channel",
            "    decided by the assumption gate.create_channel",
            'r22 GET /v1_0/users/me/terms *-> 401 {"status":401,"code":"credential_invalid"*',
            "    why: The token nobo… was never issued",
            "* assumptions used; pytest -v lists them by call",
        ],
        consecutive=False,
    )
    result.stdout.no_fnmatch_line("*get_channel *")
    result.stdout.no_fnmatch_line("*status.credential-invalid*")
    run(source, "-v").stdout.fnmatch_lines(["r22 *", "*    assumptions *status.credential-invalid*"])


def test_a_failing_test_shows_an_earlier_refused_call(run):
    """It may be the cause, however many calls came after it."""
    result = run(
        """
        def test_it(confsim):
            confsim.call("create_channel", "demo-guest", body={"name": "Planning"})
            for _ in range(20):
                confsim.call("get_me", "demo-owner")
            assert False
        """
    )
    result.stdout.fnmatch_lines(
        ["(8 earlier calls)", "r1 POST *-> 403*", "    why: Guest Gwen is a guest; *", "r10 GET*"]
    )


def test_a_marker_may_give_a_clock_and_no_test_moves_that_of_another(run):
    """Each test begins at the instant that the clock of the marker shows."""
    result = run(
        """
        import pytest
        from confsim import Clock

        pytestmark = pytest.mark.confsim(clock=Clock("2026-02-01T00:00:00Z"))

        @pytest.mark.parametrize("turn", (1, 2))
        def test_it(confsim, turn):
            assert confsim.clock.now == 1769904000000
            confsim.clock.advance("1h")
        """
    )
    result.assert_outcomes(passed=2)


@pytest.mark.parametrize("how", ["option", "setting"])
def test_a_profile_with_a_mistake_stops_the_run_before_any_test(run, pytester, how):
    """As one usage error, not as an error of each test."""
    pytester.path.joinpath("acme.toml").write_bytes("[encode]".encode("utf-16"))
    options = ["--confsim-profile", "acme.toml"] if how == "option" else []
    if how == "setting":
        pytester.makeini("[pytest]\nconfsim_profile = acme.toml\n")
    result = run("def test_one(confsim): pass\ndef test_two(confsim): pass\n", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = [line for line in result.errlines if "acme.toml" in line]
    assert len(told) == 1
    assert told[0].endswith("acme.toml': it is UTF-16, not UTF-8; save it as UTF-8")
    assert "test_one" not in "\n".join(result.outlines)

"""--confsim-coverage: what tests met of the API, what they did not where they touch it, and a threshold."""

from __future__ import annotations

import json

import msgspec
import pytest

from confsim import Misuse, Simulator
from confsim.api.catalogue import API
from confsim.control.coverage import report as report_module
from confsim.control.coverage.collector import (
    KINDS,
    Collector,
    area_of,
    merge,
    no_counts,
    plain,
    possible,
    transition,
)
from confsim.control.coverage.report import CoverageReport, report as report_of
from confsim.domain.channels.channels import CHANNELS
from confsim.kernel.machine import Machine
from kit import OWNER, code
from kit.things.recordings import fetch, listed, read, simulator, start, stop

pytest_plugins = ["pytester"]

SUITE = """
    import pytest
    from confsim import Simulator

    def test_reserves(confsim):
        assert confsim.call("reserve_handle", "demo-user", body={"handle": "new"}).ok
        assert confsim.call("get_me", "nobody").status == 401
        confsim.clock.advance("16m")

    def test_forks(confsim):
        assert confsim.fork().call("get_me", "demo-user").ok

    def test_over_a_socket(confsim_server):
        import urllib.request
        urllib.request.urlopen(f"{confsim_server.root}/_confsim/health").read()
        assert confsim_server.simulator.call("get_me", "demo-user").ok

    def test_makes_its_own():
        assert Simulator().call("create_channel", "demo-guest", body={"name": "x"}).status == 403

    @pytest.mark.confsim(scenario="lobby")
    def test_starts_from_a_scenario(confsim):
        assert confsim.call("get_me", "demo-user").ok
"""


SHARED = """
    from confsim import demo

    def test_one(confsim_module, confsim_session):
        assert confsim_module.call("get_me", demo.OWNER).ok
        assert confsim_session.call("get_user_terms", demo.OWNER).ok

    def test_two(confsim_module, confsim_session):
        confsim_module.clock.advance("1h")
        assert confsim_module.fork().call("get_me", demo.OWNER).ok
        assert confsim_session.client(demo.OWNER).get("/users/me/terms").status_code == 200
"""


@pytest.fixture
def report(run, pytester):
    """Run tests with options; returns the result of the run and the report."""

    def reporting(source, *options):
        result = run(source, "--confsim-coverage-report=report.json", *options)
        return result, json.loads((pytester.path / "report.json").read_text())

    return reporting


@pytest.fixture
def collector():
    """A collector that is attached."""
    collector = Collector()
    collector.attach()
    yield collector
    collector.detach()


@pytest.mark.own_ways  # a call in Python presents its token in no way, one over HTTP does
@pytest.mark.parametrize(
    ("options", "code", "threshold"),
    [(("--confsim-coverage",), 0, None), (("--confsim-coverage=99.5", "-n2", "--dist=loadfile"), 1, 99.5)],
)
def test_it_counts_what_tests_met_in_workers_and_alone(report, pytester, options, code, threshold):
    """In forks, on the live server, in worlds that a test makes or shares; not the calls of the scenario of a world."""
    pytester.makepyfile(test_shared=SHARED)
    result, found = report(SUITE, *options)
    assert result.ret == code
    result.assert_outcomes(passed=7)
    assert found.pop("threshold") == threshold
    is_of_its_type(found)
    users, channels = found["areas"]["users"], found["areas"]["channels"]
    assert list(found["areas"]) == ["terms", "users", "channels"]
    assert found["areas"]["terms"]["operations"]["met"] == {"get_user_terms": 2}
    assert users["operations"]["met"] == {"get_me": 6, "reserve_handle": 1}
    assert users["refusals"]["met"] == {"get_me": {"credential_invalid": 1}}
    assert users["transitions"]["met"]["handle reservation"] == {
        "reserve: absent -> exists": 1,
        "expire: exists -> absent": 1,
    }
    assert channels["refusals"]["met"] == {"create_channel": {"role_missing": 1}}
    assert "find_user_by_handle" in users["operations"]["missing"]
    assert "credential_expired" in users["refusals"]["missing"]["get_me"]
    assert found["totals"]["operations"] == {"met": 4, "of": 50}
    assert "lobby" not in found["areas"]
    assert "runtime" in found["untouched"]
    assert found["beyond"]["assumptions"]["auth.presentation"] == 2  # a call in Python presents its token in no way
    result.stdout.fnmatch_lines(
        [
            "*confsim: coverage of the API*",
            "area *operations *refusals *transitions *assumptions",
            "users * 2/33 *",
            "all * 4/50 *",
            "users, operations not met: *",
            "not touched: *runtime*",
            "*% of what the touched areas can show was met*",
            "report: *report.json",
        ]
    )


def is_of_its_type(found):
    """It is, and complete: in each touched area everything that can be met is met or missing."""
    typed = msgspec.convert(found, CoverageReport)
    assert msgspec.to_builtins(typed) == found
    can = possible({})
    assert {*typed.areas, *typed.untouched} == set(can)
    for area, met in typed.areas.items():
        for kind in ("operations", "assumptions"):
            names = getattr(met, kind)
            assert {*names.met, *names.missing} == {name for (name,) in can[area][kind]}
        for kind in ("refusals", "transitions"):
            groups = getattr(met, kind)
            pairs = {(group, name) for part in (groups.met, groups.missing) for group in part for name in part[group]}
            assert pairs >= can[area][kind]
    shares = [getattr(typed.totals, kind) for kind in KINDS]
    assert typed.percent == round(100 * sum(each.met for each in shares) / sum(each.of for each in shares), 2)


def test_the_control_plane_has_it_while_it_is_counted(collector):
    """Of all worlds of the process; where nothing counts, it says how."""
    first, second = Simulator(), Simulator()
    first.call("get_me", "demo-user")
    second.call("get_me", "nobody")
    found = first.coverage()
    assert found.areas["users"].operations.met == {"get_me": 2}
    assert found.areas["users"].refusals.met == {"get_me": {"credential_invalid": 1}}
    collector.detach()
    with pytest.raises(Misuse, match="nothing counts what calls meet: it is counted by confsim serve --coverage"):
        first.coverage()


@pytest.mark.parametrize(("threshold", "code"), [("1", 0), ("99.5", 1)])
def test_a_threshold_fails_the_run(report, threshold, code):
    """Every test passes; what was met decides."""
    result, found = report(SUITE, f"--confsim-coverage={threshold}")
    assert result.ret == code
    assert found["threshold"] == float(threshold)
    result.stdout.fnmatch_lines([f"*{found['percent']:.1f}%*{threshold}%*"])


def test_variants_of_tests_are_not_counted(report):
    """With --confsim-fuzz each test counts once."""
    source = """
    def test_it(confsim):
        assert confsim.call("get_me", "demo-user").ok
    """
    _, found = report(source, "--confsim-coverage", "--confsim-fuzz=singles")
    assert found["areas"]["users"]["operations"]["met"] == {"get_me": 1}


def test_without_calls_nothing_is_met(run):
    """A suite that does not call the API has no coverage, and falls below any threshold but 0."""
    source = "def test_it(): pass"
    assert run(source, "--confsim-coverage=0").ret == 0
    assert run(source, "--confsim-coverage=1").ret == 1
    run(source).stdout.no_fnmatch_line("*coverage of the API*")


def test_a_failing_run_keeps_its_exit_code(run):
    """The threshold changes the exit code of a run that is well otherwise."""
    assert run("import nothing_of_this_name", "--confsim-coverage=50").ret == pytest.ExitCode.INTERRUPTED


@pytest.mark.parametrize(
    ("option", "error"),
    [
        ("--confsim-coverage=all", "*percentage from 0 to 100, not 'all'*"),
        ("--confsim-coverage=101", "*percentage from 0 to 100, not '101'*"),
        ("--confsim-coverage=nan", "*percentage from 0 to 100, not 'nan'*"),
        ("--confsim-coverage-report=x.json", "*--confsim-coverage-report needs --confsim-coverage*"),
    ],
)
def test_wrong_use_is_refused(run, option, error):
    """Before any test runs."""
    run("", option).stderr.fnmatch_lines([error])


def test_a_report_without_a_directory_is_refused(run):
    """Not at the end of a long run."""
    result = run("", "--confsim-coverage", "--confsim-coverage-report=none/x.json")
    result.stderr.fnmatch_lines(["*there is no directory */none*"])


DOWNLOADS = """
    from confsim import demo

    def test_downloads_a_recording(confsim):
        confsim.presence.join(demo.ROOM, confsim.demo.user.id)
        confsim.call("start_recording", demo.OWNER, uuid=demo.ROOM, expect=200)
        confsim.call("stop_recording", demo.OWNER, uuid=demo.ROOM, expect=200)
        confsim.clock.advance("1h")
        found = confsim.call("list_recordings", demo.OWNER, channelId=demo.ROOM, expect=200).body
        place = {"channelId": demo.ROOM, "recordingId": found["results"][0]["id"]}
        link = confsim.call("get_recording_download", demo.OWNER, **place, expect=200).body["url"]
        assert confsim.client().get(link).status_code == 200
"""


@pytest.mark.parametrize("options", [(), ("-n2",)])
def test_a_test_that_downloads_a_file_is_counted(report, options):
    """The file belongs to no area of the API, and the calls of the API are counted."""
    result, found = report(DOWNLOADS, "--confsim-coverage", *options)
    assert result.ret == 0
    result.assert_outcomes(passed=1)
    assert found["areas"]["recordings"]["operations"]["met"]["get_recording_download"] == 1


@pytest.mark.parametrize("options", [("--confsim-coverage-report=report.json",), ()])
def test_a_report_that_fails_costs_no_result_of_a_test(run, pytester, monkeypatch, options):
    """The run fails with one line that says why, and the report of an earlier run is not left in its place."""
    (pytester.path / "report.json").write_text("{}")
    monkeypatch.setattr(report_module, "report", lambda *_: {}["no such operation"])
    result = run(DOWNLOADS, "--confsim-coverage", *options)
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["--confsim-coverage: the report failed, which is a defect of confsim: KeyError: *"])
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    assert (pytester.path / "report.json").exists() is not bool(options)


def test_a_report_that_cannot_be_written_costs_no_result_of_a_test(run, pytester):
    """The directory of the report can go while the tests run."""
    (pytester.path / "there").mkdir()
    source = "def test_removes(pytestconfig):\n    (pytestconfig.rootpath / 'there').rmdir()"
    for option in ("coverage", "fuzz=singles"):
        (pytester.path / "there").mkdir(exist_ok=True)
        name = option.partition("=")[0]
        result = run(source, f"--confsim-{option}", f"--confsim-{name}-report=there/x.json")
        result.assert_outcomes(passed=1)
        assert result.ret == pytest.ExitCode.TESTS_FAILED
        result.stdout.fnmatch_lines([f"--confsim-{name}-report */there/x.json*: No such file or directory"])


def test_transitions_that_are_dropped_are_not_met(collector):
    """A transition counts when its change is put in force, however many are under way before and after."""
    service = Simulator().service
    machine = Machine.declared["broadcast enabled"]
    client = next(
        name for name in service.world.client_tables if name and list(CHANNELS.of(service.change(), name).all)
    )

    def enabled():
        change = service.change()
        machine.triggers["enable"](change, next(iter(CHANNELS.of(change, client).all)))
        return change

    enabling = "broadcast enabled", "enable: off | on -> on"
    for _ in range(20):
        enabled()
    assert collector.counts["transitions"][enabling] == 0
    service.commit(enabled())
    assert collector.counts["transitions"][enabling] == 1


@pytest.mark.parametrize("profile", [{}, {"time__visibility_lag": 600_000}], ids=["now", "stale reads"])
def test_transitions_of_calls_that_write_nothing_count(collector, profile):
    """Download URLs and asset tokens are in no table: they are issued without a change of the world."""
    sim = simulator(**profile)
    for call in (start, stop):
        assert call(sim).ok
        sim.clock.advance("1h")
    (recording,) = (each["id"] for each in listed(sim))
    counts = collector.counts["transitions"]
    counts.clear()  # the list has a download URL, too
    assert sim.call("create_channel", OWNER, body={"name": "A change that stale reads do not see"}).ok
    assert fetch(sim, read(sim, "get_recording_download", recording, OWNER).body["url"]).status_code == 200
    token = read(sim, "get_recording_credentials", recording).body["jwt"]
    assert sim.call("list_downloadable_assets", jwtToken=token).ok
    for machine in ("download URL", "asset token"):
        assert counts[machine, "issue: absent -> exists"] == 1
    assert code(sim.call("download_recording_asset", jwtToken=token, assetId="x")) == (404, "not_found")


def test_nothing_is_left_at_services():
    """After it is detached, no world that is made has an observer more."""
    collector = Collector()
    collector.attach()
    collector.detach()
    sim = Simulator()
    sim.call("get_me", "demo-user")
    assert not sim.service.live.outside
    assert not collector.counts["operations"]


def test_each_machine_belongs_to_one_area():
    """That of the module of the API that is named as its own; no transition of it is in the same words as another."""
    assert {area_of(machine) for machine in Machine.declared.values()} <= set(API.areas)
    found = {name: area_of(Machine.declared[name]) for name in ("validator", "settings template", "session", "wall")}
    assert found == {
        "validator": "validators",
        "settings template": "templates",
        "session": "sessions",
        "wall": "channels",
    }
    found = {
        name: area_of(Machine.declared[name]) for name in ("property", "user token", "client default midi", "presence")
    }
    assert found == {"property": "users", "user token": "auth", "client default midi": "clients", "presence": "runtime"}
    for machine in Machine.declared.values():
        words = [transition(row) for row in machine.rows]
        assert len(words) == len(set(words)), machine.name


def test_everything_met_is_all_there_is():
    """Counts of all that can be met give 100 percent, and survive what xdist does to them."""
    counts = no_counts()
    for area in possible({}).values():
        for kind in KINDS:
            counts[kind].update(area[kind])
    handed = no_counts()
    merge(handed, json.loads(json.dumps(plain(counts))))
    assert handed == counts
    found = report_of(handed, {})
    assert found.percent == 100
    assert not found.untouched
    assert not any(getattr(area, kind).missing for area in found.areas.values() for kind in KINDS)

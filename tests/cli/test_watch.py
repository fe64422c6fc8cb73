"""Files that are watched, and a world that starts again."""

from __future__ import annotations

import os

import pytest

from confsim import Misuse, Simulator
from confsim.cli.watching import Watch
from kit import OWNER, START, START_MS
from kit.processes.commands import run

PROFILE = '[encode]\nempty = "{}"\n'


@pytest.fixture
def profile(tmp_path):
    """Writes a profile; each time it is another file, however fast."""
    place, times = tmp_path / "acme.toml", iter(range(1, 100))

    def write(value):
        place.write_text(PROFILE.format(value))
        os.utime(place, ns=(next(times) * 10**9,) * 2)
        return str(place)

    return write


def test_a_changed_profile_lets_the_world_start_again_at_its_clock(profile):
    """On the live server too; other worlds stay, faults and journal go, the clock goes on."""
    said = []
    sim = Simulator(clock=START, profile=profile("204"))
    with sim.serve() as server:
        watch = Watch(sim, "demo", 0, profile("204"), None, said.append)
        sim.worlds.add("second")
        sim.clock.advance("1h")
        sim.call("create_channel", OWNER, body={"name": "Gone"})
        sim.faults.add("get_me", do={"status": 503})
        watch()
        assert said == []
        profile("200 {}")
        watch()
        assert said == [f"{profile('200 {}')} changed; the world has started again"]
        assert sim.service.profile == {"encode.empty": "200 {}"}
        assert server.worlds.default is sim.service
        assert sim.clock.now == START_MS + 3_600_000
        assert (len(sim.requests), len(sim.faults)) == (0, 0)
        assert sim.session("demo-owner").get(f"{server.base_url}/users/me").status_code == 200
        assert set(server.worlds) == {"", "second"}
        assert sim.control("get_info").base_url == server.base_url


def test_a_mistake_leaves_the_world_as_it_is(profile):
    """It is reported once; the next version is loaded."""
    said = []
    sim = Simulator(clock=START, profile=profile("204"))
    before = sim.service
    watch = Watch(sim, "demo", 0, profile("204"), None, said.append)
    path = profile("wrong")
    watch()
    watch()
    assert len(said) == 1
    assert said[0].startswith(f"{path} changed; the world stays as it is: {path}: 'encode.empty': 'wrong' is none of ")
    assert sim.service is before
    os.unlink(path)
    watch()
    profile("204")
    watch()
    assert len(said) == 2
    assert sim.service is not before


def test_a_world_that_stands_under_another_does_not_start_again():
    """Only the one at the root of a server."""
    sim = Simulator(clock=START)
    second = sim.worlds.add("second")
    with pytest.raises(Misuse, match="only the world at the root"):
        second.start_again()


def test_a_scenario_is_run_again():
    """At the instant that the clock shows."""
    sim = Simulator(clock=START)
    sim.clock.advance("1h")
    sim.start_again(scenario="lobby")
    assert sim.outputs
    assert sim.clock.now >= START_MS + 3_600_000


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--watch",), "neither --profile nor --world nor --scenario is a file"),
        (("--watch", "--state", "here"), "leave --state and --import away"),
    ],
)
def test_there_must_be_something_to_watch(arguments, text):
    """Exit 1, and why."""
    code, _, errors = run("serve", "-p", "0", *arguments)
    assert code == 1
    assert text in errors

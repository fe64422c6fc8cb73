"""The table of what people do to objects and processes: every row of the guide is executed."""

from __future__ import annotations

import copy
import importlib
import io
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

import pytest
import time_machine
from freezegun import freeze_time

import confsim
from confsim import Misuse, Simulator, StatusError, demo, guides
from confsim.assumptions.protocol.refusals import Reason
from confsim.kernel.refusal import Refusal

ROOM = {"name": "Planning"}
YEAR_2030 = 1_893_456_000_000
ROWS: dict[str, Callable[[Path], None]] = {}
COPIES = (copy.copy, copy.deepcopy, pickle.dumps)


def row(name: str) -> Callable[[Callable[[Path], None]], Callable[[Path], None]]:
    """Enter the proof of a row of the table."""

    def enter(proof: Callable[[Path], None]) -> Callable[[Path], None]:
        ROWS[name] = proof
        return proof

    return enter


def rooms(sim: Simulator) -> int:
    """The number of rooms of the demo tenant."""
    return sim.call("list_channels", demo.OWNER).body["total"]


def python(code: str, *options: str, **environment: str) -> str:
    """Run a script in a new process, and return what it prints."""
    done = subprocess.run(
        [sys.executable, *options, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@row("`copy` or `pickle` on a simulator")
def _(_path: Path) -> None:
    sim = Simulator()
    parts = [sim, sim.control, sim.app, sim.service, sim.serve()]
    deep = [sim.wsgi, sim.client(), sim.transport(), sim.session(), sim.worlds, sim.clock, sim.faults, sim.requests]
    deep += [sim.webhooks, sim.presence, sim.calls, {"in": [sim]}]
    tries = [(each, how) for each in parts for how in COPIES] + [(each, how) for each in deep for how in COPIES[1:]]
    for each, how in tries:
        with pytest.raises(Misuse, match=r"cannot be copied or pickled: .*Simulator\.fork\(\)"):
            how(each)
    fork = sim.fork()
    fork.call("create_channel", demo.OWNER, body=ROOM)
    assert rooms(fork) == rooms(sim) + 1


@row("`copy` or `pickle` on a value")
def _(_path: Path) -> None:
    sim = Simulator(clock=0)
    answer = sim.call("create_channel", demo.OWNER, body=ROOM)
    with pytest.raises(StatusError) as wrong:
        sim.call("get_me", demo.OWNER, expect=404)
    with pytest.raises(Misuse) as misuse:
        sim.restore("none")
    errors = [wrong.value, misuse.value, Refusal(Reason.NOT_FOUND, what="room")]
    values = [answer, answer.headers, *sim.requests, *sim.service.journal, sim.state, sim.service.world, demo.OWNER]
    for each in [*values, *errors, confsim.Clock(0), *sim.mail, *sim.worlds.infos()]:
        for again in (copy.copy(each), copy.deepcopy(each), pickle.loads(pickle.dumps(each))):
            assert type(again) is type(each)
            assert repr(again).partition(" at 0x")[0] == repr(each).partition(" at 0x")[0]
    for each in errors:
        again = pickle.loads(pickle.dumps(each))
        assert (str(again), vars(again).keys()) == (str(each), vars(each).keys())
    assert pickle.loads(pickle.dumps(misuse.value)).status == 404
    assert pickle.loads(pickle.dumps(wrong.value)).answer.body == wrong.value.answer.body


@row("`os.fork`")
def _(_path: Path) -> None:
    code = """
import os
from confsim import Simulator, demo
sim = Simulator()
rooms = lambda: sim.call("list_channels", demo.OWNER).body["total"]
before = rooms()
child = os.fork()
sim.call("create_channel", demo.OWNER, body={"name": "x"}, expect=200)
if child == 0:
    sim.call("create_channel", demo.OWNER, body={"name": "y"}, expect=200)
    os._exit(rooms() - before)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
assert rooms() - before == 1
"""
    python(code)


def _in_child(path: str) -> int:
    sim = Simulator()
    sim.load(path)
    return rooms(sim)


@row("`multiprocessing`: spawn, forkserver")
def _(path: Path) -> None:
    sim = Simulator()
    sim.call("create_channel", demo.OWNER, body=ROOM)
    sim.save(path / "world.json")
    for method in ("spawn", "forkserver"):
        start = multiprocessing.get_context(method).Process
        with pytest.raises(Misuse, match="cannot be copied or pickled"):
            pickle.dumps(start(target=print, args=(sim,))._args)
    code = f"""
from confsim import Simulator, demo
sim = Simulator()
sim.load({str(path / "world.json")!r})
print(sim.call("list_channels", demo.OWNER).body["total"])
"""
    assert int(python(code)) == rooms(sim)


@row("threads")
def _(_path: Path) -> None:
    sim = Simulator()
    before = rooms(sim)
    with ThreadPoolExecutor(8) as pool:
        names = [{"name": f"Room {each}"} for each in range(40)]
        answers = list(pool.map(lambda body: sim.call("create_channel", demo.OWNER, body=body), names))
    assert len({each.body["channelUuid"] for each in answers}) == 40
    assert rooms(sim) == before + 40


@row("freezegun, time-machine")
def _(_path: Path) -> None:
    sim, frozen = Simulator(), Simulator(clock=5)
    for frame in (freeze_time("2030-01-01"), time_machine.travel("2030-01-01T00:00:00+00:00", tick=False)):
        with frame:
            assert sim.clock.now == YEAR_2030
            assert frozen.clock.now == 5
    assert sim.clock.now != YEAR_2030


@row("a patched `time.time`")
def _(_path: Path) -> None:
    sim = Simulator()
    with mock.patch.object(time, "time", return_value=YEAR_2030 / 1000):
        assert sim.clock.now == YEAR_2030


@row("a patched `open`")
def _(path: Path) -> None:
    profile = path / "acme.toml"
    profile.write_text("")
    with mock.patch("builtins.open", return_value=io.BytesIO(b'[encode]\nempty = "204"\n')):
        sim = Simulator(profile=profile, scenario="lobby")
        assert sim.service.profile == {"encode.empty": "204"}
        assert sim.client(demo.OWNER).get("/_confsim/inspector/requests").status_code == 200


_FAKES = """
import os
import pytest
from confsim import Simulator, demo

def everything(sim):
    assert sim.call("get_me", demo.OWNER).ok
    client = sim.client(demo.OWNER)
    for path in ("/openapi.json", "/_confsim/openapi.json", *("/_confsim/inspector/" + each for each in PAGES)):
        assert client.get(path).status_code == 200, path
    Simulator("empty")
    Simulator(scenario="lobby").clock.advance("1h")
    sim.worlds.add("other", "lobby")

PAGES = ("requests", "static/style.css", "guides/first-test", "reference/python", "explain/R094", "operations")

def test_a_simulator_in_it(fs):
    everything(Simulator())
    fs.create_file("/acme.toml", contents='[encode]\\nempty = "204"\\n')
    sim = Simulator(profile="/acme.toml")
    assert sim.service.profile == {"encode.empty": "204"}
    sim.save("/state.json")
    assert os.path.exists("/state.json")
    sim.load("/state.json")

def test_it_after_the_fixture(confsim, fs):
    everything(confsim)

def test_it_before_the_fixture(fs, confsim):
    everything(confsim)

def test_a_server_in_it(fs, confsim_server):
    everything(confsim_server.simulator)

def test_without_it(confsim, tmp_path):
    everything(confsim)
    confsim.save(tmp_path / "state.json")
    assert (tmp_path / "state.json").exists()
"""
_LATE = """
def use():
    from confsim import Simulator, demo
    sim = Simulator(scenario="lobby")
    assert sim.client(demo.OWNER).get("/_confsim/inspector/requests").status_code == 200
    return sim

def test_in_it(fs):
    use()

def test_after_it(tmp_path):
    use().save(tmp_path / "state.json")
    assert (tmp_path / "state.json").exists()
"""


@row("pyfakefs")
def _(path: Path) -> None:
    tests = {"test_fakes.py": _FAKES, "test_late.py": _LATE}
    for name, text in tests.items():
        (path / name).write_text(text)
    for names in (["test_late.py"], ["test_fakes.py"]):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:schemathesis", *names],
            capture_output=True,
            text=True,
            cwd=path,
        )
        assert done.returncode == 0, done.stdout


@row("`mock.patch.dict(sys.modules)`")
def _(_path: Path) -> None:
    code = """
import sys
from unittest import mock
from confsim import Simulator, demo
with mock.patch.dict(sys.modules):
    sim = Simulator()
    assert sim.client(demo.OWNER).get("/_confsim/inspector/requests").status_code == 200
assert "confsim.control.catalogue" not in sys.modules
for _ in range(2):
    other = Simulator()
    assert other.client(demo.OWNER).get("/_confsim/inspector/operations").status_code == 200
    other.clock.advance("1h")
    for each in [each for each in sys.modules if each.startswith("confsim")]:
        del sys.modules[each]
import confsim
assert confsim.Simulator is Simulator
"""
    python(code)


@row("`importlib.reload`")
def _(_path: Path) -> None:
    sim = Simulator()
    for name in [each for each in sys.modules if each.partition(".")[0] == "confsim"]:
        module = sys.modules[name]
        before = dict(vars(module))
        assert importlib.reload(module) is module
        assert vars(module) == before
    assert sim.call("get_me", demo.OWNER).ok
    assert confsim.Simulator is Simulator


@row("`python -O`, `python -OO`")
def _(_path: Path) -> None:
    code = """
from confsim import Simulator, demo
sim = Simulator(scenario="lobby")
client = sim.client(demo.OWNER)
for path in ("/users/me", "/openapi.json", "/_confsim/openapi.json", "/_confsim/inspector/reference/python"):
    assert_status = client.get(path).status_code
    if assert_status != 200:
        raise SystemExit(f"{path} {assert_status}")
"""
    for option in ("-O", "-OO"):
        python(code, option)


def test_every_row_of_the_guide_is_true(tmp_path):
    """And each proof has its row."""
    section = guides.get("first-test").text.partition("## Copies, processes and other tools\n")[2].partition("\n## ")[0]
    names = re.findall(r"^\| (.+?) \| .+ \|$", section, re.MULTILINE)[1:]
    assert names == list(ROWS)


@pytest.mark.parametrize("name", ROWS)
def test_what_a_row_of_the_guide_says_holds(name, tmp_path):
    """For objects, processes and tools that replace what Python reads."""
    ROWS[name](tmp_path)

"""Exports of a journal in which websockets were opened: who came in by one comes in again."""

from __future__ import annotations

import json

from websockets.sync.client import connect

from confsim import Simulator
from confsim.control.scenarios import compile_scenario, run_scenario
from kit import ROOM
from kit.wire.sockets import until


def test_websockets_leave_an_export_whole(sim):
    """The handshake is a comment, or an entry of a HAR, without its token; the worlds afterwards are the same."""
    sim.clock.resume()
    with sim.serve() as server:
        with connect(f"ws{server.root[4:]}/streaming/{ROOM}?token=demo-user", open_timeout=60) as client:
            client.recv(timeout=60)
        assert until(lambda: not sim.presence(ROOM), 60)
        sim.call("get_me", "demo-owner")
        exported = {kind: sim.requests.export(kind) for kind in ("curl", "pytest", "scenario")}
        entries = json.loads(sim.control("export_requests", as_="har").data)["log"]["entries"]
    assert "# it asked for a websocket" in exported["curl"]
    assert [each["response"]["status"] for each in entries] == [101, 200]
    assert "demo-user" not in json.dumps(entries)
    assert "1 call of a journal. " in exported["pytest"]
    scenario = json.loads(exported["scenario"])
    assert "x-confsim-left-out" not in scenario
    again, made, names = Simulator(), [], {}
    assert run_scenario(compile_scenario(scenario, {}), again.control.context).failure is None
    exec(compile(exported["pytest"], "exported", "exec"), names)
    names["test_journal"](lambda **words: made.append(Simulator(**words)) or made[0])
    digests = {each.service.world.digest() for each in (sim, again, made[0])}
    assert len(digests) == 1

"""An example of each operation of the control plane, from real calls to one demo world, and the codes of its refusals.

    PYTHONPATH=.:tests python -m kit.observations.control [SEEN...]

writes ``confsim/reference/observed_control.json``: the examples, and the codes that were known, with those of the files
SEEN, each line of which is an operation, a status and a code. Lists in answers are cut, as an example shows what is in
them.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from confsim import Simulator
from confsim.control.catalogue import CONTROL
from confsim.reference import observed
from confsim.service.messages import Request
from confsim.service.waiting import wait_for
from confsim.transport.address import in_query
from kit import ADMIN, CUSTOMER, EVENT_ROOM, OWNER, ROOM, START, USER

PATH = Path(observed.__file__).parent / "observed_control.json"
#: Elements of a list that are shown.
SHOWN = 2
#: Characters of an answer that is shown whole; a longer one is a document of its own.
LONGEST = 4_000

#: An operation, the texts of its path, and its query or body.
Step = tuple[str, tuple[str, ...], Any]


def _steps(sim: Simulator) -> Iterator[Step]:
    """Every operation once, in an order in which each finds what it needs."""
    yield from (
        (name, (), None)
        for name in ("get_health", "get_info", "get_summary", "list_operations", "list_machines", "list_worlds")
    )
    yield "list_assumptions", (), {"operation": "get_me"}
    yield "get_explanation", ("R094",), None
    yield "try_operation", ("create_channel",), None
    yield "list_scenarios", (), None
    yield "get_worlds_limit", (), None
    yield "set_worlds_limit", (), {"most": 64}
    yield "make_world", (), {"name": "w1", "seed": 7}
    yield "drop_world", ("w1",), None
    yield "drop_worlds", (), {"idle": "1h"}
    yield "take_snapshot", (), {"name": "before"}
    yield "list_snapshots", (), None
    yield "restore_snapshot", ("before",), None
    yield "drop_snapshot", ("before",), None
    yield from ((name, (), None) for name in ("get_state_digest", "get_clock", "freeze_clock"))
    yield "set_clock", (), {"to": "2026-02-02T10:00:00Z"}
    yield "issue_token", (), {"userId": 1002, "ttl": "1h"}
    yield "make_user", (), {"clientId": CUSTOMER, "handle": "Nora New", "email": "nora@customer.example"}
    yield "make_client", (), {"name": "Demo Grandchild", "parent": CUSTOMER}
    yield "make_number", (), {"clientId": CUSTOMER, "number": "+12025550177", "code": "US"}
    yield "make_validator", (), {"clientId": CUSTOMER, "validatorId": "hr", "algorithm": "HS256", "key": "k" * 32}
    yield "issue_identity_token", (), {"clientId": CUSTOMER, "originId": "hr-1"}
    yield "change_record", ("user", "1004"), {"reputation": 3}
    yield from _people(sim)
    yield from _faults(sim)
    yield from _webhooks(sim)
    yield from _journal(sim)
    yield "resume_clock", (), None
    yield "run_clock", (), {"rate": 60}
    yield "play_scenario", (), {"scenario": "handle-reservation"}
    yield "reset_world", (), None


def _people(sim: Simulator) -> Iterator[Step]:
    made = sim.call("create_predefined_user", ADMIN, body={"name": "Ina Invited", "email": "ina@x.example"}, expect=200)
    invited = sim.call("create_invitation", ADMIN, userId=made.body["id"], expect=200)
    yield "redeem_invitation", (), {"code": invited.body["code"]}
    sim.call("set_lobby_door", OWNER, uuid=EVENT_ROOM, state="close", expect=200)
    yield "join_channel", (), {"channel": EVENT_ROOM, "userId": 1004}
    sim.presence.join(EVENT_ROOM, 1002)
    yield "admit_to_channel", (), {"channel": EVENT_ROOM, "userId": 1004}
    yield "set_presenter", (), {"channel": EVENT_ROOM, "userId": 1004, "presenter": True}
    yield "list_presence", (), {"channel": EVENT_ROOM}
    yield "leave_channel", (), {"channel": EVENT_ROOM, "userId": 1004}
    sim.call("set_user_email", USER, userId="me", body={"email": "uma@customer.example"}, expect=200)
    yield "list_mail", (), {"to": "uma@customer.example", "limit": 2}
    yield "get_mail", (sim.control("list_mail", to="uma@customer.example")[0].id,), None
    yield "list_timers", (), {"limit": 2}
    yield "advance_clock", (), {"by": "16m"}


def _phones(sim: Simulator) -> Iterator[Step]:
    sim.call("set_client_dial_out_state", ADMIN, state="enable", expect=200)
    sim.call("set_client_dial_in_state", ADMIN, state="enable", expect=200)
    sim.call("set_dial_out_state", ADMIN, uuid=ROOM, state="enable", expect=200)
    sim.call("set_dial_in_state", ADMIN, uuid=ROOM, state="enable", expect=200)
    sim.presence.join(ROOM, 1002)
    meeting = sim.call("get_channel", OWNER, uuid=ROOM, expect=200).body["meetingId"]
    yield "dial_in", (), {"number": "+12025550123", "meetingId": str(meeting), "caller": "+12025550188"}
    for operation in ("answer_call", "refuse_call", "fail_call", "hang_up"):
        number = {"number": f"+1202555019{len(operation) % 10}", "name": "Percy Phone"}
        called = sim.call("dial_unregistered_user", OWNER, uuid=ROOM, body=number, expect=200).body
        yield operation, (), {"userId": called["id"]}
    yield "list_calls", (), None


def _faults(sim: Simulator) -> Iterator[Step]:
    yield "put_faults", (), [{"operation": "create_channel", "on": 2, "do": {"status": 503}}]
    yield "add_fault", (), {"operation": "get_me", "do": {"hold": "after"}}
    yield "list_faults", (), None
    yield "get_by_request", (), None
    yield "set_by_request", (), {"enabled": True}
    calling = threading.Thread(target=sim.call, args=("get_me", USER))
    calling.start()
    while not (held := sim.control("list_held")):
        pass
    yield "list_held", (), None
    yield "decide_held", (held[0].id,), {"action": "release"}
    calling.join()
    yield "remove_fault", (sim.control("list_faults")[0].id,), None
    yield "clear_faults", (), None


def _webhooks(sim: Simulator) -> Iterator[Step]:
    yield "get_webhooks", (), None
    yield "set_webhooks", (), {"deliver": "list"}
    sim.call("set_events_state", ADMIN, state="enable", expect=200)
    sim.call("add_events_endpoint", ADMIN, body={"url": "https://hooks.example/confsim"}, expect=200)
    sim.call("create_channel", OWNER, body={"name": "Heard"}, expect=200)
    yield "list_deliveries", (), None
    yield "get_delivery", (sim.control("list_deliveries")[0].id,), None
    yield "list_endpoints", (), None
    yield "redeliver", (sim.control("list_deliveries")[0].id,), None


def _journal(sim: Simulator) -> Iterator[Step]:
    yield "list_records", (), {"kind": "channels"}
    yield "get_record", ("channels", ROOM), None
    yield "get_history", ("channels", ROOM), {"limit": 2}
    yield "find_labels", (), {"ids": [ROOM, "1004"]}
    yield "search", (), {"text": "Demo Room"}
    sim.call("get_me", USER, expect=200)
    sim.client(USER).get("/nowhere")
    yield "list_requests", (), {"operation": "get_me"}
    yield "get_journal", (), {"status": "4xx", "limit": 2}
    yield "get_request", (sim.requests[-1].id,), None
    sim.call("create_channel", OWNER, body={"name": "Demo Room"}, expect=409)
    yield "explain_request", (sim.requests[-1].id,), None
    yield "count_requests", (), {"operation": "get_me"}
    yield "find_requests", (), {"operation": "get_me"}
    yield "list_unmatched_requests", (), None
    yield "list_moments", (), {"limit": 2}
    yield "get_difference", (), {"from": sim.requests[-2].id, "limit": 1}
    yield "restore_moment", (sim.requests[-1].id,), None
    yield "ask_what_if", (), {"assumptions": {"encode.empty": "204"}}
    yield "wait", (), {"for": {"state": {"table": "channels", "key": ROOM}}}
    yield "set_journal", (), {"most": 1000}
    yield "forget_request", (sim.requests[-1].id,), None
    yield "clear_requests", (), None
    yield "list_names", (), None
    yield "add_name", (), {"name": "confsim.example"}
    yield "drop_name", ("confsim.example",), None
    yield "get_address", (), None
    yield "set_address", (), {"url": "http://localhost:8080"}


def examples() -> dict[str, dict[str, Any]]:
    """An example of each operation that was called: the texts of its path, its body and its answer."""
    found: dict[str, dict[str, Any]] = {}
    ringing = Simulator(clock=START, profile={"duration.call-answered": "manual(9)"})
    for sim, steps in ((Simulator(clock=START), _steps), (ringing, _phones)):
        for name, path, given in steps(sim):
            found[name] = {"example": _example(sim, name, path, given)}
    return dict(sorted(found.items()))


def _example(sim: Simulator, name: str, path: tuple[str, ...], given: Any) -> dict[str, Any]:
    operation = CONTROL[name]
    names = [each.name for each in operation.path_parameters]
    target = "/_confsim" + operation.path.format(**dict(zip(names, path, strict=True)))
    body = b"" if operation.body is None else json.dumps(given).encode()
    query = in_query(given or {}) if operation.body is None else ""
    headers = {"host": "localhost", "content-type": "application/json"}
    response = wait_for(sim.app(Request(operation.method, target, _text(query), headers, body)))
    assert response.status == 200, (name, response.status, response.body)
    made: dict[str, Any] = {"parameters": dict(zip(names, path, strict=True))} if names else {}
    if operation.body is not None:
        made["body"] = given
    answer = _cut(json.loads(response.body)) if response.body else None
    if answer is not None and len(json.dumps(answer)) <= LONGEST:
        made["answer"] = answer
    return made


def _text(query: Any) -> str:
    if isinstance(query, str):
        return query
    pairs: Any = query.items() if isinstance(query, Mapping) else query
    return urlencode(list(pairs), doseq=True)


def _cut(value: Any) -> Any:
    """The value with the first elements of each list."""
    if isinstance(value, list):
        return [_cut(each) for each in value[:SHOWN]]
    return {name: _cut(each) for name, each in value.items()} if isinstance(value, dict) else value


def refusals(paths: Iterable[str]) -> dict[str, dict[str, int]]:
    """The statuses of the refusals of each operation by their codes: those known, and those of files."""
    found = {name: dict(each.get("problems", {})) for name, each in observed.observed_control().items()}
    for path in paths:
        for line in Path(path).read_text().splitlines():
            name, status, code = line.split()
            found.setdefault(name, {})[code] = int(status)
    return found


if __name__ == "__main__":
    made = examples()
    for name, codes in refusals(sys.argv[1:]).items():
        if codes:
            made.setdefault(name, {})["problems"] = dict(sorted(codes.items()))
    PATH.write_text(json.dumps(dict(sorted(made.items())), ensure_ascii=False, indent=1) + "\n", "utf-8")

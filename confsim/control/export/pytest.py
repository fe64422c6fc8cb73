"""The export as a pytest test: it makes a world with the same start, repeats the calls and compares the answers."""

from __future__ import annotations

from collections.abc import Iterator
from keyword import iskeyword
from typing import Any

import msgspec

from confsim.api.call import HOST
from confsim.control.declare import CONTROL
from confsim.service.entries import ControlCall, JournalEntry
from confsim.service.files import state
from confsim.service.files.profile import plain
from confsim.service.service import Service
from confsim.transport.address import route

from .calls import ApiCall, answer_was_replaced, json_of, never_ran, presentation, starting_world, total, with_address
from .literals import LONGEST, bytes_literal, is_readable, json_literal, keywords, literal

_STATE = "START"


def as_test(service: Service, calls: list[ApiCall | ControlCall]) -> str:
    """Return the text of a test module."""
    body = list(_lines(service, calls))
    text = "".join(body)
    made_from = starting_world(service)
    head = f'"""{_title(service, calls)} Written by confsim."""\n\n'
    standard = ["import json\n"] if "json." in text or made_from is None else []
    standard += ["from base64 import b64decode\n"] if "b64decode(" in text else []
    if standard:
        head += f"{''.join(standard)}\n"
    if "pytest." in text:
        head += "import pytest\n\n"
    if made_from is None:
        head += f"{_STATE} = json.loads(\n    {state.document(service.history.origin).decode()!r}\n)\n\n"
    return f"{head}\n{text}"


def _title(service: Service, calls: list[ApiCall | ControlCall]) -> str:
    count, all_ = sum(isinstance(each, ApiCall) for each in calls), total(service)
    counted = "1 call" if count == 1 else f"{count} calls"
    return f"{counted} of a journal." if count == all_ else f"{counted} of a journal of {all_}."


def _lines(service: Service, calls: list[ApiCall | ControlCall]) -> Iterator[str]:
    made_from = starting_world(service)
    now = calls[0].at if calls else service.clock.now()
    words: dict[str, Any] = {"world": made_from or "empty", "seed": service.history.origin.seed}
    if service.profile:
        words["profile"] = plain(service.profile)
    words["clock"] = now
    yield "def test_journal(make_confsim):\n"
    yield '    """The answers are those of the journal."""\n'
    yield f"    world = make_confsim({_keywords(words)})\n"
    if made_from is None:
        yield f"    world.state = {_STATE}\n"
    for each in calls:
        moves = CONTROL[each.operation].moves_clock if isinstance(each, ControlCall) else False
        # A control call that goes back in time, such as the restore of a snapshot, sets the clock itself.
        own_time = each.sets_its_time if isinstance(each, ApiCall) else not moves and each.at < now
        if each.at != now and not own_time:
            yield f"    world.clock.set({each.at})\n"
        now = each.at
        if isinstance(each, ApiCall):
            yield from _call(service, each)
        elif not moves:
            yield _control_call(each)


def _control_call(call: ControlCall) -> str:
    words = ", ".join(map(repr, (call.operation, *call.path)))
    body = msgspec.json.decode(call.body) if call.body else {}
    if not isinstance(body, dict):
        method, target = route(CONTROL[call.operation], call.path, {})
        arguments = f"{f'http://{HOST}{target}'!r}, method={method!r}, json={json_literal(call.body)}"
        return f"    assert world.client().open({arguments}).status_code < 400\n"
    if body:
        words += f", {_keywords(body) if is_readable(call.body, body) else f'**{json_literal(call.body)}'}"
    return f"    world.control({words})\n"


def _call(service: Service, call: ApiCall) -> Iterator[str]:
    entry = call.entry
    yield f"\n    # {entry.id}\n"
    if entry.request.fault:
        what = f"{entry.request.method} {call.target[:60]}"
        yield f"    # {what!r} was refused before it was read: {entry.request.fault}\n"
        return
    if never_ran(entry):
        yield "    # it was held, and never ran\n"
        return
    made = _by_name(service, call) if call.by_name else _by_path(service, call)
    if answer_was_replaced(entry):
        yield f"    {made}  # it was held, and its answer was another\n"
        return
    cut = entry.response.cut
    if entry.response.dropped or (cut is not None and call.by_name):
        yield f"    with pytest.raises(ConnectionResetError):\n        {made}\n"
        return
    yield f"    answer = {made}\n"
    yield from _expected(service, call, cut)


def _expected(service: Service, call: ApiCall, cut: int | None) -> Iterator[str]:
    """Yield the assertions about the answer."""
    entry = call.entry
    status, raw = ("status", "content") if call.by_name else ("status_code", "data")
    yield f"    assert answer.{status} == {entry.response.status}\n"
    body = _answer(service, entry)
    if cut is not None or entry.request.method == "HEAD" or entry.response.status in (204, 304) or len(body) > LONGEST:
        return
    is_json, value = json_of(body)
    if not is_json:
        yield f"    assert answer.{raw} == {bytes_literal(body)}\n"
        return
    expected = literal(value) if is_readable(body, value) else f"json.loads({bytes_literal(body)})"
    yield f"    assert {'answer.body' if call.by_name else 'json.loads(answer.data)'} == {expected}\n"


def _answer(service: Service, entry: JournalEntry) -> bytes:
    """Return the body of the answer with the addresses of a server's root world."""
    mount, body = service.address.mount, entry.response.body
    body = with_address(entry, service, body, HOST)
    if mount and not entry.operation:
        body = body.replace(f"{mount}/".encode(), b"/")  # no route matched: the path identifies the call
    return body


def _by_name(service: Service, call: ApiCall) -> str:
    """Return a call by the name of the operation.

    A parameter that the operation does not declare gets an underscore at its end, which the call removes: it may have
    the name of an argument of the call, of a path parameter or of something in Python.
    """
    operation = call.operation
    assert operation is not None
    words = {}
    body = with_address(call.entry, service, call.entry.request.body, HOST)
    kind = call.headers.get("content-type")
    takes_file = operation.body is not None and not operation.body.is_json
    if body:
        words["body"] = bytes_literal(body) if takes_file else _json_body(body)
    if kind is not None and (kind != "application/json" or takes_file):
        words["content_type"] = repr(kind)
    for name, text in call.texts.items():
        words[name] = repr(text)
    for name, text in call.values.items():
        declared = name in operation.query_names and not iskeyword(name)
        words[name if declared else f"{name}_"] = repr(text)
    positional = [operation.name] + ([] if call.token is None else [call.token])
    return f"world.call({', '.join(filter(None, (*map(repr, positional), keywords(words))))})"


def _json_body(raw: bytes) -> str:
    """Return the argument for a body of JSON: its value if that can be sent and read, else the bytes."""
    if len(raw) <= LONGEST:
        same, value = json_of(raw)
        if same and value is not None and is_readable(raw, value):
            return literal(value)
    return bytes_literal(raw)


def _by_path(service: Service, call: ApiCall) -> str:
    """Return a call as an HTTP request."""
    entry = call.entry
    # WSGI shows an underscore in the name of a header as a hyphen, so it would be another header.
    headers = {name: text for name, text in {**call.headers, **call.other_headers}.items() if "_" not in name}
    if call.token is not None:
        headers |= presentation(service, call.token)[0]
    url = f"http://{HOST}{call.target}" + (f"?{call.query}" if call.query else "")
    words = {"method": repr(entry.request.method)}
    if headers:
        words["headers"] = literal(headers)
    if entry.request.body:
        words["data"] = bytes_literal(with_address(entry, service, entry.request.body, HOST))
    return f"world.client().open({url!r}, {keywords(words)})"


def _keywords(words: dict[str, Any]) -> str:
    return keywords({name: literal(value) for name, value in words.items()})

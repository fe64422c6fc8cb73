"""A journal as a pytest test: the fixture makes a world of the same start, and every answer is as it was."""

from __future__ import annotations

from collections.abc import Iterator
from keyword import iskeyword
from pprint import pformat
from typing import Any

import msgspec

from confsim.service import state
from confsim.service.journal import Entry, Ordered
from confsim.service.kept import plain
from confsim.service.pipeline import HOST, Service
from confsim.transport.address import route

from .control import CONTROL
from .export import MOVING, Asked, json_of, presented, readdressed, start

#: Bodies that are longer are not compared.
LONGEST = 20_000
_STATE = "START"


def as_test(service: Service, calls: list[Asked | Ordered]) -> str:
    """The test as the text of a module."""
    body = list(_lines(service, calls))
    text = "".join(body)
    made_from = start(service)
    head = f'"""{_told(service, calls)} Written by confsim."""\n\n'
    if "json." in text or made_from is None:
        head += "import json\n\n"
    if "pytest." in text:
        head += "import pytest\n\n"
    if made_from is None:
        head += f"{_STATE} = json.loads(\n    {state.document(service.origin).decode()!r}\n)\n\n"
    return f"{head}\n{text}"


def _told(service: Service, calls: list[Asked | Ordered]) -> str:
    count, all_ = sum(isinstance(each, Asked) for each in calls), service.journal.count
    return f"{count} calls of a journal." if count == all_ else f"{count} calls of a journal that was told {all_}."


def _lines(service: Service, calls: list[Asked | Ordered]) -> Iterator[str]:
    made_from = start(service)
    now = calls[0].at if calls else service.clock.now()
    words: dict[str, Any] = {"world": made_from or "empty", "seed": service.origin.seed}
    if service.profile:
        words["profile"] = plain(service.profile)
    words["clock"] = now
    yield "def test_journal(make_confsim):\n"
    yield '    """What was asked is answered as it was."""\n'
    yield f"    world = make_confsim({_keywords(words)})\n"
    if made_from is None:
        yield f"    world.state = {_STATE}\n"
    for each in calls:
        moves = each.operation in MOVING if isinstance(each, Ordered) else False
        steers = each.steers if isinstance(each, Asked) else not moves
        if each.at != now and not steers:
            yield f"    world.clock.set({each.at})\n"
        now = each.at
        if isinstance(each, Asked):
            yield from _call(service, each)
        elif not moves:
            yield _order(each)


def _order(order: Ordered) -> str:
    body = msgspec.json.decode(order.body) if order.body else {}
    if isinstance(body, dict):
        words = [order.operation, *order.path]
        return f"    world.order({', '.join(filter(None, (_list(words), _keywords(body))))})\n"
    method, target = route(CONTROL[order.operation], order.path, {})
    said = f"{f'http://{HOST}{target}'!r}, method={method!r}, json={_literal(body)}"
    return f"    assert world.client().open({said}).status_code < 400\n"


def _call(service: Service, call: Asked) -> Iterator[str]:
    entry = call.entry
    yield f"\n    # {entry.id}\n"
    if entry.request.fault:
        what = f"{entry.request.method} {call.target[:60]!r}"
        yield f"    # {what} was refused before it was read: {entry.request.fault}\n"
        return
    made = _by_name(service, call) if call.operation is not None else _by_path(service, call)
    cut = entry.response.cut
    if cut is not None and (call.operation is not None or cut < 0):
        yield f"    with pytest.raises(ConnectionResetError):\n        {made}\n"
        return
    yield f"    answer = {made}\n"
    yield from _expected(service, call, cut)


def _expected(service: Service, call: Asked, cut: int | None) -> Iterator[str]:
    """What the answer is to be."""
    entry = call.entry
    status, raw = ("status", "content") if call.operation is not None else ("status_code", "data")
    yield f"    assert answer.{status} == {entry.response.status}\n"
    body = _answer(service, entry)
    if cut is not None or entry.request.method == "HEAD" or entry.response.status in (204, 304) or len(body) > LONGEST:
        return
    is_json, value = json_of(body)
    if not is_json:
        yield f"    assert answer.{raw} == {_literal(body)}\n"
    elif call.operation is not None:
        yield f"    assert answer.body == {_literal(value)}\n"
    else:
        yield f"    assert json.loads(answer.data) == {_literal(value)}\n"


def _answer(service: Service, entry: Entry) -> bytes:
    """The body of the answer, as a world at the root of its server gives it."""
    mount, body = service.mount, entry.response.body
    body = readdressed(entry, service, body, HOST)
    if mount and not entry.operation:
        body = body.replace(f"{mount}/".encode(), b"/")  # the path that was not found
    return body


def _by_name(service: Service, call: Asked) -> str:
    """The call of an operation by its name."""
    assert call.operation is not None
    entry, words = call.entry, {}
    body = readdressed(entry, service, entry.request.body, HOST)
    kind = call.headers.get("content-type")
    if body:
        is_json, value = json_of(body)
        words["body"] = value if is_json and value is not None and not isinstance(value, bytes) else body
    if kind is not None and kind != "application/json":
        words["content_type"] = kind
    for name, text in (*call.texts.items(), *call.values.items()):
        words[f"{name}_" if iskeyword(name) else name] = text
    said = [call.operation.name] + ([] if call.token is None else [call.token])
    return f"world.call({', '.join(filter(None, (_list(said), _keywords(words))))})"


def _by_path(service: Service, call: Asked) -> str:
    """The call as a request."""
    entry, headers = call.entry, dict(call.headers)
    if call.token is not None:
        headers |= presented(service, call.token)[0]
    url = f"http://{HOST}{call.target}" + (f"?{call.query}" if call.query else "")
    words: dict[str, Any] = {"method": entry.request.method}
    if headers:
        words["headers"] = headers
    if entry.request.body:
        words["data"] = readdressed(entry, service, entry.request.body, HOST)
    return f"world.client().open({url!r}, {_keywords(words)})"


def _list(values: list[str]) -> str:
    return ", ".join(map(repr, values))


def _keywords(words: dict[str, Any]) -> str:
    """The words as keyword arguments; those that cannot be so in a mapping."""
    fit = {name: value for name, value in words.items() if name.isidentifier() and not iskeyword(name)}
    rest = {name: value for name, value in words.items() if name not in fit}
    said = [f"{name}={_literal(value)}" for name, value in fit.items()]
    return ", ".join(said + ([f"**{_literal(rest)}"] if rest else []))


def _literal(value: Any) -> str:
    return pformat(value, width=96, sort_dicts=False).replace("\n", "\n        ")

"""Readers and what nobody writes: values that are deep, long, many or huge, halves of surrogate pairs, null bytes.

Each is taken, or refused in one line that says where and what.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from confsim import Misuse, Simulator
from confsim.api.catalogue import API
from confsim.arazzo import library
from confsim.arazzo.conditions import BoundCriterion
from confsim.arazzo.document import Criterion
from confsim.cli import confsim as commands, settings
from confsim.control.bundle import document as bundles
from confsim.control.catalogue import CONTROL
from confsim.control.scenarios import compile_scenario
from confsim.service.files.profile import read_profile
from confsim.service.messages import Request
from confsim.service.waiting import wait_for
from confsim.testing.learning.accounts import read_accounts
from confsim.values.plain import DEEPEST, is_deep

Reader = Callable[[Path, Any], object]


def _condition(type_: str) -> Reader:
    context = None if type_ == "simple" else "$response.body"
    return lambda _folder, text: BoundCriterion(Criterion(condition=text, type=type_, context=context))


def _file(name: str, read: Callable[[Path], object]) -> Reader:
    def write(folder: Path, text: str) -> object:
        path = folder / name
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        return read(path)

    return write


def _nested(kind: type) -> Any:
    value: Any = kind()
    for _ in range(3000):
        value = [value] if kind is list else {"a": value}
    return value


def _endless() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


SIMPLE = {
    "deep": "(" * 400 + "$statusCode == 200" + ")" * 400,
    "deep negation": "!" * 5000 + "$statusCode",
    "many": " || ".join(["$statusCode == 200"] * 20_000),
    "huge": "$statusCode == " + "9" * 5000,
    "surrogate": "$statusCode == '\ud800'",
    "null": "$statusCode == '\0'",
    "long": "$response.body" + ".a" * 20_000 + " == 1",
    "huge index": f"$response.body[{'9' * 5000}] == 1",
}
REGEX = {
    "deep": "(" * 400 + ")" * 400,
    "deeper": "(" * 5000 + ")" * 5000,
    "huge": "a{" + "9" * 20 + "}",
    "long": f"(?P<{'a' * 100_000}>a)",
    "surrogate": "\ud800",
    "null": "\0",
    "open": "[" * 5000,
}
JSON_PATH = {
    "deep": "$[" + "?@[" * 500 + "1" + "]" * 1000,
    "deep parentheses": f"$[?{'(' * 500}@.a{')' * 500}]",
    "deep functions": f"$[?{'length(' * 500}@{')' * 500} > 1]",
    "many": "$" + "[?(@.a)]" * 2000,
    "huge": f"$[{'9' * 5000}]",
    "huge number": f"$[?@.a == {'9' * 5000}]",
    "huge exponent": f"$[?@.a == 1e{'9' * 50}]",
    "surrogate": "$['\ud800']",
    "null": "$['\0']",
}
JSON = {
    "deep": "[" * 200_000,
    "deep and whole": "[" * 600 + "]" * 600,
    "deep objects": '{"a":' * 300 + "1" + "}" * 300,
    "huge": f'{{"a":{"9" * 5000}}}',
    "large": f'{{"a":{"9" * 2000}}}',
    "surrogate": '{"a":"\\ud800"}',
    "null": '{"a\\u0000":1}',
    "many": "[" + "1," * 300_000 + "1]",
    "long": f'"{"a" * 300_000}"',
}
YAML = {
    "deep": "[" * 20_000,
    "deep objects": "{a: " * 5000,
    "deep blocks": "\n".join(" " * level + "a:" for level in range(1500)),
    "deep lists": "- " * 3000 + "a",
    "huge": "a: " + "9" * 5000,
    "huge sexagesimal": "a: " + "1:" * 3000 + "1",
    "aliases": "a: &a0 [x]\n" + "".join(f"b{each}: &a{each} [{f'*a{each - 1},' * 9}]\n" for each in range(1, 10)),
    "endless": "a: &a [*a]",
    "no such day": "a: 2026-13-45",
    "surrogate": 'a: "\\ud800"',
    "surrogate name": '"\\ud800": a',
    "null": 'a: "\\0"',
    "raw null": "a: \0",
    "numbers as names": "1: 2",
    "lists as names": "? [a]\n: b",
    "tags": "!!python/object/apply:os.system ['true']",
    "many": "a: b\n" * 600_000,
}
TOML = {
    "deep": f"a = {'[' * 2000}{']' * 2000}",
    "deep tables": "a = " + "{a=" * 2000 + "1" + "}" * 2000,
    "deep names": ".".join(["a"] * 5000) + " = 1",
    "deep name of a table": f"[{'.'.join(['a'] * 300)}]",
    "huge": "a = " + "9" * 10_000,
    "large": "a = " + "9" * 2000,
    "huge hexadecimal": "a = 0x" + "f" * 20_000,
    "surrogate": 'a = "\\ud800"',
    "null": "a = \0",
    "deep pattern": f"[friendly-urls]\nform = '{'(' * 3000}{')' * 3000}'",
    "huge pattern": f"[friendly-urls]\nform = 'a{{{'9' * 20}}}'",
}
PYTHON = {
    "deep": _nested(list),
    "deep objects": _nested(dict),
    "endless": _endless(),
    "huge": 10**5000,
    "surrogate": "\ud800",
    "null": "\0",
    "long": "a" * 100_000,
    "many": list(range(10_000)),
}

READERS: dict[str, tuple[Reader, Mapping[str, Any]]] = {
    "condition": (_condition("simple"), SIMPLE),
    "regular expression": (_condition("regex"), REGEX),
    "JSONPath": (_condition("jsonpath"), JSON_PATH),
    "scenario": (_file("a.json", lambda path: compile_scenario(str(path), {})), JSON),
    "world": (_file("a.json", Simulator), JSON),
    "state": (_file("a.json", lambda path: Simulator().load(path)), JSON),
    "bundle": (_file("a.json", bundles.read), JSON),
    "source of a world": (_file("a.json", lambda path: Simulator().worlds.add("w", path)), JSON),
    "scenario in YAML": (_file("a.yaml", library.load), YAML),
    "profile": (_file("a.toml", read_profile), TOML),
    "accounts": (_file("a.toml", read_accounts), TOML),
    "settings": (_file("a.toml", lambda path: settings.defaults(path, commands)), {**TOML, "table": "[tool.confsim]"}),
    "profile in Python": (lambda _, value: read_profile({"encode": {"empty": value}}), PYTHON),
    "world in Python": (lambda _, value: Simulator({"version": 1, "at": value, "clients": value}), PYTHON),
    "name of a world": (lambda _, value: Simulator(value), PYTHON),
    "name of a scenario": (lambda _, value: Simulator(scenario=value), PYTHON),
    "seed": (lambda _, value: Simulator(seed=value), PYTHON),
    "clock": (lambda _, value: Simulator(clock=value), PYTHON),
    "duration": (lambda _, value: Simulator().clock.advance(value), PYTHON),
    "body": (lambda _, value: Simulator().call("create_channel", "demo-owner", body={"name": value}), PYTHON),
    "query": (lambda _, value: Simulator().call("list_channels", "demo-owner", search=value), PYTHON),
    "path": (lambda _, value: Simulator().call("get_channel", "demo-owner", channelUuid=value), PYTHON),
    "caller": (lambda _, value: Simulator().call("get_me", value), PYTHON),
    "state in Python": (lambda _, value: Simulator().control("put_state", version=3, tables=value), PYTHON),
    "what-if": (lambda _, value: Simulator().control("ask_what_if", assumptions={"encode.empty": value}), PYTHON),
}


@pytest.mark.own_ways
@pytest.mark.parametrize("reader", READERS)
def test_a_reader_takes_a_hostile_value_or_refuses_it_in_one_line(reader, tmp_path):
    """Never with a RecursionError or a ValueError."""
    read, values = READERS[reader]
    for kind, value in values.items():
        told = ""
        try:
            read(tmp_path, value)
        except Misuse as misuse:
            told = str(misuse)
        except Exception as error:
            raise AssertionError(f"{reader}, {kind}") from error
        assert "\n" not in told, f"{reader}, {kind}: {told[:200]}"


TEXTS = {
    "deep": "(" * 3000,
    "many": ",".join(["1"] * 1500),
    "huge": "9" * 5000,
    "surrogate": "%ED%A0%80",
    "null": "%00",
    "exponent": f"1e{'9' * 400}",
    "duration": f"{'9' * 400}d",
    "no such day": "9999999-99-99T99:99:99Z",
    "digits": "%C2%B2",
}
BODIES = {
    "deep": "[" * 5000,
    "deep and whole": "[" * 900 + "]" * 900,
    "deep objects": '{"a":' * 300 + "1" + "}" * 300,
    "huge": "9" * 5000,
    "large": "9" * 40,
    "exponent": "1e400",
    "surrogate": '"\\ud800"',
    "null": '"\\u0000"',
    "long": f'"{"a" * 20_000}"',
    "huge text": f'"{"9" * 5000}"',
    "mark": "\ufeff{}",
}


def _path(template: str, values: Mapping[str, str]) -> str:
    """Return a path with its placeholders replaced."""
    for name, text in values.items():
        template = template.replace(f"{{{name}}}", text)
    return template


def _requests() -> Iterator[tuple[str, str, str, str]]:
    """Method, path, query and body of requests of each operation, with each hostile value in each place."""
    for catalogue, prefix in ((API, "/v1_0"), (CONTROL, "/_confsim")):
        for operation in catalogue:
            if operation.waits:
                continue
            names = operation.placeholders
            usual = {
                name: "1002" if "user" in name.lower() else "a" * 8 + "-aaaa-4aaa-8aaa-" + "a" * 12 for name in names
            }

            for text in TEXTS.values():
                for name in names:
                    yield operation.method, _path(prefix + operation.path, {**usual, name: text}), "", ""
                for name in operation.query_names:
                    yield operation.method, _path(prefix + operation.path, usual), f"{name}={text}", ""
            if operation.body is not None and operation.body.is_json:
                for body in BODIES.values():
                    yield operation.method, _path(prefix + operation.path, usual), "", body
                    if not body.startswith("\ufeff"):
                        yield (
                            operation.method,
                            _path(prefix + operation.path, usual),
                            "",
                            json.dumps(dict.fromkeys(operation.body.fields)).replace("null", body),
                        )


def test_no_hostile_value_in_a_request_is_a_defect_of_confsim():
    """In no path, query or body of any operation of the API and of the control plane."""
    sim = Simulator()
    sim.requests.most = 10
    headers = {"host": "127.0.0.1", "authorization": "Bearer demo-customer-admin", "content-type": "application/json"}
    refused = 0
    for method, path, query, body in _requests():
        response = wait_for(sim.app(Request(method, path, query, headers, body.encode())))
        bugs = sim.service.live.take_bugs()
        assert not bugs, f"{method} {path[:80]} {query[:80]} {body[:80]}: {bugs}"
        assert response.status < 500, (method, path[:80], query[:80], body[:80], response.body[:200])
        refused += response.status >= 400
    assert refused > 2000


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (
            b'\xef\xbb\xbf{"name": "x"}',
            "it starts with the byte order mark of UTF-8; JSON is sent as UTF-8 without one",
        ),
        (
            '{"name": "x"}'.encode("utf-16"),
            "it starts with the byte order mark of UTF-16; JSON is sent as UTF-8 without one",
        ),
        (b"[" * 900 + b"]" * 900, "it is nested deeper than 100 levels"),
    ],
)
def test_a_body_that_is_not_read_is_told_with_its_reason(raw, problem):
    """By the API and by the control plane."""
    client = Simulator().client("demo-owner")
    for path in ("/channels/create", "/_confsim/clock/set"):
        answer = client.post(path, data=raw, content_type="application/json")
        assert answer.status_code == 400
        assert problem in answer.text


def test_a_call_that_was_too_deep_is_exported():
    """In every form, since it is in the journal."""
    sim = Simulator()
    for depth in (DEEPEST - 5, 900):
        body = b'{"name": "' + str(depth).encode() + b'", "x": ' + b"[" * depth + b"]" * depth + b"}"
        sim.client("demo-owner").post("/channels/create", data=body, content_type="application/json")
    for form in ("har", "curl", "pytest", "scenario"):
        assert sim.control("export_requests", as_=form).data
    scenario = json.loads(sim.control("export_requests", as_="scenario").data)
    assert sim.worlds.add("again", scenario).call("list_channels", "demo-owner").ok


@pytest.mark.parametrize(
    ("text", "deep"),
    [
        ("[" * DEEPEST + "]" * DEEPEST, False),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), True),
        ('{"a":' * DEEPEST, False),
        ('{"a":' * (DEEPEST + 1), True),
        ("[" + '{"a": []},' * 500, False),
        ('["' + '[\\"' * 500 + '"]', False),
        ("[1," + "[{}]," * 500, False),
        ('"' + "[" * 500, False),
        ("[" + "[]," * 200 + "[" * DEEPEST, True),
    ],
)
def test_depth_is_that_of_the_deepest_bracket(text, deep):
    """Brackets in texts do not count, nor do those beside each other."""
    assert is_deep(text.encode()) is deep

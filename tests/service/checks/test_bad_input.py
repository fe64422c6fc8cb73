"""Bad input, over every operation: refused in the API's envelope, with what is wrong and where, and nothing changed."""

from __future__ import annotations

import json

import pytest

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.service.messages import Request
from confsim.testing.samples import IdPool, valid
from kit import CUSTOMER, ROOM, START, code, same
from kit.each import by_name, each

CALLERS = ("demo-owner", "demo-customer-admin", "demo-api-token", "demo-partner-admin", "demo-user")
JSON = [operation for operation in API if operation.body is not None and operation.body.is_json]
OBJECTS = [operation for operation in JSON if operation.body.fields]

MALFORMED = {
    "broken": b'{"name":',
    "no JSON": b"name=x&other=y",
    "text before": b'x{"a":1}',
    "text behind": b'{"a":1}x',
    "two values": b"{}{}",
    "a BOM": b'\xef\xbb\xbf{"a":1}',
    "NaN": b'{"a":NaN}',
    "Infinity": b'{"a":-Infinity}',
    "not UTF-8": b'{"a":"\xff"}',
    "half a surrogate pair": b'{"a":"\\ud800"}',
    "half a pair as a key": b'{"\\udfff":1}',
    "a control character": b'{"a":"\x00"}',
    "nested objects": b'{"a":' * 20_000,
    "nested lists": b"[" * 20_000,
    "nested and closed": b"[" * 20_000 + b"]" * 20_000,
    "a comma at the end": b'{"a":1,}',
    "single quotes": b"{'a':1}",
    "a comment": b'{"a":1/**/}',
    "a word": b"nothing",
    "a leading zero": b'{"a":01}',
}
WRONG = {
    "null": b"null",
    "a number": b"5",
    "a text": b'"text"',
    "true": b"true",
    "a list of lists": b"[[[1]]]",
    "a list of objects": b'[{"a":1}]',
    "a huge integer": b"9" * 5000,
    "a huge exponent": b"1e999999",
}


STRICT = Simulator(clock=START, profile={"checks.order": "input first", "parse.unknown-fields": "refuse"})
LENIENT = Simulator(clock=START, profile={"checks.order": "input first", "parse.duplicate-keys": "last"})


@pytest.fixture(scope="module")
def base():
    """The demo world under the default order of checks, and under that where the input comes first."""
    clock = START
    first = {"checks.order": "input first"}
    return Simulator(clock=clock), Simulator(clock=clock, profile=first)


def over_wsgi(sim, operation, arguments, raw, caller, kind="application/json"):
    """The same call over WSGI; answers status and body."""
    path = operation.path
    for name in operation.placeholders:
        path = path.replace(f"{{{name}}}", arguments.path[name])
    response = sim.client(caller).open(path, method=operation.method, data=raw, content_type=kind)
    return response.status_code, response.data


def in_process(sim, operation, arguments, raw, caller, kind="application/json"):
    """The call without HTTP; answers status and body."""
    answer = sim.call(operation.name, caller, body=raw, content_type=kind, **arguments.path)
    return answer.status, answer.content


def refused(sim, send, operation, raw, caller=None, kind="application/json"):
    """Make the call, which must be refused in the envelope and leave the world as it was; answers the envelope."""
    before = sim.service.world
    arguments = valid(operation, IdPool(before, CUSTOMER), 0)
    status, body = send(sim, operation, arguments, raw, caller, kind)
    assert sim.service.bugs == []
    assert 400 <= status < 500
    envelope = json.loads(body)
    assert (envelope["status"], bool(envelope["code"]), bool(envelope["message"])) == (status, True, True)
    assert same(sim.service.world, before)
    return envelope


WAYS = pytest.mark.parametrize("send", [in_process, over_wsgi], ids=["call", "wsgi"])


@WAYS
@each("operation", JSON, ids=by_name)
def test_malformed_bodies_are_reported(base, operation, send):
    """What is no JSON says so, on every call, no matter who makes it."""
    for raw in MALFORMED.values():
        reported = refused(base[1], send, operation, raw)
        assert reported["status"] in {400, 413}
        assert reported["code"] in {"body_malformed", "invalid_input"}, raw[:20]
        assert reported["details"][0]["problem"]


@each("operation", JSON, ids=by_name)
def test_malformed_bodies_leave_no_trace_whoever_sends_them(base, operation):
    """In the default order of checks, by callers with and without a right to call."""
    for caller in (*CALLERS, None, "nobody"):
        for raw in (MALFORMED["broken"], MALFORMED["nested objects"], WRONG["a huge integer"], b""):
            before = base[0].service.world
            arguments = valid(operation, IdPool(before, CUSTOMER), 0)
            if in_process(base[0], operation, arguments, raw, caller)[0] < 400:
                assert raw == b""
                base[0].service.live.replace(before)
            assert base[0].service.bugs == []
            assert same(base[0].service.world, before)


@WAYS
@each("operation", OBJECTS, ids=by_name)
def test_wrong_shapes_are_reported_with_their_place(base, operation, send):
    """Another kind of JSON value where an object is documented (G068)."""
    for raw in WRONG.values():
        reported = refused(base[1], send, operation, raw)
        assert (reported["status"], reported["code"]) in {(400, "invalid_input"), (400, "body_malformed")}


@WAYS
@each("operation", OBJECTS, ids=by_name)
def test_wrong_types_are_reported_with_their_field(base, operation, send):
    """Each field in turn holds an object of the wrong kind, and is named."""
    fields = [field for field in operation.body.fields if _typed(operation, field)]
    for field in fields:
        raw = json.dumps({**_required(operation), field: {"wrong": [1]}}).encode()
        reported = refused(base[1], send, operation, raw)
        assert reported["code"] == "invalid_input"
        assert reported["details"][0]["where"].startswith(f"body {field}")


@WAYS
@each("operation", OBJECTS, ids=by_name)
def test_missing_fields_are_reported_by_name(base, operation, send):
    """Each required field in turn is left out, and is named (G067)."""
    whole = _required(operation)
    for field in whole:
        raw = json.dumps({name: value for name, value in whole.items() if name != field}).encode()
        reported = refused(base[1], send, operation, raw)
        assert reported["code"] == "invalid_input"
        assert field in reported["message"]


@each("operation", OBJECTS, ids=by_name)
def test_unknown_fields_are_reported_where_a_profile_says_so(operation):
    """By name; by default they are ignored (G070)."""
    raw = json.dumps({**_required(operation), "nonsense": 1}).encode()
    reported = refused(STRICT, in_process, operation, raw)
    assert reported["details"][0] == {"where": "body nonsense", "problem": "no such field"}


@WAYS
@each("operation", OBJECTS, ids=by_name)
def test_a_key_given_twice_is_refused(base, operation, send):
    """With its name; a profile lets the last count (G065)."""
    whole = json.dumps(_required(operation)).encode()
    field = operation.body.fields[0].encode()
    value = json.dumps(_required(operation).get(field.decode(), "x")).encode()
    pair = b'"' + field + b'" :' + value
    raw = b"{" + b",".join([pair, *([whole[1:-1]] if whole != b"{}" else []), pair]) + b"}"
    reported = refused(base[1], send, operation, raw)
    assert reported["details"] == [{"where": f"body {field.decode()}", "problem": "it is given twice"}]
    answer = LENIENT.fork().call(operation.name, body=raw, **dict.fromkeys(operation.placeholders, "1"))
    assert "given twice" not in answer.content.decode()


@pytest.mark.parametrize(
    ("raw", "where"),
    [
        (b'{"a": 1, "b": {"c": 1, "d": 2, "c": 3}}', "body b.c"),
        (b'[{"a": [0, {"b": 1, "b": 1}]}]', "body [0].a[1].b"),
        (b'{"a": 1, "\\u0061": 2}', "body a"),
        (b'{"": 1, "": 2}', "body "),
        (b'{"a": 1, "b": 2, "c": {"a": 1}, "d": [{"a": 1}, {"a": 1}]}', None),
        (b'{"a": "\\":", "b": "\\" :", "c": "\\\\", "d": 1}', None),
        (b'["a", ":", "a", ":"]', None),
    ],
)
def test_keys_are_told_apart_in_each_object(base, raw, where):
    """At whatever depth, also where any JSON is taken (G065)."""
    room = ROOM
    answer = base[0].fork().call("set_channel_property", "demo-api-token", uuid=room, key="k", body=raw)
    reported = None if answer.ok else answer.body["details"][0]["where"]
    assert reported == where


@WAYS
@each("operation", JSON, ids=by_name)
@each(
    "kind",
    [
        "application/x-www-form-urlencoded",
        "text/plain",
        "application/json; charset=latin-1",
        "application/json; profile=x; charset=utf-16",
    ],
)
def test_wrong_content_types_are_reported(base, operation, send, kind):
    """A body that says it is something else (G009)."""
    reported = refused(base[1], send, operation, b"{}", kind=kind)
    assert (reported["status"], reported["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    "kind",
    ["application/json", "Application/JSON ; Charset=UTF-8", 'application/json; charset="utf-8"; v=1', None],
)
def test_content_types_that_say_json(base, kind):
    """With whatever parameters, as long as the text is UTF-8 (G009)."""
    assert base[0].fork().call("create_api_token", "demo-api-token", body=b"{}", content_type=kind).ok


@WAYS
@each("operation", JSON, ids=by_name)
def test_oversized_bodies_are_reported(base, operation, send):
    """With the limit (G011)."""
    reported = refused(base[1], send, operation, b'{"a":"' + b"x" * 2**20 + b'"}')
    assert (reported["status"], reported["code"]) == (413, "body_too_large")


@WAYS
@each("operation", OBJECTS, ids=by_name)
def test_a_body_in_the_query_is_no_body(base, operation, send):
    """Parameters are read only where their call states (P1 Conventions 2, G047)."""
    whole = _required(operation)
    if not whole:
        return
    sim = base[1]
    before = sim.service.world
    arguments = valid(operation, IdPool(before, CUSTOMER), 0)
    query = {name: value for name, value in whole.items() if isinstance(value, str)}
    answer = sim.call(operation.name, None, **{**arguments.path, **query})
    assert code(answer) == (400, "body_malformed")
    assert same(sim.service.world, before)


QUERIED = [operation for operation in API if any(each.required for each in operation.query_parameters)]


@each("operation", QUERIED, ids=by_name)
def test_a_query_in_the_body_is_no_query(base, operation):
    """The reverse: a required query parameter is missing, whatever the body holds (G052)."""
    required = [each.name for each in operation.query_parameters if each.required]
    arguments = valid(operation, IdPool(base[1].service.world, CUSTOMER), 0)
    raw = json.dumps(dict.fromkeys(required, "x")).encode()
    status, body = in_process(base[1], operation, arguments, raw, None)
    assert (status, json.loads(body)["details"][0]["problem"]) == (400, "it is missing")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1_0/nowhere", 404),
        ("GET", "/v1_0/users/me%2Fterms", 400),
        ("GET", "/v1_0/users/%", 400),
        ("GET", "/v1_0/users/%FF/auth", 400),
        ("GET", "/v1_0/users/" + "9" * 5000 + "/auth", 400),
        ("GET", "/v1_0/users/1e3/auth", 400),
        ("GET", "/v1_0/users/\u0661/auth", 400),
        ("BREW", "/v1_0/users/me", 405),
        ("PUT", "/v1_0/users/me", 405),
        ("GET", "/v1_0/users/me?limit=%ZZ", 400),
        ("GET", "/v1_0/channels?limit=-1", 400),
        ("GET", "/v1_0/channels?limit=1e3", 400),
        ("GET", "/v1_0/channels?limit=" + "9" * 5000, 400),
        ("GET", "/v1_0/channels?limit=", 400),
        ("GET", "/v1_0/channels?sort=colour", 400),
        ("GET", "/v1_0/channels/nope", 404),
        ("GET", "/v1_0/" + "x/" * 20_000, 404),
        ("GET", "no-slash", 404),
        ("GET", "", 404),
    ],
)
def test_bad_paths_and_queries(base, method, path, status):
    """Unknown routes, wrong methods, broken escapes, and values that no parameter takes."""
    sim = base[0]
    before = sim.service.world.digest()
    target, _, query = path.partition("?")
    response = sim.app(Request(method, target, query, {"authorization": "Bearer demo-owner"}))
    assert (response.status, json.loads(response.body)["status"]) == (status, status)
    assert json.loads(response.body)["message"]
    assert sim.service.world.digest() == before


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"authorization": ""}, 401),
        ({"authorization": "Bearer"}, 401),
        ({"authorization": "Bearer "}, 401),
        ({"authorization": "Basic ZGVtbzpkZW1v"}, 401),
        ({"authorization": "Bearer demo-owner, Bearer demo-user"}, 400),
        ({"authorization": "Bearer \u00e9\x00"}, 401),
        ({"authorization": "Bearer " + "x" * 10_000}, 401),
        ({}, 401),
    ],
)
def test_bad_credentials(base, headers, status):
    """Missing, unknown, doubled and nonsensical tokens."""
    response = base[0].app(Request("GET", "/v1_0/users/me", "", headers))
    assert response.status == status
    assert json.loads(response.body)["code"].startswith("credential_")


def _required(operation):
    """A body with every required field, from a valid sample."""
    sample = valid(operation, IdPool(STRICT.service.world, CUSTOMER), 0).body
    if not isinstance(sample, dict):
        return {}
    try:
        import msgspec

        names = {field.encode_name for field in msgspec.structs.fields(operation.body.type) if field.required}
    except TypeError:
        return {}
    return {name: value for name, value in sample.items() if name in names}


def _typed(operation, name):
    """Whether the field has a type that an object with a list in it is not of."""
    import msgspec

    for field in msgspec.structs.fields(operation.body.type):
        if field.encode_name == name:
            try:
                msgspec.convert({"wrong": [1]}, field.type)
            except msgspec.ValidationError:
                return True
    return False

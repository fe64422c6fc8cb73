"""Exports send again what was sent, whatever its parameters, bodies and headers are called."""

from __future__ import annotations

import builtins
import inspect
import json
import keyword
import subprocess
from base64 import b64decode
from contextlib import suppress
from urllib.parse import parse_qsl, quote_plus, unquote, urlsplit

import pytest
from hypothesis import example, given, settings, strategies as st

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.control.bundle.document import decoded
from confsim.control.bundle.replay import replay
from confsim.control.scenarios import compile_scenario, run_scenario
from confsim.service import masking
from confsim.service.messages import Request
from kit import ROOM, START

#: Names that a call in Python may take for something else, without those whose values are masked.
ARGUMENTS = tuple(inspect.signature(Simulator.call).parameters)
NAMES = sorted(
    {
        *ARGUMENTS,
        *keyword.kwlist,
        *keyword.softkwlist,
        *dir(builtins),
        *("uuid", "uuid_", "operation_", "__", "_", "world", "answer", "json", "pytest", "method", "headers", "data"),
        *("ﬁ", "ª", "é", "a b", "a.b", "a-b", "1", "a[]", "{a}", "$x", "*", "**a", "'", '"', "a)", "\n", "#", "limit"),
    }
    - {*masking.NAMES}
)
#: Method, target, media type and required parameter of requests of each kind: reads, JSON, files, no route.
REQUESTS = [
    ("GET", "/v1_0/channels", None, None),
    ("GET", f"/v1_0/channels/{ROOM}", None, None),
    ("GET", "/v1_0/nowhere", None, None),
    ("GET", "/v1_0/../x/./%2e", None, None),
    ("HEAD", "/v1_0/users/me", None, None),
    ("POST", "/v1_0/channels/create", "application/json", None),
    ("POST", "/v1_0/media", "application/json", "name"),
    ("POST", f"/v1_0/channels/{ROOM}/media", "text/x-a", "name"),
    ("POST", "/v1_0/users/me/image", "image/png", None),
]
DEEP = b"[" * 300 + b"]" * 300
BODIES = st.one_of(
    st.sampled_from(
        [
            *(b"", b"{}", b"null", b'"x"', b'{"name":1.0}', b'{ "name" : "x" }', b'{"name":"x","name":"y"}', DEEP),
            *(b'{"name":"x","class":1,"deep":' + DEEP + b"}", b"\xff\x00" * 1500, b"x" * 25_000, b"@file", b"a'b\"c\n"),
            *(b'{"name":"x","z":"' + b"y" * 25_000 + b'"}', b'{"name":"\\ud800"}', b'{"name":1e400}', b"\0"),
        ]
    ),
    st.binary(max_size=30),
    st.dictionaries(st.text(max_size=5), st.integers(-(2**70), 2**70) | st.floats() | st.text(), max_size=3).map(
        lambda value: json.dumps(value).encode()
    ),
)
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
QUERIES = st.lists(st.tuples(st.sampled_from(NAMES) | _TEXT.filter(bool), _TEXT), max_size=3)
HEADERS = st.dictionaries(
    st.sampled_from(["x-a", "x_a", "idempotency_key", "accept", "self", "content-encoding", "cookie", "@x"]),
    st.text("abc%'\"$`\\;=é ", max_size=8).map(str.strip),
    max_size=2,
)


@st.composite
def requests(draw):
    """A request of the API with parameters, headers and a body of any kind."""
    method, target, kind, required = draw(st.sampled_from(REQUESTS))
    given = [*([(required, "x")] if required else []), *draw(QUERIES)]
    query = "&".join(f"{quote_plus(name)}={quote_plus(text)}" for name, text in given)
    headers = {"authorization": "Bearer demo-customer-admin", **draw(HEADERS)}
    body = draw(BODIES) if kind else b""
    kind = draw(st.sampled_from([kind, None, "application/json", "text/plain", "application/json; charset=utf-8"]))
    if body and kind:
        headers["content-type"] = kind
    return Request(method, target, query, headers, body)


def exported_test(text):
    """The world in which the exported test has run."""
    made, names = [], {}

    def make_confsim(**words):
        made.append(Simulator(**words))
        return made[0]

    exec(compile(text, "exported", "exec"), names)
    names["test_journal"](make_confsim)
    return made[0]


def post(path, query, kind, body, **headers):
    """A request with a body."""
    named = {name: text for name, text in {"content-type": kind, **headers}.items() if text is not None}
    return Request("POST", f"/v1_0{path}", query, {"authorization": "Bearer demo-customer-admin", **named}, body)


_MEDIA = "/media"
#: Requests that a call by name, a test client or Python's parser may change.
AWKWARD = [
    post(_MEDIA, "name=x", "application/json", b'{ "a" : 1.0 }'),
    post(_MEDIA, "name=x&body=1", None, b'{"a":1}'),
    post(_MEDIA, "name=x&content_type=a/b", "text/x-a", b"\xff" * 3000),
    post("/channels/create", "", "application/json", b'{"name":"x","more":' + DEEP + b"}"),
    post("/channels/create", "operation=a&self=b&expect=3", None, b'{"name":"x"}'),
    post("/channels/create", "", None, b'{"name":"x"}', idempotency_key="a"),
    Request("GET", f"/v1_0/channels/{ROOM}", "uuid=x", {"authorization": "Bearer demo-owner"}, b""),
    Request("GET", "/v1_0/../x/./%2e", "", {}, b""),
]


def asked(entry):
    """What a request asked, by its meaning: operation or path, parameters, token, media type, body."""
    request = entry.request
    kind = request.headers.get("content-type")
    body = request.body
    takes_json = entry.operation and (API[entry.operation].body is None or API[entry.operation].body.is_json)
    if takes_json:
        kind = None if kind == "application/json" else kind
        with suppress(ValueError, RecursionError):
            body = json.loads(body, object_pairs_hook=tuple, parse_float=lambda text: repr(float(text)))
    where = entry.operation or unquote(request.target)
    query = sorted(parse_qsl(request.query, keep_blank_values=True)) if entry.operation else request.query
    token = entry.token or request.headers.get("authorization", "").removeprefix("Bearer ")
    return request.method, where, query, token, kind, request.headers.get("idempotency-key"), str(body)


def answered(entry):
    """The answer to a request, without the request's own number."""
    return entry.response.status, entry.response.body


def sent(sim, *given):
    """Send requests, whatever they are answered."""
    for each in given:
        sim.app(each)


@settings(max_examples=40)
@example(AWKWARD)
@given(st.lists(requests(), min_size=1, max_size=4))
def test_what_was_sent_is_sent_again(given):
    """Test, scenario and bundle of any requests get the same answers; test, curl and HAR send the same requests."""
    sim = Simulator(clock=START)
    sent(sim, *given)
    entries = list(sim.service.journal)
    again = exported_test(sim.requests.export("pytest"))
    assert list(map(asked, again.service.journal)) == list(map(asked, entries))
    assert list(map(answered, again.service.journal)) == list(map(answered, entries))
    assert again.service.world.digest() == sim.service.world.digest()

    other = Simulator()
    scenario = json.loads(sim.requests.export("scenario"))
    report = run_scenario(compile_scenario(scenario, {}), other.control.context)
    assert report.failure is None, report.failure.details()
    assert other.service.world.digest() == sim.service.world.digest()

    assert replay(decoded(sim.control("get_bundle").data)).parting is None
    for entry, words in zip(entries, curl_arguments(sim), strict=True):
        check_curl(entry.request, *words)
    for entry, each in zip(entries, json.loads(sim.requests.export("har"))["log"]["entries"], strict=True):
        check_har(entry.request, each["request"])


#: A program in the place of curl that shows its standard input and its arguments, each in Base64.
SHOWING = (
    'curl() { printf "\\n"; case "$*" in *"--data-binary @-"*) base64 -w0;; esac; '
    'for each in "$@"; do printf " "; printf %s "$each" | base64 -w0; done; }\n'
)


def curl_arguments(sim):
    """The standard input and the arguments of each command of the export, as bytes, read by a shell."""
    script = SHOWING + sim.requests.export("curl")
    shown = subprocess.run(["sh", "-eu"], input=script.encode(), check=True, capture_output=True, timeout=60).stdout
    for line in shown.decode().split("\n")[1:]:
        piped, *arguments = line.split(" ")
        yield b64decode(piped), [b64decode(each) for each in arguments]


def check_curl(request, piped, arguments):
    """Check that a command sends the request."""
    lines, method, url, body = {}, "POST" if piped else "GET", "", b""
    rest = iter(arguments)
    for word in rest:
        if word == b"-X":
            method = next(rest).decode()
        elif word == b"-H":
            name, _, value = next(rest).partition(b":")
            lines[name.decode().lower().rstrip(";")] = value.strip()
        elif word == b"--data-raw":
            body = next(rest)
        elif word == b"--data-binary":
            body = piped if next(rest) == b"@-" else None
        elif word == b"--head":
            method = "HEAD"
        elif not word.startswith(b"--"):
            url = word.decode()
    parts = urlsplit(url)
    if b"--path-as-is" not in arguments:
        assert not {".", ".."} & set(unquote(parts.path).split("/")), "curl resolves segments of dots"
    assert (method, parts.path, body) == (request.method, request.target, request.body)
    assert parse_qsl(parts.query, keep_blank_values=True) == parse_qsl(request.query, keep_blank_values=True)
    for name, text in request.headers.items():
        assert lines[name] == text.encode("latin-1") or name == "accept"


def check_har(request, made):
    """Check that an entry of a HAR is the request."""
    parts = urlsplit(made["url"])
    assert (made["method"], parts.path) == (request.method, request.target)
    assert parse_qsl(parts.query, keep_blank_values=True) == parse_qsl(request.query, keep_blank_values=True)
    data = made.get("postData", {"text": ""})
    assert (b64decode(data["text"]) if "encoding" in data else data["text"].encode()) == request.body
    lines = {each["name"].lower(): each["value"] for each in made["headers"]}
    assert {**lines, **request.headers} == {**lines}


def test_every_name_that_python_or_a_call_knows_is_a_parameter_like_another():
    """A parameter of each such name is in the exported test, and arrives in the world that it makes."""
    sim = Simulator(clock=START)
    for name in NAMES:
        sent(sim, Request("GET", f"/v1_0/channels/{ROOM}", f"{quote_plus(name)}=1", {}, b""))
    again = exported_test(sim.requests.export("pytest"))
    assert list(map(asked, again.service.journal)) == list(map(asked, sim.service.journal))


def test_no_declared_parameter_has_the_name_of_an_argument_of_a_call():
    """So `Simulator.call` can send every declared parameter by its own name."""
    for operation in API.operations.values():
        assert not {*operation.query_names, *operation.placeholders} & set(ARGUMENTS), operation.name


def test_a_curl_command_of_head_has_no_body():
    """curl refuses a body with --head; a comment says that the command lacks it."""
    sim = Simulator(clock=START)
    sent(sim, Request("HEAD", "/v1_0/users/me", "", {"authorization": "Bearer demo-owner"}, b"x"))
    ((piped, arguments),) = curl_arguments(sim)
    assert (piped, b"--head" in arguments, b"--data-raw" in arguments) == (b"", True, False)
    assert "# curl sends no body with HEAD: its body is left out\n" in sim.requests.export("curl")


@pytest.mark.parametrize("size", [2_000, 2_000_000])
def test_a_large_body_is_exported_at_a_cost_of_its_length(size):
    """A file is one Base64 text, JSON one text: the length of the export grows with them, its lines do not."""
    sim = Simulator(clock=START)
    sim.call("upload_client_media", "demo-customer-admin", name="x", body=bytes(range(256)) * (size // 256))
    sim.call("create_channel", "demo-owner", body={"name": "x", "more": ["y"] * (size // 10)})
    sim.faults.put([{"operation": "get_me", "do": {"status": 503, "body": {"x": "y" * size}}}])
    text = sim.requests.export("pytest")
    assert len(text) < 4 * size + 2_000
    assert len(text.splitlines()) < 40 if size > 20_000 else True
    assert exported_test(text).service.world.digest() == sim.service.world.digest()


def test_a_large_document_is_not_indented():
    """A small one is, for people; both are the same JSON."""
    sim = Simulator(clock=START)
    sim.call("get_me", "demo-owner", expect=200)
    small = sim.requests.export("har")
    sim.call("upload_client_media", "demo-customer-admin", name="a", body=b"\xff" * 2_000_000)
    large = sim.requests.export("har")
    assert "\n" in small.strip()
    assert "\n" not in large.strip()
    assert json.loads(large)["log"]["entries"][-1]["request"]["bodySize"] == 2_000_000

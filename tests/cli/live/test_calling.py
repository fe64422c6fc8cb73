"""Calls from the command line in a world of a running server."""

from __future__ import annotations

import io
import json
from contextlib import contextmanager

import pytest

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.cli.live.arguments import sorted_arguments
from confsim.control.catalogue import CONTROL
from confsim.kernel.refusal import Misuse
from kit import CUSTOMER, OWNER, ROOM, START
from kit.processes.commands import run

pytestmark = pytest.mark.own_ways
#: Operations whose body is an object of any fields.
ANY_FIELDS = {
    "put_state",
    "set_channel_config",
    "set_channel_property",
    "set_config",
    "set_template_config",
    "set_user_property",
}


@pytest.fixture
def sim():
    """A world with a second one beside it, on a server whose URL is in CONFSIM_URL."""
    return Simulator(clock=START)


@pytest.fixture
def call(sim, monkeypatch):
    """Run `confsim call`, and return the exit code, the answer and the errors."""
    with sim.serve() as server:
        monkeypatch.setenv("CONFSIM_URL", server.root)

        def calling(*words, **options):
            code, output, errors = run("call", *words, **options)
            return code, json.loads(output) if output.startswith(("{", "[", '"')) else output, errors

        yield calling


@contextmanager
def given(monkeypatch, content):
    """Give content on standard input."""
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        yield


def test_a_role_a_token_and_a_user_name_the_caller(call, sim):
    """A user without a lasting token gets a new one."""
    made = sim.control("make_user", clientId=CUSTOMER, handle="Neo")
    for who, handle in (("owner", "Olaf Owner"), (OWNER, "Olaf Owner"), ("1002", "Olaf Owner"), (str(made.id), "Neo")):
        code, me, errors = call("get_me", "--as", who)
        assert (code, me["handle"], errors) == (0, handle, "")


@pytest.mark.parametrize("mount", ["", "/", "/v1_0", "/v1_0/", "/_confsim", "/_confsim/"])
@pytest.mark.parametrize("world", ["", "/w/other"])
def test_a_server_is_named_by_root_world_or_api(sim, world, mount):
    """Each leads to the control plane and to the API."""
    sim.worlds.add("other")
    with sim.serve() as server:
        for operation in ("get_info", "get_me"):
            who = ["--as", "owner"] if operation == "get_me" else []
            code, _, errors = run("call", operation, *who, "--base-url", server.root + world + mount)
            assert (code, errors) == (0, "")
        if world:
            assert json.loads(run("call", "get_info", "--base-url", server.root + world)[1])["name"] == "other"


def test_parameters_and_fields_are_given_by_name(call, sim):
    """Fields have the types of the schema: a text stays one, whatever it looks like, and others are JSON."""
    code, made, _ = call("create_channel", "--as", "owner", "name=12")
    assert code == 0
    uuid = made["channelUuid"]
    assert call("get_channel", "--as", "owner", f"uuid={uuid}")[1]["name"] == "12"
    body = sim.requests.find(operation="create_channel")[-1].body
    assert body == {"name": "12"}
    call("make_user", f"clientId={CUSTOMER}", "handle=true", "levels=[]", "registered=true")
    made = sim.control("list_requests", kind="control", operation="make_user")[-1].body
    assert made == {"clientId": CUSTOMER, "handle": "true", "levels": [], "registered": True}


def test_the_body_is_read_from_standard_input(call, sim, monkeypatch):
    """As it is: a list, or the bytes of an image with their media type."""
    with given(monkeypatch, b'["https://app.example"]'):
        assert call("set_origins", "--as", "customer-admin", f"clientId={CUSTOMER}", "-")[0] == 0
    assert call("list_origins", f"clientId={CUSTOMER}", "--as", "customer-admin")[1] == ["https://app.example"]
    with given(monkeypatch, b"\x89PNG\r\n\x1a\n"):
        call("set_channel_image", "--as", "owner", f"uuid={ROOM}", "-", "--content-type", "image/png")
    request = sim.service.journal.find(sim.requests[-1].id).request
    assert (request.body, request.headers["content-type"]) == (b"\x89PNG\r\n\x1a\n", "image/png")


def test_a_refused_call_prints_the_answer_and_says_why(call):
    """The answer on standard output, the status and the reason on standard error; exit 1."""
    code, body, errors = call("get_channel", "--as", "owner", "uuid=nowhere")
    assert (code, body["code"]) == (1, "not_found")
    assert errors.startswith("404 Not Found\nwhy: ")


def test_statuses_below_400_are_success(call, monkeypatch):
    """With --include the status and the headers are printed before the answer."""
    code, output, _ = call("get_me", "--as", "owner", "-i")
    assert code == 0
    assert output.startswith("200 OK\n")
    assert "X-Confsim-Request-Id: r1\n" in output


def test_the_profile_of_the_world_decides_route_and_token():
    """Without an option: the world says it."""
    profile = {"route.get_user_email": "GET /users/{userId}/mail-address", "auth.presentation": "?key={token}"}
    with Simulator(profile=profile).serve() as server:
        assert run("call", "get_user_email", "--as", "owner", "userId=1002", "--base-url", server.root)[0] == 0


def test_operations_of_the_control_plane_are_called_too(call):
    """Those of the two planes have no name in common."""
    assert API.operations.keys().isdisjoint(CONTROL.operations)
    assert call("advance_clock", "by=90000")[1]["now"] == 1_769_904_090_000
    assert call("advance_clock", "by=15m")[1]["now"] == 1_769_904_990_000
    assert call("add_fault", "operation=get_me", 'do={"status": 503}')[1]["id"] == "f1"


@pytest.mark.parametrize("operation", [*API.operations, *CONTROL.operations])
def test_every_operation_takes_its_parameters_and_fields(operation):
    """Each name that it declares is understood, and one that it does not declare is refused with what there is."""
    declared = API.find(operation) or CONTROL[operation]
    names = [*declared.placeholders, *declared.query_names, *(() if declared.body is None else declared.body.fields)]
    parameters, body = sorted_arguments(declared, tuple(f"{name}=1" for name in names))
    assert [*parameters, *(body or ())] == names
    if operation in ANY_FIELDS:
        assert sorted_arguments(declared, ("nonsense=1",)) == ({}, {"nonsense": 1})
    else:
        with pytest.raises(Misuse, match=operation):
            sorted_arguments(declared, ("nonsense=1",))


def test_a_dropped_connection_is_reported(call, sim):
    """As what it is, not as a missing server."""
    sim.faults.add("get_me", do={"drop": "before"})
    code, output, errors = call("get_me", "--as", "owner")
    assert (code, output) == (1, "")
    assert "closed the connection without an answer" in errors
    assert "confsim serve" not in errors


def test_a_self_signed_server_is_called_once_it_is_trusted(tmp_path, monkeypatch):
    """The refusal names the variable that trusts its certificate."""
    from confsim.http.live.certificate import context, write_self_signed

    certificate, key = write_self_signed(tmp_path, ())
    with Simulator().serve(tls=context(certificate, key)) as server:
        code, _, errors = run("clock", "--base-url", server.root)
        assert code == 1
        assert "SSL_CERT_FILE" in errors
        assert run("clock", "--base-url", server.root, SSL_CERT_FILE=str(certificate))[0] == 0


def test_names_of_operations_are_completed():
    """Of both planes."""
    from confsim.cli.live.calling import _names

    assert {each.value for each in _names(None, None, "list_m")} >= {"list_mail", "list_moments"}

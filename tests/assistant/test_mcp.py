"""The tools of assistants, called by the client of the official SDK, in process and over standard input and output.

The SDK is imported by the tests, as it takes longer than they do: a worker that only collects them needs none of it.
"""

from __future__ import annotations

import json
import os
import sys
from threading import Thread

import anyio
import jsonschema
import pytest

from confsim import Misuse, Simulator, cli, guides
from confsim.assistant import tools
from confsim.assistant.tools import TOOLS, Tools
from confsim.control.scenarios import direct
from confsim.transport.remote import RemoteTransport
from kit import ROOM
from kit.documented import BLOCK, command

pytestmark = pytest.mark.own_ways


class Assistant:
    """A client of the SDK for one call at a time."""

    def __init__(self, target):
        self._target = target

    def ask(self, question):
        """What a coroutine over the client returns."""
        from mcp.client.client import Client

        async def asking():
            with anyio.fail_after(60):
                async with Client(self._target()) as client:
                    return await question(client)

        return anyio.run(asking)

    def call(self, tool, **arguments):
        """The result of a tool; an error as text."""
        result = self.ask(lambda client: client.call_tool(tool, arguments))
        if result.is_error:
            return result.content[0].text
        assert json.loads(result.content[0].text) == result.structured_content
        return result.structured_content


def serving(transport):
    """The tools over a transport, as a server of the SDK."""
    from confsim.assistant.server import server

    return server(Tools(transport, {}))


@pytest.fixture
def assistant(sim):
    """An assistant over the world of the test, in process."""
    return Assistant(lambda: serving(direct(sim.control.context)))


def test_the_tools_say_what_they_take(assistant):
    """Each has a description, a schema that is one, and says whether it only reads."""
    listed = assistant.ask(lambda client: client.list_tools()).tools
    assert [tool.name for tool in listed] == list(TOOLS)
    for tool in listed:
        assert tool.description
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        assert tool.input_schema["type"] == "object"
        for parameter in tool.input_schema["properties"].values():
            assert parameter["description"]
    assert {tool.name for tool in listed if not tool.annotations.read_only_hint} == {"call_operation", "control_world"}


def test_operations_are_found_described_and_called(assistant):
    """The way from a word to an answer."""
    found = assistant.call("find_operations", words="handle reserve")
    first = found["operations"][0]
    assert (first["operation"], first["plane"]) == ("reserve_handle", "api")
    assert first["route"] == "POST /users/handle/reserve"
    reported = assistant.call("describe_operation", operation="reserve_handle")
    assert reported["route"] == "POST /users/handle/reserve"
    assert "handle_taken" in reported["refusals"]["409"]
    assert any("handle" in each.get("properties", {}) for each in reported["components"].values())
    answer = assistant.call("call_operation", operation="reserve_handle", caller="demo-user", body={"handle": "new"})
    assert answer["status"] == 200
    assert answer["id"] == "r1"
    assert "size.handle" in answer["assumptions"]
    assert answer["changes"][0]["table"] == "reservations"
    other = assistant.call("call_operation", operation="get_user", caller="nobody", arguments={"userId": 1004})
    assert (other["status"], other["body"]["code"]) == (401, "credential_invalid")


def test_the_world_is_steered(assistant, sim):
    """Time moves, people come, mail is read."""
    moved = assistant.call("control_world", operation="advance_clock", body={"by": "15m"})
    assert moved["answer"]["now"] == sim.clock.now
    assistant.call("control_world", operation="join_channel", body={"channel": ROOM, "userId": 1004})
    here = assistant.call("control_world", operation="list_presence", arguments={"channel": ROOM})
    assert [each["userId"] for each in here["answer"]] == [1004]
    assert assistant.call("control_world", operation="list_mail") == {"answer": []}


def test_the_journal_and_the_assumptions_are_read(assistant, sim):
    """With what another choice would have answered."""
    sim.call("get_me", "demo-user")
    sim.call("create_channel", "demo-guest", body={"name": "x"})
    calls = assistant.call("read_journal")["calls"]
    assert [call["operation"] for call in calls] == ["get_me", "create_channel"]
    assert [call["id"] for call in assistant.call("read_journal", status=403)["calls"]] == ["r2"]
    assert len(assistant.call("read_journal", limit=1)["calls"]) == 1
    used = {each["id"] for each in assistant.call("list_assumptions")["assumptions"]}
    assert "status.role-missing" in used
    concerned = assistant.call("list_assumptions", operation="create_channel", used=False)["assumptions"]
    assert "gate.create_channel" in {each["id"] for each in concerned}
    other = assistant.call("what_if", assumptions={"status.role-missing": 418})
    assert [each["would_be"]["status"] for each in other["differ"]] == [418]


def test_names_are_explained(assistant):
    """Rules, gaps, assumptions, refusals."""
    assert assistant.call("explain", name="R094")["kind"] == "rule"
    assert assistant.call("explain", name="auth.presentation")["kind"] == "assumption"


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("find_operation", {}, "there is no tool 'find_operation'; did you mean 'find_operations'?"),
        ("find_operations", {"limit": 0}, "find_operations: Expected `int` >= 1 - at `$.limit`"),
        (
            "find_operations",
            {"word": "x"},
            "find_operations: Object contains unknown field `word`; did you mean 'words'?",
        ),
        ("find_operations", {"area": "user"}, "there is no area 'user'; did you mean 'users'?"),
        (
            "describe_operation",
            {"operation": "get_mee"},
            "the api plane has no operation 'get_mee'; did you mean 'get_me'?",
        ),
        ("call_operation", {"operation": "advance_clock"}, "'advance_clock'; the control plane has one"),
        ("call_operation", {"operation": "get_user"}, "get_user needs the path parameter"),
        ("call_operation", {"operation": "get_me", "caller": 7}, "call_operation: Expected `str | null`"),
        ("control_world", {"operation": "advance_clock", "body": {"by": "soon"}}, "advance_clock: 400: "),
        ("control_world", {"operation": "advance_clok"}, "no operation 'advance_clok'; did you mean 'advance_clock'?"),
        (
            "control_world",
            {"operation": "get_me"},
            "the control plane has no operation 'get_me'; the api plane has one",
        ),
        (
            "control_world",
            {"operation": "advance_clock", "arguments": {"by": "15m"}},
            "query by: no such parameter; it is a field of the body",
        ),
        (
            "control_world",
            {"operation": "advance_clock", "body": {"bye": "15m"}},
            "unknown field `bye`; did you mean 'by'?",
        ),
        (
            "control_world",
            {"operation": "list_presence", "arguments": {"chanel": "x"}},
            "query chanel: no such parameter; did you mean 'channel'?",
        ),
        (
            "control_world",
            {"operation": "list_presence", "body": {"channel": "x"}},
            "list_presence takes no body; 'channel' is a parameter of the query",
        ),
        ("control_world", {"operation": "get_request", "arguments": {"idd": "r1"}}, "did you mean 'id'?"),
        (
            "control_world",
            {"operation": "forget_request", "arguments": {"id": "r1"}, "body": {"id": "r1"}},
            "forget_request takes no body",
        ),
        ("control_world", {"operation": "reset_world", "body": [1]}, "reset_world takes no body"),
        ("explain", {"name": "no_such_thing"}, "no_such_thing"),
        ("what_if", {"assumptions": {"no.such": 1}}, "'no.such' names no assumption"),
    ],
)
def test_wrong_use_is_reported(assistant, sim, tool, arguments, error):
    """With what was meant, so that an assistant can do better; nothing has changed."""
    before = sim.service.world
    assert error in str(assistant.call(tool, **arguments))
    assert sim.service.world is before


def test_what_the_api_ignores_is_said(assistant):
    """With what was meant."""
    answer = assistant.call(
        "call_operation",
        operation="create_api_token",
        caller="demo-customer-admin",
        arguments={"clint": "x"},
        body={"lable": "x"},
    )
    assert answer["status"] == 200
    assert answer["ignored"] == [
        "query clint: no such parameter; did you mean 'for_client'?",
        "body lable: no such field; did you mean 'label'?",
    ]


def test_a_long_result_is_cut(assistant, monkeypatch):
    """It would fill the context."""
    monkeypatch.setattr(tools, "LONGEST", 100)
    monkeypatch.setattr("confsim.assistant.server.LONGEST", 100)
    result = assistant.ask(lambda client: client.call_tool("find_operations", {}))
    assert result.structured_content is None
    assert "more characters: ask for less" in result.content[0].text


def test_the_overview_is_a_resource(assistant):
    """It names every operation; another resource there is not."""
    from mcp.shared.exceptions import MCPError

    from confsim.assistant.server import GUIDE

    assert [str(each.uri) for each in assistant.ask(lambda client: client.list_resources()).resources] == [GUIDE]
    text = assistant.ask(lambda client: client.read_resource(GUIDE)).contents[0].text
    assert text.startswith("# confsim\n")

    async def other(client):
        with pytest.raises(MCPError, match=r"there is no resource confsim://other; there is confsim://llms\.txt"):
            await client.read_resource("confsim://other")

    assistant.ask(other)


def test_a_server_elsewhere_is_worked_on(sim):
    """The tools are the same."""
    sim.call("get_me", "demo-user")
    with sim.serve() as there:
        made = RemoteTransport(there.root)
        assistant = Assistant(lambda: serving(made))
        assert [call["operation"] for call in assistant.call("read_journal")["calls"]] == ["get_me"]
        assert assistant.call("call_operation", operation="get_me", caller="demo-user")["id"] == "r2"
        made.close()


def test_the_command_of_the_guide_works_on_a_server(capsys, monkeypatch, sim):
    """The tools that it serves call the world that is there."""
    call = ("call_operation", {"operation": "get_me", "caller": "demo-user"})
    monkeypatch.setattr("confsim.assistant.server.serve", lambda tools: tools.run(*call))
    with sim.serve() as there:
        cli.main(command("assistants", "confsim", base_url=there.root))
    assert [each.operation for each in sim.requests] == ["get_me"]
    assert capsys.readouterr().err == ""


def test_a_server_that_is_not_there_is_named(capsys, monkeypatch, sim):
    """On standard error when the tools start, and by each tool that needs it; so is one that is none of confsim."""
    served = []
    monkeypatch.setattr("confsim.assistant.server.serve", served.append)
    cli.main(["mcp", "--base-url", "http://127.0.0.1:1"])
    said = "http://127.0.0.1:1 cannot be reached: "
    assert said in capsys.readouterr().err
    for tool, arguments in (("call_operation", {"operation": "get_me"}), ("read_journal", {}), ("what_if", {})):
        with pytest.raises(Misuse, match=said):
            served[0].run(tool, {"assumptions": {}} if tool == "what_if" else arguments)
    with sim.serve() as there:
        cli.main(["mcp", "--base-url", there.base_url])
        assert capsys.readouterr().err == ""
        cli.main(["mcp", "--base-url", f"{there.root}/nowhere"])
        assert "/nowhere/_confsim/health answers 404: there is no world of confsim" in capsys.readouterr().err


def test_it_speaks_over_standard_input_and_output(monkeypatch, tmp_path):
    """As the guide says to start it; in this process: what the client starts passes on what the two write."""
    from mcp.client.stdio import StdioServerParameters, stdio_client

    (text,) = [text for language, text in BLOCK.findall(guides.get("assistants").text) if language == "json"]
    documented = json.loads(text)["mcpServers"]["confsim"]
    assert documented["command"] == "confsim"
    to_server, to_client = tmp_path / "in", tmp_path / "out"
    for pipe in (to_server, to_client):
        os.mkfifo(pipe)

    def serve():
        with to_server.open() as reading, to_client.open("w") as writing:
            monkeypatch.setattr(sys, "stdin", reading)
            monkeypatch.setattr(sys, "stdout", writing)
            cli.main(documented["args"])

    server = Thread(target=serve, daemon=True)
    server.start()
    command = StdioServerParameters(command="sh", args=["-c", f"cat {to_client} & cat > {to_server}"])
    assistant = Assistant(lambda: stdio_client(command, errlog=sys.__stderr__))
    answer = assistant.call("call_operation", operation="get_me", caller="demo-owner")
    server.join(60)
    assert not server.is_alive()
    assert answer["body"]["handle"] == "Olaf Owner"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--base-url", "http://127.0.0.1:1", "--seed", "1"), "--base-url names a world that is there"),
        (("--world", "none"), "'none'"),
        (("--base-url", "nonsense"), "'nonsense' is not a server URL"),
    ],
)
def test_wrong_options_are_refused(capsys, arguments, error):
    """Before anything is served."""
    with pytest.raises(SystemExit):
        cli.main(["mcp", *arguments])
    assert error in capsys.readouterr().err


def test_without_the_sdk_the_extra_is_named(capsys, monkeypatch):
    """And how it is installed."""
    monkeypatch.setattr("confsim.cli.assisting.find_spec", lambda name: None)
    with pytest.raises(SystemExit):
        cli.main(["mcp"])
    assert "pip install 'confsim[mcp]'" in capsys.readouterr().err


def test_the_overview_has_every_operation_and_guide():
    """llms.txt, as the control plane answers it: a title, a summary, lists of links."""
    sim = Simulator()
    answer = sim.client().get("/_confsim/llms.txt")
    assert answer.content_type.startswith("text/markdown")
    lines = answer.text.splitlines()
    assert lines[0] == "# confsim"
    assert lines[2].startswith("> ")
    for each in (*sim.control("list_operations"),):
        assert any(line.startswith(f"- `{each.name}` ") for line in lines), each.name
    links = [line.split("](")[1].split(")")[0] for line in lines if line.startswith("- [")]
    for link in links:
        assert sim.client().get(link.partition("//")[2].partition("/")[2].join(["/", ""])).status_code == 200, link

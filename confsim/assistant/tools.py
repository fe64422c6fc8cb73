"""The tools of an assistant: their arguments, functions and results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

from confsim.kernel.refusal import Misuse, suggest
from confsim.transport.address import address
from confsim.transport.transport import Transport
from confsim.transport.undeclared import undeclared

from . import operations
from .finding import list_matching

#: Most characters of a result: a longer one would fill the context of an assistant, and is cut.
LONGEST = 60_000


class ToolArguments(Struct, forbid_unknown_fields=True):
    """The arguments of a tool."""


class FindOperations(ToolArguments):
    """Find operations by words, in any form: of the API, and of the control plane; the best come first.

    The control plane steers the simulated world: time, faults, people, phones, mail, the journal.
    """

    words: Annotated[str, Meta(description="What it does, such as 'reserve a handle'. Empty for all.")] = ""
    plane: Annotated[Literal["api", "control"] | None, Meta(description="Only of this plane.")] = None
    area: Annotated[str | None, Meta(description="Only of this area, such as users or breakout.")] = None
    limit: Annotated[int, Meta(ge=1, le=500, description="How many at most.")] = 40


class DescribeOperation(ToolArguments):
    """Describe how an operation is called: parameters, body, answer, refusals, who may call it."""

    operation: Annotated[str, Meta(description="The name of the operation, such as reserve_handle.")]
    plane: Annotated[Literal["api", "control"], Meta(description="The plane of the operation.")] = "api"


class Explain(ToolArguments):
    """Explain a name: a rule (R094), a gap (G353), an assumption (auth.presentation), a machine, a refusal's code."""

    name: Annotated[str, Meta(description="The name.")]


class CallOperation(ToolArguments):
    """Call an operation of the API in the simulated world; returns status, headers, body, what it changed and ignored.

    The demo world has the tokens demo-partner-admin, demo-customer-admin, demo-owner, demo-operator, demo-user,
    demo-guest, demo-api-token and demo-other-admin.
    """

    operation: Annotated[str, Meta(description="The name of the operation.")]
    caller: Annotated[str | None, Meta(description="The token of the caller, null for nobody.")] = None
    arguments: Annotated[dict[str, Any], Meta(description="Path and query parameters by name.")] = field(
        default_factory=dict
    )
    body: Annotated[Any, Meta(description="The JSON body.")] = None


class ControlWorld(ToolArguments):
    """Call an operation of the control plane: move the clock, set faults, let people join, read mail, reset.

    For example advance_clock with the body {"by": "15m"}, list_mail, or reset_world.
    """

    operation: Annotated[str, Meta(description="The name of the operation of the control plane.")]
    arguments: Annotated[dict[str, Any], Meta(description="Path and query parameters by name.")] = field(
        default_factory=dict
    )
    body: Annotated[Any, Meta(description="The JSON body.")] = None


class ReadJournal(ToolArguments):
    """Read the newest calls that were made, newest last: request, answer, assumptions used, records changed.

    ``found`` is the number of calls in the journal that match, ``dropped`` that of older calls it no longer has.
    """

    limit: Annotated[int, Meta(ge=1, le=200, description="How many of the newest.")] = 10
    operation: Annotated[str | None, Meta(description="Only calls of this operation.")] = None
    status: Annotated[int | None, Meta(description="Only calls with this status.")] = None


class ListAssumptions(ToolArguments):
    """List assumptions, which are choices that the API's documents leave open, with value in force and alternatives."""

    operation: Annotated[str | None, Meta(description="Only those that concern this operation.")] = None
    used: Annotated[bool, Meta(description="Only those that the calls of the world have used.")] = True


class WhatIfArguments(ToolArguments):
    """Replay the journal under other alternatives of assumptions: which calls would be answered otherwise, and how."""

    assumptions: Annotated[dict[str, Any], Meta(description="Alternatives by the ids of assumptions.")]


class Tool(Struct, frozen=True):
    """A tool: its name, the type of its arguments, its function, and whether it only reads."""

    name: str
    takes: type[ToolArguments]
    run: Callable[[Tools, Any], Any]
    reads: bool = True

    @property
    def description(self) -> str:
        """The description of the tool."""
        return "\n".join(line.strip() for line in (self.takes.__doc__ or "").strip().splitlines())

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        (reference,), made = msgspec.json.schema_components([self.takes], ref_template="#/$defs/{name}")
        schema: dict[str, Any] = made.pop(reference["$ref"].rpartition("/")[2])
        schema.pop("description", None)
        return {**schema, "$defs": made} if made else schema


class Tools:
    """The tools over one world, that of this process or of a server; ``profile`` determines routes and tokens."""

    def __init__(self, transport: Transport, profile: Mapping[str, Any]) -> None:
        self._transport = transport
        self._profile = profile

    def run(self, name: str, arguments: Mapping[str, Any] | None) -> Any:
        """Run a tool; return plain values. Raises Misuse for an unknown tool or invalid arguments."""
        tool = TOOLS.get(name)
        if tool is None:
            raise Misuse(f"there is no tool {name!r}{suggest(name, TOOLS)}", status=404)
        try:
            given = msgspec.convert(dict(arguments or {}), tool.takes)
        except msgspec.ValidationError as error:
            unknown = [each for each in arguments or {} if each not in tool.takes.__struct_fields__]
            meant = suggest(unknown[0], tool.takes.__struct_fields__) if unknown else ""
            raise Misuse(f"{name}: {error}{meant}") from None
        return tool.run(self, given)

    def control(self, operation: str, arguments: Mapping[str, Any], body: Any = None) -> Any:
        """Return the answer of a control operation. Raises Misuse when it refuses."""
        declared = operations.get("control", operation)
        response = self._transport.send(address(declared, arguments, {}, body=body, content_type=_type(body)))
        answer = _value(response.body)
        if response.status >= 400:
            detail = answer.get("detail", answer) if isinstance(answer, dict) else answer
            raise Misuse(f"{operation}: {response.status}: {detail}", status=response.status)
        return answer

    # The functions of the tools

    def search(self, given: FindOperations) -> Any:
        """Return short descriptions of operations."""
        if given.area is not None:
            areas = [area for catalogue in operations.PLANES.values() for area in catalogue.areas]
            if given.area not in areas:
                raise Misuse(f"there is no area {given.area!r}{suggest(given.area, areas)}", status=404)
        found = list(list_matching(given.words, operations.PLANES, given.plane, given.area))
        listed = [
            {
                "operation": each.name,
                "plane": plane,
                "area": each.area,
                "route": " ".join(each.route(self._profile if plane == "api" else {})),
                "summary": each.summary,
            }
            for plane, each in found[: given.limit]
        ]
        return {"operations": listed, "found": len(found)}

    def describe(self, given: DescribeOperation) -> Any:
        """Return the full description of an operation."""
        return operations.described(given.plane, given.operation, self._profile)

    def explain(self, given: Explain) -> Any:
        """Return the explanation of a name."""
        return self.control("get_explanation", {"name": given.name})

    def call(self, given: CallOperation) -> Any:
        """Make an API call; return the answer and its journal entry."""
        declared = operations.get("api", given.operation)
        made = address(
            declared,
            given.arguments,
            self._profile,
            body=given.body,
            content_type=_type(given.body),
            token=given.caller,
        )
        try:
            response = self._transport.send(made)
        except ConnectionResetError:
            return {"status": None, "dropped": "a fault dropped the connection"}
        headers = dict(response.headers)
        answer = {"status": response.status, "headers": headers, "body": _value(response.body)}
        id = headers.get("X-Confsim-Request-Id")
        if id is not None:
            noted = self.control("get_request", {"id": id})
            answer |= {"id": id, "assumptions": noted["assumptions"], "changes": noted["changes"]}
            ignored = noted["ignored"]
            unknown = [text for _, text in undeclared(declared, ignored["query"], ignored["body"])]
            answer |= {"ignored": unknown} if unknown else {}
        return answer

    def steer(self, given: ControlWorld) -> Any:
        """Call a control operation."""
        return {"answer": self.control(given.operation, given.arguments, given.body)}

    def journal(self, given: ReadJournal) -> Any:
        """Return the newest calls."""
        wanted = {"operation": given.operation, "status": given.status}
        counted = self.control("count_requests", {}, wanted)
        calls = self.control("list_requests", {**wanted, "limit": given.limit})
        return {"calls": calls, "found": counted["count"], "dropped": counted["dropped"]}

    def assumptions(self, given: ListAssumptions) -> Any:
        """Return assumptions with their values."""
        found = self.control("list_assumptions", {"operation": given.operation})
        if given.used:
            found = [each for each in found if each["used"]]
        elif given.operation is not None:  # without those of every operation
            found = [each for each in found if given.operation in each["operations"]]
        return {"assumptions": [{name: each[name] for name in _SHORT} for each in found]}

    def what_if(self, given: WhatIfArguments) -> Any:
        """Return the answers that differ under other alternatives."""
        return self.control("ask_what_if", {}, {"assumptions": given.assumptions})


def _type(body: Any) -> str | None:
    return None if body is None else "application/json"


def _value(raw: bytes) -> Any:
    """Return a body as a JSON value, else as a text, else as a remark on its size."""
    if not raw:
        return None
    try:
        return msgspec.json.decode(raw)
    except (ValueError, RecursionError):
        pass
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return f"{len(raw)} bytes"


#: The fields of an assumption for assistants; ``explain`` has the rest.
_SHORT = ("id", "statement", "value", "default", "alternatives", "used")
#: Every tool by its name.
TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool("find_operations", FindOperations, Tools.search),
        Tool("describe_operation", DescribeOperation, Tools.describe),
        Tool("explain", Explain, Tools.explain),
        Tool("call_operation", CallOperation, Tools.call, reads=False),
        Tool("control_world", ControlWorld, Tools.steer, reads=False),
        Tool("read_journal", ReadJournal, Tools.journal),
        Tool("list_assumptions", ListAssumptions, Tools.assumptions),
        Tool("what_if", WhatIfArguments, Tools.what_if),
    )
}


def as_text(result: Any) -> str:
    """Return a result as JSON text, cut when it is too long."""
    text = msgspec.json.encode(result, enc_hook=str).decode()
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}… ({len(text) - LONGEST} more characters: ask for less)"

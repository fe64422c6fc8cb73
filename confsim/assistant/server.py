"""The MCP server of the tools, by the official SDK."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.to_thread
import msgspec
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from confsim.kernel.refusal import Misuse, Refusal
from confsim.version import __version__

from .tools import LONGEST, TOOLS, Tools, as_text

GUIDE = "confsim://llms.txt"
INSTRUCTIONS = (
    "confsim simulates a web-conferencing REST API. Find operations, describe one before you call it, call it as the "
    "holder of a token, and steer the world (time, faults, people) by the control plane. What the API's documents "
    f"leave open is a named assumption: each call names those that it relied on. {GUIDE} is an overview."
)


def server(tools: Tools) -> Server[Any]:
    """Return a server of these tools, which are run one at a time."""
    turn = anyio.CapacityLimiter(1)

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool.name,
                    description=tool.description,
                    input_schema=tool.schema,
                    annotations=types.ToolAnnotations(read_only_hint=tool.reads, open_world_hint=False),
                )
                for tool in TOOLS.values()
            ]
        )

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        def run() -> Any:
            return tools.run(params.name, params.arguments)

        try:
            result = await anyio.to_thread.run_sync(run, limiter=turn)
        except (Misuse, Refusal) as refusal:
            return types.CallToolResult(content=[types.TextContent(text=str(refusal))], is_error=True)
        text = as_text(result)
        plain = msgspec.to_builtins(result, enc_hook=str) if len(text) <= LONGEST else None
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=plain)

    async def list_resources(_context: Any, _params: Any) -> types.ListResourcesResult:
        about = types.Resource(uri=GUIDE, name="llms.txt", description="What confsim is.", mime_type="text/markdown")
        return types.ListResourcesResult(resources=[about])

    async def read_resource(_context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        if str(params.uri) != GUIDE:
            raise MCPError(types.INVALID_PARAMS, f"there is no resource {params.uri}; there is {GUIDE}")
        text = await anyio.to_thread.run_sync(lambda: tools.control("get_llms_text", {}), limiter=turn)
        whole = types.TextResourceContents(uri=GUIDE, mime_type="text/markdown", text=text)
        return types.ReadResourceResult(contents=[whole])

    return Server(
        "confsim",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


def serve(tools: Tools) -> None:
    """Serve the tools over standard input and output until the client disconnects."""

    async def main() -> None:
        made = server(tools)
        async with stdio_server() as (reading, writing):
            await made.run(reading, writing, made.create_initialization_options())

    anyio.run(main)

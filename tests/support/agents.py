"""An agent that calls tools of the server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import jsonschema
from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def call(client: Client, name: str, /, **arguments: Any) -> Any:
    """Return what a tool answers, which is as its schema has it."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    (tool,) = [tool for tool in (await client.list_tools()).tools if tool.name == name]
    jsonschema.validate(result.structured_content, tool.output_schema)
    return result.structured_content


async def refused(client: Client, name: str, /, **arguments: Any) -> str:
    """Return what a tool says when it does not answer."""
    result = await client.call_tool(name, arguments)
    assert result.is_error
    return str(result.content[0].text).removeprefix(f"Error executing tool {name}: ")


@asynccontextmanager
async def keyed(url: str, key: str) -> AsyncIterator[Client]:
    http = create_mcp_http_client({"Authorization": f"Bearer {key}"})
    async with http, Client(streamable_http_client(url, http_client=http)) as client:
        yield client

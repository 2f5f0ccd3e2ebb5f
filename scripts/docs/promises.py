"""Write what the interfaces promise: ``python -m scripts.docs.promises > schema/promises.txt``."""

import asyncio
import sys
from collections.abc import Iterator

from prometheus_client.metrics import MetricWrapperBase

from papergraph.settings import known_settings
from papergraph.telemetry import metrics
from schema.promises import promises_of_openapi, promises_of_tool
from scripts.docs.json_output import promises_of_commands
from server.mcp.server import server_of
from server.rest.router import description


def text() -> str:
    """Return the promises as the file holds them: sorted lines, each once."""
    return "".join(f"{line}\n" for line in sorted({*_all()}))


def _all() -> Iterator[str]:
    yield from promises_of_openapi(description())
    server = server_of(lambda _: (_ for _ in ()).throw(LookupError("no call is made")), with_cypher=True)
    for tool in asyncio.run(server.list_tools()):
        yield from promises_of_tool(tool.name, tool.input_schema, tool.output_schema)
    for setting in known_settings():
        yield f"setting {'.'.join(setting.path)} is there"
    yield from promises_of_commands()
    for metric in vars(metrics).values():
        if isinstance(metric, MetricWrapperBase):
            yield f"metric {metric._name} has the labels {', '.join(metric._labelnames) or 'none'}"


if __name__ == "__main__":
    sys.stdout.write(text())

"""``papergraph mcp``: the Model Context Protocol over standard input and output."""

import asyncio

from cli.common import service, settings
from cli.groups import Group, Section, new_app

app = new_app()


@app.command()
def mcp() -> None:
    """Serve MCP over standard input and output.

    An agent starts this command and speaks the Model Context Protocol with it.
    """
    from cli import serve_running as running
    from papergraph.store import open_store

    chosen = settings()
    with service(chosen, "mcp") as progress, open_store(chosen, progress=progress) as address:
        asyncio.run(running.serve_stdio(chosen, address, progress=progress))


GROUP = Group("mcp", Section.START, 13, app, top=True)

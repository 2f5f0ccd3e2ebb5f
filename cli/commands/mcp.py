"""``papergraph mcp``: the Model Context Protocol over standard input and output."""

import asyncio

from papergraph.cli.common import service, settings
from papergraph.cli.groups import Group, Section, new_app

app = new_app()


@app.command()
def mcp() -> None:
    """Serve MCP over standard input and output.

    An agent starts this command and speaks the Model Context Protocol with it. A running server answers, if there is
    one that accepts the key of the settings; otherwise the command opens the store itself.
    """
    from papergraph.cli.mcp_bridge import accepts, bridge
    from papergraph.server.process.server_file import find_server

    chosen = settings()
    key = chosen.api_key.get_secret_value()
    url = chosen.url or find_server(chosen.home, neo4j_uri=chosen.neo4j.uri)
    if url and (chosen.url or accepts(url, key=key)):
        return bridge(url, key=key)

    from papergraph.cli import serve_running as running
    from papergraph.store import open_store

    with service(chosen, "mcp") as progress, open_store(chosen, progress=progress) as address:
        asyncio.run(running.serve_stdio(chosen, address, progress=progress))
    return None


GROUP = Group("mcp", Section.START, 13, app, top=True)

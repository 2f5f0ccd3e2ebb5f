"""``papergraph serve``: the API server."""

import asyncio
from typing import Annotated

import typer

from papergraph.cli.common import service, settings
from papergraph.cli.groups import Group, Section, new_app

Host = Annotated[str | None, typer.Option(help="Address to listen on [127.0.0.1]; others require API keys.")]
Port = Annotated[int | None, typer.Option(help="Port to listen on [8000].", min=1, max=65535)]
Processes = Annotated[int | None, typer.Option(help="Number of server processes [1].", min=1, max=64)]

app = new_app()


@app.command(epilog="Example: papergraph serve --port 8080 --processes 2")
def serve(host: Host = None, port: Port = None, processes: Processes = None) -> None:
    """Start the API server.

    Serve GraphQL, REST, MCP and the OpenAI interface until Ctrl-C.
    """
    from papergraph.server.auth.server_limits import ServerLimits
    from papergraph.server.process.sockets import listen

    chosen = settings()
    host = host or chosen.server.host
    sock = listen(host, port or chosen.server.port, policy=ServerLimits.of(chosen))  # refused before the long imports
    from papergraph.cli import serve_running as running
    from papergraph.store import open_store

    with service(chosen, "server") as progress, sock, open_store(chosen, progress=progress) as address:
        n = processes or chosen.server.processes
        serving_it = (
            running.serve(chosen, address, sock, host=host, progress=progress)
            if n == 1
            else running.serve_by_processes(chosen, address, sock, n, host=host, progress=progress)
        )
        asyncio.run(serving_it)


GROUP = Group("serve", Section.START, 12, app, top=True)

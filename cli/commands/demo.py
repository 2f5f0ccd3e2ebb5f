"""``papergraph demo``: a server with the sample papers."""

import asyncio
import socket
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.cli.common import service, settings
from papergraph.cli.groups import Group, Section, new_app
from papergraph.errors import InputError

if TYPE_CHECKING:
    from papergraph.settings import Settings

FIRST_QUERY = "How many physical qubits does a distance-7 surface code patch need?"

app = new_app()


@app.command()
def demo(
    port: Annotated[int | None, typer.Option(help="Port [8000 or the next free one].", min=1, max=65535)] = None,
    once: Annotated[bool, typer.Option("--once", help="Exit after the first search.")] = False,
) -> None:
    """Start a server with the sample papers.

    Set up everything, ingest the samples, run one search, and serve until Ctrl-C.
    """
    from papergraph.store import open_store

    chosen = quiet_on_a_terminal(settings(), is_terminal=sys.stderr.isatty())
    if port is not None:
        chosen = chosen.replace(server={"port": port})
        _refuse_taken(chosen.server.host, port)
    with service(chosen, "server") as progress, open_store(chosen, meanwhile=_load, progress=progress) as address:
        from papergraph.cli import serve_running as running

        asyncio.run(running.run(chosen, address, query=FIRST_QUERY, once=once, progress=progress))


def quiet_on_a_terminal(chosen: "Settings", *, is_terminal: bool) -> "Settings":
    """Return settings that log errors only, where a terminal shows the steps and no level is set."""
    return (
        chosen.replace(log={"level": "error"}) if is_terminal and "level" not in chosen.log.model_fields_set else chosen
    )


def _refuse_taken(host: str, port: int) -> None:
    """Refuse a port in use before Neo4j starts; the server itself binds it later."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, port))
        except OSError as error:
            raise InputError(f"Port {port} on {host} is in use. Choose another with --port.", field="port") from error


def _load() -> None:
    """Import what serving needs while Neo4j starts, which takes two seconds."""
    import papergraph.cli.serve_running  # noqa: F401


GROUP = Group("demo", Section.START, 11, app, top=True)

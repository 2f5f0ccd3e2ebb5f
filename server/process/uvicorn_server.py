"""Listen on an address, and serve until told to stop."""

import asyncio
import gc
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn

from server.access.policy import Policy, refuse_open_address
from server.app import ANYTHING, MAX_BODY_BYTES, create_app
from server.graphql.rules import Rules
from server.listening import Server, ended_by_signals, listening, started
from server.service import Service

SHUTDOWN_S = 10


def listen(host: str, port: int, *, next_free: bool = False, policy: Policy = ANYTHING) -> socket.socket:
    """Return a socket that listens on an address.

    Args:
        host: ``localhost`` or an address.
        port: Port to listen on; 0 takes any.
        next_free: Take the next free port when ``port`` is taken.
        policy: Who is answered.

    Raises:
        InputError: The address must not be listened on so, or cannot be, or the port is taken.
    """
    refuse_open_address(host, policy)
    return listening(host, port, chosen_by="--port", next_free=next_free)


@asynccontextmanager
async def serving(
    service: Service, sock: socket.socket, policy: Policy = ANYTHING, rules: Rules | None = None
) -> AsyncIterator[asyncio.Task[None]]:
    """Serve in the background while the context is open; the task given ends when the server is told to stop."""
    config = uvicorn.Config(
        create_app(service, policy, rules),
        log_config=None,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=SHUTDOWN_S,
        lifespan="off",
        ws="websockets-sansio",
        ws_max_size=MAX_BODY_BYTES,
        server_header=False,
    )
    server = Server(config)
    with ended_by_signals(server):
        task = asyncio.create_task(server.serve(sockets=[sock]))
        try:
            await started(server, task)
            gc.collect()
            gc.freeze()  # what the start has made stays; to walk through it again and again stops all answers for 0.3 s
            yield task
        finally:
            gc.unfreeze()
            server.should_exit = True
            await task

"""Serve on a socket until told to stop."""

import asyncio
import gc
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn

from papergraph.driver_waits import wait_without_tasks
from server.app import MAX_BODY_BYTES, create_app
from server.auth.server_limits import ANYTHING, ServerLimits
from server.graphql.options import Rules
from server.process.http_protocol import PromptHeadProtocol
from server.process.sockets import Server, ended_by_signals, started
from server.service import Service
from server.shared_counters import Shared

SHUTDOWN_S = 10
BACKLOG = 2048
"""Connections that wait to be taken."""


@asynccontextmanager
async def serving(
    service: Service,
    sock: socket.socket,
    policy: ServerLimits = ANYTHING,
    rules: Rules | None = None,
    shared: Shared | None = None,
) -> AsyncIterator[asyncio.Task[None]]:
    """Serve in the background while the context is open; the task given ends when the server is told to stop.

    ``shared`` is what the processes of a server count together, None where there is one. Of several, each takes one
    connection at a time off the socket, so that a burst of them does not end up with whichever comes first.
    """
    wait_without_tasks()
    config = uvicorn.Config(
        create_app(service, policy, rules, shared),
        backlog=BACKLOG if shared is None else 1,
        log_config=None,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=SHUTDOWN_S,
        lifespan="off",
        ws="websockets-sansio",
        ws_max_size=MAX_BODY_BYTES,
        http=PromptHeadProtocol,
        proxy_headers=bool(policy.proxies),
        forwarded_allow_ips=list(policy.proxies),
        server_header=False,
    )
    server = Server(config)
    with ended_by_signals(server):
        task = asyncio.create_task(server.serve(sockets=[sock]))
        try:
            await started(server, task)
            sock.listen(BACKLOG)  # the loop has made it as short as what it takes at a time
            gc.collect()
            gc.freeze()  # what the start has made stays; to walk through it again and again stops all answers for 0.3 s
            yield task
        finally:
            server.should_exit = True
            await task

"""Tell the metrics of a process on a port of their own, beside what it does."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from papergraph.database import Database
from papergraph.local_neo4j.state import states
from papergraph.server.auth.server_limits import is_loopback
from papergraph.settings import Settings

log = logging.getLogger(__name__)


@asynccontextmanager
async def telling_metrics(settings: Settings, database: Database | None = None) -> AsyncIterator[None]:
    """Serve the metrics of this process on a separate port, if configured, while the context is open.

    Args:
        settings: Settings with the address.
        database: Store whose ledger is reported too; None for processes beside the server.

    Raises:
        InputError: The port is taken.
    """
    if (wanted := settings.metrics.host_and_port) is None:
        yield
        return
    import uvicorn

    from papergraph.server.process.sockets import Server, listening, started
    from papergraph.server.rest.monitoring import Exposition, metrics_app

    host, port = wanted
    if not is_loopback(host):
        log.warning("metrics are told to whoever reaches %s, port %s: no key is asked for there", host, port)
    with listening(host, port, chosen_by="PAPERGRAPH_METRICS_ADDRESS") as sock:
        app = metrics_app(Exposition(database, partial(states, settings), settings.backup.dir), host=host)
        config = uvicorn.Config(
            app, log_config=None, log_level="warning", access_log=False, lifespan="off", server_header=False
        )
        server = Server(config)
        task = asyncio.create_task(server.serve(sockets=[sock]))
        try:
            await started(server, task)
            yield
        finally:
            server.should_exit = True
            await task

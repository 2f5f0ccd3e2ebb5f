"""Listen on a loopback address, and serve until told to stop."""

import asyncio
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn

from papergraph.errors import InputError
from server.app import create_app, refuse_open_address
from server.service import Service

PORTS_TRIED = 50
SHUTDOWN_S = 10


class Server(uvicorn.Server):
    """A uvicorn server that leaves signals to us: the one it has would end the process before Neo4j is stopped."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle no signals."""
        yield


def listen(host: str, port: int, *, next_free: bool = False) -> socket.socket:
    """Return a socket that listens on a loopback address.

    Args:
        host: ``localhost`` or a loopback address.
        port: Port to listen on; 0 takes any.
        next_free: Take the next free port when ``port`` is taken.

    Raises:
        InputError: The address is not a loopback one, or the port is taken.
    """
    refuse_open_address(host)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in range(port, port + (PORTS_TRIED if next_free else 1)):
        sock = socket.socket(family, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, candidate))
            sock.listen()  # a port that is only bound, another server can still take
        except OSError:
            sock.close()
        else:
            return sock
    raise InputError(f"port {port} on {host} is taken; choose another with --port", field="port")


def url_of(sock: socket.socket) -> str:
    """Return the address that a listening socket is reached at."""
    host, port = sock.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@asynccontextmanager
async def serving(service: Service, sock: socket.socket) -> AsyncIterator[asyncio.Task[None]]:
    """Serve in the background while the context is open; the task given ends when the server is told to stop."""
    config = uvicorn.Config(
        create_app(service), log_level="warning", timeout_graceful_shutdown=SHUTDOWN_S, lifespan="off", ws="none"
    )
    server = Server(config)
    loop = asyncio.get_running_loop()

    def stop() -> None:
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    task = asyncio.create_task(server.serve(sockets=[sock]))
    try:
        while not server.started and not task.done():  # noqa: ASYNC110 uvicorn offers nothing to wait for
            await asyncio.sleep(0.01)
        yield task
    finally:
        stop()
        await task
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)

"""Listening sockets, and a uvicorn server without signal handlers."""

import asyncio
import errno
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from papergraph.errors import InputError
from papergraph.server.auth.server_limits import ANYTHING, ServerLimits, refuse_open_address

PORTS_TRIED = 50
ENDING = (signal.SIGINT, signal.SIGTERM)


class Server(uvicorn.Server):
    """A uvicorn server that leaves signals to us: the one it has would end the process before Neo4j is stopped."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle no signals."""
        yield


def listening(host: str, port: int, *, chosen_by: str, next_free: bool = False) -> socket.socket:
    """Return a socket that listens on an address.

    Args:
        host: ``localhost`` or an address.
        port: Port to listen on; 0 takes any.
        chosen_by: The option or setting that chooses another port.
        next_free: Take the next free port when ``port`` is taken.

    Raises:
        InputError: The address cannot be listened on, or the port is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in range(port, port + (PORTS_TRIED if next_free else 1)):
        # asyncio turns Nagle's algorithm off only where TCP is named; two pieces of an answer wait 40 ms with it
        sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, candidate))
            sock.listen()  # a port that is only bound, another server can still take
        except OSError as error:
            reason = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be used: {error.strerror}"
            sock.close()
        else:
            return sock
    raise InputError(f"Port {port} on {host} {reason}. Choose another with {chosen_by}.", field="port")


def listen(host: str, port: int, *, next_free: bool = False, policy: ServerLimits = ANYTHING) -> socket.socket:
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


def url_of(sock: socket.socket) -> str:
    """Return the address that a listening socket is reached at."""
    host, port = sock.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 of all addresses the one that is always there
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def ended_by_signals(server: Server) -> Iterator[None]:
    """Have SIGINT and SIGTERM end a server while the context is open; what is under way is finished."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        server.should_exit = True

    for number in ENDING:
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in ENDING:
            loop.remove_signal_handler(number)


async def started(server: Server, task: "asyncio.Task[None]") -> None:
    """Return when a server answers, or has ended."""
    while not server.started and not task.done():  # noqa: ASYNC110 uvicorn offers nothing to wait for
        await asyncio.sleep(0.01)

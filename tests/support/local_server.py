"""Base of the HTTP servers that tests play on the loopback interface."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


class QuietHandler(BaseHTTPRequestHandler):
    """Handler without a log, on connections that stay open."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


class _Threads(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 100

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that leave."""


class LocalServer:
    """Server on a free port, which runs while its context is open."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._server = _Threads(("127.0.0.1", 0), handler)
        self.port = self._server.server_port
        self.address = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

"""A server of HTTP that fails: the first part of the path names the fault, so that any client can be led to it."""

import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.support.local_server import LocalServer, QuietHandler

SOURCES = 'event: sources\ndata: {"sources": []}\n\n'
DELTA = 'event: delta\ndata: {"text": "Half of "}\n\n'
HITS: Mapping[str, Any] = {"hits": [], "pipeline": "default", "queries": [], "data": [], "id": "a", "kind": "answer"}
SILENCE_S = 6.0
"""How long the server says nothing: longer than the timeout of the clients."""


def problem(status: int, code: str) -> bytes:
    """Return a problem of RFC 9457."""
    told = {"type": "x", "title": "x", "status": status, "detail": "Not now.", "instance": "/", "code": code}
    return json.dumps({**told, "requestId": "r1", "errors": []}).encode()


class Handler(QuietHandler):
    """Answers by the fault that the path names."""

    lock: threading.Lock
    seen: dict[str, list[str | None]]
    """Requests of each fault."""

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer()

    def _answer(self) -> None:
        fault = self.path.split("/")[1]
        if fault == "seen":
            return self.whole(200, json.dumps(self.seen[self.path.split("/")[2]]).encode())
        with self.lock:
            self.seen[fault].append(self.headers.get("Idempotency-Key"))
            n = len(self.seen[fault])
        self.close_connection = True
        FAULTS[fault.partition("~")[0]](self, n)
        return None

    def whole(self, status: int, body: bytes, kind: str = "application/problem+json", **headers: str) -> None:
        """Write a whole answer."""
        self.send_response(status)
        own = {"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"}
        for name, value in {**own, **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def fine(self) -> None:
        """Write an answer that every call can use."""
        self.whole(200, json.dumps(HITS).encode(), "application/json")

    def begun(self, kind: str, body: bytes, length: int | None = None) -> None:
        """Write the beginning of an answer, with its length or until the connection ends."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()


def _trickle(handler: Handler, n: int) -> None:
    handler.begun("application/json", b"{", 10**6)
    for _ in range(int(SILENCE_S * 10)):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.1)


def _silent_stream(handler: Handler, n: int) -> None:
    handler.begun("text/event-stream", (SOURCES + DELTA).encode())
    time.sleep(SILENCE_S)


def _once(status: int, code: str, **headers: str) -> Callable[[Handler, int], None]:
    return lambda handler, n: handler.whole(status, problem(status, code), **headers) if n == 1 else handler.fine()


def _always(status: int, code: str, **headers: str) -> Callable[[Handler, int], None]:
    return lambda handler, n: handler.whole(status, problem(status, code), **headers)


FAULTS: Mapping[str, Callable[[Handler, int], None]] = {
    "silent": lambda handler, n: time.sleep(SILENCE_S),
    "trickle": _trickle,
    "closed": lambda handler, n: None,
    "cut": lambda handler, n: handler.begun("application/json", b'{"hits": [', 1000),
    "busy-once": _once(429, "RATE_LIMITED", Retry_After="0"),
    "busy": _always(429, "RATE_LIMITED", Retry_After="0"),
    "busy-for-long": _always(429, "RATE_LIMITED", Retry_After="3600"),
    "away-once": _once(503, "UNAVAILABLE", Retry_After="0"),
    "away": _always(503, "UNAVAILABLE"),
    "late": _always(504, "TIMEOUT"),
    "internal": _always(500, "INTERNAL"),
    "new-code": _always(418, "SOMETHING_NEW"),
    "proxy": lambda handler, n: handler.whole(502, b"<html>Bad gateway</html>", "text/html"),
    "page": lambda handler, n: handler.whole(200, b"<html>Log in</html>", "text/html"),
    "stream-broken": lambda handler, n: handler.begun("text/event-stream", (SOURCES + DELTA).encode(), 10**6),
    "stream-ended": lambda handler, n: handler.begun("text/event-stream", (SOURCES + DELTA).encode()),
    "stream-silent": _silent_stream,
    "stream-damaged": lambda handler, n: handler.begun("text/event-stream", b"event: delta\ndata: {\n\n"),
    "stream-revoked": lambda handler, n: handler.begun(
        "text/event-stream",
        (SOURCES + DELTA).encode() + b"event: problem\ndata: " + problem(401, "UNAUTHENTICATED") + b"\n\n",
    ),
}


@contextmanager
def fault_server() -> Iterator[str]:
    """Give the address of a running server of faults."""
    of_this_server = {"lock": threading.Lock(), "seen": defaultdict(list)}
    with LocalServer(type("CountingHandler", (Handler,), of_this_server)) as server:
        yield server.address

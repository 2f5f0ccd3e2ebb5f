"""Maven repository on 127.0.0.1."""

import contextlib
import hashlib
import re
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler

from papergraph.maven import Jar
from tests.support.local_server import LocalServer, QuietHandler


class Repository(LocalServer):
    """A small Maven repository on 127.0.0.1 that can be made to misbehave."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[tuple[str, str | None]] = []
        self.refusals: Counter[str] = Counter()
        self.cut_after: dict[str, int] = {}
        self.pauses_s: dict[str, float] = {}
        self.half_sent = threading.Event()
        self.knows_ranges = True
        repository = self

        class Handler(QuietHandler):
            protocol_version = "HTTP/1.0"

            def do_GET(self) -> None:
                repository.answer(self)

        super().__init__(Handler)
        self.url = f"{self.address}/maven"

    def holds(self, name: str, content: bytes) -> Jar:
        path = f"org/example/{name}/1/{name}-1.jar"
        self.files[f"/maven/{path}"] = content
        return Jar(name=f"lib/{name}-1.jar", path=path, sha256=hashlib.sha256(content).hexdigest())

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        wanted = request.headers.get("Range")
        self.asked.append((request.path, wanted))
        if self.refusals[request.path] > 0:
            self.refusals[request.path] -= 1
            return self.send(request, 503)
        content, pause_s = self.files.get(request.path), self.pauses_s.get(request.path)
        if pause_s and content is not None:
            return self.send_slowly(request, content, pause_s=pause_s)
        if pause_s:  # of what is not there: until another one is on its way
            self.half_sent.wait(10)
            time.sleep(pause_s)
        if content is None:
            return self.send(request, 404)
        if wanted is None or not self.knows_ranges:
            return self.send(request, 200, content, cut=self.cut_after.pop(request.path, None))
        first = int(re.fullmatch(r"bytes=(\d+)-", wanted).group(1))
        if first >= len(content):
            return self.send(request, 416)
        return self.send(request, 206, content[first:])

    @staticmethod
    def send(request: BaseHTTPRequestHandler, status: int, content: bytes = b"", cut: int | None = None) -> None:
        request.send_response(status)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content[:cut])

    def send_slowly(self, request: BaseHTTPRequestHandler, content: bytes, *, pause_s: float) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content[: len(content) // 2])
        self.half_sent.set()
        time.sleep(pause_s)
        with contextlib.suppress(ConnectionError):
            request.wfile.write(content[len(content) // 2 :])

"""A web site on this machine, with pages, redirects, refusals and slowness as a test says, that notes requests."""

import time
from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

from tests.support.local_server import LocalServer, QuietHandler


class Site(LocalServer):
    """Serves ``pages`` by path; a path with a query of its own comes before the same without one."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}
        self.answers: dict[str, Callable[[dict[str, str]], bytes]] = {}
        """By path, what makes a page of a query."""

        self.types: dict[str, str] = {}
        self.redirects: dict[str, str] = {}
        self.statuses: dict[str, int] = {}
        self.extra: dict[str, dict[str, str]] = {}
        self.chunked: set[str] = set()
        self.drip_s: dict[str, float] = {}
        self.busy: dict[str, int] = {}
        """How often a path is still answered with 503."""

        self.requests: list[str] = []
        self.headers: list[dict[str, str]] = []
        super().__init__(_handler(self))

    def url(self, path: str) -> str:
        return f"{self.address}{path}"


def _handler(site: Site) -> type[QuietHandler]:
    class Handler(QuietHandler):
        def do_GET(self) -> None:
            site.requests.append(self.path)
            site.headers.append({name.lower(): value for name, value in self.headers.items()})
            path = self.path if self.path in site.pages else urlsplit(self.path).path
            body = site.pages.get(path)
            if answer := site.answers.get(path):
                body = answer(dict(parse_qsl(urlsplit(self.path).query)))
            status = site.statuses.get(path, 200 if body is not None else 404)
            if path in site.redirects:
                status = 302
            if site.busy.get(path, 0) > 0:
                site.busy[path] -= 1
                status = 503
            self.send_response(status)
            for name, value in site.extra.get(path, {}).items():
                self.send_header(name, value)
            if path in site.redirects:
                self.send_header("Location", site.redirects[path])
            self.send_header("Content-Type", site.types.get(path, "text/html; charset=utf-8"))
            self.send_header("Connection", "close")
            content = body if status == 200 and body is not None else b"Sorry."
            if path not in site.chunked:
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.close_connection = True
            try:
                self._send(content, site.drip_s.get(path, 0.0))
            except OSError:
                return  # the other side had enough

        def _send(self, content: bytes, drip_s: float) -> None:
            if not drip_s:
                self.wfile.write(content)
                return
            for number in range(len(content)):
                self.wfile.write(content[number : number + 1])
                self.wfile.flush()
                time.sleep(drip_s)

    return Handler

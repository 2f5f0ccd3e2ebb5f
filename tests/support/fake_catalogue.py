"""OpenAlex, Crossref and arXiv on this machine: lists of works by pages, with faults of single requests."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.support.fake_arxiv import ENTRY, FEED
from tests.support.local_server import LocalServer, QuietHandler

Answer = dict[str, Any]


@dataclass(frozen=True)
class Fault:
    """What a request is answered with instead.

    Attributes:
        status: Status of HTTP.
        headers: Headers beside the usual ones.
        body: Makes the bytes of the true answer other ones.
        lacking: Bytes that the answer announces and does not send.
        before: Changes the catalogue before it answers.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Callable[[bytes], bytes] = lambda data: data
    lacking: int = 0
    before: Callable[["FakeCatalogue"], None] = lambda catalogue: None


class FakeCatalogue(LocalServer):
    """Serves ``titles`` in the form of each catalogue; ``faults`` by the number of the request, from 1."""

    def __init__(self, n: int = 250) -> None:
        self.titles = [f"The tides of harbour number {one:04}" for one in range(n)]
        self.faults: dict[int, Fault] = {}
        self.key = ""
        """Key without which OpenAlex refuses cursors."""
        self.requests: list[str] = []
        super().__init__(_handler(self))

    def answer(self, path: str, asked: dict[str, str]) -> bytes:
        """Return the answer of a catalogue to a request."""
        if path.startswith("/openalex"):
            return json.dumps(self._openalex(asked)).encode()
        if path.startswith("/crossref"):
            start, rows = int(asked["offset"]), int(asked["rows"])
            works = [
                {"DOI": f"10.1000/{title[-4:]}", "title": [title], "author": [{"family": "Moon"}]}
                for title in self.titles[start : start + rows]
            ]
            return json.dumps({"message": {"items": works, "total-results": len(self.titles)}}).encode()
        start, n = int(asked["start"]), int(asked["max_results"])
        shown = self.titles[start : start + n]
        entries = "".join(ENTRY.format(id=f"2601.0{one[-4:]}", version=1, title=one, comment="") for one in shown)
        return FEED.format(query="", n=n, total=len(self.titles), start=start, entries=entries).encode()

    def _openalex(self, asked: dict[str, str]) -> Answer:
        n = int(asked["per-page"])
        if cursor := asked.get("cursor"):
            start = 0 if cursor == "*" else int(cursor)
        else:
            start = (int(asked["page"]) - 1) * n
        works = [
            {
                "id": f"https://openalex.org/W{title[-4:]}",
                "doi": f"https://doi.org/10.1000/{title[-4:]}",
                "title": title,
                "publication_year": 2026,
                "authorships": [{"author": {"display_name": "A. Moon"}}],
            }
            for title in self.titles[start : start + n]
        ]
        following = str(start + n) if cursor and works else None
        return {"meta": {"count": len(self.titles), "next_cursor": following}, "results": works}

    def refuses(self, path: str, asked: dict[str, str]) -> bool:
        """Return whether a cursor comes without the right key."""
        return path.startswith("/openalex") and "cursor" in asked and asked.get("api_key") != self.key


def _handler(catalogue: FakeCatalogue) -> type[QuietHandler]:
    class Handler(QuietHandler):
        def do_GET(self) -> None:
            catalogue.requests.append(self.path)
            fault = catalogue.faults.get(len(catalogue.requests), Fault())
            fault.before(catalogue)
            path, asked = urlsplit(self.path).path, dict(parse_qsl(urlsplit(self.path).query))
            status = 401 if catalogue.refuses(path, asked) else fault.status
            body = fault.body(catalogue.answer(path, asked)) if status == 200 else b"{}"
            self.send_response(status)
            for name, value in fault.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body) + fault.lacking))
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            self.wfile.write(body)

    return Handler

"""OpenAlex, Crossref and arXiv on this machine: lists of works by pages, with faults of single requests."""

import json
import re
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
        self.cites: dict[int, list[int]] = {}
        """Numbers of works that a work cites."""
        self.versions: dict[int, int] = {}
        """Versions at arXiv, where another one than the first."""
        self.articles: dict[int, str] = {}
        """DOIs that arXiv states."""
        self.relations: dict[int, Answer] = {}
        """Relations that Crossref states."""
        self.pdf = b""
        """The open-access PDF of every work."""
        self.key = ""
        """Key without which OpenAlex refuses cursors."""
        self.requests: list[str] = []
        super().__init__(_handler(self))

    def answer(self, path: str, asked: dict[str, str]) -> bytes:
        """Return the answer of a catalogue to a request."""
        if path == "/file.pdf":
            return self.pdf
        if path.startswith("/openalex/works/doi:"):
            return json.dumps({"best_oa_location": {"pdf_url": f"{self.address}/file.pdf"}}).encode()
        if path.startswith("/openalex"):
            return json.dumps(self._openalex(asked)).encode()
        if path.startswith("/crossref"):
            start, rows = int(asked.get("offset", "0")), int(asked["rows"])
            found = self._found(asked)
            works = [
                {
                    "DOI": f"10.1000/{title[-4:]}",
                    "title": [title],
                    "author": [{"family": "Moon"}],
                    "relation": self.relations.get(int(title[-4:]), {}),
                    "reference": [{"key": f"r{n}", "DOI": f"10.1000/{n:04}"} for n in self._cited(title)],
                }
                for title in found[start : start + rows]
            ]
            return json.dumps({"message": {"items": works, "total-results": len(found)}}).encode()
        start, n = int(asked.get("start", "0")), int(asked["max_results"])
        shown = self.titles[start : start + n]
        if "id_list" in asked:
            shown = [one for one in self.titles if f"2601.0{one[-4:]}" in asked["id_list"].split(",")]
        entries = "".join(map(self._entry, shown))
        return FEED.format(query="", n=n, total=len(self.titles), start=start, entries=entries).encode()

    def _openalex(self, asked: dict[str, str]) -> Answer:
        n = int(asked["per-page"])
        if cursor := asked.get("cursor"):
            start = 0 if cursor == "*" else int(cursor)
        else:
            start = (int(asked["page"]) - 1) * n
        found = self._found(asked)
        works = [
            {
                "id": f"https://openalex.org/W{title[-4:]}",
                "doi": f"https://doi.org/10.1000/{title[-4:]}",
                "title": title,
                "publication_year": 2026,
                "authorships": [{"author": {"display_name": "A. Moon"}}],
                "referenced_works": [f"https://openalex.org/W{one:04}" for one in self._cited(title)],
            }
            for title in found[start : start + n]
        ]
        following = str(start + n) if cursor and works else None
        return {"meta": {"count": len(found), "next_cursor": following}, "results": works}

    def _entry(self, title: str) -> str:
        number = int(title[-4:])
        entry = ENTRY.format(id=f"2601.0{number:04}", version=self.versions.get(number, 1), title=title, comment="")
        doi = self.articles.get(number)
        return entry.replace("</title>", f"</title><arxiv:doi>{doi}</arxiv:doi>") if doi else entry

    def _cited(self, title: str) -> list[int]:
        return self.cites.get(int(title[-4:]), [])

    def _found(self, asked: dict[str, str]) -> list[str]:
        """Return the titles that a filter by DOI, OpenAlex id or citations leaves; all without such a filter."""
        kind, _, names = asked.get("filter", "").partition(":")
        if kind not in ("doi", "openalex", "cites"):
            return self.titles
        wanted = {int(name[-4:]) for name in re.split(r"[|,]", names)}
        if kind == "cites":
            return [one for one in self.titles if wanted & set(self._cited(one))]
        return [one for one in self.titles if int(one[-4:]) in wanted]

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

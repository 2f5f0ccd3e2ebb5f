"""Zotero's local API on a socket, with a library as a test says.

Paths, parameters and statuses are those of the pages of zotero.org on the web API, version 3, and on the local API: a
list has all items but those in the trash, annotations only when asked for by ``itemType``; an attachment tells the
address of its file; one item that cannot be shown makes the whole list fail (zotero/zotero issue 5007).
"""

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.support.local_server import LocalServer, QuietHandler


class FakeZotero(LocalServer):
    """Serves ``items`` by key, those of ``trash`` aside, and the paths of files by the key of their attachment."""

    def __init__(self) -> None:
        self.items: dict[str, dict[str, Any]] = {}
        self.trash: set[str] = set()
        self.files: dict[str, Path] = {}
        self.groups: dict[int, str] = {}
        self.collections: dict[str, dict[str, Any]] = {}
        self.unreadable: set[str] = set()
        self.status = 200
        self.n_busy = 0
        self.requests: list[str] = []
        super().__init__(_handler(self))

    @property
    def url(self) -> str:
        return f"{self.address}/api"

    def add(self, key: str, title: str, **fields: Any) -> None:
        """Put a journal article into the library."""
        creator = {"creatorType": "author", "firstName": "Ada", "lastName": "Lovelace"}
        work = {"key": key, "itemType": "journalArticle", "title": title, "creators": [creator], "date": "2019-03-05"}
        self.items[key] = work | {"version": len(self.items), "tags": [], "dateModified": "2026-01-01"} | fields

    def attach(self, key: str, path: Path, parent: str | None = None, mode: str = "imported_file") -> None:
        """Put an attachment into the library, below an item or alone."""
        work = {"key": key, "itemType": "attachment", "linkMode": mode, "title": path.name, "filename": path.name}
        self.items[key] = work | ({"parentItem": parent} if parent else {})
        self.files[key] = path

    def annotate(self, key: str, parent: str, text: str, **fields: Any) -> None:
        """Put a highlight of an attachment into the library, or another annotation."""
        work = {"key": key, "itemType": "annotation", "parentItem": parent, "annotationType": "highlight"}
        work |= {"annotationText": text, "annotationComment": "", "annotationColor": "#ffd400", "tags": []}
        self.items[key] = work | fields

    def note(self, key: str, parent: str, text: str, **fields: Any) -> None:
        """Put a child note in HTML into the library."""
        self.items[key] = {"key": key, "itemType": "note", "parentItem": parent, "note": text, "tags": []} | fields

    def collect(self, key: str, name: str, parent: str | bool = False) -> None:
        """Put a collection into the library."""
        self.collections[key] = {"key": key, "name": name, "parentCollection": parent}

    def shown(self, start: int, limit: int, kind: str | None = None) -> list[dict[str, Any]]:
        """Return a page of items; raises KeyError if one of them cannot be shown."""
        lists = self.collections if kind == "collection" else self.items
        wanted = {key: one for key, one in lists.items() if self._is_listed(one, kind) and key not in self.trash}
        if kind == "collection":
            return [{"key": key, "data": one} for key, one in [*wanted.items()][start : start + limit]]
        keys = [*wanted][start : start + limit]
        if not self.unreadable.isdisjoint(keys):
            raise KeyError
        return [{"key": key, "version": 0, "library": {"id": 7}, "data": self.items[key]} for key in keys]

    @staticmethod
    def _is_listed(one: dict[str, Any], kind: str | None) -> bool:
        return kind == "collection" or (one["itemType"] == "annotation") == (kind == "annotation")


def _handler(zotero: FakeZotero) -> type[QuietHandler]:
    class Handler(QuietHandler):
        def do_GET(self) -> None:
            zotero.requests.append(self.path)
            status, body = self.answer()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            if status == 429:
                self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(body)

        def answer(self) -> tuple[int, bytes]:
            if zotero.n_busy:
                zotero.n_busy -= 1
                return 429, b"Too many requests"
            if zotero.status != 200:
                return zotero.status, b"Request not allowed"
            path, asked = urlsplit(self.path).path, dict(parse_qsl(urlsplit(self.path).query))
            parts = path.removeprefix("/api/").split("/")[2:]
            match parts:
                case ["groups"]:
                    return 200, json.dumps(
                        [{"id": n, "data": {"name": name}} for n, name in zotero.groups.items()]
                    ).encode()
                case ["items", "trash"]:
                    return 200, "\n".join(sorted(zotero.trash)).encode()
                case ["items", "top"]:
                    tops = [
                        key for key, one in zotero.items.items() if "parentItem" not in one and key not in zotero.trash
                    ]
                    return 200, "\n".join(tops).encode()
                case ["items", key, "file", "view", "url"]:
                    return (200, zotero.files[key].as_uri().encode()) if key in zotero.files else (404, b"Not found")
                case ["items" | "collections" as name]:
                    kind = "collection" if name == "collections" else asked.get("itemType")
                    try:
                        return 200, json.dumps(zotero.shown(int(asked["start"]), int(asked["limit"]), kind)).encode()
                    except KeyError:
                        return 500, b"An error occurred"
            return 404, b"Not found"

    return Handler

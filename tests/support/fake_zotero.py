"""Zotero's local API on a socket, with a library as a test says.

Paths, parameters and statuses are those of the pages of zotero.org on the web API, version 3, and on the local API: a
list has all items but those in the trash, annotations only when asked for by ``itemType``; an attachment tells the
address of its file; one item that cannot be shown makes the whole list fail (zotero/zotero issue 5007).

Writes are those of the page on write requests: POST of a list answers which objects were saved, a token is good once
(412), PATCH and DELETE need the version that was read (428 without, 412 with another). At the local API each also needs
the id of the server (428, 412) and a key that a dialog grants (401), as clients observed with Zotero 10.0.1.
``address`` without ``/api`` is the web API: it has keys with rights, versions (``since``, ``deleted``), and no paths of
files; it redirects to a file's place, which refuses a request that shows a key, as S3 does.
"""

import hashlib
import json
from collections.abc import Callable
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
        self.user = 0  # Zotero without an account
        self.collections: dict[str, dict[str, Any]] = {}
        self.unreadable: set[str] = set()
        self.status = 200
        self.n_busy = 0
        self.requests: list[str] = []
        self.server_id, self.key, self.has_writes, self.is_denied = "SERVER-A", "LASTING", True, False
        self.rights: dict[str, Any] = {"user": {"library": True, "write": True}, "groups": {"all": {"write": True}}}
        self.version = 1000
        self.tokens: set[str] = set()
        self.deleted: dict[str, int] = {}
        self.faults: list[str | int | Callable[[], None]] = []
        self.n_writes = 0
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
        told = {"md5": hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()} if path.is_file() else {}
        self.items[key] = work | told | ({"parentItem": parent} if parent else {})
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

    def object_at(self, kind: str, key: str) -> dict[str, Any] | None:
        """Return an object that is not in the trash."""
        return None if key in self.trash else (self.items if kind == "items" else self.collections).get(key)

    def save(self, kind: str, key: str, data: dict[str, Any]) -> dict[str, Any]:
        """Write an object as Zotero does, which puts notes into a frame of its own."""
        self.version += 1
        self.n_writes += 1
        if data.get("itemType") == "note" and not data["note"].startswith("<div"):
            data = data | {"note": f'<div class="zotero-note znv1">{data["note"]}</div>'}
        lists = self.items if kind == "items" else self.collections
        lists[key] = data | {"key": key, "version": self.version}
        return lists[key]

    def remove(self, kind: str, key: str) -> None:
        """Delete an object, with a note of it in the list of deleted ones."""
        self.version += 1
        self.n_writes += 1
        self.deleted[key] = self.version
        (self.items if kind == "items" else self.collections).pop(key)

    def shown(self, start: int, limit: int, kind: str | None = None, since: int = 0) -> list[dict[str, Any]]:
        """Return a page of items that changed after a version; raises KeyError if one of them cannot be shown."""
        lists = self.collections if kind == "collection" else self.items
        wanted = {key: one for key, one in lists.items() if self._is_listed(one, kind) and key not in self.trash}
        wanted = {key: one for key, one in wanted.items() if not since or one.get("version", 0) > since}
        if kind == "collection":
            return [{"key": key, "version": 1, "data": one} for key, one in [*wanted.items()][start : start + limit]]
        keys = [*wanted][start : start + limit]
        if not self.unreadable.isdisjoint(keys):
            raise KeyError
        return [{"key": key, "version": 0, "library": {"id": self.user}, "data": self.items[key]} for key in keys]

    @staticmethod
    def _is_listed(one: dict[str, Any], kind: str | None) -> bool:
        return kind == "collection" or (one["itemType"] == "annotation") == (kind == "annotation")


Reply = tuple[int, bytes]


def _handler(zotero: FakeZotero) -> type[QuietHandler]:
    class Handler(QuietHandler):
        def do_GET(self) -> None:
            zotero.requests.append(self.path)
            if self.path.startswith("/storage/") and self.headers.get("Authorization"):
                self.reply(400, b"Only one auth mechanism allowed")
                return
            self.reply(*_read(zotero, self.path))

        def write(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            fault = zotero.faults.pop(0) if zotero.faults else ""
            if callable(fault):
                fault()
            elif isinstance(fault, int):
                self.reply(fault, b"Not now")
                return
            if fault == "drop":
                self.close_connection = True
                return
            status, told = _written(zotero, self.command, self.path, dict(self.headers), body)
            if fault == "lose":
                self.close_connection = True
                return
            self.reply(status, told)

        def reply(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Zotero-API-Version", "3")
            self.send_header("Last-Modified-Version", str(zotero.version))
            if zotero.has_writes and self.path.startswith("/api"):
                self.send_header("Zotero-Server-ID", zotero.server_id)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Type", "application/json" if body[:1] in (b"[", b"{") else "text/plain")
            if status == 429:
                self.send_header("Retry-After", "0")
            if status == 302:
                self.send_header("Location", body.decode())
                self.send_header("Zotero-File-Compressed", "Yes" if body.endswith(b".zip") else "No")
            self.end_headers()
            self.wfile.write(body)

    for method in ("POST", "PATCH", "DELETE"):
        setattr(Handler, f"do_{method}", Handler.write)
    return Handler


def _read(zotero: FakeZotero, asked_path: str) -> Reply:
    if zotero.n_busy:
        zotero.n_busy -= 1
        return 429, b"Too many requests"
    if zotero.status != 200:
        return zotero.status, b"Request not allowed"
    path, asked = urlsplit(asked_path).path, dict(parse_qsl(urlsplit(asked_path).query))
    parts = path.removeprefix("/api").lstrip("/").split("/")
    tops = [key for key, one in zotero.items.items() if "parentItem" not in one and key not in zotero.trash]
    match parts if parts[0] in ("", "keys", "storage") else parts[2:]:
        case [""]:
            return 200, b"Nothing to see here."
        case ["keys", "current" | zotero.key]:
            return 200, json.dumps({"key": zotero.key, "userID": 7, "access": zotero.rights}).encode()
        case ["groups"]:
            return 200, json.dumps([{"id": n, "data": {"name": name}} for n, name in zotero.groups.items()]).encode()
        case ["items", "trash"]:
            return 200, "\n".join(sorted(zotero.trash)).encode()
        case ["items", "top"]:
            return 200, "\n".join(tops).encode()
        case ["deleted"] if not asked_path.startswith("/api"):
            gone = [key for key, version in zotero.deleted.items() if version > int(asked["since"])]
            return 200, json.dumps({"items": gone, "collections": gone}).encode()
        case ["items", key, "file"] if not asked_path.startswith("/api"):
            place = f"/storage/{key}/{zotero.files[key].name}" if key in zotero.files else ""
            return (302, place.encode()) if place else (404, b"Not found")
        case ["storage", key, _] if key in zotero.files:
            return 200, zotero.files[key].read_bytes()
        case ["items", key, "file", "view", "url"]:
            return (200, zotero.files[key].as_uri().encode()) if key in zotero.files else (404, b"Not found")
        case ["items"] if asked.get("format") == "versions":
            return 200, json.dumps(dict.fromkeys(zotero.items, 0)).encode()
        case ["items" | "collections" as name]:
            kind = "collection" if name == "collections" else asked.get("itemType")
            try:
                shown = zotero.shown(int(asked.get("start", 0)), int(asked["limit"]), kind, int(asked.get("since", 0)))
            except KeyError:
                return 500, b"An error occurred"
            return 200, json.dumps(shown).encode()
        case ["items" | "collections" as kind, key]:
            one = zotero.object_at(kind, key)
            told = None if one is None else {"key": key, "version": one.get("version", 0), "data": one}
            return (404, b"Not found") if told is None else (200, json.dumps(told).encode())
    return 404, b"Not found"


def _written(zotero: FakeZotero, method: str, path: str, headers: dict[str, str], body: bytes) -> Reply:
    headers = {name.lower(): value for name, value in headers.items()}
    parts = path.removeprefix("/api").lstrip("/").split("/")
    if path.startswith("/api"):
        if not zotero.has_writes:
            return 400, b"Endpoint does not support method"
        if (refused := _server_of(zotero, headers)) is not None:
            return refused
        if parts == ["local", "authorize"]:
            told = json.dumps({"key": zotero.key, "remember": True}).encode()
            return (403, b"Denied") if zotero.is_denied else (200, told)
        if headers.get("zotero-api-key") != zotero.key:
            return 401, b"POST /api/local/authorize to obtain a key"
    elif headers.get("zotero-api-key") != zotero.key:
        return 403, b"Forbidden"
    match method, parts[2:]:
        case "POST", ["items" | "collections" as kind]:
            return _created(zotero, kind, headers.get("zotero-write-token", ""), json.loads(body))
        case (("PATCH" | "DELETE"), [kind, key]):
            return _changed(zotero, kind, key, headers, None if method == "DELETE" else json.loads(body))
    return 404, b"Not found"


def _server_of(zotero: FakeZotero, headers: dict[str, str]) -> Reply | None:
    if "zotero-server-id" not in headers:
        return 428, b"Zotero-Server-ID not provided"
    return None if headers["zotero-server-id"] == zotero.server_id else (412, b"Zotero-Server-ID does not match")


def _created(zotero: FakeZotero, kind: str, token: str, objects: list[dict[str, Any]]) -> Reply:
    if token in zotero.tokens:
        return 412, b"Write token already used"
    saved, failed = {}, {}
    for number, data in enumerate(objects):
        parent = data.get("parentItem")
        if parent is not None and zotero.object_at("items", parent) is None:
            failed[str(number)] = {"code": 409, "message": f"Parent item {parent} not found"}
            continue
        one = zotero.save(kind, f"NEW{zotero.version:05}", data)
        saved[str(number)] = {"key": one["key"], "version": one["version"], "data": one}
    if saved:
        zotero.tokens.add(token)
    success = {number: one["key"] for number, one in saved.items()}
    told = {"successful": saved, "success": success, "unchanged": {}, "failed": failed}
    return 200, json.dumps(told).encode()


def _changed(zotero: FakeZotero, kind: str, key: str, headers: dict[str, str], fields: dict[str, Any] | None) -> Reply:
    one, seen = zotero.object_at(kind, key), headers.get("if-unmodified-since-version")
    if one is None:
        return 404, b"Not found"
    if seen is None:
        return 428, b"If-Unmodified-Since-Version not provided"
    if int(seen) < one.get("version", 0):
        return 412, b"Item has been modified since specified version"
    if fields is None:
        zotero.remove(kind, key)
        return 204, b""
    zotero.save(kind, key, one | fields)
    return 204, b""

"""defter, a sync server for Zotero by somebody else, and a copy of the double's library in it."""

import hashlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from papergraph.ingest.fetch.zotero import Zotero
from tests.support.fake_zotero import FakeZotero
from tests.support.waiting import free_port, wait_until

LIBRARY, KEY = "users/1", "k" * 24
REFERENCES = ("key", "parentItem", "parentCollection")


@contextmanager
def defter(program: str, folder: Path) -> Iterator[str]:
    """Give the address of a defter with an empty library, whose files are in a folder."""
    address = f"http://127.0.0.1:{(port := free_port())}"
    told = {"HOST": "127.0.0.1", "PORT": str(port), "PUBLIC_URL": address, "USER_ID": "1", "API_KEY": KEY}
    told |= {"DATA_DIR": str(folder), "BACKUP_INTERVAL_HOURS": "0"}
    environment = {**os.environ, **{f"DEFTER_{name}": value for name, value in told.items()}}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([program, "start"], env=environment, cwd=folder, stdout=log, stderr=log)
        try:
            wait_until(lambda: _answers(address), timeout_s=20)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=20)


def _answers(address: str) -> bool:
    try:
        return httpx.get(f"{address}/api/", timeout=1, trust_env=False).status_code < 500
    except httpx.HTTPError:
        return False


class Mirror:
    """Copies the library of the double into a server of Zotero's web API; keys get the eight letters that it wants."""

    def __init__(self, address: str, library: str = LIBRARY, key: str = KEY) -> None:
        self.zotero = Zotero(address, library, key)
        headers = {"Zotero-API-Key": key, "Zotero-API-Version": "3"}
        self.client = httpx.Client(base_url=f"{address}/{library}", headers=headers, trust_env=False, timeout=20)
        self.sent: dict[tuple[str, str], dict[str, Any]] = {}
        self.keys: dict[str, str] = {}

    def key(self, own: str) -> str:
        """Return the key in the server of a key of the double."""
        return self.keys.setdefault(own, own.replace("0", "Z").replace("1", "Y").ljust(8, "2"))

    def own(self, text: str) -> str:
        """Return a text with the double's keys for the server's."""
        for own, key in self.keys.items():
            text = text.replace(key, own)
        return text

    def push(self, double: FakeZotero) -> None:
        """Bring the server's library up to date."""
        wanted = {("collections", key): one for key, one in double.collections.items()}
        wanted |= {("items", key): one | {"deleted": int(key in double.trash)} for key, one in double.items.items()}
        for kind, key in [place for place in self.sent if place not in wanted]:
            self._send("DELETE", kind, key)
            del self.sent[kind, key]
        for place, data in wanted.items():
            if self.sent.get(place) != data:
                self._send("PUT", *place, json=self._data(data))
                self.sent[place] = dict(data)
                if place[1] in double.files:
                    self._upload(place[1], double.files[place[1]])

    def _data(self, data: dict[str, Any]) -> dict[str, Any]:
        told = {name: value for name, value in data.items() if name not in ("version", "md5", "dateModified")}
        told |= {name: self.key(told[name]) for name in REFERENCES if told.get(name)}
        return told | ({"collections": [self.key(one) for one in told["collections"]]} if "collections" in told else {})

    def _send(self, method: str, kind: str, key: str, **content: Any) -> None:
        path = f"/{kind}/{self.key(key)}"
        found = self.client.get(path)
        version = found.headers.get("Last-Modified-Version", "0") if found.status_code == 200 else "0"
        headers = {"If-Unmodified-Since-Version": version}
        answer = self.client.request(method, path, headers=headers, **content)
        assert answer.status_code < 300, (answer.status_code, answer.text)

    def _upload(self, key: str, file: Path) -> None:
        if not file.is_file():
            return
        content, path = file.read_bytes(), f"/items/{self.key(key)}/file"
        told = {"md5": hashlib.md5(content, usedforsecurity=False).hexdigest(), "filename": file.name}
        told |= {"filesize": str(len(content)), "mtime": str(int(file.stat().st_mtime * 1000))}
        asked = self.client.post(path, data=told, headers={"If-None-Match": "*"})
        if asked.status_code == 412 or asked.json().get("exists"):
            return
        sent = httpx.post(asked.json()["url"], content=content, trust_env=False, timeout=20)
        assert sent.status_code == 201, sent.text
        registered = self.client.post(path, data={"upload": asked.json()["uploadKey"]}, headers={"If-None-Match": "*"})
        assert registered.status_code == 204, registered.text

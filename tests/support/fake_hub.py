"""A hub of models, played over a real loopback socket: the list of a model's files, and each file.

Speaks what the Hugging Face hub speaks: ``/api/models/NAME/revision/REV?blobs=true`` and ``/NAME/resolve/COMMIT/FILE``
with ranges, ``Content-Range``, ``ETag`` and ``X-Repo-Commit``; safetensors lie behind a redirect to ``/cdn/``.
"""

import hashlib
import json
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from tests.support.local_server import LocalServer, QuietHandler

COMMIT = "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a"
BLOCK = 8192


@dataclass(frozen=True)
class Get:
    path: str
    range: str
    headers: dict[str, str]


@dataclass
class HubFault:
    """What happens to the content of a file: its end, other bytes, another status, a pause before each block."""

    cut_after: int | None = None
    body: bytes | None = None
    status: int = 200
    pause_s: float = 0.0
    location: str | None = None


@dataclass
class FakeHub(LocalServer):
    """``files`` are those of the one model; ``faults`` meet the next requests for files of the CDN."""

    name: str
    files: dict[str, bytes]
    licence: str = "mit"
    status: int = 200
    faults: deque[HubFault] = field(default_factory=deque)
    requests: list[Get] = field(default_factory=list)
    n_sent: int = 0

    def __post_init__(self) -> None:
        super().__init__(self._handler())

    @classmethod
    def of_folder(cls, name: str, folder: Path, **more: bytes) -> "FakeHub":
        files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        return cls(name, files | more)

    @property
    def url(self) -> str:
        return self.address

    def fetched(self, path: str) -> list[Get]:
        """The requests for the content of a file."""
        return [one for one in self.requests if one.path == f"/cdn/{path}" or one.path.endswith(f"{COMMIT}/{path}")]

    def _listing(self) -> dict[str, Any]:
        siblings = []
        for path, data in self.files.items():
            sha1 = hashlib.sha1(f"blob {len(data)}\0".encode() + data, usedforsecurity=False).hexdigest()
            one: dict[str, Any] = {"rfilename": path, "size": len(data), "blobId": sha1}
            if is_large(path):
                one["lfs"] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 134}
                one["blobId"] = "0" * 40
            siblings.append(one)
        return {"id": self.name, "sha": COMMIT, "siblings": siblings, "cardData": {"license": self.licence}, "tags": []}

    def _handler(self) -> type[QuietHandler]:
        hub = self

        class Handler(QuietHandler):
            def do_GET(self) -> None:
                path = unquote(urlsplit(self.path).path)
                headers = {name.lower(): value for name, value in self.headers.items()}
                hub.requests.append(Get(path, headers.get("range", ""), headers))
                if hub.status != 200:
                    self._send(hub.status, b"{}")
                elif path == f"/api/models/{hub.name}/revision/main":
                    self._send(200, json.dumps(hub._listing()).encode())
                elif path.startswith(f"/{hub.name}/resolve/{COMMIT}/"):
                    file = path.removeprefix(f"/{hub.name}/resolve/{COMMIT}/")
                    if is_large(file):
                        self._send(302, b"", {"Location": f"/cdn/{file}", "X-Linked-Size": str(len(hub.files[file]))})
                    else:
                        self._file(file, HubFault())
                elif path.startswith("/cdn/"):
                    self._file(path.removeprefix("/cdn/"), hub.faults.popleft() if hub.faults else HubFault())
                else:
                    self._send(404, b"{}")

            def _file(self, file: str, fault: HubFault) -> None:
                data = hub.files[file]
                start = int((self.headers.get("Range") or "bytes=0-")[6:-1])
                body = fault.body if fault.body is not None else data[start:]
                status = 206 if start and fault.body is None else 200
                more = {"ETag": f'"{hashlib.sha256(data).hexdigest()}"', "X-Repo-Commit": COMMIT}
                if status == 206:
                    more["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
                if fault.location is not None:
                    self._send(302, b"", {"Location": fault.location})
                elif fault.status != 200:
                    self._send(fault.status, b"")
                else:
                    self._send(status, body, more, fault)

            def _send(
                self, status: int, body: bytes, more: dict[str, str] | None = None, fault: HubFault | None = None
            ) -> None:
                fault = fault or HubFault()
                self.send_response(status)
                for name, value in (more or {}).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                try:
                    for start in range(0, len(body), BLOCK):
                        time.sleep(fault.pause_s)
                        end = min(len(body), start + BLOCK, fault.cut_after or len(body))
                        self.wfile.write(body[start:end])
                        hub.n_sent += end - start
                        if end == fault.cut_after:
                            self.close_connection = True
                            return
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

        return Handler


def is_large(path: str) -> bool:
    return path.endswith((".safetensors", ".bin", ".onnx"))

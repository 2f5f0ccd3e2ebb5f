"""LRU disk cache of expensive results, keyed by the checksum of their inputs.

Several processes may share a folder: files are written atomically, and a damaged file counts as missing.
"""

import hashlib
import json
import os
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

KEPT_WHEN_FULL = 0.9
"""Share of the room that stays filled when the oldest entries are dropped."""


def key_of(made_of: Mapping[str, Any]) -> str:
    """Return the sha-256 hex of all that decides an entry, such as messages, prompts' versions, model and options."""
    return hashlib.sha256(json.dumps(made_of, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


class DiskCache:
    """Cache in one folder of at most ``max_bytes``; 0 disables it.

    Failures to write, for example on a full disk, are ignored.
    """

    def __init__(self, folder: Path, *, max_bytes: int) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._n_bytes: int | None = None
        """Bytes on disk as far as this process knows; counted at the first write."""
        self._lock = threading.Lock()

    def get(self, key: str) -> dict[str, Any] | None:
        """Return what is kept under ``key``, and make it the last one to be dropped."""
        path = self._path(key)
        try:
            entry = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError):  # missing, or damaged
            return None
        if not isinstance(entry, dict) or entry.get("key") != key:
            return None
        with suppress(OSError):
            os.utime(path)
        return entry

    def put(self, key: str, entry: Mapping[str, Any]) -> None:
        """Keep ``entry`` under ``key``; drop the least recently used ones if there is no room."""
        content = json.dumps({"key": key, **entry}, ensure_ascii=True).encode()
        if len(content) > self._max_bytes:
            return
        with self._lock, suppress(OSError):
            path = self._path(key)
            path.parent.mkdir(parents=True, exist_ok=True)
            if self._n_bytes is None:
                self._n_bytes = sum(size for _, size, _ in self._files())
            if self._n_bytes + len(content) > self._max_bytes:
                self._n_bytes = self._drop_oldest(room_for=len(content))
            _write_whole(path, content)
            self._n_bytes += len(content)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"

    def _files(self) -> list[tuple[float, int, Path]]:
        """Return last use, size and path of each file, with those that a killed process left half-written."""
        found = []
        for path in self._folder.glob("??/*"):
            with suppress(OSError):
                status = path.stat()
                found.append((status.st_mtime, status.st_size, path))
        return found

    def _drop_oldest(self, *, room_for: int) -> int:
        files = sorted(self._files())
        n_bytes = sum(size for _, size, _ in files)
        for _, size, path in files:
            if n_bytes + room_for <= KEPT_WHEN_FULL * self._max_bytes:
                break
            with suppress(OSError):
                path.unlink()
            n_bytes -= size
        return n_bytes


def _write_whole(path: Path, content: bytes) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise

"""The packaged model with a memory: the samples are embedded by dozens of modules, in each run of the tests."""

import hashlib
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from papergraph.embedding import Floats, PackagedModel
from papergraph.settings import Settings

WAIT_S = 60.0
"""How long a process waits for another one that writes."""


class RememberedModel(PackagedModel):
    """The packaged model, which embeds each text of a document once on a machine.

    The vectors are kept in a database below ``PAPERGRAPH_CACHE``, named by the checksum of the weights.
    """

    def __init__(self, *execution: Any) -> None:
        super().__init__(*execution)
        self._vectors: dict[str, Floats] = {}
        self._memory = VectorFile(Settings().cache.expanduser() / f"test-vectors-{self.card.sha256[:16]}.sqlite")

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        """Return one vector of length 1 for each text, shape (n, dimension)."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        self._vectors |= self._memory.read(new)
        new = [text for text in new if text not in self._vectors]
        if new:
            made = dict(zip(new, super().encode_documents(new), strict=True))
            self._memory.write(made)
            self._vectors |= made
        return np.array([self._vectors[text] for text in texts], dtype=np.float32).reshape(-1, self.card.dimension)


class VectorFile:
    """Vectors by text in a file that several processes share."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._database = sqlite3.connect(path, timeout=WAIT_S, check_same_thread=False, isolation_level=None)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = OFF")
        self._database.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)")

    def read(self, texts: Sequence[str]) -> dict[str, Floats]:
        """Return the vectors that are kept, by text."""
        found = {}
        with self._lock:
            for text in texts:
                row = self._database.execute("SELECT vector FROM vectors WHERE key = ?", (key_of(text),)).fetchone()
                if row is not None:
                    found[text] = np.frombuffer(row[0], dtype=np.float32)
        return found

    def write(self, vectors: dict[str, Floats]) -> None:
        """Keep vectors."""
        rows = [(key_of(text), np.asarray(vector, dtype=np.float32).tobytes()) for text, vector in vectors.items()]
        with self._lock:
            self._database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)


def key_of(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()

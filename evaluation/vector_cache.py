"""Vectors that outlive a store: what was embedded once is not embedded again when a corpus is loaded anew."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from papergraph.embedding import Embedder, Floats
from papergraph.errors import EmbeddingError
from schema.ids import sha256

TEXTS_PER_LOOKUP = 500
WAIT_S = 60.0


class RememberingEmbedder:
    """An embedder that keeps the vectors of documents in a file, by the model's checksum and the text.

    Queries are embedded each time, so that their latency is the product's own. Several processes may share the file.
    """

    def __init__(self, embedder: Embedder, file: Path) -> None:
        """Take over ``embedder``, which is ``model``; ``file`` is made when it is missing."""
        self.model = embedder
        self._file = file
        self.card = embedder.card
        self.tokenizer = embedder.tokenizer

    def encode_query(self, text: str) -> Floats:
        """Return the vector of a query, length 1, shape (dimension,)."""
        return self.model.encode_query(text)

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        """Return one vector of length 1 for each text, shape (n, dimension).

        Raises:
            EmbeddingError: The file cannot be read or written.
        """
        keys = [sha256(self.card.sha256, text) for text in texts]
        with self._opened() as connection:
            known = self._find(connection, keys)
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            fresh = dict(zip(missing, self.model.encode_documents(list(missing.values())), strict=True))
            with connection:
                rows = ((key, vector.astype("<f4").tobytes()) for key, vector in fresh.items())
                connection.executemany("INSERT OR IGNORE INTO vector VALUES (?, ?)", rows)
        found = known | fresh
        return np.stack([found[key] for key in keys]) if keys else np.zeros((0, self.card.dimension), np.float32)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._file, timeout=WAIT_S)) as connection:
                connection.execute("CREATE TABLE IF NOT EXISTS vector (key TEXT PRIMARY KEY, components BLOB)")
                yield connection
        except (OSError, sqlite3.Error) as error:
            raise EmbeddingError(f"cannot keep vectors in {self._file}: {error}; make room, or delete it") from error

    def _find(self, connection: sqlite3.Connection, keys: Sequence[str]) -> dict[str, Floats]:
        found: dict[str, Floats] = {}
        for start in range(0, len(keys), TEXTS_PER_LOOKUP):
            part = keys[start : start + TEXTS_PER_LOOKUP]
            marks = ",".join("?" * len(part))
            rows = connection.execute(f"SELECT key, components FROM vector WHERE key IN ({marks})", part)  # noqa: S608
            found |= {key: np.frombuffer(components, "<f4").astype(np.float32) for key, components in rows}
        return found

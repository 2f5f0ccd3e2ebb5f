"""A process that ingests papers and says of each that it is in, to be killed.

It runs as ``python -m tests.support.ingest_worker PATH …``.

Vectors are made of the texts' hashes, so that a round takes seconds: faults are about writing, not about the model.
"""

import asyncio
import hashlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from papergraph.database import Database
from papergraph.embedding import DEFAULT_NAME, DEFAULT_SHA256, Floats, ModelCard, find_model
from papergraph.errors import PapergraphError
from papergraph.ingest.ingestor import Item
from papergraph.ingest.pipeline import work
from papergraph.schema.migrate import prepare
from tests.support.ingestion import ingest

CARD = ModelCard(DEFAULT_NAME, DEFAULT_SHA256, dimension=384, max_tokens=256)
ACKNOWLEDGED = "in the graph:"


class HashEmbedder:
    """Vectors that depend on nothing but the text, for the real tokenizer."""

    def __init__(self) -> None:
        self.card = CARD
        self.tokenizer = Tokenizer.from_file(str(find_model(DEFAULT_NAME) / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        return np.array([self.encode_query(text) for text in texts], dtype=np.float32).reshape(-1, CARD.dimension)

    def encode_query(self, text: str) -> Floats:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        vector = np.random.default_rng(seed).standard_normal(CARD.dimension)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


def acknowledge(items: Sequence[Item]) -> None:
    """Write a line for each paper as soon as it is said to be in, and not into a buffer that a kill would lose."""
    for item in items:
        if item.outcome:
            print(ACKNOWLEDGED, item.source, flush=True)


async def main(paths: Sequence[Path]) -> None:
    if size := os.environ.get("WORKER_GROUP"):
        work.FIRST_AT_ONCE = work.DOCUMENTS_AT_ONCE = work.DOCUMENTS_PER_TRANSACTION = int(size)
        work.COMPLETED_AT_ONCE = int(size)
    uri, password = os.environ["WORKER_URI"], os.environ["WORKER_PASSWORD"]
    async with await Database.connect(uri, user="neo4j", password=password) as database:
        await prepare(database, CARD)
        report = await ingest(database, HashEmbedder(), paths, hear=acknowledge)
    assert not report.failed, report.failed


if __name__ == "__main__":
    try:
        asyncio.run(main([Path(argument) for argument in sys.argv[1:]]))
    except PapergraphError as error:
        sys.exit(f"{type(error).__name__}: {error}")

"""Reading what the writing of papers depends on: known contents, and vectors that are there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import cypher
from papergraph.database import Database
from papergraph.embedding import Floats

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class KnownContent:
    """A content that stands in the graph: the keys and sources that it arrived under, and what its paper is like."""

    pairs: Pairs
    title: str
    n_sections: int
    n_chunks: int


async def find_contents(
    database: Database, config_hashes: Mapping[str, str], *, collection: str
) -> dict[str, KnownContent]:
    """Return which of some contents a collection holds, each with its configuration hash in ``config_hashes``."""
    rows = [{"content": content, "config_hash": config_hash} for content, config_hash in config_hashes.items()]
    records = await database.read(cypher.load("ingest/find_contents"), collection=collection, rows=rows)
    return {
        record["content"]: KnownContent(
            tuple(zip(record["keys"], record["sources"], strict=True)),
            record["title"],
            record["n_sections"],
            record["n_chunks"],
        )
        for record in records
    }


async def has_papers(database: Database, *, collection: str) -> bool:
    """Say whether a collection holds any paper."""
    (record,) = await database.read(cypher.load("ingest/has_papers"), collection=collection)
    return bool(record["has_papers"])


async def find_vectors(
    database: Database,
    hashes: Sequence[str],
    *,
    collection: str,
    ids: Sequence[str],
    contents: Sequence[str],
    chunkers: Sequence[str],
    dimension: int,
) -> dict[str, Floats]:
    """Return the sound vectors that stand in the graph for texts, by hash, in papers of some ids or contents."""
    records = await database.read(
        cypher.load("ingest/find_vectors"),
        collection=collection,
        ids=list(ids),
        contents=list(contents),
        chunkers=list(chunkers),
        hashes=list(hashes),
        dimension=dimension,
    )
    return {record["hash"]: np.asarray(record["embedding"], dtype=np.float32) for record in records}

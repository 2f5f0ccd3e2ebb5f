"""Reading what the writing of papers depends on: known contents, and vectors that are there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import cypher
from papergraph.database import Database
from papergraph.embedding import Floats


@dataclass(frozen=True)
class KnownContent:
    """A source that stands in the graph: its content and key, whether its text is shown, and what its paper is like."""

    content: str
    key: str
    is_shown: bool
    title: str
    n_sections: int
    n_chunks: int


async def find_contents(
    database: Database, config_hashes: Mapping[str, str], *, collection: str
) -> dict[str, KnownContent]:
    """Return by name the sources that have one of some contents, read by its configuration in ``config_hashes``."""
    rows = [{"content": content, "config_hash": config_hash} for content, config_hash in config_hashes.items()]
    records = await database.read(cypher.load("ingest/find_contents"), collection=collection, rows=rows)
    return {
        record["name"]: KnownContent(
            record["content"],
            record["key"],
            record["is_shown"],
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


async def sources_of(database: Database, key: str, *, collection: str) -> list[dict[str, Any]]:
    """Return the properties of all sources of the paper that has a key, main or other, or an id; none without it."""
    records = await database.read(cypher.load("ingest/sources_of"), collection=collection, key=key)
    return [record["source"] for record in records]

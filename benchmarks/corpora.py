"""Evaluation data as papers of a store that only a benchmark uses, read back as enrichments read them."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from papergraph.database import Database
from papergraph.embedding import Floats, load_model
from papergraph.evaluation.corpus_store import LoadedCorpus, RememberingEmbedder, chunking_of, load_corpus
from papergraph.evaluation.task import Task
from papergraph.ingest.enrichments.enrichment import StoredChunk, StoredPaper
from papergraph.settings import Settings
from papergraph.statement import Statement

CHUNKS = Statement(
    "benchmark/chunks",
    """
    CYPHER 25
    MATCH (paper:Paper {collection: $collection})-[:HAS_SECTION]->(section:Section)-[:HAS_CHUNK]->(chunk:Chunk)
    WHERE chunk.kind <> 'parent'
    RETURN paper {.id, .collection, .key, .title, .abstract, .contentHash, .configHash} AS paper,
           section.title AS heading,
           section.kind AS section_kind, chunk {.id, .ordinal, .kind, .text, .sectionId, .startChar, .endChar} AS chunk,
           chunk.embedding AS embedding
    ORDER BY paper.id, chunk.ordinal
    """,
)


@dataclass(frozen=True)
class Corpus:
    """A task's documents in the graph.

    Attributes:
        loaded: Which paper each document became.
        papers: As enrichments read them.
        vectors: Of each chunk, by id.
        places: First character and the one after the last of each chunk in its file, by id.
    """

    loaded: LoadedCorpus
    papers: list[StoredPaper]
    vectors: dict[str, Floats]
    places: dict[str, tuple[int, int]]


def remembering_embedder() -> RememberingEmbedder:
    """Return the default model with the vectors that evaluations have made already."""
    return RememberingEmbedder(load_model("bge-small-en-v1.5"), Settings().cache / "evaluation" / "vectors.sqlite")


async def load(database: Database, embedder: RememberingEmbedder, task: Task, folder: Path) -> Corpus:
    """Bring a task's documents into a collection of the task's name, and read them back."""
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    loaded = await load_corpus(
        database, embedder, task, options=chunking_of(task), folder=folder, collection=task.name.replace("_", "-")
    )
    records = await database.read(CHUNKS, collection=loaded.collection, deadline_s=120.0)
    chunks: dict[str, list[StoredChunk]] = defaultdict(list)
    of_paper, vectors, places = {}, {}, {}
    for record in records:
        chunk, paper = record["chunk"], record["paper"]
        of_paper[paper["id"]] = paper
        chunks[paper["id"]].append(
            StoredChunk(
                id=chunk["id"],
                ordinal=chunk["ordinal"],
                kind=chunk["kind"],
                text=chunk["text"],
                section_id=chunk["sectionId"],
                section=record["heading"],
                section_kind=record["section_kind"],
            )
        )
        vectors[chunk["id"]] = np.asarray(record["embedding"], dtype=np.float32)
        places[chunk["id"]] = (chunk["startChar"], chunk["endChar"])
    papers = [
        StoredPaper(
            id=id,
            collection=paper["collection"],
            key=paper["key"],
            title=paper["title"],
            abstract=paper["abstract"],
            year=None,
            categories=(),
            primary_category=None,
            content_hash=paper["contentHash"],
            config_hash=paper["configHash"],
            enrichments=(),
            chunks=tuple(chunks[id]),
        )
        for id, paper in of_paper.items()
    ]
    return Corpus(loaded, papers, vectors, places)

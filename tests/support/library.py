"""The papers that tests of clients search."""

import math
from pathlib import Path

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.schema.migrate import prepare
from papergraph.server.graph.nodes import count_papers
from papergraph.statement import Statement
from tests.pytest_neo4j import wipe
from tests.support.embedders import QuickVectors
from tests.support.ingestion import ingest

SAMPLES = Path("ingest/samples")


N_SAMPLES = 12


KEEP = ["SchemaVersion", "EmbeddingModel"]


MANY = 105


class Library:
    """The papers of ``library``: written once, and again only where a test has changed them."""

    COLLECTIONS = ("main", "many", "cited", "unsearched")
    LOOK = Statement(
        "test/library",
        """
        CYPHER 25
        MATCH (n:Paper|Section|Chunk|Reference|Author)
        WHERE n.collection IN $collections
        RETURN n.id AS id, COUNT { (n)--(:Paper|Section|Chunk|Reference|Author) } AS degree,
               n {.*, embedding: CASE WHEN n.embedding IS NOT NULL THEN
                    toInteger(1000 * vector.similarity.cosine(n.embedding, $direction)) END} AS properties
        ORDER BY id
        """,
    )

    def __init__(self, papers: Path, embedder: Embedder) -> None:
        self._papers, self._embedder = papers, embedder
        self._seen: int | None = None

    async def see_to(self, database: Database) -> bool:
        """Write the papers unless they are there as they were written; say whether it was necessary."""
        if self._seen is not None and await self._look(database) == self._seen:
            return False
        await prepare(database, self._embedder.card)
        await wipe(database.driver, database=database.name, keep=KEEP)
        await ingest(database, self._embedder, [SAMPLES])
        for collection in self.COLLECTIONS[1:]:
            quick = QuickVectors(self._embedder)
            report = await ingest(database, quick, [self._papers / collection], collection=collection)
            assert not report.failed
        assert await count_papers(database, collection="main") == N_SAMPLES
        self._seen = await self._look(database)
        return True

    async def _look(self, database: Database) -> int:
        """Return one number for the nodes, their properties and how many relationships each has.

        Of a vector it takes the similarity to a fixed one, in thousandths: Neo4j computes it differently in the eighth
        digit once Java has compiled it, and reading the vectors takes a second before each test.
        """
        direction = [math.sin(1 + axis) for axis in range(self._embedder.card.dimension)]
        records = await database.read(self.LOOK, collections=self.COLLECTIONS, direction=direction)
        return hash(repr([dict(record) for record in records]))

"""Fields of metadata, and papers that have them."""

from papergraph.database import Database
from papergraph.ingest.enrichments.enrichment import EnrichmentContext, StoredChunk, StoredPaper
from papergraph.ingest.enrichments.metadata.enrichment import (
    MetadataEnrichment,
    PaperValue,
    parse_fields,
)
from papergraph.neo4j_errors import Transaction
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot

FIELDS = parse_fields(
    """
    [area]
    asks = "Its branch."
    [area.values.physics]
    arxiv = ["quant-ph", "cond-mat.*"]
    [area.values.computing]
    arxiv = ["cs.CL"]
    terms = ["language model"]

    [task]
    asks = "What it does."
    most = 2
    [task.values."answering questions"]
    terms = ["question answering", "QA"]
    [task.values.ranking]
    terms = ["re-ranking"]
    [task.values.clustering]
    """,
    place="test.toml",
)


PAPERS = Statement("test/papers", "MATCH (paper:Paper) RETURN paper.id AS id, paper.key AS key ORDER BY paper.title")


async def papers_of(database: Database) -> list[StoredPaper]:
    """Return the papers that stand, by title, as far as writing asks of them."""
    return [
        StoredPaper(
            r["id"], "main", r["key"], "", "", None, (), None, "", "", (), (StoredChunk("", 0, "", "", "", "", ""),)
        )
        for r in await database.read(PAPERS)
    ]


async def write(database: Database, resources: EnrichmentContext, paper: StoredPaper, *values: PaperValue) -> None:
    async def work(transaction: Transaction) -> None:
        await MetadataEnrichment(FIELDS).write(transaction, paper, values, resources, VectorSlot.FIRST)

    await database.transact("write", work)

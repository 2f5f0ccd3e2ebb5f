"""State of enrichments: which papers lack which, and whether what spans a collection is up to date."""

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass

from papergraph import cypher
from papergraph.batches import pages
from papergraph.database import Database
from papergraph.ingest.enrichments.enrichment import (
    CollectionEnrichment,
    Enrichment,
    PaperEnrichment,
    StoredChunk,
    StoredPaper,
)
from papergraph.neo4j_errors import Transaction
from papergraph.schema.ids import enrichment_state_id, papers_hash

DEADLINE_S = 60.0


@dataclass(frozen=True)
class PaperState:
    """A paper, and what tells whether something of it changed."""

    id: str
    key: str
    content: str
    config_hash: str
    enrichments: tuple[str, ...]

    def lacks(self, enrichments: Iterable[Enrichment]) -> bool:
        """Say whether some of ``enrichments`` do not stand for the paper as it is."""
        return any(mark(enrichment) not in self.enrichments for enrichment in enrichments)


def of_papers(enrichments: Iterable[Enrichment]) -> list[PaperEnrichment]:
    """Return the enrichments that are made of each paper by itself."""
    return [enrichment for enrichment in enrichments if isinstance(enrichment, PaperEnrichment)]


def of_collections(enrichments: Iterable[Enrichment]) -> list[CollectionEnrichment]:
    """Return the enrichments that span the papers of a collection, or have a part that does."""
    return [enrichment for enrichment in enrichments if isinstance(enrichment, CollectionEnrichment)]


def mark(enrichment: Enrichment) -> str:
    """Return the mark of a paper with a current enrichment."""
    return f"{enrichment.name}={enrichment.config_hash}"


def with_marks(enrichments: Iterable[str], made: Iterable[Enrichment]) -> list[str]:
    """Return what a paper bears once ``made`` stand for it, in order."""
    new = {enrichment.name: mark(enrichment) for enrichment in made}
    return sorted([one for one in enrichments if one.partition("=")[0] not in new] + list(new.values()))


async def paper_states(database: Database, collection: str) -> AsyncIterator[PaperState]:
    """Yield the papers of a collection in the order of ids."""
    async for page in pages(database, cypher.load("enrichments/papers"), collection=collection):
        for record in page:
            of = {name: record[name] for name in ("id", "key", "content", "config_hash")}
            yield PaperState(**of, enrichments=tuple(record["enrichments"]))


def input_hash(papers: Iterable[PaperState]) -> str:
    """Return a sha-256 hex that is another one when a paper comes, goes or changes, or an enrichment of it does."""
    return papers_hash((paper.id, paper.content, paper.config_hash, paper.enrichments) for paper in papers)


async def read_papers(database: Database, collection: str, keys: Sequence[str]) -> list[StoredPaper]:
    """Return the existing papers of ``keys`` with their chunks, in the order of ids."""
    records = await database.read(
        cypher.load("enrichments/read_papers"), collection=collection, keys=list(keys), deadline_s=DEADLINE_S
    )
    return [
        StoredPaper(
            id=(paper := record["paper"])["id"],
            collection=collection,
            key=paper["key"],
            title=paper["title"],
            abstract=paper["abstract"],
            year=paper.get("year"),
            categories=tuple(paper.get("categories") or ()),
            primary_category=paper.get("primaryCategory"),
            content_hash=paper["contentHash"],
            config_hash=paper["configHash"],
            enrichments=tuple(paper.get("enrichments") or ()),
            chunks=tuple(StoredChunk(**chunk | {"headings": tuple(chunk["headings"])}) for chunk in record["chunks"]),
            metadata=tuple((field, value) for field, value in record["metadata"]),
        )
        for record in records
    ]


async def states_of_enrichments(database: Database, collection: str) -> dict[str, tuple[str, str]]:
    """Return by name the configuration hash and the input_hash that enrichments over a collection were made with."""
    records = await database.read(cypher.load("enrichments/state"), collection=collection)
    return {record["name"]: (record["config_hash"], record["input_hash"]) for record in records}


async def record_enrichment(database: Database, collection: str, enrichment: Enrichment, input_hash: str) -> None:
    """Note of what an enrichment over a collection was made."""
    await database.run_alone(
        cypher.load("enrichments/record"),
        id=enrichment_state_id(collection, enrichment.name),
        collection=collection,
        name=enrichment.name,
        config_hash=enrichment.config_hash,
        input_hash=input_hash,
    )


async def forget_enrichments(transaction: Transaction, collection: str, names: Iterable[str]) -> None:
    """Forget how far enrichments over a collection are, because somebody changed what they are made of."""
    await transaction.run(
        cypher.load("enrichments/forget"), ids=[enrichment_state_id(collection, name) for name in names]
    )

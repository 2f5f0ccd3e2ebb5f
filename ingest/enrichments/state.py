"""What of layers stands: which papers lack which, and whether what spans a collection is made of what it holds now."""

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass

import cypher
from ingest.enrichments.enrichment import (
    CollectionEnrichment,
    Enrichment,
    PaperEnrichment,
    StoredChunk,
    StoredPaper,
)
from papergraph.batches import pages
from papergraph.database import Database
from papergraph.neo4j_errors import Transaction
from schema.ids import layer_id, sha256

DEADLINE_S = 60.0


@dataclass(frozen=True)
class PaperState:
    """A paper, and what tells whether something of it changed."""

    id: str
    key: str
    content: str
    recipe: str
    layers: tuple[str, ...]

    def lacks(self, layers: Iterable[Enrichment]) -> bool:
        """Say whether some of ``layers`` do not stand for the paper as it is."""
        return any(mark(layer) not in self.layers for layer in layers)


def of_papers(layers: Iterable[Enrichment]) -> list[PaperEnrichment]:
    """Return the layers that are made of each paper by itself."""
    return [layer for layer in layers if isinstance(layer, PaperEnrichment)]


def of_collections(layers: Iterable[Enrichment]) -> list[CollectionEnrichment]:
    """Return the layers that span the papers of a collection, or have a part that does."""
    return [layer for layer in layers if isinstance(layer, CollectionEnrichment)]


def mark(layer: Enrichment) -> str:
    """Return what a paper bears of a layer that stands for it."""
    return f"{layer.name}={layer.recipe}"


def with_marks(layers: Iterable[str], made: Iterable[Enrichment]) -> list[str]:
    """Return what a paper bears once ``made`` stand for it, in order."""
    new = {layer.name: mark(layer) for layer in made}
    return sorted([one for one in layers if one.partition("=")[0] not in new] + list(new.values()))


async def paper_states(database: Database, collection: str) -> AsyncIterator[PaperState]:
    """Yield the papers of a collection in the order of ids."""
    async for page in pages(database, cypher.load("enrichments/papers"), collection=collection):
        for record in page:
            of = {name: record[name] for name in ("id", "key", "content", "recipe")}
            yield PaperState(**of, layers=tuple(record["layers"]))


def fingerprint(papers: Iterable[PaperState]) -> str:
    """Return a sha-256 hex that is another one when a paper comes, goes or changes, or a layer of it does."""
    return sha256(*(part for paper in papers for part in (paper.id, paper.content, paper.recipe, *paper.layers, "")))


async def read_papers(database: Database, collection: str, keys: Sequence[str]) -> list[StoredPaper]:
    """Return papers with their chunks, those of ``keys`` that are there, in the order of ids."""
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
            recipe=paper["recipe"],
            layers=tuple(paper.get("layers") or ()),
            chunks=tuple(StoredChunk(**chunk) for chunk in record["chunks"]),
        )
        for record in records
    ]


async def states_of_layers(database: Database, collection: str) -> dict[str, tuple[str, str]]:
    """Return by name the recipe and the fingerprint that layers over a collection were made with."""
    records = await database.read(cypher.load("enrichments/state"), collection=collection)
    return {record["name"]: (record["recipe"], record["fingerprint"]) for record in records}


async def record_layer(database: Database, collection: str, layer: Enrichment, fingerprint: str) -> None:
    """Note of what a layer over a collection was made."""
    await database.run_alone(
        cypher.load("enrichments/record"),
        id=layer_id(collection, layer.name),
        collection=collection,
        name=layer.name,
        recipe=layer.recipe,
        fingerprint=fingerprint,
    )


async def forget_layers(transaction: Transaction, collection: str, names: Iterable[str]) -> None:
    """Forget how far layers over a collection are, because somebody changed what they are made of."""
    await transaction.run(cypher.load("enrichments/forget"), ids=[layer_id(collection, name) for name in names])

"""Links between passages: names in their chunks, and papers whose titles they mention.

A name is one node per collection. Its use in a chunk depends on the chunk only, and a mention of a title on the chunk
and the title, so the links are independent of the order in which papers come and go. If one title contains another, a
chunk refers to both; the choice is made when links are followed.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from neo4j import Record

from papergraph import cypher
from papergraph.batches import Row, pages
from papergraph.database import Database
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.prose import prose
from papergraph.ingest.graph.batched_writes import Step, batches, run_steps
from papergraph.progress import Progress
from papergraph.schema.ids import name_id, sha256
from papergraph.text.names import Named, Titles, phrases, title_keys

VERSION = "2"
KINDS = ("front", "abstract", "body", "appendix", "table", "equation", "caption")
"""Kinds of chunk that name things; a list of references would name all that is cited."""

UNFINISHED = ""
"""Mark of a paper while its links are written, so that they are removed with it."""

CHUNKS_AT_ONCE = 2000
PAPERS_PER_STATEMENT = 100


@dataclass(frozen=True)
class _Paper:
    """A paper as it was read: ``titled`` are the keys of its title."""

    id: str
    content: str
    config_hash: str
    is_linked: bool
    titled: tuple[str, ...]


@dataclass(frozen=True)
class LinksEnrichment:
    """The enrichment with its options.

    Attributes:
        names: Whether names other than titles are linked too.
    """

    names: bool = True

    @property
    def name(self) -> str:
        """The enrichment's name."""
        return "links"

    @property
    def config_hash(self) -> str:
        """sha-256 over the code's version and the options."""
        return sha256(VERSION, str(self.names))

    async def finish(
        self, database: Database, collection: str, resources: EnrichmentContext, *, progress: Progress
    ) -> dict[str, int | float]:
        """Bring links to what the collection's papers say now: all of papers that are new, titles of these elsewhere.

        Returns:
            How many papers were new, and how many uses of names and of titles were written.

        Raises:
            ModelChangedError: Another embedding model came into use meanwhile.
            DatabaseError: Neo4j failed; what was written stays, and the next call does the rest.
        """
        papers = await self._read(database, collection)
        new = [paper for paper in papers if not paper.is_linked]
        if not new:
            return {"papers_linked": 0, "names_written": 0, "titles_written": 0}
        known = {key for paper in papers for key in paper.titled}
        coming = Titles(known - {key for paper in papers if paper.is_linked for key in paper.titled})
        await self._write(database, resources, [*_clear(new), *_mark(new, UNFINISHED), *_title(collection, new)])
        ids, titles_known = {paper.id for paper in new}, Titles(known)
        n_names = n_titles = 0
        progress.step("looking for names and titles in the texts")
        statement = cypher.load("enrichments/link_chunks")
        async for page in pages(database, statement, limit=CHUNKS_AT_ONCE, collection=collection, kinds=list(KINDS)):
            names, titles = await asyncio.to_thread(self._find, collection, page, ids, titles_known, coming)
            await self._write(
                database,
                resources,
                [
                    *batches(cypher.load("enrichments/write_names"), names),
                    *batches(cypher.load("enrichments/write_references"), titles),
                ],
            )
            n_names, n_titles = n_names + len(names), n_titles + len(titles)
        await self._write(database, resources, _mark(new, self.config_hash))
        return {"papers_linked": len(new), "names_written": n_names, "titles_written": n_titles}

    async def _read(self, database: Database, collection: str) -> list[_Paper]:
        return [
            _Paper(
                record["id"],
                record["content"],
                record["config_hash"],
                record["links_config_hash"] == self.config_hash,
                tuple(title_keys(record["title"])),
            )
            async for page in pages(database, cypher.load("enrichments/link_papers"), collection=collection)
            for record in page
        ]

    def _find(
        self, collection: str, page: Sequence[Record], new: set[str], known: Titles, coming: Titles
    ) -> tuple[list[Row], list[Row]]:
        """Return rows of the names and titles that new chunks use, and of the titles in ``coming`` that others do."""
        names: list[Row] = []
        titles: list[Row] = []
        for chunk in page:
            is_new = chunk["paper_id"] in new
            if self.names and is_new:
                names += _rows(collection, chunk["id"], phrases(prose(chunk["text"], kind=chunk["kind"])))
            titles += _rows(collection, chunk["id"], (known if is_new else coming).in_text(chunk["text"]))
        return names, titles

    async def _write(self, database: Database, resources: EnrichmentContext, steps: Sequence[Step]) -> None:
        await run_steps(database, "write links", resources.embedder.card.sha256, steps)


def _clear(papers: Sequence[_Paper]) -> list[Step]:
    """Return what removes the links that an interrupted call, or one with other options, left of papers."""
    ids = [paper.id for paper in papers]
    return [
        Step(cypher.load("enrichments/clear_links"), {"ids": ids[at : at + PAPERS_PER_STATEMENT]})
        for at in range(0, len(ids), PAPERS_PER_STATEMENT)
    ]


def _mark(papers: Sequence[_Paper], links_config_hash: str) -> list[Step]:
    rows: list[Row] = [
        {"id": one.id, "content": one.content, "config_hash": one.config_hash, "links_config_hash": links_config_hash}
        for one in papers
    ]
    return list(batches(cypher.load("enrichments/mark_linked"), rows))


def _title(collection: str, papers: Sequence[_Paper]) -> Iterable[Step]:
    rows: list[Row] = [
        {"paper_id": paper.id, "id": name_id(collection, key), "collection": collection, "key": key}
        for paper in papers
        for key in paper.titled
    ]
    return batches(cypher.load("enrichments/write_titles"), rows)


def _rows(collection: str, chunk_id: str, found: Iterable[Named]) -> list[Row]:
    """Return a row for each key, with the places where the chunk uses it in order."""
    places: dict[str, list[tuple[int, int]]] = {}
    for named in found:
        places.setdefault(named.key, []).append((named.start, named.end))
    return [
        {
            "chunk_id": chunk_id,
            "id": name_id(collection, key),
            "collection": collection,
            "key": key,
            "offsets": [start for start, _ in sorted(spans)],
            "ends": [end for _, end in sorted(spans)],
        }
        for key, spans in places.items()
    ]

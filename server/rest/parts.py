"""Lists below the address of a node, as data: of papers, sections, chunks, entities and other nodes."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import Field

from papergraph.records import Record
from papergraph.schema import records
from papergraph.server.graph import lists as listings
from papergraph.server.graph import nodes as reading
from papergraph.server.graph.lists import MOST_TEXT_CHARS, Entry, Listing
from papergraph.server.graph.nodes import TitlePosition
from papergraph.server.operations.context import RequestContext
from papergraph.server.papers.find import PaperQuery, count_found, find_papers
from papergraph.server.rest import models
from papergraph.server.rest.pagination import Place, Source, Wrap, papers_with_authors, plain
from papergraph.server.rest.requests import PageOfCollection

R = TypeVar("R")


async def papers(context: RequestContext, found: Sequence[records.Paper]) -> list[models.Paper]:
    """Return papers with their authors."""
    return await papers_with_authors(context, found)


def listed(listing: Listing[R]) -> Callable[[RequestContext, Any], Source[R]]:
    """Return what makes a list of a node that has one."""

    def source(context: RequestContext, node: Any) -> Source[R]:
        async def read(place: Place, limit: int) -> list[Entry[R]]:
            (entries,) = await listings.entries_of(
                context.database, [node.id], listing=listing, after=place, limit=limit, collections=context.collections
            )
            return entries

        async def count() -> int:
            (n,) = await listings.count_entries(
                context.database, [node.id], listing=listing, collections=context.collections
            )
            return n

        return Source(f"{listing.name} {node.id}", listing.place, read, count)

    return source


def by_ordinal(
    name: str, parts_of: Callable[..., Awaitable[list[list[R]]]], count: Callable[[RequestContext, Any], Awaitable[int]]
) -> Callable[[RequestContext, Any], Source[R]]:
    """Return what makes a list of the parts of a node, in reading order."""

    def source(context: RequestContext, node: Any) -> Source[R]:
        async def read(place: Place, limit: int) -> list[Entry[R]]:
            (after,) = place or (-1,)
            (parts,) = await parts_of(
                context.database, [node.id], after=after, limit=limit, collections=context.collections
            )
            return [Entry(part, (part.ordinal,)) for part in parts]  # type: ignore[attr-defined]

        return Source(f"{name} of {node.id}", (int,), read, lambda: count(context, node))

    return source


def papers_of_author(context: RequestContext, node: records.Author) -> Source[records.Paper]:
    """Return the list of an author's papers."""

    async def read(place: Place, limit: int) -> list[Entry[records.Paper]]:
        (found,) = await reading.papers_of_authors(
            context.database, [node.id], after=TitlePosition(*place), limit=limit, collections=context.collections
        )
        return [Entry(paper, (paper.title, paper.id)) for paper in found]

    return Source(f"papers of {node.id}", (str, str), read, lambda: counted(context, node))


def papers_in(context: RequestContext, query: PaperQuery) -> Source[records.Paper]:
    """Return a list of a collection's papers."""
    database, collections = context.database, context.collections
    query = query.seen_by(context.principal.viewer)
    return Source(
        query.name,
        query.place,
        lambda place, limit: find_papers(database, query, after=place, limit=limit, collections=collections),
        lambda: count_found(database, query, collections=collections),
    )


async def counted(context: RequestContext, node: Any) -> int:
    (n,) = await reading.count_parts(context.database, [node.id], collections=context.collections)
    return n


async def n_sections_of(context: RequestContext, paper: records.Paper) -> int:
    return paper.n_sections


async def n_chunks_of(context: RequestContext, paper: records.Paper) -> int:
    return paper.n_chunks


@dataclass(frozen=True)
class Part(Generic[R]):
    """A list that nodes of a kind have.

    Attributes:
        of: The kind.
        name: The last part of its address.
        about: What it holds.
        model: What an entry is answered as.
        source: Makes the list of a node.
        wrap: Makes answers of its records.
    """

    of: type[records.Node]
    name: str
    about: str
    model: type[Record]
    source: Callable[[RequestContext, Any], Source[R]]
    wrap: Wrap[R, Any]

    @property
    def path(self) -> str:
        """Its address below ``/v1``."""
        return f"/{FOLDERS[self.of]}/{{id}}/{self.name}"


FOLDERS: dict[type[records.Node], str] = {
    records.Paper: "papers",
    records.Section: "sections",
    records.Chunk: "chunks",
    records.Author: "authors",
    records.Reference: "references",
    records.Question: "questions",
    records.Entity: "entities",
    records.Cluster: "clusters",
}
"""Paths of nodes by kind."""


def part_of(
    of: type[records.Node],
    name: str,
    about: str,
    model: type[Record],
    source: Listing[Any] | Callable[..., Any],
) -> Part[Any]:
    made = listed(source) if isinstance(source, Listing) else source
    return Part(of, name, about, model, made, papers if model is models.Paper else plain)


PAPER, CHUNK, ENTITY, CLUSTER = records.Paper, records.Chunk, records.Entity, records.Cluster
PARTS = (
    part_of(
        PAPER,
        "sections",
        "All sections, of any level, in reading order.",
        records.Section,
        by_ordinal("sections", reading.sections_of, n_sections_of),
    ),
    part_of(
        PAPER,
        "chunks",
        "All chunks in reading order.",
        records.Chunk,
        by_ordinal("chunks", reading.chunks_of_papers, n_chunks_of),
    ),
    part_of(
        PAPER,
        "references",
        "References of the paper, in the order of its list.",
        records.Reference,
        listings.REFERENCES_OF_PAPERS,
    ),
    part_of(PAPER, "cites", "Cited papers of the collection, by title.", models.Paper, listings.PAPERS_CITED),
    part_of(PAPER, "cited-by", "Citing papers of the collection, by title.", models.Paper, listings.PAPERS_CITING),
    part_of(
        PAPER,
        "entities",
        "Mentioned entities, most frequent first.",
        listings.EntityOfPaper,
        listings.ENTITIES_OF_PAPERS,
    ),
    part_of(
        PAPER,
        "questions",
        "Questions that the paper or its chunks answer.",
        records.Question,
        listings.QUESTIONS_OF_PAPERS,
    ),
    part_of(
        PAPER,
        "clusters",
        "Clusters and their ancestors, by kind, level and name.",
        records.Cluster,
        listings.CLUSTERS_OF_MEMBERS,
    ),
    part_of(
        records.Section,
        "chunks",
        "Chunks of the section, without subsections, in reading order.",
        records.Chunk,
        by_ordinal("chunks", reading.chunks_of_sections, counted),
    ),
    part_of(CHUNK, "entities", "Mentioned entities, by name.", listings.EntityMention, listings.ENTITIES_OF_CHUNKS),
    part_of(CHUNK, "questions", "Answered questions.", records.Question, listings.QUESTIONS_OF_CHUNKS),
    part_of(
        CHUNK,
        "references",
        "Cited references, in the order of the paper.",
        records.Reference,
        listings.REFERENCES_OF_CHUNKS,
    ),
    part_of(
        CHUNK,
        "clusters",
        "Clusters and their ancestors.",
        records.Cluster,
        listings.CLUSTERS_OF_MEMBERS,
    ),
    part_of(
        CHUNK,
        "similar",
        "Similar chunks of other papers, most similar first.",
        listings.SimilarChunk,
        listings.SIMILAR_CHUNKS,
    ),
    part_of(records.Author, "papers", "The author's papers, by title.", models.Paper, papers_of_author),
    part_of(
        records.Reference,
        "chunks",
        "Chunks that cite it, in reading order.",
        records.Chunk,
        listings.CHUNKS_OF_REFERENCES,
    ),
    part_of(
        records.Question,
        "chunks",
        "Answering chunks, in reading order; none if the whole paper answers.",
        records.Chunk,
        listings.CHUNKS_OF_QUESTIONS,
    ),
    part_of(ENTITY, "papers", "Papers that mention it, by title.", models.Paper, listings.PAPERS_OF_ENTITIES),
    part_of(
        ENTITY,
        "mentions",
        "Chunks that mention it, by paper and in reading order.",
        listings.ChunkMention,
        listings.CHUNKS_OF_ENTITIES,
    ),
    part_of(
        ENTITY,
        "relations",
        "Relations to other entities, by type and name.",
        listings.Relation,
        listings.RELATIONS_OF_ENTITIES,
    ),
    part_of(
        ENTITY,
        "same-as",
        "Same entities, by descending confidence.",
        listings.SameEntity,
        listings.SAME_ENTITIES,
    ),
    part_of(
        CLUSTER,
        "papers",
        "Papers of the cluster, by title; topics have chunks instead.",
        models.Paper,
        listings.PAPERS_OF_CLUSTERS,
    ),
    part_of(
        CLUSTER,
        "chunks",
        "Chunks of the cluster, by paper and in reading order; topics only.",
        records.Chunk,
        listings.CHUNKS_OF_CLUSTERS,
    ),
    part_of(CLUSTER, "children", "Subclusters, largest first.", records.Cluster, listings.CLUSTERS_BELOW),
)
"""Every list that a node has, ``related`` papers aside, which have no pages."""


class Entities(PageOfCollection):
    """Filter on entities."""

    text: str = Field(default="", max_length=MOST_TEXT_CHARS)
    """Text in a name of the entity, ignoring case."""

    types: list[str] | None = None
    """Entity types to include."""


class Clusters(PageOfCollection):
    """Filter on clusters."""

    kind: str | None = None
    """metadata, topic or community."""

    level: int | None = Field(default=None, ge=0, le=1000)
    """Level in the hierarchy; 0 is the finest."""

    field: str | None = None
    """Metadata field, for kind metadata."""


class Questions(PageOfCollection):
    """Filter on questions."""

    generator: str | None = None
    """model, written, template or extractive."""

    review: str | None = None
    """accepted, edited or none."""

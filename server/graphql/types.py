"""GraphQL types over the graph's records; fields that need the graph go through the request's loaders."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Generic, Self, TypeVar

import strawberry
from strawberry.types import Info as StrawberryInfo

from schema import records
from server import cursors
from server.cursors import ordinal_after, place_after, title_after
from server.graphql.context import Context, PageKey
from server.retrieval import candidates
from server.retrieval import search as retrieval
from server.retrieval.candidates import LegName
from server.retrieval.exploring import RelatedBy
from server.retrieval.listings import (
    CITATIONS_OF_CHUNKS,
    CITATIONS_OF_PAPERS,
    CLUSTERS_OF_MEMBERS,
    ENTITIES_OF_CHUNKS,
    ENTITIES_OF_PAPERS,
    PAPERS_CITED,
    PAPERS_CITING,
    QUESTIONS_OF_CHUNKS,
    QUESTIONS_OF_PAPERS,
    SIMILAR_CHUNKS,
    Listing,
)
from server.retrieval.reading import check_first

if TYPE_CHECKING:
    from server.graphql.meaning import (
        Citation,
        Cluster,
        EntityMention,
        EntityOfPaper,
        Question,
        RelatedPaper,
        SimilarChunk,
    )

Info = StrawberryInfo[Context, None]
T = TypeVar("T")
R = TypeVar("R")

strawberry.enum(
    RelatedBy,
    description="What relates papers: their vectors, what both mention, clusters that both are in, or citations.",
)

First = Annotated[int, strawberry.argument(description="How many, 1 to 100.")]
After = Annotated[str | None, strawberry.argument(description="The endCursor of the page before.")]


@strawberry.interface(description="Anything that has an id: sha-256 hex, the same as in the graph.")
class Node:
    """A node of the graph."""

    id: strawberry.ID


@strawberry.type(description="Where a page stands in its list.")
class PageInfo:
    """Where a page stands in its list."""

    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


@strawberry.type
class Edge(Generic[T]):
    """An entry of a page with its position."""

    cursor: str
    node: T


@strawberry.type
class Connection(Generic[T]):
    """A page of a list, in a stable order; pass endCursor as ``after`` for the next one."""

    edges: list[Edge[T]]
    page_info: PageInfo
    count: strawberry.Private[Callable[[], Awaitable[int]]]

    @strawberry.field(description="The entries without their cursors.")
    def nodes(self) -> list[T]:
        return [edge.node for edge in self.edges]

    @strawberry.field(description="Length of the whole list.")
    async def total_count(self) -> int:
        return await self.count()


def page(
    found: Sequence[R],
    *,
    first: int,
    after: str | None,
    wrap: Callable[[R], T],
    cursor: Callable[[R], str],
    count: Callable[[], Awaitable[int]],
) -> Connection[T]:
    """Make a page of up to ``first`` of the records found; one more than ``first`` means that there is a next page."""
    edges = [Edge(cursor=cursor(record), node=wrap(record)) for record in found[:first]]
    info = PageInfo(
        has_next_page=len(found) > first,
        has_previous_page=after is not None,
        start_cursor=edges[0].cursor if edges else None,
        end_cursor=edges[-1].cursor if edges else None,
    )
    return Connection(edges=edges, page_info=info, count=count)


async def listed(
    info: Info, listing: Listing[R], parent_id: str, *, first: int, after: str | None, wrap: Callable[[R], T]
) -> Connection[T]:
    """Return a page of a list that a node has."""
    name = f"{listing.name} {parent_id}"
    key = PageKey(parent_id, place_after(after, name, listing.place), check_first(first) + 1)
    return page(
        await info.context.pages_of(listing).load(key),
        first=first,
        after=after,
        wrap=lambda entry: wrap(entry.record),
        cursor=lambda entry: cursors.encode(name, *entry.place),
        count=lambda: info.context.counts_of(listing).load(parent_id),
    )


async def _known(count: int) -> int:
    return count


@strawberry.type(description="A person who wrote papers of a collection.")
class Author(Node):
    """A person, by name."""

    name: str
    collection: str

    @classmethod
    def of(cls, record: records.Author) -> Self:
        """Wrap a record."""
        return cls(id=strawberry.ID(record.id), name=record.name, collection=record.collection)

    @strawberry.field(description="The author's papers, by title.")
    async def papers(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Paper", strawberry.lazy(".types")]]:
        name = f"papers of {self.id}"
        key = PageKey(self.id, title_after(after, name), check_first(first) + 1)
        return page(
            await info.context.author_papers.load(key),
            first=first,
            after=after,
            wrap=Paper.of,
            cursor=lambda record: cursors.encode(name, record.title, record.id),
            count=lambda: info.context.n_parts.load(self.id),
        )


@strawberry.type(description="A research paper in a collection.")
class Paper(Node):
    """A research paper."""

    key: str = strawberry.field(description="doi:…, arxiv:… without version, or file:… or another URL.")
    collection: str
    title: str
    abstract: str
    keys: list[str] = strawberry.field(description="Every key under which this content arrived.")
    sources: list[str] = strawberry.field(description="Where the content came from, one for each key.")
    categories: list[str]
    content_hash: str = strawberry.field(description="sha-256 hex of the source's bytes.")
    ingested_at: datetime
    year: int | None
    doi: str | None
    arxiv_id: str | None
    license: str | None
    format: str | None = strawberry.field(
        description="Read from markdown, text, pdf, jats, tei, latex, docx, html or record."
    )
    headings_by: str | None = strawberry.field(
        description="What its headings were found by: markup, outline, fonts, keywords, a service or none."
    )
    body_share: float | None = strawberry.field(
        description="Share of the source's body characters, dropped sections aside, that its chunks hold, 0 to 1."
    )
    chunker: str | None = strawberry.field(description="How it was cut, by the chunker's name.")
    cleaning: list[str] = strawberry.field(description="What was cleaned: drop-back-matter, mask-urls, trim-stops.")
    n_pages: int | None = strawberry.field(description="Number of pages, where the source has pages.")
    n_pages_without_text: int | None = strawberry.field(description="How many of its pages are blank or an image.")
    arxiv_version: int | None = strawberry.field(description="Version at arXiv, from 1.")
    primary_category: str | None
    published: datetime | None = strawberry.field(description="When it, or its first version, was published.")
    updated: datetime | None = strawberry.field(description="When this version was published.")
    comment: str | None = strawberry.field(description="The authors' comment at arXiv, such as the number of pages.")
    journal_ref: str | None = strawberry.field(description="Where else it was published.")
    url: str | None = strawberry.field(description="A page that tells of it.")
    record: strawberry.Private[records.Paper]

    @classmethod
    def of(cls, record: records.Paper) -> Self:
        """Wrap a record."""
        return cls(
            id=strawberry.ID(record.id),
            key=record.key,
            collection=record.collection,
            title=record.title,
            abstract=record.abstract,
            keys=list(record.keys),
            sources=list(record.sources),
            categories=list(record.categories),
            content_hash=record.content_hash,
            ingested_at=record.ingested_at,
            year=record.year,
            doi=record.doi,
            arxiv_id=record.arxiv_id,
            license=record.license,
            format=record.format,
            headings_by=record.headings_by,
            body_share=record.body_share,
            chunker=record.chunker,
            cleaning=list(record.cleaning),
            n_pages=record.n_pages,
            n_pages_without_text=record.n_pages_without_text,
            arxiv_version=record.arxiv_version,
            primary_category=record.primary_category,
            published=record.published,
            updated=record.updated,
            comment=record.comment,
            journal_ref=record.journal_ref,
            url=record.url,
            record=record,
        )

    @strawberry.field(description="In the paper's order.")
    async def authors(self, info: Info) -> list[Author]:
        return [Author.of(record) for record in await info.context.authors.load(self.id)]

    @strawberry.field(description="All sections, of any level, in reading order.")
    async def sections(
        self, info: Info, first: First = 50, after: After = None
    ) -> Connection[Annotated["Section", strawberry.lazy(".types")]]:
        name = f"sections of {self.id}"
        key = PageKey(self.id, ordinal_after(after, name), check_first(first) + 1)
        return page(
            await info.context.sections.load(key),
            first=first,
            after=after,
            wrap=Section.of,
            cursor=lambda record: cursors.encode(name, record.ordinal),
            count=lambda: _known(self.record.n_sections),
        )

    @strawberry.field(description="Its list of references.")
    async def citations(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Citation", strawberry.lazy(".meaning")]]:
        from server.graphql.meaning import Citation

        return await listed(info, CITATIONS_OF_PAPERS, self.id, first=first, after=after, wrap=Citation.of)

    @strawberry.field(description="Papers of the collection that it cites, by title.")
    async def cites(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Paper", strawberry.lazy(".types")]]:
        return await listed(info, PAPERS_CITED, self.id, first=first, after=after, wrap=Paper.of)

    @strawberry.field(description="Papers of the collection that cite it, by title.")
    async def cited_by(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Paper", strawberry.lazy(".types")]]:
        return await listed(info, PAPERS_CITING, self.id, first=first, after=after, wrap=Paper.of)

    @strawberry.field(description="Entities that its chunks mention, those that most of them mention first.")
    async def entities(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["EntityOfPaper", strawberry.lazy(".meaning")]]:
        from server.graphql.meaning import EntityOfPaper

        return await listed(info, ENTITIES_OF_PAPERS, self.id, first=first, after=after, wrap=EntityOfPaper.of)

    @strawberry.field(description="Questions that it or its chunks answer.")
    async def questions(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Question", strawberry.lazy(".meaning")]]:
        from server.graphql.meaning import Question

        return await listed(info, QUESTIONS_OF_PAPERS, self.id, first=first, after=after, wrap=Question.of)

    @strawberry.field(description="Clusters that it is in, and those above them, by kind, level and name.")
    async def clusters(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Cluster", strawberry.lazy(".meaning")]]:
        from server.graphql.meaning import Cluster

        return await listed(info, CLUSTERS_OF_MEMBERS, self.id, first=first, after=after, wrap=Cluster.of)

    @strawberry.field(description="The papers of its collection that are nearest to it, best first.")
    async def related(
        self, info: Info, by: RelatedBy = RelatedBy.VECTORS, first: First = 10
    ) -> list[Annotated["RelatedPaper", strawberry.lazy(".meaning")]]:
        from server.graphql.meaning import RelatedPaper

        found = await info.context.related(by, check_first(first)).load(self.id)
        return [RelatedPaper.of(one) for one in found]

    @strawberry.field(description="All chunks in reading order.")
    async def chunks(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Chunk", strawberry.lazy(".types")]]:
        name = f"chunks of {self.id}"
        key = PageKey(self.id, ordinal_after(after, name), check_first(first) + 1)
        return page(
            await info.context.paper_chunks.load(key),
            first=first,
            after=after,
            wrap=Chunk.of,
            cursor=lambda record: cursors.encode(name, record.ordinal),
            count=lambda: _known(self.record.n_chunks),
        )


@strawberry.type(description="A heading with the text up to the next one.")
class Section(Node):
    """A heading with the text up to the next one."""

    collection: str
    title: str
    level: int = strawberry.field(description="Depth in the section tree, from 1.")
    ordinal: int = strawberry.field(description="Position within the paper, from 0.")
    kind: str = strawberry.field(description="front, abstract, body, references, acknowledgements or appendix.")
    path: list[str] = strawberry.field(description="Headings above it and its own, outermost first.")
    start_page: int | None = strawberry.field(
        description="First page that its own text stands on, from 1, where there are pages."
    )
    end_page: int | None = strawberry.field(description="Last page that its own text stands on, where there are pages.")
    record: strawberry.Private[records.Section]

    @classmethod
    def of(cls, record: records.Section) -> Self:
        """Wrap a record."""
        return cls(
            id=strawberry.ID(record.id),
            collection=record.collection,
            title=record.title,
            level=record.level,
            ordinal=record.ordinal,
            kind=record.kind,
            path=list(record.path),
            start_page=record.start_page,
            end_page=record.end_page,
            record=record,
        )

    @strawberry.field
    async def paper(self, info: Info) -> Paper:
        return wrap_as(Paper, await info.context.nodes.load(self.record.paper_id))

    @strawberry.field(description="The section above it, if any.")
    async def parent(self, info: Info) -> Annotated["Section", strawberry.lazy(".types")] | None:
        if self.record.parent_id is None:
            return None
        return wrap_as(Section, await info.context.nodes.load(self.record.parent_id))

    @strawberry.field(description="Its own chunks in reading order; those of subsections are theirs.")
    async def chunks(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Chunk", strawberry.lazy(".types")]]:
        name = f"chunks of {self.id}"
        key = PageKey(self.id, ordinal_after(after, name), check_first(first) + 1)
        return page(
            await info.context.section_chunks.load(key),
            first=first,
            after=after,
            wrap=Chunk.of,
            cursor=lambda record: cursors.encode(name, record.ordinal),
            count=lambda: info.context.n_parts.load(self.id),
        )


@strawberry.type(description="A piece of a section's own text.")
class Chunk(Node):
    """A piece of a section's own text."""

    collection: str
    ordinal: int = strawberry.field(description="Position within the paper, from 0.")
    kind: str = strawberry.field(
        description="table, equation, caption or parent; of running text, the kind of its section."
    )
    level: int = strawberry.field(
        description="0, or height above the chunks of a hierarchy: 1 and 2 for their parents."
    )
    text: str
    n_tokens: int = strawberry.field(description="Length in the embedding model's tokens.")
    start_char: int = strawberry.field(description="First character in the source text, from 0.")
    end_char: int = strawberry.field(description="Character after the last one in the source text.")
    start_page: int | None = strawberry.field(
        description="First page that it stands on, from 1, where there are pages."
    )
    end_page: int | None = strawberry.field(description="Last page that it stands on, where there are pages.")
    record: strawberry.Private[records.Chunk]

    @classmethod
    def of(cls, record: records.Chunk) -> Self:
        """Wrap a record."""
        return cls(
            id=strawberry.ID(record.id),
            collection=record.collection,
            ordinal=record.ordinal,
            kind=record.kind,
            level=record.level,
            text=record.text,
            n_tokens=record.n_tokens,
            start_char=record.start_char,
            end_char=record.end_char,
            start_page=record.start_page,
            end_page=record.end_page,
            record=record,
        )

    @strawberry.field
    async def paper(self, info: Info) -> Paper:
        return wrap_as(Paper, await info.context.nodes.load(self.record.paper_id))

    @strawberry.field
    async def section(self, info: Info) -> Section:
        return wrap_as(Section, await info.context.nodes.load(self.record.section_id))

    @strawberry.field(description="Entities that it mentions, by name.")
    async def entities(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["EntityMention", strawberry.lazy(".meaning")]]:
        from server.graphql.meaning import EntityMention

        return await listed(info, ENTITIES_OF_CHUNKS, self.id, first=first, after=after, wrap=EntityMention.of)

    @strawberry.field(description="Questions that it answers.")
    async def questions(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Question", strawberry.lazy(".meaning")]]:
        from server.graphql.meaning import Question

        return await listed(info, QUESTIONS_OF_CHUNKS, self.id, first=first, after=after, wrap=Question.of)

    @strawberry.field(description="References that it cites, in the order of the paper's list.")
    async def citations(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Citation", strawberry.lazy(".meaning")]]:
        from server.graphql.meaning import Citation

        return await listed(info, CITATIONS_OF_CHUNKS, self.id, first=first, after=after, wrap=Citation.of)

    @strawberry.field(description="Clusters that it is in, and those above them.")
    async def clusters(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Cluster", strawberry.lazy(".meaning")]]:
        from server.graphql.meaning import Cluster

        return await listed(info, CLUSTERS_OF_MEMBERS, self.id, first=first, after=after, wrap=Cluster.of)

    @strawberry.field(description="Chunks of other papers that are alike, the most alike first.")
    async def similar(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["SimilarChunk", strawberry.lazy(".meaning")]]:
        from server.graphql.meaning import SimilarChunk

        return await listed(info, SIMILAR_CHUNKS, self.id, first=first, after=after, wrap=SimilarChunk.of)


W = TypeVar("W", Paper, Section, Chunk)


def wrap_as(kind: type[W], node: records.Node | None) -> W:
    """Wrap a record that another one points to; the graph's invariants say that it is there and of this kind."""
    if not isinstance(node, getattr(records, kind.__name__)):
        raise LookupError(f"expected a {kind.__name__}, found {type(node).__name__}")
    return kind.of(node)


strawberry.enum(LegName, name="Leg", description="A way of searching.")


@strawberry.type(description="A node on the way from the query to a passage.")
class Via:
    """A node on the way from the query to a passage."""

    label: str = strawberry.field(description="Question, Entity, Cluster, Paper or Chunk.")
    id: strawberry.ID
    name: str = strawberry.field(description="A question's text, an entity's name, a paper's title.")

    @classmethod
    def of(cls, via: candidates.Via) -> Self:
        """Wrap a node."""
        return cls(label=via.label, id=strawberry.ID(via.id), name=via.name)


@strawberry.type(description="What one leg says of a hit.")
class LegScore:
    """What one leg says of a hit."""

    leg: LegName
    rank: int = strawberry.field(description="Place in the leg's own ranking, from 1.")
    score: float = strawberry.field(
        description="The leg's own: (1 + cosine) / 2 of VECTOR, QUESTION, PROTOTYPE, CLUSTER and CITATION; BM25 of "
        "FULLTEXT, for this query only; of ENTITY the entities' weights and the cosine, of PAGERANK a probability."
    )
    query: int = strawberry.field(description="Which of the queries it was, 0 for the one that was asked.")
    via: list[Via] = strawberry.field(description="The way from the query to it.")


@strawberry.type(description="Where a step put a hit.")
class StepPlace:
    """Where a step put a hit."""

    step: int = strawberry.field(description="Number of the pipeline's step, from 1.")
    rank: int = strawberry.field(description="Place after it, from 1.")


@strawberry.type(description="Why a hit is there, and why it is not higher.")
class Explanation:
    """Why a hit is there."""

    via: list[Via] = strawberry.field(description="The way along the graph, where it was come to by one.")
    places: list[StepPlace] = strawberry.field(description="Its place after each step that ordered the candidates.")
    stands_for: list[strawberry.ID] = strawberry.field(
        description="Chunks whose place it took, when parts were merged."
    )
    why_not_higher: str = strawberry.field(description="What keeps it behind the hit before it; empty for the first.")


@strawberry.type(description="What a selection says of a passage that it chose.")
class Chosen:
    """What a selection says of a passage that it chose."""

    marginal: float = strawberry.field(description="How much worse the selection would be without it.")
    redundancy: float = strawberry.field(
        description="Mean similarity to the others that were chosen; 0 where it is the only one."
    )
    nearest: strawberry.ID | None = strawberry.field(description="Chunk among those that is most like it.")
    nearest_similarity: float = strawberry.field(description="The similarity of both.")
    rank_before: int = strawberry.field(description="Place before the selection, from 1.")

    @classmethod
    def of(cls, chosen: candidates.Chosen) -> Self:
        """Wrap what is said."""
        return cls(**vars(chosen))


@strawberry.type(description="A passage for a query, with where it stands.")
class Hit:
    """A passage for a query."""

    rank: int = strawberry.field(description="From 1, best first.")
    score: float = strawberry.field(description="Of the pipeline's last step that gave one, for this query only.")
    chunk: Chunk
    section: Section
    section_path: list[str] = strawberry.field(description="Headings above the passage, outermost first.")
    paper: Paper
    previous: Chunk | None = strawberry.field(description="The chunk before it in the paper.")
    next: Chunk | None = strawberry.field(description="The chunk after it in the paper.")
    outside: bool = strawberry.field(description="Whether the filter does not let it pass, and it only fills up.")
    passage: str = strawberry.field(
        description="What a reader is given: the text, shortened or with what stands beside."
    )
    chosen: Chosen | None = strawberry.field(description="What the selection says of it, where passages were selected.")
    hit: strawberry.Private[retrieval.Hit]

    @classmethod
    def of(cls, hit: retrieval.Hit) -> Self:
        """Wrap a hit."""
        return cls(
            rank=hit.rank,
            score=hit.score,
            chunk=Chunk.of(hit.chunk),
            section=Section.of(hit.section),
            section_path=list(hit.section.path),
            paper=Paper.of(hit.paper),
            previous=None if hit.previous is None else Chunk.of(hit.previous),
            next=None if hit.next is None else Chunk.of(hit.next),
            outside=hit.outside,
            passage=hit.text,
            chosen=None if hit.chosen is None else Chosen.of(hit.chosen),
            hit=hit,
        )

    @strawberry.field(description="What each leg that found it says.")
    def legs(self) -> list[LegScore]:
        return [
            LegScore(leg=one.leg, rank=one.rank, score=one.score, query=one.query, via=[Via.of(via) for via in one.via])
            for one in self.hit.legs
        ]

    @strawberry.field(description="Why it is there, and why it is not higher.")
    def explanation(self) -> Explanation:
        return Explanation(
            via=[Via.of(via) for via in self.hit.via],
            places=[StepPlace(step=step, rank=rank) for step, rank in self.hit.places],
            stands_for=[strawberry.ID(id) for id in self.hit.stands_for],
            why_not_higher=self.hit.why_not_higher,
        )

"""GraphQL types of nodes, what they are linked with, and suggestions of them."""

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Annotated, Self, TypeVar

import strawberry
from strawberry import Parent
from strawberry.dataloader import DataLoader

from papergraph.ingest.enrichments.questions.candidates import Generator
from papergraph.schema import records
from papergraph.server.graph import lists as listings
from papergraph.server.graph import related as exploring
from papergraph.server.graph.neighbourhood import Direction, LinkType
from papergraph.server.graph.nodes import check_first
from papergraph.server.graph.related import RelatedBy
from papergraph.server.graph.suggestions import Suggestion
from papergraph.server.graphql.connections import After, Connection, First, Info, Node, listed, page_of_parts
from papergraph.server.graphql.context import PageKey
from papergraph.server.graphql.cost import RELATED
from papergraph.server.graphql.derive import field, object_type, type_
from papergraph.server.graphql.types.closed_lists import ClusterKind, Review
from papergraph.server.graphql.types.collections import AuthorPlaces, PaperPlaces
from papergraph.server.operations.pagination import ordinal_after, title_after
from papergraph.server.papers import regions
from papergraph.server.papers.find import Facet, PaperSort, regions_of_chunk

# GraphQL types that pages draw from: regions of a PDF, facets of papers, and the neighbourhood of nodes


StartChar = Annotated[int, strawberry.argument(description="First character of the text.")]
EndChar = Annotated[int | None, strawberry.argument(description="Character after the last one; default: all.")]
strawberry.enum(PaperSort, description="Order: by title, newest year, newest in the graph, or most cited first.")
strawberry.enum(Facet, description="Respect in which papers are counted.")
strawberry.enum(LinkType, description="Type of relationship, as the graph names it.")


@type_(description="Rectangle of a page, as shares (0 to 1) of its width and height from the upper left.")
class Region:
    """A rectangle of a page."""

    page: int = strawberry.field(description="Page, from 1.")
    x: float = strawberry.field(description="Left edge.")
    y: float = strawberry.field(description="Upper edge.")
    width: float = strawberry.field(description="Width.")
    height: float = strawberry.field(description="Height.")

    @classmethod
    def of(cls, region: regions.Region) -> Self:
        """Wrap a rectangle."""
        return cls(
            page=region.page,
            x=region.x0,
            y=region.y0,
            width=round(region.x1 - region.x0, regions.N_DIGITS),
            height=round(region.y1 - region.y0, regions.N_DIGITS),
        )


async def read_regions(info: Info, chunk: records.Chunk, start: int, end: int | None) -> list[Region]:
    """Return the rectangles of a chunk, or of a part of its text."""
    line_boxes = await info.context.line_boxes.load(chunk.paper_id)
    return [Region.of(one) for one in regions_of_chunk(chunk, line_boxes, start=start, end=end)]


# GraphQL types of papers, sections, chunks and authors; what needs the graph goes through loaders of the request


strawberry.enum(RelatedBy, description="Relation between papers: vectors, entities or clusters shared, or citations.")


async def _known(count: int) -> int:
    return count


S = TypeVar("S", records.Section, records.Chunk)


async def _in_order(
    info: Info,
    name: str,
    loader: DataLoader[PageKey, list[S]],
    parent_id: str,
    *,
    first: int,
    after: str | None,
    count: Callable[[], Awaitable[int]],
) -> Connection[S]:
    """Return a page of the sections or chunks of a node, in reading order."""
    key = PageKey(parent_id, ordinal_after(after, name), check_first(first) + 1)

    async def load() -> list[listings.Entry[S]]:
        return [listings.Entry(one, (one.ordinal,)) for one in await loader.load(key)]

    return await page_of_parts(info, name, load, first=first, after=after, count=count)


@object_type(records.Author)
class Author(AuthorPlaces, Node):
    """A person, by name."""

    @field("The author's papers, by title.")
    async def papers(
        root: Parent[records.Author], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Paper]:
        name = f"papers of {root.id}"
        key = PageKey(root.id, title_after(after, name), check_first(first) + 1)

        async def load() -> list[listings.Entry[records.Paper]]:
            return [listings.Entry(one, (one.title, one.id)) for one in await info.context.author_papers.load(key)]

        return await page_of_parts(
            info,
            name,
            load,
            first=first,
            after=after,
            count=lambda: info.context.n_parts.load(root.id),
        )


@object_type(records.Paper)
class Paper(PaperPlaces, Node):
    """A research paper."""

    @field("Authors, in the order of the paper.")
    async def authors(root: Parent[records.Paper], info: Info) -> list[records.Author]:
        return list(await info.context.authors.load(root.id))

    @field("All sections, of any level, in reading order.")
    async def sections(
        root: Parent[records.Paper], info: Info, first: First = 50, after: After = None
    ) -> Connection[records.Section]:
        name, loader = f"sections of {root.id}", info.context.sections
        return await _in_order(
            info, name, loader, root.id, first=first, after=after, count=lambda: _known(root.n_sections)
        )

    @field("References of the paper, in the order of its list.")
    async def references(
        root: Parent[records.Paper], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Reference]:
        return await listed(info, listings.REFERENCES_OF_PAPERS, root.id, first=first, after=after)

    @field("Cited papers of the collection, by title.")
    async def cites(
        root: Parent[records.Paper], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Paper]:
        return await listed(info, listings.PAPERS_CITED, root.id, first=first, after=after)

    @field("Citing papers of the collection, by title.")
    async def cited_by(
        root: Parent[records.Paper], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Paper]:
        return await listed(info, listings.PAPERS_CITING, root.id, first=first, after=after)

    @field("Mentioned entities, most frequent first.")
    async def entities(
        root: Parent[records.Paper], info: Info, first: First = 20, after: After = None
    ) -> Connection[listings.EntityOfPaper]:
        return await listed(info, listings.ENTITIES_OF_PAPERS, root.id, first=first, after=after)

    @field("Questions that the paper or its chunks answer.")
    async def questions(
        root: Parent[records.Paper], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Question]:
        return await listed(info, listings.QUESTIONS_OF_PAPERS, root.id, first=first, after=after)

    @field("Clusters and their ancestors, by kind, level and name.")
    async def clusters(
        root: Parent[records.Paper], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Cluster]:
        return await listed(info, listings.CLUSTERS_OF_MEMBERS, root.id, first=first, after=after)

    @field("Related papers of the collection, best first.", metadata=RELATED)
    async def related(
        root: Parent[records.Paper],
        info: Info,
        by: Annotated[RelatedBy, strawberry.argument(description="Kind of relation.")] = RelatedBy.VECTORS,
        first: First = 10,
    ) -> list[exploring.RelatedPaper]:
        found = await info.context.related(by, check_first(first)).load(root.id)
        return list(found)

    @field("All chunks in reading order.")
    async def chunks(
        root: Parent[records.Paper], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Chunk]:
        name, loader = f"chunks of {root.id}", info.context.paper_chunks
        return await _in_order(
            info, name, loader, root.id, first=first, after=after, count=lambda: _known(root.n_chunks)
        )


@object_type(records.Section)
class Section(Node):
    """A heading with the text up to the next one."""

    @field("The paper.")
    async def paper(root: Parent[records.Section], info: Info) -> records.Paper:
        return same(records.Paper, await info.context.nodes.load(root.paper_id))

    @field("The section above it, if any.")
    async def parent(root: Parent[records.Section], info: Info) -> records.Section | None:
        if root.parent_id is None:
            return None
        return same(records.Section, await info.context.nodes.load(root.parent_id))

    @field("Chunks of the section, without subsections, in reading order.")
    async def chunks(
        root: Parent[records.Section], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Chunk]:
        name, loader = f"chunks of {root.id}", info.context.section_chunks
        return await _in_order(
            info, name, loader, root.id, first=first, after=after, count=lambda: info.context.n_parts.load(root.id)
        )


@object_type(records.Chunk)
class Chunk(Node):
    """Chunk of the text of a section."""

    @field("The paper.")
    async def paper(root: Parent[records.Chunk], info: Info) -> records.Paper:
        return same(records.Paper, await info.context.nodes.load(root.paper_id))

    @field("The section.")
    async def section(root: Parent[records.Chunk], info: Info) -> records.Section:
        return same(records.Section, await info.context.nodes.load(root.section_id))

    @field("Mentioned entities, by name.")
    async def entities(
        root: Parent[records.Chunk], info: Info, first: First = 20, after: After = None
    ) -> Connection[listings.EntityMention]:
        return await listed(info, listings.ENTITIES_OF_CHUNKS, root.id, first=first, after=after)

    @field("Answered questions.")
    async def questions(
        root: Parent[records.Chunk], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Question]:
        return await listed(info, listings.QUESTIONS_OF_CHUNKS, root.id, first=first, after=after)

    @field("Cited references, in the order of the paper.")
    async def references(
        root: Parent[records.Chunk], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Reference]:
        return await listed(info, listings.REFERENCES_OF_CHUNKS, root.id, first=first, after=after)

    @field("Clusters and their ancestors.")
    async def clusters(
        root: Parent[records.Chunk], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Cluster]:
        return await listed(info, listings.CLUSTERS_OF_MEMBERS, root.id, first=first, after=after)

    @field("Rectangles on pages of a PDF, one per line; of characters start to end if given.")
    async def regions(
        root: Parent[records.Chunk], info: Info, start: StartChar = 0, end: EndChar = None
    ) -> list[Region]:
        return await read_regions(info, root, start, end)

    @field("Similar chunks of other papers, most similar first.")
    async def similar(
        root: Parent[records.Chunk], info: Info, first: First = 20, after: After = None
    ) -> Connection[listings.SimilarChunk]:
        return await listed(info, listings.SIMILAR_CHUNKS, root.id, first=first, after=after)


N = TypeVar("N", bound=records.NodeRecord)


def same(kind: type[N], node: records.NodeRecord | None) -> N:
    """Return the target of a relationship, which exists and has this kind by the graph's invariants."""
    if not isinstance(node, kind):
        raise LookupError(f"expected a {kind.__name__}, found {type(node).__name__}")
    return node


# GraphQL types of entities, questions, clusters, references, and paths between nodes


strawberry.enum(Generator, name="QuestionGenerator", description="Generator of a question.")
strawberry.enum(Direction, description="Direction of a relationship or path step.")


@object_type(records.Reference)
class Reference(Node):
    """An entry of a list of references."""

    @field("Citing paper.")
    async def paper(root: Parent[records.Reference], info: Info) -> records.Paper:
        return same(records.Paper, await info.context.nodes.load(root.paper_id))

    @field("Chunks that cite it, in reading order.")
    async def chunks(
        root: Parent[records.Reference], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Chunk]:
        return await listed(info, listings.CHUNKS_OF_REFERENCES, root.id, first=first, after=after)


@object_type(records.Question, generator=Generator, review=Review | None)
class Question(Node):
    """A question."""

    @field("Answering paper.")
    async def paper(root: Parent[records.Question], info: Info) -> records.Paper:
        return same(records.Paper, await info.context.nodes.load(root.paper_id))

    @field("Answering chunks, in reading order; none if the whole paper answers.")
    async def chunks(
        root: Parent[records.Question], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Chunk]:
        return await listed(info, listings.CHUNKS_OF_QUESTIONS, root.id, first=first, after=after)


@object_type(records.Entity)
class Entity(Node):
    """A thing that papers speak of."""

    @field("Papers that mention it, by title.")
    async def papers(
        root: Parent[records.Entity], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Paper]:
        return await listed(info, listings.PAPERS_OF_ENTITIES, root.id, first=first, after=after)

    @field("Chunks that mention it, by paper and in reading order.")
    async def mentions(
        root: Parent[records.Entity], info: Info, first: First = 20, after: After = None
    ) -> Connection[listings.ChunkMention]:
        return await listed(info, listings.CHUNKS_OF_ENTITIES, root.id, first=first, after=after)

    @field("Relations to other entities, by type and name.")
    async def relations(
        root: Parent[records.Entity], info: Info, first: First = 20, after: After = None
    ) -> Connection[listings.Relation]:
        return await listed(info, listings.RELATIONS_OF_ENTITIES, root.id, first=first, after=after)

    @field("Same entities, by descending confidence.")
    async def same_as(
        root: Parent[records.Entity], info: Info, first: First = 20, after: After = None
    ) -> Connection[listings.SameEntity]:
        return await listed(info, listings.SAME_ENTITIES, root.id, first=first, after=after)


@object_type(listings.Relation)
class Relation:
    """Relation between entities, stated by a paper."""

    @field("Paper with the statement.")
    async def paper(root: Parent[listings.Relation], info: Info) -> records.Paper:
        return same(records.Paper, await info.context.nodes.load(root.paper_id))


@object_type(records.Cluster, kind=ClusterKind)
class Cluster(Node):
    """Cluster of papers or passages."""

    @field("Papers of the cluster, by title; topics have chunks instead.")
    async def papers(
        root: Parent[records.Cluster], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Paper]:
        return await listed(info, listings.PAPERS_OF_CLUSTERS, root.id, first=first, after=after)

    @field("Chunks of the cluster, by paper and in reading order; topics only.")
    async def chunks(
        root: Parent[records.Cluster], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Chunk]:
        return await listed(info, listings.CHUNKS_OF_CLUSTERS, root.id, first=first, after=after)

    @field("Subclusters, largest first.")
    async def children(
        root: Parent[records.Cluster], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Cluster]:
        return await listed(info, listings.CLUSTERS_BELOW, root.id, first=first, after=after)


@type_(description="Path between two nodes: one more node than steps.")
class GraphPath:
    """A path between two nodes."""

    nodes: list[records.Node] = strawberry.field(description="The nodes from start to end.")
    steps: list[exploring.PathStep] = strawberry.field(description="The relationships between them.")


# GraphQL types of suggestions while a user types


@strawberry.enum(description="Type of a suggested node.")
class SuggestionLabel(StrEnum):
    """Label of a node that is suggested."""

    PAPER = "Paper"
    AUTHOR = "Author"
    ENTITY = "Entity"
    CLUSTER = "Cluster"


@object_type(Suggestion, label=SuggestionLabel)
class SuggestionType:
    """A suggestion."""

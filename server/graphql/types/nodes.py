"""GraphQL types over the graph's records; fields that need the graph go through the request's loaders."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Self, TypeVar

import strawberry

from schema import records
from server import pagination as cursors
from server.graph.lists import (
    CLUSTERS_OF_MEMBERS,
    ENTITIES_OF_CHUNKS,
    ENTITIES_OF_PAPERS,
    PAPERS_CITED,
    PAPERS_CITING,
    QUESTIONS_OF_CHUNKS,
    QUESTIONS_OF_PAPERS,
    REFERENCES_OF_CHUNKS,
    REFERENCES_OF_PAPERS,
    SIMILAR_CHUNKS,
)
from server.graph.nodes import check_first
from server.graph.related import RelatedBy
from server.graphql.context import PageKey
from server.graphql.cost import RELATED
from server.graphql.types.pages import EndChar, Region, StartChar, read_regions
from server.graphql.types.places import AuthorPlaces, PaperPlaces
from server.pagination import ordinal_after, title_after
from server.retrieval.candidates import RetrieverName

if TYPE_CHECKING:
    from server.graphql.types.knowledge import (
        Cluster,
        EntityMention,
        EntityOfPaper,
        Question,
        Reference,
        RelatedPaper,
        SimilarChunk,
    )
from server.graphql.connections import After, Connection, First, Info, Node, listed, page

strawberry.enum(RelatedBy, description="Relation between papers: vectors, entities or clusters shared, or citations.")


async def _known(count: int) -> int:
    return count


@strawberry.type(description="Author of papers of a collection.")
class Author(AuthorPlaces, Node):
    """A person, by name."""

    name: str = strawberry.field(description="Name as the papers print it.")
    collection: str = strawberry.field(description="Collection of the papers.")

    @classmethod
    def of(cls, record: records.Author) -> Self:
        """Wrap a record."""
        return cls(id=strawberry.ID(record.id), name=record.name, collection=record.collection)

    @strawberry.field(description="The author's papers, by title.")
    async def papers(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Paper", strawberry.lazy(".nodes")]]:
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
class Paper(PaperPlaces, Node):
    """A research paper."""

    key: str = strawberry.field(description="doi:…, arxiv:… without version, or file:… or another URL.")
    collection: str = strawberry.field(description="Collection of the paper.")
    title: str = strawberry.field(description="Title.")
    abstract: str = strawberry.field(description="Abstract; empty if the source has none.")
    keys: list[str] = strawberry.field(description="All keys of this content.")
    sources: list[str] = strawberry.field(description="Sources of the content, one per key.")
    categories: list[str] = strawberry.field(description="Categories, such as cs.CL.")
    content_hash: str = strawberry.field(description="sha-256 hex of the source's bytes.")
    ingested_at: datetime = strawberry.field(description="Time of the last write.")
    year: int | None = strawberry.field(description="Year of publication, if known.")
    doi: str | None = strawberry.field(description="DOI, if known.")
    arxiv_id: str | None = strawberry.field(description="arXiv id without version, if known.")
    license: str | None = strawberry.field(description="Licence as the source states it, if it does.")
    language: str | None = strawberry.field(description="Language of the text as ISO 639-1 code, if certain.")
    format: str | None = strawberry.field(
        description="Format of the source: markdown, text, pdf, jats, tei, latex, docx, html or record."
    )
    heading_source: str | None = strawberry.field(
        description="Source of the headings: markup, outline, fonts, keywords, a service or none."
    )
    body_coverage: float | None = strawberry.field(
        description="Fraction of the body text, without dropped sections, in chunks, 0 to 1."
    )
    chunker: str | None = strawberry.field(description="Name of the chunker.")
    cleaning: list[str] = strawberry.field(description="Cleaning steps: drop-back-matter, mask-urls, trim-stops.")
    n_pages: int | None = strawberry.field(description="Number of pages, if the source has pages.")
    n_pages_without_text: int | None = strawberry.field(description="Number of pages without text.")
    arxiv_version: int | None = strawberry.field(description="Version at arXiv, from 1.")
    primary_category: str | None = strawberry.field(description="First category at arXiv.")
    published: datetime | None = strawberry.field(description="Publication time of the first version.")
    updated: datetime | None = strawberry.field(description="Publication time of this version.")
    comment: str | None = strawberry.field(description="The authors' comment at arXiv, such as the number of pages.")
    journal_ref: str | None = strawberry.field(description="Journal reference.")
    url: str | None = strawberry.field(description="Landing page.")
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
            language=record.language,
            format=record.format,
            heading_source=record.heading_source,
            body_coverage=record.body_coverage,
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

    @strawberry.field(description="Authors, in the order of the paper.")
    async def authors(self, info: Info) -> list[Author]:
        return [Author.of(record) for record in await info.context.authors.load(self.id)]

    @strawberry.field(description="All sections, of any level, in reading order.")
    async def sections(
        self, info: Info, first: First = 50, after: After = None
    ) -> Connection[Annotated["Section", strawberry.lazy(".nodes")]]:
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

    @strawberry.field(description="References of the paper, in the order of its list.")
    async def references(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Reference", strawberry.lazy(".knowledge")]]:
        from server.graphql.types.knowledge import Reference

        return await listed(info, REFERENCES_OF_PAPERS, self.id, first=first, after=after, wrap=Reference.of)

    @strawberry.field(description="Cited papers of the collection, by title.")
    async def cites(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Paper", strawberry.lazy(".nodes")]]:
        return await listed(info, PAPERS_CITED, self.id, first=first, after=after, wrap=Paper.of)

    @strawberry.field(description="Citing papers of the collection, by title.")
    async def cited_by(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Paper", strawberry.lazy(".nodes")]]:
        return await listed(info, PAPERS_CITING, self.id, first=first, after=after, wrap=Paper.of)

    @strawberry.field(description="Mentioned entities, most frequent first.")
    async def entities(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["EntityOfPaper", strawberry.lazy(".knowledge")]]:
        from server.graphql.types.knowledge import EntityOfPaper

        return await listed(info, ENTITIES_OF_PAPERS, self.id, first=first, after=after, wrap=EntityOfPaper.of)

    @strawberry.field(description="Questions that the paper or its chunks answer.")
    async def questions(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Question", strawberry.lazy(".knowledge")]]:
        from server.graphql.types.knowledge import Question

        return await listed(info, QUESTIONS_OF_PAPERS, self.id, first=first, after=after, wrap=Question.of)

    @strawberry.field(description="Clusters and their ancestors, by kind, level and name.")
    async def clusters(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Cluster", strawberry.lazy(".knowledge")]]:
        from server.graphql.types.knowledge import Cluster

        return await listed(info, CLUSTERS_OF_MEMBERS, self.id, first=first, after=after, wrap=Cluster.of)

    @strawberry.field(metadata=RELATED, description="Related papers of the collection, best first.")
    async def related(
        self,
        info: Info,
        by: Annotated[RelatedBy, strawberry.argument(description="Kind of relation.")] = RelatedBy.VECTORS,
        first: First = 10,
    ) -> list[Annotated["RelatedPaper", strawberry.lazy(".knowledge")]]:
        from server.graphql.types.knowledge import RelatedPaper

        found = await info.context.related(by, check_first(first)).load(self.id)
        return [RelatedPaper.of(one) for one in found]

    @strawberry.field(description="All chunks in reading order.")
    async def chunks(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Chunk", strawberry.lazy(".nodes")]]:
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

    collection: str = strawberry.field(description="Collection of the paper.")
    title: str = strawberry.field(description="Heading; empty for text before the first one.")
    level: int = strawberry.field(description="Depth in the section tree, from 1.")
    ordinal: int = strawberry.field(description="Position within the paper, from 0.")
    kind: str = strawberry.field(description="front, abstract, body, references, acknowledgements or appendix.")
    path: list[str] = strawberry.field(description="Headings above it and its own, outermost first.")
    start_page: int | None = strawberry.field(description="First page of its own text, from 1, if there are pages.")
    end_page: int | None = strawberry.field(description="Last page of its own text, if there are pages.")
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

    @strawberry.field(description="The paper.")
    async def paper(self, info: Info) -> Paper:
        return wrap_as(Paper, await info.context.nodes.load(self.record.paper_id))

    @strawberry.field(description="The section above it, if any.")
    async def parent(self, info: Info) -> Annotated["Section", strawberry.lazy(".nodes")] | None:
        if self.record.parent_id is None:
            return None
        return wrap_as(Section, await info.context.nodes.load(self.record.parent_id))

    @strawberry.field(description="Chunks of the section, without subsections, in reading order.")
    async def chunks(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Chunk", strawberry.lazy(".nodes")]]:
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


@strawberry.type(description="Chunk of the text of a section.")
class Chunk(Node):
    """Chunk of the text of a section."""

    collection: str = strawberry.field(description="Collection of the paper.")
    ordinal: int = strawberry.field(description="Position within the paper, from 0.")
    kind: str = strawberry.field(
        description="table, equation, caption or parent; for running text, the kind of its section."
    )
    level: int = strawberry.field(description="Level in a hierarchy of chunks; 0 is the finest.")
    text: str = strawberry.field(description="Text of the chunk.")
    n_tokens: int = strawberry.field(description="Length in tokens of the embedding model.")
    start_char: int = strawberry.field(description="First character in the source text, from 0.")
    end_char: int = strawberry.field(description="Character after the last one in the source text.")
    start_page: int | None = strawberry.field(description="First page, from 1, if there are pages.")
    end_page: int | None = strawberry.field(description="Last page, if there are pages.")
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

    @strawberry.field(description="The paper.")
    async def paper(self, info: Info) -> Paper:
        return wrap_as(Paper, await info.context.nodes.load(self.record.paper_id))

    @strawberry.field(description="The section.")
    async def section(self, info: Info) -> Section:
        return wrap_as(Section, await info.context.nodes.load(self.record.section_id))

    @strawberry.field(description="Mentioned entities, by name.")
    async def entities(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["EntityMention", strawberry.lazy(".knowledge")]]:
        from server.graphql.types.knowledge import EntityMention

        return await listed(info, ENTITIES_OF_CHUNKS, self.id, first=first, after=after, wrap=EntityMention.of)

    @strawberry.field(description="Answered questions.")
    async def questions(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Question", strawberry.lazy(".knowledge")]]:
        from server.graphql.types.knowledge import Question

        return await listed(info, QUESTIONS_OF_CHUNKS, self.id, first=first, after=after, wrap=Question.of)

    @strawberry.field(description="Cited references, in the order of the paper.")
    async def references(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Reference", strawberry.lazy(".knowledge")]]:
        from server.graphql.types.knowledge import Reference

        return await listed(info, REFERENCES_OF_CHUNKS, self.id, first=first, after=after, wrap=Reference.of)

    @strawberry.field(description="Clusters and their ancestors.")
    async def clusters(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Cluster", strawberry.lazy(".knowledge")]]:
        from server.graphql.types.knowledge import Cluster

        return await listed(info, CLUSTERS_OF_MEMBERS, self.id, first=first, after=after, wrap=Cluster.of)

    @strawberry.field(description="Rectangles on pages of a PDF, one per line; of characters start to end if given.")
    async def regions(self, info: Info, start: StartChar = 0, end: EndChar = None) -> list[Region]:
        return await read_regions(info, self.record, start, end)

    @strawberry.field(description="Similar chunks of other papers, most similar first.")
    async def similar(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["SimilarChunk", strawberry.lazy(".knowledge")]]:
        from server.graphql.types.knowledge import SimilarChunk

        return await listed(info, SIMILAR_CHUNKS, self.id, first=first, after=after, wrap=SimilarChunk.of)


W = TypeVar("W", Paper, Section, Chunk)


def wrap_as(kind: type[W], node: records.Node | None) -> W:
    """Wrap a record that another one points to; the graph's invariants say that it is there and of this kind."""
    if not isinstance(node, getattr(records, kind.__name__)):
        raise LookupError(f"expected a {kind.__name__}, found {type(node).__name__}")
    return kind.of(node)


strawberry.enum(RetrieverName, name="Retriever", description="Retriever.")

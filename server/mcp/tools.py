"""Tools of MCP, and the models of their results."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, NamedTuple, Self

from pydantic import Field

from papergraph.errors import InputError
from papergraph.ingest.enrichments.summaries import Summary
from papergraph.records import described
from papergraph.requests import request
from papergraph.schema import records
from papergraph.server.answers.draft import DraftReport, DraftRequest
from papergraph.server.answers.records import Answer, AnswerCitation, NamedAnswer, Reason, Refusal
from papergraph.server.answers.request import AskRequest
from papergraph.server.answers.sources import file_of, file_of_paper, url_of
from papergraph.server.auth.operations import ANSWER, CYPHER, DRAFT, PATH, READ, SEARCH, SUMMARIZE, Operation
from papergraph.server.endpoints import Endpoint, Read, endpoints
from papergraph.server.graph import nodes as reading
from papergraph.server.graph import related as exploring
from papergraph.server.graph.related import MOST_HOPS, PathStep
from papergraph.server.operations.ask import answer_for, draft_for, sources_of, text_of
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.cypher import table_for
from papergraph.server.operations.search import search_for
from papergraph.server.operations.summaries import MOST_VALUES, summary_for
from papergraph.server.papers.find import PaperQuery, PaperSort
from papergraph.server.rest import models
from papergraph.server.rest.endpoints import answer, model_of
from papergraph.server.rest.pagination import page_of, papers_with_authors
from papergraph.server.rest.parts import PARTS, papers_in
from papergraph.server.rest.requests import PageOf, ResponseModel
from papergraph.server.retrieval.relations import RelationPath
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.search import Hit
from papergraph.server.user_cypher.formats import CypherResult, result_of
from papergraph.server.user_cypher.request import CypherRequest
from papergraph.server.user_cypher.runner import ForAgents

# Response models of the tools, with the names of REST


MOST_TEXT = 2000
"""Longest text in a result, in characters."""
MOST_BRIEF = 200
"""Characters by which a node is named that has no name."""


class Passage(ResponseModel):
    """A passage for a query."""

    rank: int
    score: float
    chunk_id: str
    paper_id: str
    title: str
    authors: list[str]
    year: int | None
    file: str | None = Field(description="Name of the file that the paper was read from.")
    page: int | None
    section: str = Field(description="Headings above it, outermost first.")
    text: str
    relations: list[RelationPath]
    next_offset: int | None = Field(description="Offset of the rest of the text, for the tool chunk.")
    collection: str

    @classmethod
    def of(cls, hit: Hit, authors: Sequence[records.Author]) -> Self:
        """Make it of a hit and the authors of its paper."""
        goes_on = len(hit.text) > MOST_TEXT
        return cls(
            rank=hit.rank,
            score=hit.score,
            chunk_id=hit.chunk.id,
            paper_id=hit.paper.id,
            title=hit.paper.title,
            authors=[author.name for author in authors],
            year=hit.paper.year,
            file=file_of_paper(hit.paper),
            page=hit.chunk.start_page,
            section="; ".join(map(" > ".join, hit.section_paths)),
            relations=list(hit.relations),
            text=hit.text[:MOST_TEXT],
            collection=hit.paper.collection,
            next_offset=(MOST_TEXT if hit.text == hit.chunk.text else 0) if goes_on else None,
        )


class Passages(ResponseModel):
    """Search for passages."""

    pipeline: str
    passages: list[Passage]


class PaperLine(ResponseModel):
    """A paper of a list."""

    id: str
    key: str
    title: str
    authors: list[str]
    year: int | None
    n_chunks: int

    @classmethod
    def of(cls, paper: records.Paper, authors: Sequence[records.Author]) -> Self:
        """Make it of a paper and its authors."""
        return cls.model_validate(vars(paper) | {"authors": [author.name for author in authors]})


class PaperLines(ResponseModel):
    """Page of a list of papers."""

    papers: list[PaperLine]
    total: int | None = Field(description="Length of the whole list, on the first page.")
    next: str | None = Field(description="Cursor of further papers, for after.")


class CollectionLine(ResponseModel):
    """A collection of papers."""

    name: str
    n_papers: int
    n_chunks: int
    subject: str | None = Field(description="Subject of its papers, if set.")


class CollectionLines(ResponseModel):
    """Collections of papers, by name."""

    collections: list[CollectionLine]


class AnswerSource(ResponseModel):
    """Source of an answer, or a nearest passage of a refusal."""

    number: int = Field(description="Number of the source, [n] in the text.")
    chunk_id: str
    paper_id: str
    title: str
    authors: list[str]
    year: int | None
    url: str | None
    file: str | None = Field(description="Name of the file that the paper was read from.")
    page: int | None


class CitedAnswer(ResponseModel):
    """Answer with verified citations, or a refusal."""

    text: str
    question: str = Field(description="Question as it was searched for.")
    named_query: NamedAnswer | None = Field(description="Query over the graph, if it answered instead of passages.")
    reason: Reason | None = Field(description="Reason of a refusal, if any.")
    citations: list[AnswerCitation]
    sources: list[AnswerSource]
    grounded: bool
    llm_generated: bool
    answerability: float | None = Field(description="Estimated probability that the passages hold an answer, 0 to 1.")
    warnings: list[str] = Field(description="Warnings about degraded steps.")


class SectionLine(ResponseModel):
    """A heading of a paper."""

    id: str
    title: str
    level: int


class PaperWithOutline(ResponseModel):
    """A paper with its headings."""

    paper: models.Paper
    sections: list[SectionLine]
    next: str | None = Field(description="Cursor of further headings, for after.")


class ChunkText(ResponseModel):
    """A chunk's text from an offset on."""

    id: str
    paper_id: str
    title: str
    text: str
    offset: int
    length: int = Field(description="Length of the whole text in characters.")
    next_offset: int | None = Field(description="Offset of the rest; null at the end.")
    previous_id: str | None = Field(description="Previous chunk in the paper.")
    next_id: str | None
    start_page: int | None
    end_page: int | None


class NodeSummary(ResponseModel):
    """A node, briefly."""

    id: str
    label: str
    name: str = Field(description="Title, name, or start of the text.")

    @classmethod
    def of(cls, record: object) -> Self:
        """Make it of a node, or of what tells of one how it stands to another."""
        node = next((inner for at in ("entity", "node", "chunk") if (inner := getattr(record, at, None))), record)
        named = next(str(name) for at in ("title", "name", "text") if (name := getattr(node, at, None)) is not None)
        node_id: str = node.id  # type: ignore[attr-defined]  # all records of nodes have one
        return cls(id=node_id, label=type(node).__name__, name=named[:MOST_BRIEF])


class NeighbourList(ResponseModel):
    """Nodes beside a node, of one kind."""

    name: str
    about: str
    nodes: list[NodeSummary]
    next: str | None = Field(description="Cursor of further nodes, for after together with list.")


class Neighbours(ResponseModel):
    """Neighbours of a node."""

    node: NodeSummary
    lists: list[NeighbourList]


class SummaryOfPapers(ResponseModel):
    """Summary of a group of papers."""

    summary: Summary


class Way(ResponseModel):
    """Shortest path between two nodes: one more node than steps; may be empty."""

    nodes: list[NodeSummary]
    steps: list[PathStep]


def section_line(section: records.Section) -> SectionLine:
    """Return a section's heading."""
    return SectionLine(id=section.id, title=section.title, level=section.level)


MOST_K = 20
MOST_PAPERS = 50
MOST_SECTIONS = 50
MOST_ROWS = 200

Collection = Annotated[
    str | None, Field(description="Collection of papers; default: main, or the first that the key reaches.")
]
NodeId = Annotated[str, Field(description="Id of a node (sha-256 hex), from another tool.")]
After = Annotated[str | None, Field(description="next of the previous page.")]


class Tool(NamedTuple):
    """A function that models can call: its parameters and docstring are what they read of it.

    A request has the fields of ``takes`` as parameters, and the function gets it as ``wanted``.
    """

    title: str
    operation: Operation
    run: Callable[..., Awaitable[Any]]
    takes: type[Any] | None = None


TOOLS: list[Tool] = []


def tool(
    title: str, operation: Operation, takes: type[Any] | None = None
) -> Callable[[Callable[..., Awaitable[Any]]], None]:
    """Add a function, whose parameter ``context`` is the request's, to the tools."""
    return lambda run: TOOLS.append(Tool(title, operation, operation(run), takes))


@request(kw_only=True)
class SearchArguments(SearchRequest):
    """Search with fewer passages, for the context of a language model."""

    k: Annotated[int, described("Number of passages.", ge=1, le=MOST_K)] = 5


@request(kw_only=True)
class AskArguments(AskRequest):
    """Question with fewer passages."""

    k: Annotated[int | None, described("Number of passages to answer from.", ge=1, le=MOST_K)] = None


@request(kw_only=True)
class CypherArguments(CypherRequest):
    """Query with fewer rows."""

    rows: Annotated[int, described("Maximum number of rows.", ge=1, le=MOST_ROWS)] = 50


@tool(
    "Search papers",
    SEARCH,
    SearchArguments,
)
async def search(context: RequestContext, wanted: SearchArguments) -> Passages:
    """Search for passages of papers."""
    service = context.service
    found = await search_for(context.principal, service.resources, context.limits.spending, wanted, service.pipelines)
    authors = await _authors_of(context, found.hits)
    passages = [Passage.of(hit, authors[hit.paper.id]) for hit in found.hits]
    return Passages(pipeline=found.outcome.pipeline.name, passages=passages)


@tool(
    "Ask the papers",
    ANSWER,
    AskArguments,
)
async def ask(context: RequestContext, wanted: AskArguments) -> CitedAnswer:
    """Answer a question with citations that occur verbatim in the papers, or refuse it."""
    service = context.service
    result = await answer_for(context.principal, context.resources, context.limits.spending, wanted, service.pipelines)
    answer = result if isinstance(result, Answer) else None
    authors = await _authors_of(context, [source.hit for source in sources_of(result)])
    return CitedAnswer(
        text=text_of(result),
        question=result.question,
        named_query=answer and answer.named_query,
        reason=result.reason if isinstance(result, Refusal) else None,
        citations=answer.citations if answer else [],
        sources=[
            AnswerSource(
                number=source.number,
                chunk_id=source.hit.chunk.id,
                paper_id=source.hit.paper.id,
                title=source.hit.paper.title,
                authors=[author.name for author in authors[source.hit.paper.id]],
                year=source.hit.paper.year,
                url=url_of(source),
                file=file_of(source),
                page=source.hit.chunk.start_page,
            )
            for source in sources_of(result)
        ],
        grounded=answer is not None and answer.grounded,
        llm_generated=answer is not None and answer.llm_generated,
        answerability=result.answerability,
        warnings=list(result.warnings),
    )


@tool("Check a draft", DRAFT, DraftRequest)
async def check_draft(context: RequestContext, wanted: DraftRequest) -> DraftReport:
    """Check each citation of a draft in Markdown or LaTeX against the cited paper of the collection."""
    return await draft_for(context.principal, context.resources, context.limits.spending, wanted)


@tool("List collections", READ)
async def collections(context: RequestContext) -> CollectionLines:
    """List collections, with the number of their papers."""
    found = await exploring.list_collections(context.database, collections=context.collections)
    return CollectionLines(collections=[CollectionLine.model_validate(vars(one)) for one in found])


@tool("List papers", READ)
async def papers(
    context: RequestContext,
    collection: Collection = None,
    text: Annotated[str, Field(max_length=200, description="Words in title, abstract or author names.")] = "",
    sort: Annotated[PaperSort, Field(description="Order.")] = PaperSort.TITLE,
    first: Annotated[int, Field(ge=1, le=MOST_PAPERS, description="Number of papers.")] = MOST_K,
    after: After = None,
) -> PaperLines:
    """List the papers of a collection."""

    async def lines(_: RequestContext, found: Sequence[records.Paper]) -> list[PaperLine]:
        ids = [one.id for one in found]
        writers = await reading.authors_of(context.database, ids, collections=context.collections) if ids else []
        return [PaperLine.of(*one) for one in zip(found, writers, strict=True)]

    source = papers_in(context, PaperQuery(context.collection(collection), None, text, sort))
    page = await page_of(context, source, PageOf(first=first, after=after, count=after is None), lines, link=_nowhere)
    return PaperLines(papers=page.data, total=page.total, next=page.next)


@tool(
    "Read a paper",
    READ,
)
async def paper(
    context: RequestContext,
    id: Annotated[str | None, Field(description="Id of the paper; alternatively key.")] = None,
    key: Annotated[str | None, Field(max_length=2000, description="A DOI, an arXiv id, or another key.")] = None,
    collection: Collection = None,
    after: After = None,
) -> PaperWithOutline:
    """Get the metadata and the headings of a paper."""
    if (id is None) == (key is None):
        raise InputError("Pass either the id or the key of the paper.", field="id")
    found: records.Paper
    if key is not None:
        found = await reading.paper_by_key(
            context.database, key, collection=context.collection(collection), collections=context.collections
        )
    else:
        found = await context.node(id or "", records.Paper)
    (shown,) = await papers_with_authors(context, [found])

    async def lines(_: RequestContext, sections: Any) -> list[SectionLine]:
        return [section_line(section) for section in sections]

    source = next(part for part in PARTS if (part.of, part.name) == (records.Paper, "sections")).source(context, found)
    page = await page_of(context, source, PageOf(first=MOST_SECTIONS, after=after), lines, link=_nowhere)
    return PaperWithOutline(paper=shown, sections=page.data, next=page.next)


@tool("Read a chunk", READ)
async def chunk(
    context: RequestContext,
    id: NodeId,
    offset: Annotated[int, Field(ge=0, description="Offset of the first character.")] = 0,
) -> ChunkText:
    """Get the text of a chunk of a paper, and the ids of the chunks before and after it."""
    found: records.Chunk = await context.node(id, records.Chunk)
    paper: records.Paper = await context.node(found.paper_id, records.Paper)
    (around,) = await reading.chunks_of_papers(
        context.database, [paper.id], after=found.ordinal - 2, limit=3, collections=context.collections
    )
    by_ordinal = {one.ordinal: one.id for one in around}
    end = offset + MOST_TEXT
    return ChunkText(
        id=found.id,
        paper_id=paper.id,
        title=paper.title,
        text=found.text[offset:end],
        offset=offset,
        length=len(found.text),
        next_offset=end if end < len(found.text) else None,
        previous_id=by_ordinal.get(found.ordinal - 1),
        next_id=by_ordinal.get(found.ordinal + 1),
        start_page=found.start_page,
        end_page=found.end_page,
    )


@tool("List neighbours", READ)
async def neighbours(
    context: RequestContext,
    id: NodeId,
    list: Annotated[str | None, Field(description="Name of one list, such as cites; default: all.")] = None,
    first: Annotated[int, Field(ge=1, le=MOST_K, description="Nodes per list.")] = 5,
    after: After = None,
) -> Neighbours:
    """List neighbours of a node: sections, chunks, entities, references, citing papers, and others."""
    return await _neighbours(context, id, list, first, after)


@tool("Summarize papers", SUMMARIZE)
async def summary(
    context: RequestContext,
    collection: Collection = None,
    cluster: Annotated[str | None, Field(max_length=64, description="Id of a cluster, from neighbours.")] = None,
    metadata: Annotated[
        dict[str, list[str]] | None,
        Field(max_length=MOST_VALUES, description="Instead: by field, the values of which a paper has one."),
    ] = None,
) -> SummaryOfPapers:
    """Summarize the papers of a cluster, or those with metadata: what they are about as a group."""
    found = await summary_for(
        context.principal,
        context.service.resources,
        context.limits.spending,
        context.collection(collection),
        cluster=cluster,
        metadata=[(field, value) for field, values in (metadata or {}).items() for value in values],
    )
    return SummaryOfPapers(summary=found)


@tool(
    "Find a path",
    PATH,
)
async def path(
    context: RequestContext,
    from_id: NodeId,
    to_id: NodeId,
    max_hops: Annotated[int, Field(ge=1, le=MOST_HOPS, description="Maximum number of relationships.")] = 4,
) -> Way:
    """Find a shortest path between two nodes of the graph."""
    found = await exploring.shortest_path(
        context.database, from_id, to_id, most=max_hops, collections=context.collections
    )
    nodes = (
        [] if found is None else await reading.nodes_by_id(context.database, found.ids, collections=context.collections)
    )
    if found is None or None in nodes:  # none, or one was deleted meanwhile
        return Way(nodes=[], steps=[])
    return Way(
        nodes=[NodeSummary.of(node) for node in nodes],
        steps=list(found.steps),
    )


@tool("Query with Cypher", CYPHER, CypherArguments)
async def cypher(context: RequestContext, wanted: CypherArguments) -> CypherResult:
    """Run one read-only Cypher statement: MATCH with labels, bounded paths, RETURN with LIMIT."""
    desk = context.service.desk
    return CypherResult(
        **result_of(await table_for(context.principal, None if desk is None else ForAgents(desk), wanted))
    )


async def _authors_of(context: RequestContext, hits: Sequence[Hit]) -> dict[str, list[records.Author]]:
    """Return the authors of the papers of hits, by the papers' ids; one query for all."""
    ids = list(dict.fromkeys(hit.paper.id for hit in hits))
    found = await reading.authors_of(context.database, ids, collections=context.collections) if ids else []
    return dict(zip(ids, found, strict=True))


async def _neighbours(context: RequestContext, id: str, name: str | None, first: int, after: str | None) -> Neighbours:
    node = await context.node(id)
    parts = [part for part in PARTS if part.of is type(node) and name in (None, part.name)]
    if name is not None and not parts:
        names = ", ".join(part.name for part in PARTS if part.of is type(node))
        raise InputError(
            f"Nodes of type {type(node).__name__} have no list {name[:80]!r}. Lists: {names}.", field="list"
        )
    if after is not None and name is None:
        raise InputError("after needs the name of a list. Pass list too.", field="list")

    async def briefly(_: RequestContext, found: Any) -> list[NodeSummary]:
        return [NodeSummary.of(record) for record in found]

    lists = []
    for part in parts:
        page = await page_of(
            context, part.source(context, node), PageOf(first=first, after=after), briefly, link=_nowhere
        )
        lists.append(NeighbourList(name=part.name, about=part.about, nodes=page.data, next=page.next))
    return Neighbours(node=NodeSummary.of(node), lists=lists)


def _nowhere(cursor: str) -> None:
    """Put the address of the next page nowhere: an answer of a tool has no header."""


def _add(one: Endpoint) -> None:
    """Add a simple read to the tools."""

    async def read(context: RequestContext, wanted: Read[Any]) -> Any:
        return await answer(context, wanted)

    read.__name__, read.__doc__ = one.function, one.about
    read.__annotations__["return"] = model_of(one)
    tool(str(one.tool), one.operation, one.request)(read)


for _one in endpoints().values():
    if _one.tool is not None:
        _add(_one)

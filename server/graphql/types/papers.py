"""GraphQL types of lists of papers, and of their management."""

import functools
from dataclasses import asdict
from typing import Annotated

import strawberry

from schema.ids import check_id
from schema.records import Paper
from server.auth import costs as prices
from server.auth.access import KeyScope, access
from server.graph.nodes import check_first
from server.graphql.connections import Connection, Info, edges_of, page
from server.graphql.derive import field, mutation, type_
from server.graphql.types.closed_lists import Conflict, InvalidInput, NotFound, outcome
from server.graphql.types.collections import READ
from server.graphql.types.search import FilterInput
from server.operations import pagination as cursors
from server.operations import papers as operations
from server.papers.bibliographies import ExportFormat
from server.papers.find import PaperField, PaperQuery, PaperSort, count_found, find_papers
from server.papers.records import (
    CopiedPapers,
    DecidedAuthor,
    DecidedEntities,
    EditedPaper,
    PaperExport,
    UndoneDecisions,
)
from server.retrieval.filters import parse_filter

# GraphQL fields that manage papers and authors: sources of fields, edits, exports, merges and splits of authors


INGEST = access(KeyScope.INGEST, queued=True)
EXPORT = access(KeyScope.READ, cost=lambda n: prices.EXPORT * n, queued=True)
COPY = access(KeyScope.INGEST, cost=lambda n: prices.COPY * n, queued=True)
strawberry.enum(ExportFormat, description="Format of exported papers.")


@strawberry.input(description="Values of fields of a paper; null leaves a field as it is.")
class PaperFieldsInput:
    """Values of fields."""

    title: str | None = strawberry.field(default=None, description="Title.")
    abstract: str | None = strawberry.field(default=None, description="Abstract.")
    authors: list[str] | None = strawberry.field(default=None, description="Names of the authors, in order.")
    categories: list[str] | None = strawberry.field(default=None, description="Categories, such as cs.CL.")
    year: int | None = strawberry.field(default=None, description="Year of publication, 1000 to 2999.")
    doi: str | None = strawberry.field(default=None, description="DOI.")
    arxiv_id: str | None = strawberry.field(default=None, description="arXiv id.")
    journal_ref: str | None = strawberry.field(default=None, description="Journal reference.")
    license: str | None = strawberry.field(default=None, description="Licence.")
    comment: str | None = strawberry.field(default=None, description="Comment, such as the number of pages.")
    url: str | None = strawberry.field(default=None, description="Landing page.")


EditPaperResult = Annotated[
    EditedPaper | InvalidInput | NotFound | Conflict,
    strawberry.union("EditPaperResult", description="The edited fields, or the reason why nothing was edited."),
]
CopyPapersResult = Annotated[
    CopiedPapers | InvalidInput | NotFound | Conflict,
    strawberry.union("CopyPapersResult", description="The copied papers, or the reason why none was copied."),
]
AuthorResult = Annotated[
    DecidedAuthor | InvalidInput | NotFound | Conflict,
    strawberry.union("AuthorResult", description="The author, or the reason why nothing was decided."),
]
UndoAuthorResult = Annotated[
    UndoneDecisions | InvalidInput | NotFound | Conflict,
    strawberry.union("UndoAuthorResult", description="What was undone, or the reason why nothing was."),
]
PaperId = Annotated[strawberry.ID, strawberry.argument(description="Id of the paper.")]
PaperIds = Annotated[list[strawberry.ID], strawberry.argument(description="1 to 100 papers; for MARKDOWN, 20.")]
Format = Annotated[ExportFormat, strawberry.argument(description="How they are written.")]
AuthorId = Annotated[strawberry.ID, strawberry.argument(description="Id of the author.")]
ToClear = Annotated[list[str], strawberry.argument(description="Names of fields to empty, such as journalRef.")]
ToUndo = Annotated[list[str], strawberry.argument(description="Names of fields to restore from the sources.")]
EntityId = Annotated[strawberry.ID, strawberry.argument(description="Id of an entity.")]
OtherEntity = Annotated[strawberry.ID, strawberry.argument(description="Id of the other entity.")]
EntitiesResult = Annotated[
    DecidedEntities | InvalidInput | NotFound | Conflict,
    strawberry.union("EntitiesResult", description="Both entities, or the reason why nothing was decided."),
]


@type_()
class ManagedPaperQueries:
    """What can be read to manage papers."""

    @field("Fields of a paper that are known or emptied, each with its source.", READ)
    async def paper_fields(self, info: Info, id: PaperId) -> list[PaperField] | None:
        context = info.context
        return await operations.paper_fields(context.database, id, collections=context.collections)

    @field("Papers as a bibliography, or each as a Markdown file, in this order.", EXPORT)
    async def export_papers(self, info: Info, ids: PaperIds, format: Format) -> PaperExport | None:
        context, wanted = info.context, [check_id(id, field="ids") for id in ids]
        return await operations.export_papers(context.database, format, wanted, collections=context.collections)


@type_()
class ManagedPaperMutations:
    """What can be changed of papers and authors."""

    @mutation(
        "Edit fields of a paper. An edit has priority over all sources, also when they are ingested again.", INGEST
    )
    async def edit_paper(
        self,
        info: Info,
        id: PaperId,
        fields: Annotated[PaperFieldsInput | None, strawberry.argument(description="Fields to set.")] = None,
        clear: ToClear = [],  # noqa: B006 nobody changes it
        undo: ToUndo = [],  # noqa: B006 nobody changes it
    ) -> EditPaperResult:
        context = info.context
        return await outcome(
            operations.edit_paper(
                context.database,
                id,
                operations.by_name(asdict(fields or PaperFieldsInput())),
                clear=clear,
                undo=undo,
                collections=context.collections,
            )
        )

    @mutation("Copy papers to another collection. A paper that it has already is left as it is.", COPY)
    async def copy_papers(
        self,
        info: Info,
        ids: Annotated[list[str], strawberry.argument(description="Ids, keys, DOIs or arXiv ids of 1 to 100 papers.")],
        from_collection: Annotated[str, strawberry.argument(description="Collection of the papers.")],
        to_collection: Annotated[
            str, strawberry.argument(description="Collection of the copies; a new one is created.")
        ],
    ) -> CopyPapersResult:
        context = info.context
        return await outcome(
            operations.copy_papers(
                context.database,
                ids,
                from_collection=from_collection,
                to_collection=to_collection,
                collections=context.collections,
            )
        )

    @mutation("Mark two authors as one person, who keeps the identity of the second.", INGEST)
    async def merge_authors(
        self,
        info: Info,
        id: AuthorId,
        into: Annotated[strawberry.ID, strawberry.argument(description="Id of the author that remains.")],
    ) -> AuthorResult:
        context = info.context
        return await outcome(operations.merge_authors(context.database, id, into, collections=context.collections))

    @mutation("Mark the author of some papers as another person, and return this one.", INGEST)
    async def split_author(
        self,
        info: Info,
        id: AuthorId,
        papers: Annotated[
            list[str], strawberry.argument(description="Ids, keys, DOIs or arXiv ids of papers, not all of the author.")
        ],
    ) -> AuthorResult:
        context = info.context
        return await outcome(operations.split_author(context.database, id, papers, collections=context.collections))

    @mutation("Mark two entities as the same thing. The enrichment entities draws further conclusions.", INGEST)
    async def merge_entities(self, info: Info, id: EntityId, other: OtherEntity) -> EntitiesResult:
        context, reached = info.context, info.context.collections
        return await outcome(operations.decide_entities(context.database, id, other, same=True, collections=reached))

    @mutation("Mark two entities as different things. The enrichment entities draws further conclusions.", INGEST)
    async def split_entities(self, info: Info, id: EntityId, other: OtherEntity) -> EntitiesResult:
        context, reached = info.context, info.context.collections
        return await outcome(operations.decide_entities(context.database, id, other, same=False, collections=reached))

    @mutation("Undo all merges and splits of an author.", INGEST)
    async def undo_author(self, info: Info, id: AuthorId) -> UndoAuthorResult:
        context = info.context
        return await outcome(operations.undo_author(context.database, id, collections=context.collections))


# Lists of papers over GraphQL: by filter, words and order, with the counts of their values


PaperFilter = Annotated[
    FilterInput | None, strawberry.argument(description="Filter on papers; of passages, papers that have one.")
]
PaperText = Annotated[
    str, strawberry.argument(description="Words in the title, the abstract or an author's name, ignoring case.")
]


def paper_query(
    collection: str, filter: FilterInput | None, text: str, sort: PaperSort = PaperSort.TITLE
) -> PaperQuery:
    """Return which papers are asked for.

    Raises:
        InputError: The filter is not acceptable.
    """
    return PaperQuery(collection, parse_filter(filter.data()) if filter else None, text, sort)


async def read_papers(info: Info, query: PaperQuery, first: int, after: str | None) -> Connection[Paper]:
    """Return a page of papers."""
    database, collections = info.context.database, info.context.collections
    place = cursors.place_after(after, query.name, query.place)
    found = await find_papers(database, query, after=place, limit=check_first(first) + 1, collections=collections)
    for entry in found:
        info.context.remember(entry.record)
    count = functools.partial(count_found, database, query, collections=collections)
    return page(edges_of(query.name, found), first=first, after=after, count=count)

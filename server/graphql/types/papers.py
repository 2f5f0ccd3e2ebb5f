"""GraphQL types of lists of papers, and of their management."""

import functools
from typing import Annotated

import strawberry

from papergraph.requests import read_request
from papergraph.schema.ids import check_id
from papergraph.schema.records import Paper
from papergraph.server.auth.operations import ANNOTATE, CHANGE, COPY, ESTIMATE, EXPORT, FACETS, READ
from papergraph.server.graph.nodes import check_first
from papergraph.server.graphql.connections import Connection, Info, page
from papergraph.server.graphql.derive import field, input_data, input_type, mutation, type_
from papergraph.server.graphql.types.closed_lists import Conflict, InvalidInput, NotFound, outcome
from papergraph.server.graphql.types.search import FilterInput
from papergraph.server.operations import annotations as annotating
from papergraph.server.operations import pagination as cursors
from papergraph.server.operations import papers as operations
from papergraph.server.operations.references import ReferencesReport, ReferenceVerdict, check_bibliography
from papergraph.server.operations.retractions import RetractionReport, check_retractions
from papergraph.server.operations.versions import Change, QuoteKind
from papergraph.server.papers.annotations import Annotation, AnnotationKind, Colour
from papergraph.server.papers.bibliographies import DEFAULT_STYLE, ExportFormat
from papergraph.server.papers.find import PaperField, PaperQuery, PaperSort, count_found, find_papers
from papergraph.server.papers.records import (
    CopiedPapers,
    DecidedAuthor,
    DecidedEntities,
    DecidedPaper,
    DecidedProposal,
    EditedPaper,
    PaperExport,
    ProposedCorrection,
    ProposedPair,
    RereadPapers,
    UndoneDecisions,
)
from papergraph.server.retrieval.filters import parse_filter
from papergraph.server.tables.column import AnsweredBy, CellState

# GraphQL fields that manage papers and authors: sources of fields, edits, exports, merges and splits


strawberry.enum(ExportFormat, description="Format of exported papers.")

strawberry.enum(AnsweredBy, description="What fills a column of an evidence table.")
strawberry.enum(CellState, description="State of a cell of an evidence table.")
strawberry.enum(ReferenceVerdict, description="Result of the check of an entry of a bibliography.")
strawberry.enum(Change, name="TextChange", description="Change of a section between two texts of a paper.")
strawberry.enum(QuoteKind, description="Where a quote stands.")
strawberry.enum(AnnotationKind, description="Kind of an annotation.")
strawberry.enum(Colour, name="HighlightColour", description="Colour of a highlight.")


@input_type(operations.PaperFields)
class PaperFieldsInput: ...


@input_type(annotating.NewAnnotation)
class NewAnnotationInput: ...


@input_type(annotating.AnnotationChange)
class AnnotationChangeInput: ...


@type_(description="Annotations that were made, one for each paper.")
class Annotations:
    """Annotations of papers."""

    annotations: list[Annotation] = strawberry.field(description="The annotations, in the order of the papers.")


AnnotateResult = Annotated[
    Annotations | InvalidInput | NotFound | Conflict,
    strawberry.union("AnnotateResult", description="The annotations, or the reason why none was made."),
]
ChangeAnnotationResult = Annotated[
    Annotation | InvalidInput | NotFound | Conflict,
    strawberry.union("ChangeAnnotationResult", description="The annotation, or the reason why it stays as it was."),
]
DeleteAnnotationsResult = Annotated[
    annotating.DeletedAnnotations | InvalidInput | NotFound | Conflict,
    strawberry.union("DeleteAnnotationsResult", description="The deleted ones, or the reason why none was deleted."),
]


EditPaperResult = Annotated[
    EditedPaper | InvalidInput | NotFound | Conflict,
    strawberry.union("EditPaperResult", description="The edited fields, or the reason why nothing was edited."),
]
CopyPapersResult = Annotated[
    CopiedPapers | InvalidInput | NotFound | Conflict,
    strawberry.union("CopyPapersResult", description="The copied papers, or the reason why none was copied."),
]
RereadPapersResult = Annotated[
    RereadPapers | InvalidInput | NotFound | Conflict,
    strawberry.union("RereadPapersResult", description="The job that reads them, or the reason why there is none."),
]
ReferencesResult = Annotated[
    ReferencesReport | InvalidInput | NotFound | Conflict,
    strawberry.union("ReferencesResult", description="The checked entries, or the reason of the refusal."),
]
RetractionsResult = Annotated[
    RetractionReport | InvalidInput | NotFound | Conflict,
    strawberry.union("RetractionsResult", description="The papers with a status, or the reason of the refusal."),
]
AuthorResult = Annotated[
    DecidedAuthor | InvalidInput | NotFound | Conflict,
    strawberry.union("AuthorResult", description="The author, or the reason why nothing was decided."),
]
UndoAuthorResult = Annotated[
    UndoneDecisions | InvalidInput | NotFound | Conflict,
    strawberry.union("UndoAuthorResult", description="The undone change, or the reason for the refusal."),
]
PaperResult = Annotated[
    DecidedPaper | InvalidInput | NotFound | Conflict,
    strawberry.union("PaperResult", description="The paper, or the reason why nothing was decided."),
]
ProposalResult = Annotated[
    DecidedProposal | InvalidInput | NotFound | Conflict,
    strawberry.union("ProposalResult", description="The decision, or the reason why it was not taken."),
]
OtherPaper = Annotated[strawberry.ID, strawberry.argument(description="Id of the other paper.")]
Undo = Annotated[bool, strawberry.argument(description="True to take the rejection back.")]
SourceNames = Annotated[
    list[str], strawberry.argument(description="Names of some sources of the paper; none to take back its merges.")
]
PaperId = Annotated[strawberry.ID, strawberry.argument(description="Id of the paper.")]
PaperIds = Annotated[list[strawberry.ID], strawberry.argument(description="1 to 1,000 papers; for MARKDOWN, 20.")]
Format = Annotated[ExportFormat, strawberry.argument(description="Format of the export.")]
AuthorId = Annotated[strawberry.ID, strawberry.argument(description="Id of the author.")]
ToClear = Annotated[list[str], strawberry.argument(description="Names of fields to empty, such as journalRef.")]
ToUndo = Annotated[list[str], strawberry.argument(description="Names of fields to restore from the sources.")]
CitationStyle = Annotated[
    str, strawberry.argument(description="Citation style of the format TEXT, such as apa, ieee or nature.")
]
EntityId = Annotated[strawberry.ID, strawberry.argument(description="Id of an entity.")]
OtherEntity = Annotated[strawberry.ID, strawberry.argument(description="Id of the other entity.")]
EntitiesResult = Annotated[
    DecidedEntities | InvalidInput | NotFound | Conflict,
    strawberry.union("EntitiesResult", description="Both entities, or the reason why nothing was decided."),
]


@type_()
class ManagedPaperQueries:
    """Queries for managing papers."""

    @field("Fields of a paper that are known or emptied, each with its source.", READ)
    async def paper_fields(self, info: Info, id: PaperId) -> list[PaperField] | None:
        context = info.context
        return await operations.paper_fields(context.database, id, collections=context.collections)

    @field("Pairs of papers that may be one: with one DOI, or one title and a year or first author in common.", FACETS)
    async def paper_pairs(
        self,
        info: Info,
        collection: Annotated[str | None, strawberry.argument(description="Name of the collection.")] = None,
        first: Annotated[int, strawberry.argument(description="Number of pairs, 1 to 100.")] = 50,
    ) -> list[ProposedPair] | None:
        context, name = info.context, info.context.collection(collection)
        limit = check_first(first)
        return await operations.proposed_pairs(context.database, name, limit=limit, collections=context.collections)

    @field("Fields of a paper that arXiv or a catalogue states otherwise; they are asked at each call.", ESTIMATE)
    async def paper_corrections(self, info: Info, id: PaperId) -> list[ProposedCorrection] | None:
        context = info.context
        web = context.intake.web
        return await operations.proposed_corrections(context.database, web, id, collections=context.collections)

    @field("Papers as a bibliography, or each as a Markdown file, in this order.", EXPORT)
    async def export_papers(
        self,
        info: Info,
        ids: PaperIds,
        format: Format,
        style: CitationStyle = DEFAULT_STYLE,
        notes: Annotated[
            bool, strawberry.argument(description="Add tags as keywords, and notes and highlights as notes.")
        ] = False,
    ) -> PaperExport | None:
        context, wanted = info.context, [check_id(id, field="ids") for id in ids]
        notes_of, reached = context.principal if notes else None, context.collections
        return await operations.export_papers(
            context.database, format, wanted, style=style, notes_of=notes_of, collections=reached
        )


@type_()
class ManagedPaperMutations:
    """Mutations of papers and authors."""

    @mutation(
        "Edit fields of a paper. An edit has priority over all sources, also when they are ingested again.", CHANGE
    )
    async def edit_paper(
        self,
        info: Info,
        id: PaperId,
        fields: Annotated[PaperFieldsInput | None, strawberry.argument(description="Fields to set.")] = None,
        clear: ToClear = [],  # noqa: B006 never mutated
        undo: ToUndo = [],  # noqa: B006 never mutated
    ) -> EditPaperResult:
        context = info.context
        return await outcome(
            operations.edit_paper(
                context.database,
                id,
                input_data(fields) if fields else {},
                clear=clear,
                undo=undo,
                collections=context.collections,
            )
        )

    @mutation("Add a tag, note, star or reading state to papers, or a highlight to one.", ANNOTATE)
    async def annotate(
        self,
        info: Info,
        annotation: Annotated[NewAnnotationInput, strawberry.argument(description="What to add, and the papers.")],
    ) -> AnnotateResult:
        async def work() -> Annotations:
            context, wanted = info.context, read_request(annotating.NewAnnotation, input_data(annotation))
            return Annotations(annotations=await annotating.annotate(context.database, context.principal, wanted))

        return await outcome(work())

    @mutation("Change an annotation of the caller; an administrator changes any.", ANNOTATE)
    async def change_annotation(
        self,
        info: Info,
        id: Annotated[strawberry.ID, strawberry.argument(description="Id of the annotation.")],
        change: Annotated[AnnotationChangeInput, strawberry.argument(description="Values to change.")],
    ) -> ChangeAnnotationResult:
        async def work() -> Annotation:
            context, wanted = info.context, read_request(annotating.AnnotationChange, input_data(change))
            return await annotating.change_annotation(context.database, context.principal, id, wanted)

        return await outcome(work())

    @mutation("Delete annotations of the caller; an administrator deletes any.", ANNOTATE)
    async def delete_annotations(
        self,
        info: Info,
        ids: Annotated[list[strawberry.ID], strawberry.argument(description="1 to 100 annotations.")],
    ) -> DeleteAnnotationsResult:
        context = info.context
        return await outcome(annotating.delete_annotations(context.database, context.principal, ids))

    @mutation("Copy or move papers to another collection. A paper that it has already is left as it is.", COPY)
    async def copy_papers(
        self,
        info: Info,
        ids: Annotated[list[str], strawberry.argument(description="Ids, keys, DOIs or arXiv ids of 1 to 100 papers.")],
        from_collection: Annotated[str, strawberry.argument(description="Collection of the papers.")],
        to_collection: Annotated[
            str, strawberry.argument(description="Collection of the copies; a new one is created.")
        ],
        move: Annotated[
            bool,
            strawberry.argument(description="True to delete them afterwards; all annotations go along."),
        ] = False,
    ) -> CopyPapersResult:
        context = info.context
        return await outcome(
            operations.copy_papers(
                context.database,
                ids,
                from_collection=from_collection,
                to_collection=to_collection,
                principal=context.principal,
                move=move,
                originals=context.service.originals,
            )
        )

    @mutation("Read the kept files of papers again, by a job.", COPY)
    async def reread_papers(
        self,
        info: Info,
        ids: Annotated[
            list[strawberry.ID], strawberry.argument(description="Ids of 1 to 100 papers of one collection.")
        ],
    ) -> RereadPapersResult:
        async def work() -> RereadPapers:
            context, service = info.context, info.context.service
            embedder = service.resources.model.searched.embedder
            return await operations.reread_papers(
                context.database, context.intake, embedder, service.originals, context.principal, ids
            )

        return await outcome(work())

    @mutation("Look up retractions, concerns and corrections of papers with a DOI, and store them.", ESTIMATE)
    async def check_retractions(
        self,
        info: Info,
        collection: Annotated[str | None, strawberry.argument(description="Name of the collection.")] = None,
        after: Annotated[
            str, strawberry.argument(description="DOI to begin after: nextAfter of the call before.")
        ] = "",
        first: Annotated[int, strawberry.argument(description="Number of DOIs, 1 to 200.")] = 100,
    ) -> RetractionsResult:
        context = info.context
        return await outcome(
            check_retractions(
                context.database,
                context.collection(collection),
                catalogues=context.intake.web.catalogues,
                after=after,
                first=first,
                collections=context.collections,
            )
        )

    @mutation("Check whether works of a bibliography exist, and whether they were retracted.", ESTIMATE)
    async def check_references(
        self,
        info: Info,
        bibliography: Annotated[str, strawberry.argument(description="Text of up to 100 entries.")],
        name: Annotated[
            str, strawberry.argument(description="Name of its file, whose ending tells the format.")
        ] = "refs.bib",
        collection: Annotated[str | None, strawberry.argument(description="Collection to compare with.")] = None,
    ) -> ReferencesResult:
        context = info.context
        return await outcome(
            check_bibliography(
                context.database,
                bibliography,
                name=name,
                collection=context.collection(collection),
                web=context.intake.web,
                collections=context.collections,
            )
        )

    @mutation("Merge two papers of a collection; all sources of both stay.", CHANGE)
    async def merge_papers(self, info: Info, id: PaperId, other: OtherPaper) -> PaperResult:
        context = info.context
        return await outcome(operations.merge_papers(context.database, id, other, collections=context.collections))

    @mutation("Split sources from a paper, or take back its merges; return the paper that was split off.", CHANGE)
    async def split_paper(self, info: Info, id: PaperId, sources: SourceNames = []) -> PaperResult:  # noqa: B006
        context = info.context
        return await outcome(operations.split_paper(context.database, id, sources, collections=context.collections))

    @mutation("Undo all merges and splits of a paper.", CHANGE)
    async def undo_paper(self, info: Info, id: PaperId) -> PaperResult:
        context = info.context
        return await outcome(operations.undo_paper(context.database, id, collections=context.collections))

    @mutation("Mark two papers of a pair as different; they stay as they are.", CHANGE)
    async def reject_pair(self, info: Info, id: PaperId, other: OtherPaper, undo: Undo = False) -> ProposalResult:
        context, reached = info.context, info.context.collections
        return await outcome(operations.decide_pair(context.database, id, other, undo=undo, collections=reached))

    @mutation("Reject proposed values of a field; to accept them, edit the field.", CHANGE)
    async def reject_correction(
        self,
        info: Info,
        id: PaperId,
        name: Annotated[str, strawberry.argument(description="Name of the field.")],
        values: Annotated[list[str], strawberry.argument(description="The proposed values.")],
        undo: Undo = False,
    ) -> ProposalResult:
        context, reached = info.context, info.context.collections
        return await outcome(
            operations.decide_correction(context.database, id, name, values, undo=undo, collections=reached)
        )

    @mutation("Mark two authors as one person, who keeps the identity of the second.", CHANGE)
    async def merge_authors(
        self,
        info: Info,
        id: AuthorId,
        into: Annotated[strawberry.ID, strawberry.argument(description="Id of the author that remains.")],
    ) -> AuthorResult:
        context = info.context
        return await outcome(operations.merge_authors(context.database, id, into, collections=context.collections))

    @mutation("Mark the author of some papers as another person, and return this one.", CHANGE)
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

    @mutation("Mark two entities as the same thing. The enrichment entities draws further conclusions.", CHANGE)
    async def merge_entities(self, info: Info, id: EntityId, other: OtherEntity) -> EntitiesResult:
        context, reached = info.context, info.context.collections
        return await outcome(operations.decide_entities(context.database, id, other, same=True, collections=reached))

    @mutation("Mark two entities as different things. The enrichment entities draws further conclusions.", CHANGE)
    async def split_entities(self, info: Info, id: EntityId, other: OtherEntity) -> EntitiesResult:
        context, reached = info.context, info.context.collections
        return await outcome(operations.decide_entities(context.database, id, other, same=False, collections=reached))

    @mutation("Undo all merges and splits of an author.", CHANGE)
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
    return PaperQuery(collection, parse_filter(input_data(filter)) if filter else None, text, sort)


async def read_papers(info: Info, query: PaperQuery, first: int, after: str | None) -> Connection[Paper]:
    """Return a page of papers."""
    database, collections = info.context.database, info.context.collections
    query = query.seen_by(info.context.principal.viewer)
    place = cursors.place_after(after, query.name, query.place)
    found = await find_papers(database, query, after=place, limit=check_first(first) + 1, collections=collections)
    for entry in found:
        info.context.remember(entry.record)
    count = functools.partial(count_found, database, query, collections=collections)
    return page(query.name, found, first=first, after=after, count=count)

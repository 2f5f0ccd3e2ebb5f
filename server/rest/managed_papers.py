"""Routes that manage papers: sources of fields, edits, annotations, exports, merges and splits."""

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from pydantic.alias_generators import to_camel

from papergraph.ingest.graph.edits import EDITABLE
from papergraph.schema.ids import COLLECTION, ID
from papergraph.server.auth.operations import ANNOTATE, CHANGE, COPY, ESTIMATE, EXPORT, FACETS, READ
from papergraph.server.graph.nodes import MAX_PAGE
from papergraph.server.operations import annotations as annotating
from papergraph.server.operations import papers as operations
from papergraph.server.operations.context import Context, Id
from papergraph.server.operations.references import ReferencesReport, check_bibliography
from papergraph.server.operations.retractions import DOIS_AT_ONCE, RetractionReport, check_retractions
from papergraph.server.papers.annotations import Annotation
from papergraph.server.papers.bibliographies import DEFAULT_STYLE, ExportFormat
from papergraph.server.papers.find import PaperField
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
from papergraph.server.rest.requests import ListResponse, RequestModel

router = APIRouter()

NodeId = Annotated[str, Field(pattern=f"^{ID.pattern}$")]
PaperName = Annotated[str, Field(min_length=1, max_length=2000)]
FieldNames = Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=len(EDITABLE))]


class PaperEdit(RequestModel):
    """Fields of a paper to set, to empty, and to restore from the sources."""

    fields: operations.PaperFields = Field(default_factory=operations.PaperFields)
    """Values to set."""

    clear: FieldNames = Field(default_factory=list)
    """Names of fields to empty, such as ``journalRef``."""

    undo: FieldNames = Field(default_factory=list)
    """Names of fields to restore from the sources."""


class PapersToExport(RequestModel):
    """Papers, and the format to write them in."""

    id: list[NodeId] = Field(min_length=1, max_length=MAX_PAGE)
    """1 to 100 papers; for ``md``, 20."""

    format: ExportFormat = ExportFormat.BIBTEX
    """Bibliography, ``text`` for formatted references, or ``md`` for a Markdown file per paper."""

    style: str = Field(default=DEFAULT_STYLE, max_length=100)
    """Citation style of ``text``, such as apa, ieee or nature."""

    notes: bool = False
    """Add tags as keywords, and notes and highlights as notes."""


class PapersToRead(RequestModel):
    """Papers whose files are read again."""

    ids: list[NodeId] = Field(min_length=1, max_length=MAX_PAGE)
    """1 to 100 papers of one collection."""


class PapersToCopy(RequestModel):
    """Papers, and the collection to copy them to."""

    ids: list[PaperName] = Field(min_length=1, max_length=MAX_PAGE)
    """Ids, keys, DOIs or arXiv ids of 1 to 100 papers."""

    from_collection: str = Field(pattern=f"^{COLLECTION.pattern}$")
    """Collection of the papers."""

    to_collection: str = Field(pattern=f"^{COLLECTION.pattern}$")
    """Collection of the copies; a new one is created."""

    move: bool = False
    """True to delete the papers afterwards; annotations of all accounts go with them."""


class Merging(RequestModel):
    """Author that remains."""

    into: NodeId
    """Id of the author whose identity the person keeps."""


class OtherPaper(RequestModel):
    """Paper to merge with."""

    other: NodeId
    """Id of the other paper."""


class SourcesToSplit(RequestModel):
    """Documents and records of another paper."""

    sources: list[PaperName] = Field(default_factory=list, max_length=MAX_PAGE)
    """Names of some sources of the paper; empty to take back its merges."""


class RejectedPair(OtherPaper):
    """Paper that is another one."""

    undo: bool = False
    """True to propose the pair again."""


class RejectedCorrection(RequestModel):
    """Proposed values of a field that are wrong."""

    name: str = Field(max_length=40)
    """Name of the field."""

    values: list[str] = Field(min_length=1, max_length=10_000)
    """The proposed values."""

    undo: bool = False
    """True to propose them again."""


class PairsOf(RequestModel):
    """Collection of the papers."""

    collection: str = Field(pattern=f"^{COLLECTION.pattern}$")
    """Name of the collection."""

    first: int = Field(default=50, ge=1, le=MAX_PAGE)
    """Number of pairs."""


class PapersToCheck(RequestModel):
    """Papers to look up at Crossref and OpenAlex."""

    collection: str = Field(pattern=f"^{COLLECTION.pattern}$")
    """Name of the collection."""

    after: str = Field(default="", max_length=2000)
    """DOI to begin after: ``nextAfter`` of the call before."""

    first: int = Field(default=100, ge=1, le=DOIS_AT_ONCE)
    """Number of DOIs."""


class BibliographyToCheck(RequestModel):
    """Bibliography of up to 100 entries."""

    collection: str = Field(pattern=f"^{COLLECTION.pattern}$")
    """Collection whose papers are compared."""

    bibliography: str = Field(min_length=1, max_length=1_000_000)
    """Text of the bibliography."""

    name: str = Field(default="refs.bib", max_length=200)
    """Name of its file, whose ending tells the format: .bib, .ris, .json (CSL), .enw, .nbib or .csv."""


class OtherEntity(RequestModel):
    """Entity to compare with."""

    other: NodeId
    """Id of the other entity."""


class AnnotationsToDelete(RequestModel):
    """Annotations to delete."""

    id: list[NodeId] = Field(min_length=1, max_length=MAX_PAGE)
    """1 to 100 ids."""


class Splitting(RequestModel):
    """Papers of another person."""

    papers: list[PaperName] = Field(min_length=1, max_length=MAX_PAGE)
    """Ids, keys, DOIs or arXiv ids of papers, not all of the author."""


@router.get("/papers/{id}/fields", summary="List the fields of a paper, each with its source.")
@READ
async def list_paper_fields(context: Context, id: Id) -> ListResponse[PaperField]:
    found = await operations.paper_fields(context.database, id, collections=context.collections)
    return ListResponse(data=found)


@router.patch("/papers/{id}", summary="Edit fields of a paper; edits have priority over all sources.")
@CHANGE
async def edit_paper(context: Context, id: Id, edit: PaperEdit) -> EditedPaper:
    said = {to_camel(name): value for name, value in asdict(edit.fields).items()}
    return await operations.edit_paper(
        context.database, id, said, clear=edit.clear, undo=edit.undo, collections=context.collections
    )


@router.get("/papers/export", summary="Export papers as a bibliography, or each as a Markdown file.")
@EXPORT
async def export_papers(context: Context, wanted: Annotated[PapersToExport, Query()]) -> PaperExport:
    return await operations.export_papers(
        context.database,
        wanted.format,
        wanted.id,
        style=wanted.style,
        notes_of=context.principal if wanted.notes else None,
        collections=context.collections,
    )


@router.post(
    "/papers/copy", summary="Copy or move papers to another collection; one that is there already stays as it is."
)
@COPY
async def copy_papers(context: Context, wanted: PapersToCopy) -> CopiedPapers:
    return await operations.copy_papers(
        context.database,
        wanted.ids,
        from_collection=wanted.from_collection,
        to_collection=wanted.to_collection,
        principal=context.principal,
        move=wanted.move,
        originals=context.service.originals,
    )


@router.post("/papers/reread", status_code=202, summary="Read the kept files of papers again, by a job.")
@COPY
async def reread_papers(context: Context, wanted: PapersToRead) -> RereadPapers:
    embedder, originals = context.service.resources.model.searched.embedder, context.service.originals
    return await operations.reread_papers(
        context.database, context.intake, embedder, originals, context.principal, wanted.ids
    )


@router.get("/papers/pairs", summary="List pairs of papers that may be one, by DOI, or title and year or author.")
@FACETS
async def list_pairs(context: Context, wanted: Annotated[PairsOf, Query()]) -> ListResponse[ProposedPair]:
    found = await operations.proposed_pairs(
        context.database, wanted.collection, limit=wanted.first, collections=context.collections
    )
    return ListResponse(data=found)


@router.post("/papers/retractions", summary="Look up retractions, concerns and corrections of papers, and store them.")
@ESTIMATE
async def check_papers(context: Context, wanted: PapersToCheck) -> RetractionReport:
    return await check_retractions(
        context.database,
        wanted.collection,
        catalogues=context.intake.web.catalogues,
        after=wanted.after,
        first=wanted.first,
        collections=context.collections,
    )


@router.post("/references/check", summary="Check whether works of a bibliography exist or were retracted.")
@ESTIMATE
async def check_entries(context: Context, wanted: BibliographyToCheck) -> ReferencesReport:
    return await check_bibliography(
        context.database,
        wanted.bibliography,
        name=wanted.name,
        collection=wanted.collection,
        web=context.intake.web,
        collections=context.collections,
    )


@router.post("/papers/{id}/different", summary="Mark two papers of a pair as different; they stay as they are.")
@CHANGE
async def reject_pair(context: Context, id: Id, wanted: RejectedPair) -> DecidedProposal:
    return await operations.decide_pair(
        context.database, id, wanted.other, undo=wanted.undo, collections=context.collections
    )


@router.post("/papers/{id}/merge", summary="Merge two papers; all sources of both stay.")
@CHANGE
async def merge_papers(context: Context, id: Id, wanted: OtherPaper) -> DecidedPaper:
    return await operations.merge_papers(context.database, id, wanted.other, collections=context.collections)


@router.post("/papers/{id}/split", summary="Split sources from a paper, or take back its merges.")
@CHANGE
async def split_paper(context: Context, id: Id, wanted: SourcesToSplit) -> DecidedPaper:
    return await operations.split_paper(context.database, id, wanted.sources, collections=context.collections)


@router.post("/papers/{id}/undo", summary="Undo all merges and splits of a paper.")
@CHANGE
async def undo_paper(context: Context, id: Id) -> DecidedPaper:
    return await operations.undo_paper(context.database, id, collections=context.collections)


@router.get("/papers/{id}/corrections", summary="Look up a paper; list fields that a catalogue states otherwise.")
@ESTIMATE
async def list_corrections(context: Context, id: Id) -> ListResponse[ProposedCorrection]:
    found = await operations.proposed_corrections(
        context.database, context.intake.web, id, collections=context.collections
    )
    return ListResponse(data=found)


@router.post("/papers/{id}/corrections", summary="Reject proposed values of a field, or take this back.")
@CHANGE
async def reject_correction(context: Context, id: Id, wanted: RejectedCorrection) -> DecidedProposal:
    return await operations.decide_correction(
        context.database, id, wanted.name, wanted.values, undo=wanted.undo, collections=context.collections
    )


@router.post("/annotations", summary="Add a tag, note, star or state to papers, or a highlight to one.")
@ANNOTATE
async def annotate(context: Context, wanted: annotating.NewAnnotation) -> ListResponse[Annotation]:
    return ListResponse(data=await annotating.annotate(context.database, context.principal, wanted))


@router.patch("/annotations/{id}", summary="Change an annotation of the caller; an administrator changes any.")
@ANNOTATE
async def change_annotation(context: Context, id: Id, wanted: annotating.AnnotationChange) -> Annotation:
    return await annotating.change_annotation(context.database, context.principal, id, wanted)


@router.delete("/annotations", summary="Delete annotations of the caller; an administrator deletes any.")
@ANNOTATE
async def delete_annotations(
    context: Context, wanted: Annotated[AnnotationsToDelete, Query()]
) -> annotating.DeletedAnnotations:
    return await annotating.delete_annotations(context.database, context.principal, wanted.id)


@router.post("/authors/{id}/merge", summary="Mark two authors as one person.")
@CHANGE
async def merge_authors(context: Context, id: Id, wanted: Merging) -> DecidedAuthor:
    return await operations.merge_authors(context.database, id, wanted.into, collections=context.collections)


@router.post("/authors/{id}/split", summary="Mark the author of some papers as another person.")
@CHANGE
async def split_author(context: Context, id: Id, wanted: Splitting) -> DecidedAuthor:
    return await operations.split_author(context.database, id, wanted.papers, collections=context.collections)


@router.post("/authors/{id}/undo", summary="Undo all merges and splits of an author.")
@CHANGE
async def undo_author(context: Context, id: Id) -> UndoneDecisions:
    return await operations.undo_author(context.database, id, collections=context.collections)


@router.post("/entities/{id}/merge", summary="Mark two entities as the same thing.")
@CHANGE
async def merge_entities(context: Context, id: Id, wanted: OtherEntity) -> DecidedEntities:
    return await operations.decide_entities(
        context.database, id, wanted.other, same=True, collections=context.collections
    )


@router.post("/entities/{id}/split", summary="Mark two entities as different things.")
@CHANGE
async def split_entities(context: Context, id: Id, wanted: OtherEntity) -> DecidedEntities:
    return await operations.decide_entities(
        context.database, id, wanted.other, same=False, collections=context.collections
    )
